#include "gate/lint/trials.h"

#include "inputs/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace hone::gate {
namespace {

constexpr double k_small_work = 1e5;   // flops + bytes of one call at hidden sizes: all is tried some hundred times
constexpr double k_all_families = 4e6; // up to here with all families
constexpr double k_timed_work = 3e7;   // timed sizes beyond that are tried at smaller ones
constexpr std::size_t k_hidden = 5;
constexpr std::size_t k_most_timed = 2;
constexpr std::array<std::int64_t, 7> k_equal_extents{24, 12, 8, 6, 4, 3, 2};
constexpr std::array k_few_families{inputs::ValueFamily::normal, inputs::ValueFamily::uniform,
                                    inputs::ValueFamily::large};

std::optional<double> work_at(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  if (!kernel::check_sizes(kernel, sizes)) {
    return std::nullopt; // the kernel means nothing there
  }
  const auto work = kernel::work_of(kernel, sizes);
  return work ? std::optional(work->total()) : std::nullopt;
}

LintTrial trial_of(kernel::Sizes sizes, double work)
{
  const auto all = inputs::all_value_families();
  return {std::move(sizes), work <= k_all_families ? all : std::span<const inputs::ValueFamily>(k_few_families)};
}

void add_equal_extents(const kernel::Kernel& kernel, LintTrials& trials)
{
  for (const std::int64_t extent : k_equal_extents) {
    kernel::Sizes sizes;
    for (const std::string& symbol : kernel.symbols) {
      sizes[symbol] = extent;
    }
    if (const auto work = work_at(kernel, sizes); work && *work <= k_small_work) {
      trials.all.push_back(trial_of(std::move(sizes), *work));
      return;
    }
  }
}

// Halves extents, the largest first, where the kernel still means something then. No extent becomes 1: many kernels
// are trivial there.
bool halve_one(const kernel::Kernel& kernel, kernel::Sizes& sizes)
{
  std::vector<std::string> order = kernel.symbols;
  std::ranges::stable_sort(order, std::greater(), [&](const std::string& symbol) { return sizes.at(symbol); });
  for (const std::string& symbol : order) {
    kernel::Sizes smaller = sizes;
    smaller[symbol] /= 2;
    if (smaller[symbol] >= 2 && work_at(kernel, smaller)) {
      sizes = std::move(smaller);
      return true;
    }
  }
  return false;
}

// The sizes, or smaller ones of their shape with the wanted work at most; nothing where even the smallest cost more
// than `most`.
std::optional<LintTrial> shrunken(const kernel::Kernel& kernel, kernel::Sizes sizes, double wanted, double most)
{
  auto work = work_at(kernel, sizes);
  while (work && *work > wanted && halve_one(kernel, sizes)) {
    work = work_at(kernel, sizes);
  }
  return work && *work <= most ? std::optional(trial_of(std::move(sizes), *work)) : std::nullopt;
}

void add_timed(const kernel::Kernel& kernel, LintTrials& trials)
{
  for (const kernel::Sizes& timed : kernel.timed) {
    if (trials.all.size() == k_most_timed) {
      return;
    }
    auto trial = shrunken(kernel, timed, k_timed_work, k_timed_work);
    if (trial && trial->sizes != timed) {
      trials.remark += fmt::format("{}{} takes too long here: {} stands for it", trials.remark.empty() ? "" : "; ",
                                   kernel::to_text(timed), kernel::to_text(trial->sizes));
    }
    if (trial) {
      trials.all.push_back(std::move(*trial));
    }
  }
}

} // namespace

Result<LintTrials> draw_lint_trials(const kernel::Kernel& kernel, Random& random)
{
  LintTrials trials;
  if (kernel.also == kernel::AlsoSizes::any && !kernel.symbols.empty()) {
    add_equal_extents(kernel, trials);
    // Hidden sizes may all be trivial where few are cheap; those of the timed sizes' shape are not.
    if (auto trial = shrunken(kernel, kernel.timed.front(), k_small_work, k_all_families)) {
      trials.all.push_back(std::move(*trial));
    }
    HONE_TRY(std::vector<kernel::Sizes> hidden,
             inputs::draw_hidden_sizes(kernel, {}, {k_hidden, k_small_work}, random));
    for (kernel::Sizes& sizes : hidden) {
      trials.all.push_back(trial_of(std::move(sizes), k_small_work));
    }
  }
  if (trials.all.empty()) {
    add_timed(kernel, trials);
  }
  if (trials.all.empty()) {
    trials.remark = fmt::format("nothing was tried: {} takes too long, and no smaller sizes mean anything",
                                kernel.timed.front().empty() ? "a call" : kernel::to_text(kernel.timed.front()));
  }
  return trials;
}

} // namespace hone::gate
