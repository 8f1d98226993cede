// Kernels and candidates as data: what must be computed (kernel.toml and its expression), what "correct" means
// (the fp64 reference and its bounds), and what a candidate is (files, launch plan, tuning space).
// Reads the folder it is given and compiles its own reference; knows nothing of how candidates are compiled or run, and
// devices only as named integers in plans.
#pragma once

#include "kernel/candidate.h"       // device code + macros + launch plan
#include "kernel/data_type.h"       // f32, f64, ...
#include "kernel/definition.h"      // Kernel, arguments, sizes, work
#include "kernel/expression.h"      // the expression language as a tree
#include "kernel/kernel_class.h"    // contraction, row reduction, map
#include "kernel/plan_expression.h" // integer expressions in plans
#include "kernel/reference.h"       // compiled fp64 reference, projections
#include "kernel/resolved_plan.h"   // a plan with concrete numbers
// Public too, but wanted in few places: "kernel/schema.h", "kernel/function_library.h" (relu, gelu, ...),
// "kernel/reserved_names.h", "kernel/reference_source.h" (the reference as C++), "kernel/declared_parameters.h" (what
// device code promises), "kernel/size_conditions.h" (which sizes mean something), "kernel/stage.h" (one statement as a
// kernel of its own).
