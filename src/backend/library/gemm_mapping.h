// Recognises kernels that a numerical library computes.
#pragma once

#include "backend/library/gemm_call.h"
#include "kernel/kernel.h"

#include <optional>

namespace hone::backend {

// The library call that computes `kernel` on these sizes; nothing where the kernel is not a (batched, transposed,
// scaled) matrix product with at most a bias over its columns and a ReLU or GELU after it, in f32 or f64 throughout; or
// a bare product of narrow operands, in the types that GemmTypes lists.
std::optional<GemmCall> gemm_call_for(const kernel::Kernel& kernel, const kernel::Sizes& sizes);

} // namespace hone::backend
