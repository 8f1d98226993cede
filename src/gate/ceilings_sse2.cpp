// Ceiling loops with 16-byte vectors. CMakeLists.txt gives this file its instruction set and its optimisation level.
#include "gate/ceilings_loops.h"

namespace hone::gate {
namespace {

using Floats = float __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(16)));
using Words = std::uint64_t __attribute__((vector_size(16)));

} // namespace

constinit const InstructionSetLoops k_sse2_loops = {
  "sse2",
  arithmetic_loop<Floats, float>(),
  arithmetic_loop<Doubles, double>(),
  read_loop<Words, 1>,
  read_loop<Words, 4>,
};

} // namespace hone::gate
