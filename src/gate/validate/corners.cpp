// Sizes at which several symbols are long at once, as large as is affordable: plain values and others, some elements of
// the result, the order of the groups. The whole reference would cost far more than the calls.
#include "gate/corners.h"

#include "gate/hard_values.h"
#include "gate/inputs.h"
#include "gate/validate/groups.h"
#include "gate/validate/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone {
namespace {

constexpr std::size_t k_of_two = 20, k_of_more = 32; // symbols
constexpr CornerLimits k_limits;
constexpr CornerLimits k_in_full{.flops = 5e6, .bytes = 5e6}; // where the reference knows whole outputs only
constexpr std::size_t k_orders_one_in = 4;                    // sizes at which the order of groups is turned round

// Fit for sums of any length.
constexpr std::array k_families{ValueFamily::small_integers, ValueFamily::one_hot, ValueFamily::late,
                                ValueFamily::whole};

ValueFamily another_family(Validation& validation, const Sizes& sizes)
{
  if (has_long_sums(validation.kernel(), sizes)) {
    return k_families[validation.random().below(k_families.size())];
  }
  const auto all = all_value_families();
  return all[1 + validation.random().below(all.size() - 1)];
}

// Whether the plan goes at all there.
Result<bool> fits(Validation& validation, const Sizes& sizes)
{
  HONE_TRY(const auto prepared, validation.setting().prepare(sizes));
  return prepared || prepared.error().status != Status::constraints;
}

Result<LaneResult<void>> try_corner(Validation& validation, const Sizes& sizes, std::size_t number)
{
  HONE_LANE(Bench* const bench, validation.bench(sizes, Layout::guard_pages));
  HONE_LANE_CHECK(validation.looked_at_call(*bench, {ValueFamily::normal, validation.random().next()}));
  if (number % 2 == 1) {
    HONE_LANE_CHECK(validation.looked_at_call(*bench, {another_family(validation, sizes), validation.random().next()}));
  }
  if (!bench->lane().supports_groups()) {
    return LaneResult<void>();
  }
  if (number % 2 == 0) {
    HONE_LANE_CHECK(compare_sides(validation, *bench));
  }
  if (number % k_orders_one_in == 0) {
    HONE_LANE_CHECK(compare_orders(validation, *bench, ValueFamily::normal));
  }
  return LaneResult<void>();
}

} // namespace

Result<LaneResult<void>> validate_corners(Validation& validation)
{
  const Kernel& kernel = validation.kernel();
  if (validation.hidden_sizes().empty()) {
    return LaneResult<void>();
  }
  const bool looks = validation.knows_elements();
  const std::size_t count = kernel.symbols.size() == 2 ? k_of_two : k_of_more;
  HONE_TRY(const std::vector<Sizes> corners,
           draw_corners(kernel, count, looks ? k_limits : k_in_full, validation.random()));
  std::size_t tried = 0;
  for (const Sizes& sizes : corners) {
    HONE_TRY(const bool goes, fits(validation, sizes));
    if (goes) {
      HONE_LANE_CHECK(try_corner(validation, sizes, tried++));
    }
  }
  if (tried > 0) {
    validation.note("several long extents at once",
                    fmt::format("{} sizes, {}", tried, looks ? "some elements of each" : "every element"));
  }
  return LaneResult<void>();
}

} // namespace hone
