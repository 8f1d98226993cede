// Sizes at which several symbols are long at once, as large as is affordable: plain values and others, some elements of
// the result, the order of the groups. The whole reference would cost far more than the calls.
#include "gate/validate/fitting.h"
#include "gate/validate/groups.h"
#include "gate/validate/validation.h"
#include "inputs/inputs.h"
#include "inputs/stress_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::gate {
namespace {

// Plain loops take their time: of them fewer sizes are tried, but not smaller ones. Their own time: how many are tried
// must not depend on what else this machine does.
constexpr double k_patience_with_corners_s = 0.6;
constexpr std::size_t k_of_slow_one_in = 8;
constexpr std::int64_t k_quickly_called = 1 << 18;
constexpr std::int64_t k_most_groups_in_order = 1 << 14; // one by one, each of which finds other registers
constexpr std::size_t k_looked_at_closely = 12; // sizes: other values, what groups do where they meet, and their order
constexpr std::size_t k_orders_one_in = 4;      // of these, where groups do not reduce

// Fit for sums of any length.
constexpr std::array k_corner_families{inputs::ValueFamily::small_integers, inputs::ValueFamily::one_hot,
                                       inputs::ValueFamily::late, inputs::ValueFamily::whole,
                                       inputs::ValueFamily::tiny};

// For orders of groups that reduce: in most of them many values are alike, and which of these counts must not be left
// to whoever comes first.
constexpr std::array k_of_all_alike{inputs::ValueFamily::small_integers, inputs::ValueFamily::signed_zeros,
                                    inputs::ValueFamily::whole, inputs::ValueFamily::normal};

inputs::ValueFamily another_family(Validation& validation, const kernel::Sizes& sizes)
{
  if (inputs::has_long_sums(validation.kernel(), sizes)) {
    return validation.one_of(k_corner_families);
  }
  return validation.one_of(inputs::all_value_families().subspan(1));
}

std::int64_t groups_of(Harness& harness)
{
  return harness.prepared().plan.groups() + (harness.preparation() ? harness.preparation()->plan().groups() : 0);
}

Result<SessionResult<void>> try_calls(Validation& validation, Harness& harness, std::size_t number)
{
  HONE_SESSION_CHECK(validation.looked_at_call(harness, validation.draw_inputs(inputs::ValueFamily::normal)));
  const bool calls_are_slow = groups_of(harness) > k_quickly_called;
  if (number >= k_looked_at_closely || calls_are_slow) {
    return SessionResult<void>();
  }
  if (number % 2 == 1) {
    HONE_SESSION_CHECK(
      validation.looked_at_call(harness, validation.draw_inputs(another_family(validation, harness.sizes()))));
  }
  if (!validation.setting().capabilities.groups_one_by_one) {
    return SessionResult<void>();
  }
  if (number % 2 == 0) {
    HONE_SESSION_CHECK(compare_sides(validation, harness));
  }
  const bool reduced = reduces(harness.prepared().plan);
  if ((reduced || number % k_orders_one_in == 0) && groups_of(harness) <= k_most_groups_in_order) {
    const inputs::ValueFamily family =
      reduced ? k_of_all_alike[validation.random().below(k_of_all_alike.size())] : inputs::ValueFamily::normal;
    HONE_SESSION_CHECK(compare_orders(validation, harness, family));
  }
  return SessionResult<void>();
}

// Ends with the CPU time that it took the contender.
Result<SessionResult<double>> try_corner(Validation& validation, const kernel::Sizes& sizes, std::size_t number)
{
  HONE_SESSION(Harness* const harness, validation.harness(sizes, Layout::guard_pages));
  HONE_SESSION_CHECK(try_calls(validation, *harness, number));
  return SessionResult<double>(harness->session().cpu_s());
}

} // namespace

Result<SessionResult<void>> validate_corners(Validation& validation)
{
  double taken_s = 0;
  std::size_t tried = 0, number = 0, left_out = 0;
  for (const kernel::Sizes& sizes : validation.corners()) {
    if (taken_s > k_patience_with_corners_s && number++ % k_of_slow_one_in != 0) {
      continue;
    }
    HONE_TRY(const std::string missing, why_it_does_not_fit(validation, sizes));
    if (missing.empty()) {
      HONE_SESSION(const double seconds, try_corner(validation, sizes, tried++));
      taken_s += seconds;
    } else {
      ++left_out;
    }
  }
  if (tried + left_out == 0) {
    validation.note_that_nothing_ran("the kernel has no sizes at which several extents are long");
  } else {
    validation.note(
      "several long extents at once",
      fmt::format("{} sizes, {}{}", tried, validation.knows_elements() ? "some elements of each" : "every element",
                  left_out > 0 ? fmt::format("; {} left out, which its plan does not fit", left_out) : ""));
  }
  return SessionResult<void>();
}

} // namespace hone::gate
