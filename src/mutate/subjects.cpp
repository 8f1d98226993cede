#include "mutate/subjects.h"

#include "policy/policy.h"
#include "policy/unmeasured.h"

#include <algorithm>

namespace hone {

namespace {

constexpr double k_most_work = 4e6; // flops and bytes of a call
constexpr std::int64_t k_smallest = 24;

double work_at(const Kernel& kernel, const Sizes& sizes)
{
  const Result<Work> work = work_of(kernel, sizes);
  return work ? work->total() : 0;
}

} // namespace

Result<std::vector<MutationSubject>> default_subjects(const Kernel& kernel, const Backend& backend)
{
  if (kernel.program.statements.empty()) {
    HONE_TRY(Candidate start, start_candidate(kernel, backend));
    return std::vector<MutationSubject>{{"start", std::move(start), {}}};
  }
  HONE_TRY(UnmeasuredSteps end, apply_step_list(kernel, backend));
  std::vector<MutationSubject> out{{"naive", std::move(end.start), {}}};
  if (!end.carried_out.empty()) {
    out.push_back({"step list", std::move(end.candidate), std::move(end.carried_out)});
  }
  return out;
}

Kernel with_small_sizes(const Kernel& kernel)
{
  Kernel small = kernel;
  if (kernel.also == AlsoSizes::timed || kernel.symbols.empty()) {
    return small;
  }
  Sizes sizes = kernel.timed.front();
  while (work_at(kernel, sizes) > k_most_work) {
    const auto largest = std::ranges::max_element(sizes, {}, [](const auto& entry) { return entry.second; });
    if (largest->second <= k_smallest) {
      break;
    }
    // Odd ones are no multiple of any tile.
    Sizes next = sizes;
    next[largest->first] = (largest->second / 2) | 1;
    if (!check_sizes(kernel, next)) {
      next[largest->first] = largest->second / 2;
    }
    if (!check_sizes(kernel, next)) {
      break;
    }
    sizes = std::move(next);
  }
  small.timed = {sizes};
  return small;
}

} // namespace hone
