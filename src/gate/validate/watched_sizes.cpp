#include "gate/validate/watched_sizes.h"

#include "inputs/sizes.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace hone::gate {
namespace {

constexpr double k_too_much = 10;        // times what takes the tool a second
constexpr std::size_t k_most_chosen = 8; // for launches and neighbours, by a tool that is quick; by others:
constexpr std::size_t k_most_chosen_slowly = 2;
constexpr std::size_t k_accesses_of_others = 5'000'000;  // at other sizes than the timed ones,
constexpr std::size_t k_accesses_where_long = 1'000'000; // of calls of which there may be many
constexpr std::size_t k_accesses_of_strata = 300'000;
constexpr std::size_t k_corners_watched = 4;
constexpr std::size_t k_few_symbols = 3;
constexpr double k_longer = 16;                 // than another symbol
constexpr std::int64_t k_vector = 8;            // sessions that leave nothing over
constexpr std::int64_t k_most_groups = 1 << 24; // of a launch at other sizes than the timed ones

double total_work(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  const auto work = kernel::work_of(kernel, sizes);
  return work ? work->total() : std::numeric_limits<double>::infinity();
}

// Of the hidden sizes that the tool can do in a second those with fewest extents of 1, where nobody has a neighbour; of
// these those with most odd extents, whose tiles and vectors are cut off, and with most work; else those with least.
// And those with most groups beside each other.
std::vector<kernel::Sizes> choose_sizes(Validation& validation, const backend::Inspector& inspector)
{
  const std::vector<kernel::Sizes>& hidden = validation.hidden_sizes();
  const kernel::Sizes& neighbours = validation.probe_sizes();
  if (hidden.empty()) {
    return {neighbours};
  }
  const auto rank = [&](const kernel::Sizes& sizes) {
    const double work = total_work(validation.kernel(), sizes);
    const auto several = std::ranges::count_if(sizes, [](const auto& size) { return size.second > 1; });
    const auto odd = std::ranges::count_if(sizes, [](const auto& size) { return size.second % 2 != 0; });
    return work <= inspector.most_work() ? std::tuple(several, odd, work)
                                         : std::tuple(std::ptrdiff_t{-1}, std::ptrdiff_t{0}, -work);
  };
  const kernel::Sizes& cut_off = *std::ranges::max_element(hidden, {}, rank);
  if (neighbours == cut_off || total_work(validation.kernel(), neighbours) > inspector.most_work()) {
    return {cut_off};
  }
  return {cut_off, neighbours};
}

// Which launches there are, and in which directions several groups of them lie beside each other.
std::string shape_of(const kernel::ResolvedPlan& plan)
{
  std::string shape;
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    shape += launch.kernel;
    for (const std::int64_t groups : launch.grid) {
      shape += groups > 1 ? " n" : " 1";
    }
    shape += '\n';
  }
  return shape;
}

// The plan at some sizes; none where the candidate does not fit, which the calls there have said.
Result<std::optional<kernel::ResolvedPlan>> plan_at(Validation& validation, const kernel::Sizes& sizes)
{
  HONE_TRY(const auto prepared, validation.setting().prepare(sizes));
  if (!prepared) {
    return std::optional<kernel::ResolvedPlan>();
  }
  const kernel::ResolvedPlan& plan = (*prepared)->plan;
  const bool too_many =
    std::ranges::any_of(plan.launches, [](const auto& launch) { return launch.groups() > k_most_groups; });
  return too_many && sizes != validation.setting().recipe->sizes ? std::optional<kernel::ResolvedPlan>() : plan;
}

bool has_neighbours(const kernel::ResolvedPlan& plan)
{
  return std::ranges::any_of(plan.launches, [](const kernel::ResolvedLaunch& launch) { return launch.groups() > 1; });
}

class Choice {
public:
  Choice(Validation& validation, const backend::Inspector& inspector) : m_validation(validation), m_inspector(inspector)
  {
  }

  // Where it cannot be watched whole, so many accesses of it.
  Result<void> add(const kernel::Sizes& sizes, std::size_t accesses = k_accesses_of_others)
  {
    if (!can_be_watched(sizes, k_too_much)) {
      return {};
    }
    HONE_TRY(const auto plan, plan_at(m_validation, sizes));
    if (plan) {
      m_shapes.insert(shape_of(*plan));
      enter(sizes, accesses);
    }
    return {};
  }

  // Not many accesses, of many calls.
  Result<void> add_briefly(const kernel::Sizes& sizes)
  {
    HONE_TRY(const auto plan, plan_at(m_validation, sizes));
    if (plan && std::ranges::find(m_calls, sizes, &WatchedCall::sizes) == m_calls.end()) {
      m_calls.push_back({sizes, at_most(k_accesses_of_strata), true});
    }
    return {};
  }

  // Some, as long as not enough are chosen: those at which the plan is of a shape that has not come up before.
  Result<void> add_shapes(const std::vector<kernel::Sizes>& list)
  {
    return add_some(list, [this](const kernel::ResolvedPlan& plan) { return m_shapes.insert(shape_of(plan)).second; });
  }

  // Those at which groups have neighbours.
  Result<void> add_others(const std::vector<kernel::Sizes>& list) { return add_some(list, has_neighbours); }

  // Those that the tool does whole in a second.
  std::vector<kernel::Sizes> watchable(const std::vector<kernel::Sizes>& list) const
  {
    std::vector<kernel::Sizes> out;
    std::ranges::copy_if(list, std::back_inserter(out),
                         [this](const kernel::Sizes& sizes) { return can_be_watched(sizes, 1); });
    return out;
  }

