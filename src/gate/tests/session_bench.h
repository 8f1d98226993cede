// What session and comparison tests share: a small kernel `C[i] = 2 * A[i] + B[i]`, code images made from a few lines
// of C++, and a backend that only names the CPU runner.
#pragma once

#include "backend/backend.h"
#include "gate/arena.h"
#include "gate/runner_session.h"

#include <string>

namespace hone::gate::test {

kernel::Kernel axpy_kernel(); // A, B: inputs of n floats; C: output
const backend::Backend& cpu_runner_backend();

// Machine code of `extern "C" void kernel(const Group* group, const float* A, const float* B, float* C, long n)`,
// whose body is given; the entry is at 0. Bodies may use system_call(number, arguments...).
backend::Module image_of(const std::string& body);
// The same with parameters of one's own behind the group.
backend::Module image_of(const std::string& parameters, const std::string& body);
// A body that finds the job and reply areas in the runner's memory and then does `action` with `job` and `reply`
// (byte pointers) and `answer()`, which claims that the current command is done.
std::string with_control_areas(const std::string& action);
kernel::ResolvedPlan plan_of(std::int64_t n, std::int64_t groups = 1);

constexpr std::size_t k_a = 0, k_b = 1, k_c = 2;
inline const std::string k_good_body = "for (long i = 0; i < n; ++i) C[i] = 2 * A[i] + B[i];";

Arena arena_for(std::int64_t n, std::size_t sets, bool flush_to_guard = false, bool shared_inputs = false);
void fill_inputs(Arena& arena, std::size_t set, std::uint64_t seed);
bool output_is_right(Arena& arena, std::size_t set);

SessionSpec session_spec(const backend::Module& module, const kernel::ResolvedPlan& plan);

} // namespace hone::gate::test
