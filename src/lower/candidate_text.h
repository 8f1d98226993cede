// The files of a candidate, written as text: launch.toml, macros.h, and the device file's frame.
#pragma once

#include "kernel/kernel.h"
#include "lower/dialect.h"
#include "lower/loop_program.h"

#include <functional>
#include <string>
#include <vector>

namespace hone::lower {

struct ScratchText {
  std::string name;
  kernel::DataType type = kernel::DataType::f32;
  std::string size; // plan expression, elements
};

struct LaunchText {
  std::string kernel;
  std::vector<std::string> grid;  // plan expressions, x first
  std::vector<std::string> block; // empty: one work-item
  std::string shared;             // plan expression, bytes; empty: none
  std::vector<std::string> args;
  std::vector<std::string> cluster = {}; // empty: none
};

// A tensor map, from the innermost dimension on; plan expressions.
struct MapText {
  std::string name, tensor;
  std::vector<std::string> sizes, box;
  int swizzle = 0; // bytes
};

struct PlanText {
  std::vector<kernel::TuningParameter> tuning;
  std::vector<std::string> constraints;
  std::vector<ScratchText> scratch;
  std::vector<MapText> maps;
  std::vector<LaunchText> launches;
};

std::string print_plan(const PlanText& plan);

// One parameter of a device function: "const float* A" and the name alone.
struct ParameterText {
  std::string name;
  std::string declaration;
};

// A scratch buffer that is no statement's target.
struct ExtraBuffer {
  std::string name;
  kernel::DataType type = kernel::DataType::f32;
};

// `name`, with underscores behind it until no tensor of the kernel has it.
std::string free_tensor_name(const kernel::Kernel& kernel, std::string name);

// Whether a load of the statement's target is of the element that the statement writes.
bool is_own_element(const kernel::Expr& load, const kernel::Statement& statement);
// Whether an expression reads the target's old contents at another place than the one that the statement writes.
bool reads_target_elsewhere(const kernel::Statement& statement, const kernel::Expr& expression);
// Whether some elements stay what they were.
bool keeps_elements(const kernel::Statement& statement, const kernel::Expr& value);
// The load of this element, of the target or of a tensor like it.
kernel::ExprPtr own_element(const kernel::Statement& statement, const std::string& tensor);

// Parameters of a function that touches the named tensors and mentions `body`'s size symbols: tensors in the
// kernel's order, then scratch, then sizes. Outputs and inouts are never const, also where they are only read: the
// runner's declarations of kernels do not know who only reads them.
// `in_memory` says which intermediates are buffers; left out: all.
std::vector<ParameterText> parameters_for(const kernel::Kernel& kernel, const Dialect& dialect, const std::string& body,
                                          const std::vector<ExtraBuffer>& extras = {},
                                          const std::function<bool(const kernel::Statement&)>& in_memory = {});

// "(a, b, c)" of a function's declarations, or of a call's names.
std::string declarations(const std::vector<ParameterText>& parameters);
std::vector<std::string> names(const std::vector<ParameterText>& parameters);

// The head of a function that the launch plan names.
std::string entry_head(const Dialect& dialect, const std::string& name, const std::vector<ParameterText>& parameters);

// What stands above everything else in a device file: a sentence on the kernel, and the includes.
ProgramBlock device_preamble(const kernel::Kernel& kernel, const Dialect& dialect);

// A name that C allows, made from a kernel's name ("matmul-ta" -> "matmul_ta").
std::string c_name(std::string_view name);

} // namespace hone::lower