  std::vector<WatchedCall> take() { return std::move(m_calls); }

private:
  template <class Fits> Result<void> add_some(const std::vector<kernel::Sizes>& list, const Fits& fits)
  {
    for (const kernel::Sizes& sizes : list) {
      if (m_chosen == most_chosen() || !can_be_watched(sizes, 1)) {
        continue;
      }
      HONE_TRY(const auto plan, plan_at(m_validation, sizes));
      if (plan && fits(*plan)) {
        m_chosen += enter(sizes) ? 1 : 0;
      }
    }
    return {};
  }

  std::size_t most_chosen() const { return m_inspector.most_accesses() > 0 ? k_most_chosen : k_most_chosen_slowly; }

  // Whole, or in part.
  bool can_be_watched(const kernel::Sizes& sizes, double seconds) const
  {
    return m_inspector.most_accesses() > 0
           || total_work(m_validation.kernel(), sizes) <= seconds * m_inspector.most_work();
  }

  std::size_t at_most(std::size_t accesses) const { return std::min(accesses, m_inspector.most_accesses()); }

  bool enter(const kernel::Sizes& sizes, std::size_t accesses = k_accesses_of_others)
  {
    if (std::ranges::find(m_calls, sizes, &WatchedCall::sizes) != m_calls.end()) {
      return false;
    }
    const bool timed = sizes == m_validation.setting().recipe->sizes;
    const bool whole = total_work(m_validation.kernel(), sizes) <= m_inspector.most_work();
    m_calls.push_back({sizes, timed ? m_inspector.most_accesses() : whole ? 0 : at_most(accesses)});
    return true;
  }

  Validation& m_validation;
  const backend::Inspector& m_inspector;
  std::vector<WatchedCall> m_calls;
  std::set<std::string> m_shapes;
  std::size_t m_chosen = 0;
};

// Of every symbol the size in which it is longest.
std::vector<kernel::Sizes> longest_of_each(const kernel::Kernel& kernel, const std::vector<kernel::Sizes>& list)
{
  std::vector<kernel::Sizes> longest;
  for (const std::string& symbol : kernel.symbols) {
    const auto extent = [&](const kernel::Sizes& sizes) { return sizes.at(symbol); };
    if (const auto found = std::ranges::max_element(list, {}, extent); found != list.end()) {
      longest.push_back(*found);
    }
  }
  return longest;
}

// The sizes at which the shortest of some symbols is longest, and all of them leave something over. The first counts as
// if it were so many times as long.
void add_longest(const std::vector<std::string>& some, double first_counts, const std::vector<kernel::Sizes>& list,
                 std::vector<kernel::Sizes>& longest)
{
  const auto shortest = [&](const kernel::Sizes& sizes) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::string& symbol : some) {
      const std::int64_t extent = sizes.at(symbol);
      const double counted = extent % k_vector == 0 ? 1 : static_cast<double>(extent);
      least = std::min(least, symbol == some.front() ? counted * first_counts : counted);
    }
    return least;
  };
  if (const auto found = std::ranges::max_element(list, {}, shortest); found != list.end()) {
    longest.push_back(*found);
  }
}

// For every three symbols, and every two, whichever of them is the longer one where they are few.
std::vector<kernel::Sizes> longest_together(const kernel::Kernel& kernel, const std::vector<kernel::Sizes>& list)
{
  std::vector<kernel::Sizes> longest;
  for (const std::vector<std::string>& three : inputs::combinations(kernel.symbols, 3)) {
    add_longest(three, 1, list, longest);
  }
  for (const std::vector<std::string>& two : inputs::combinations(kernel.symbols, 2)) {
    add_longest(two, 1, list, longest);
    if (kernel.symbols.size() <= k_few_symbols) {
      add_longest(two, k_longer, list, longest);
      add_longest(two, 1 / k_longer, list, longest);
    }
  }
  return longest;
}

} // namespace

Result<std::vector<WatchedCall>> choose_watched_calls(Validation& validation, const backend::Inspector& inspector)
{
  Choice choice(validation, inspector);
  for (const kernel::Sizes& sizes : choose_sizes(validation, inspector)) {
    HONE_CHECK(choice.add(sizes));
  }
  HONE_CHECK(choice.add_shapes(validation.literal_sizes()));
  HONE_CHECK(choice.add_shapes(validation.further_sizes()));
  HONE_CHECK(choice.add_others(validation.literal_sizes()));
  if (inspector.most_accesses() > 0) {
    for (const kernel::Sizes& sizes : longest_of_each(validation.kernel(), validation.further_sizes())) {
      HONE_CHECK(choice.add(sizes));
    }
    for (const kernel::Sizes& sizes : longest_together(validation.kernel(), validation.further_sizes())) {
      HONE_CHECK(choice.add(sizes, k_accesses_where_long));
    }
    const std::vector<kernel::Sizes>& corners = validation.corners();
    for (std::size_t i = 0; i < corners.size(); i += std::max<std::size_t>(corners.size() / k_corners_watched, 1)) {
      HONE_CHECK(choice.add(corners[i], k_accesses_where_long));
    }
    for (const kernel::Sizes& sizes : validation.strata()) {
      HONE_CHECK(choice.add_briefly(sizes));
    }
    HONE_CHECK(choice.add(validation.setting().recipe->sizes));
  } else { // several blocks of terms among them
    const std::vector<kernel::Sizes> whole = choice.watchable(validation.further_sizes());
    for (const kernel::Sizes& sizes : longest_of_each(validation.kernel(), whole)) {
      HONE_CHECK(choice.add(sizes));
    }
  }
  return choice.take();
}

} // namespace hone::gate
