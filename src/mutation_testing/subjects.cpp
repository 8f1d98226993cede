#include "mutation_testing/subjects.h"

#include "policy/policy.h"
#include "policy/unmeasured.h"

#include <algorithm>

namespace hone::mutation_testing {

namespace {

constexpr double k_most_work = 4e6; // flops and bytes of a call
constexpr std::int64_t k_smallest = 24;

double work_at(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  const Result<kernel::Work> work = kernel::work_of(kernel, sizes);
  return work ? work->total() : 0;
}

} // namespace

Result<std::vector<MutationSubject>> default_subjects(const kernel::Kernel& kernel, const backend::Backend& backend)
{
  if (kernel.program.statements.empty()) {
    HONE_TRY(kernel::Candidate start, policy::start_candidate(kernel, backend));
    return std::vector<MutationSubject>{{"start", std::move(start), {}}};
  }
  HONE_TRY(policy::UnmeasuredSteps end, policy::apply_step_list(kernel, backend));
  std::vector<MutationSubject> out{{"naive", std::move(end.start), {}}};
  if (!end.carried_out.empty()) {
    out.push_back({"step list", std::move(end.candidate), std::move(end.carried_out)});
  }
  return out;
}

kernel::Kernel with_small_sizes(const kernel::Kernel& kernel)
{
  kernel::Kernel small = kernel;
  if (kernel.also == kernel::AlsoSizes::timed || kernel.symbols.empty()) {
    return small;
  }
  kernel::Sizes sizes = kernel.timed.front();
  while (work_at(kernel, sizes) > k_most_work) {
    const auto largest = std::ranges::max_element(sizes, {}, [](const auto& entry) { return entry.second; });
    if (largest->second <= k_smallest) {
      break;
    }
    // Odd ones are no multiple of any tile.
    kernel::Sizes next = sizes;
    next[largest->first] = (largest->second / 2) | 1;
    if (!kernel::check_sizes(kernel, next)) {
      next[largest->first] = largest->second / 2;
    }
    if (!kernel::check_sizes(kernel, next)) {
      break;
    }
    sizes = std::move(next);
  }
  small.timed = {sizes};
  return small;
}

} // namespace hone::mutation_testing
