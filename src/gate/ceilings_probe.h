// What each instruction set offers to the measurement of ceilings. (internal to the gate)
#pragma once

#include <cstddef>
#include <cstdint>

namespace hone::gate {

struct ArithmeticLoop {
  double (*run)();            // one call; the value keeps the optimiser from dropping the work
  double operations_per_call; // floating-point operations; a multiply and an add count 2
};

using ReadLoop = std::uint64_t (*)(const std::byte* data, std::size_t bytes);

struct InstructionSetLoops {
  const char* name; // "avx512", "avx2", "sse2"
  ArithmeticLoop f32;
  ArithmeticLoop f64;
  ReadLoop read_one_stream;
  ReadLoop read_four_streams;
  // Dot products of bytes and of bf16, as instructions of their own; for CPUs that have those (see ceilings.cpp).
  ArithmeticLoop i8 = {nullptr, 0};
  ArithmeticLoop bf16 = {nullptr, 0};
};

// Callable on a CPU that has the instruction set; the tables themselves may be read on any.
extern const InstructionSetLoops k_avx512_loops;
extern const InstructionSetLoops k_avx2_loops;
extern const InstructionSetLoops k_sse2_loops;

} // namespace hone::gate
