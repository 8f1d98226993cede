#include "inputs/sizes.h"

#include "inputs/size_draw.h"
#include "kernel/size_conditions.h"

#include <algorithm>
#include <utility>

namespace hone::inputs {

bool is_cheap(const kernel::Work& work, double limit)
{
  return work.plain_flops + work.compulsory_bytes <= limit; // references and naive candidates are plain loops
}

Result<void> make_cheap(const kernel::Kernel& kernel, kernel::Sizes& sizes, double limit, Random& random)
{
  constexpr std::uint64_t k_most_shrunk = 7;
  std::vector<std::string> order = kernel.symbols;
  std::shuffle(order.begin(), order.end(), random);
  for (const std::string& symbol : order) {
    if (!kernel::check_sizes(kernel, sizes)) {
      return {}; // the caller drops them
    }
    HONE_TRY(const kernel::Work work, kernel::work_of(kernel, sizes));
    if (is_cheap(work, limit)) {
      return {};
    }
    sizes[symbol] = std::min<std::int64_t>(sizes[symbol], 1 + static_cast<std::int64_t>(random.below(k_most_shrunk)));
  }
  return {};
}

std::int64_t longest_timed(const kernel::Kernel& kernel, const std::string& symbol)
{
  std::int64_t longest = 1;
  for (const kernel::Sizes& timed : kernel.timed) {
    longest = std::max(longest, timed.at(symbol));
  }
  return longest;
}

std::int64_t nearest_far(const kernel::Kernel& kernel, const std::string& symbol)
{
  return k_long_extent + 2 * longest_timed(kernel, symbol);
}

Result<bool> SizeDraw::add_if_cheap(const kernel::Sizes& wanted, double times)
{
  const kernel::Sizes sizes = kernel::with_conditions_met(m_kernel, wanted);
  HONE_TRY(const bool affordable, is_affordable(m_kernel, sizes, times * m_limit));
  const bool added = affordable && std::ranges::find(m_kernel.timed, sizes) == m_kernel.timed.end();
  // Sizes that were changed to meet conditions are often alike.
  const bool is_new = sizes == wanted || std::ranges::find(m_drawn, sizes) == m_drawn.end();
  if (added && is_new) {
    m_drawn.push_back(sizes);
  }
  return added;
}

Result<void> SizeDraw::try_to_add(const kernel::Sizes& sizes, double times)
{
  HONE_TRY([[maybe_unused]] const bool added, add_if_cheap(sizes, times));
  return {};
}

kernel::Sizes SizeDraw::others_of(std::int64_t least, std::int64_t most)
{
  kernel::Sizes sizes;
  for (const std::string& symbol : m_kernel.symbols) {
    sizes[symbol] = between(least, most);
  }
  return sizes;
}

std::int64_t drawn_between(std::int64_t least, std::int64_t most, Random& random)
{
  return least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
}

Result<bool> is_affordable(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                           const std::function<bool(const kernel::Work&)>& fits)
{
  const Result<kernel::Work> work = kernel::work_of(kernel, sizes);
  if ((work && !fits(*work))
      || !kernel::check_sizes(kernel, sizes)) { // what most sizes are refused for first: it takes least
    return false;
  }
  HONE_CHECK(work);
  return true;
}

Result<bool> is_affordable(const kernel::Kernel& kernel, const kernel::Sizes& sizes, double limit)
{
  return is_affordable(kernel, sizes, [limit](const kernel::Work& work) { return is_cheap(work, limit); });
}

Result<std::vector<kernel::Sizes>> draw_hidden_sizes(const kernel::Kernel& kernel, const kernel::TuningPoint& point,
                                                     const HiddenSizesRequest& request, Random& random)
{
  SizeDraw draw(kernel, random, request.work_limit);
  draw.count = request.count;
  draw.point = point;
  HONE_CHECK(draw_group(SizeGroup::hidden, draw, nullptr));
  return std::move(draw.drawn());
}

Result<std::vector<kernel::Sizes>> draw_long_sizes(const kernel::Kernel& kernel, std::size_t count, double work_limit,
                                                   Random& random, const SizeRow* only)
{
  SizeDraw draw(kernel, random, work_limit);
  draw.count = count;
  HONE_CHECK(draw_group(SizeGroup::longer, draw, only));
  return std::move(draw.drawn());
}

Result<std::vector<kernel::Sizes>> draw_further_sizes(const kernel::Kernel& kernel, const kernel::TuningPoint& point,
                                                      double work_limit, Random& random, const SizeRow* only)
{
  SizeDraw draw(kernel, random, work_limit);
  draw.point = point;
  HONE_CHECK(draw_group(SizeGroup::further, draw, only));
  return std::move(draw.drawn());
}

Result<std::vector<kernel::Sizes>> draw_strata(const kernel::Kernel& kernel, double work_limit, Random& random,
                                               const SizeRow* only)
{
  SizeDraw draw(kernel, random, work_limit);
  HONE_CHECK(draw_group(SizeGroup::strata, draw, only));
  return std::move(draw.drawn());
}

} // namespace hone::inputs
