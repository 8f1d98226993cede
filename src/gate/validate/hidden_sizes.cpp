// Values of every family on sizes that nobody announced, with buffers ending at an inaccessible page or lying between
// canaries in turn.
#include "gate/validate/fitting.h"
#include "gate/validate/validation.h"
#include "gate/validate/watching.h"
#include "inputs/sizes.h"
#include "inputs/stress_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace hone::gate {
namespace {

// What goes wrong in whole tiles only goes wrong with any values. Others would make long sums lose honest terms: one
// large value at the beginning, and a chain of additions rounds each of the small ones behind it in the same direction.
// The first five are fit for any.
constexpr std::array k_further_families{
  inputs::ValueFamily::normal,    inputs::ValueFamily::small_integers, inputs::ValueFamily::one_hot,
  inputs::ValueFamily::late,      inputs::ValueFamily::whole,          inputs::ValueFamily::rounded,
  inputs::ValueFamily::first_row, inputs::ValueFamily::trends,         inputs::ValueFamily::rectified,
  inputs::ValueFamily::reordered, inputs::ValueFamily::framed,         inputs::ValueFamily::balanced,
  inputs::ValueFamily::patches,   inputs::ValueFamily::nearly,         inputs::ValueFamily::nearly,
  inputs::ValueFamily::tiny,      inputs::ValueFamily::large,          inputs::ValueFamily::shifted};
constexpr std::size_t k_for_long_sums = 5;

// Whose seeds draw what kind of values they are, too.
constexpr std::array k_drawn_more_often{
  inputs::ValueFamily::mixed,    inputs::ValueFamily::mixed,     inputs::ValueFamily::mixed,
  inputs::ValueFamily::trends,   inputs::ValueFamily::trends,    inputs::ValueFamily::trends,
  inputs::ValueFamily::trends,   inputs::ValueFamily::trends,    inputs::ValueFamily::framed,
  inputs::ValueFamily::framed,   inputs::ValueFamily::reordered, inputs::ValueFamily::reordered,
  inputs::ValueFamily::balanced, inputs::ValueFamily::balanced,  inputs::ValueFamily::balanced,
  inputs::ValueFamily::patches,  inputs::ValueFamily::patches,   inputs::ValueFamily::large,
  inputs::ValueFamily::whole,    inputs::ValueFamily::whole,     inputs::ValueFamily::whole,
  inputs::ValueFamily::whole,    inputs::ValueFamily::nearly,    inputs::ValueFamily::nearly,
  inputs::ValueFamily::nearly,   inputs::ValueFamily::rectified, inputs::ValueFamily::rectified};

// Matrices are square there: most structures are of such. Where they are large, the plain values must do.
constexpr std::size_t k_structures_where_alike = 6;
constexpr std::int64_t k_most_with_structures = 67;

// Tensors of one shape hold nearly the same values in one mixed call of four, and of few rows perhaps the very same:
// several calls show who takes them for each other.
constexpr std::size_t k_where_shapes_are_alike = 6;

// Beyond that a call costs most of all.
constexpr std::int64_t k_longest_with_many = 1 << 19;

// Of bytes: at the top, at the bottom, or within the range.
constexpr std::size_t k_where_sums_wrap_around = 3;

// Most of their calls are of products that add up to more than 32 bits.
constexpr std::size_t k_where_long_sums_are_whole = 3;

// Half of their calls are of sums that lose by their end what they had gained.
constexpr std::size_t k_where_sums_come_back = 2;

// Than at the timed ones.
bool sums_are_longer(const Validation& validation, const kernel::Sizes& sizes)
{
  const auto here = kernel::work_of(validation.kernel(), sizes);
  const auto timed = kernel::work_of(validation.kernel(), validation.setting().recipe->sizes);
  return !here || !timed || here->per_element > timed->per_element;
}

bool are_alike_and_small(const kernel::Sizes& sizes)
{
  return sizes.size() > 1 && std::ranges::all_of(sizes, [&](const auto& one) {
           return one.second == sizes.begin()->second && one.second <= k_most_with_structures;
         });
}

std::int64_t longest_of(const kernel::Sizes& sizes)
{
  std::int64_t longest = 0;
  for (const auto& [symbol, extent] : sizes) {
    longest = std::max(longest, extent);
  }
  return longest;
}

// Plain values and one more, drawn for each size; of sums of integers, which lose nothing, also large ones of one sign,
// which show who adds them up in a type that does. Where sums go on far beyond the timed sizes also those whose weight
// is at the end, and those of which all count alike.
std::vector<inputs::ValueFamily> further_families(Validation& validation, const kernel::Sizes& sizes)
{
  const bool floats = inputs::has_float_inputs(validation.kernel());
  const bool long_sums = inputs::has_long_sums(validation.kernel(), sizes);
  const std::size_t fit = !floats     ? k_further_families.size()
                          : long_sums ? k_for_long_sums
                                      : k_further_families.size() - 1;
  std::vector<inputs::ValueFamily> families{inputs::ValueFamily::normal,
                                            validation.one_of(std::span(k_further_families).subspan(1, fit - 1))};
  if (!floats) {
    families.push_back(inputs::ValueFamily::shifted);
    families.push_back(inputs::ValueFamily::extreme);
  }
  if (fit > k_for_long_sums && longest_of(sizes) <= k_longest_with_many) {
    families.push_back(
      inputs::ValueFamily::nearly); // many rows that are the same add up, where others make up for each other
  }
  if (inputs::is_far_beyond(validation.kernel(), sizes) && sums_are_longer(validation, sizes)) {
    families.push_back(inputs::ValueFamily::late);
    families.push_back(inputs::ValueFamily::tiny);
    families.insert(families.end(),
                    !floats     ? 0
                    : long_sums ? k_where_long_sums_are_whole
                                : 1,
                    inputs::ValueFamily::whole);
    families.insert(families.end(), floats ? 0 : k_where_sums_wrap_around, inputs::ValueFamily::extreme);
    families.insert(families.end(), floats ? 0 : k_where_sums_come_back, inputs::ValueFamily::cancellation);
  }
  if (are_alike_and_small(sizes)) {
    families.insert(families.end(), k_where_shapes_are_alike, inputs::ValueFamily::mixed);
    families.insert(families.end(), k_structures_where_alike, inputs::ValueFamily::nearly);
  }
  return families;
}

// Plain values always; while searching one more family, drawn anew for each size. Where sums are long enough to leave a
// few bits, whole numbers up to everything that the candidate calls a number.
std::vector<inputs::ValueFamily> families_for(Validation& validation, const kernel::Sizes& sizes)
{
  constexpr std::int64_t k_long = 256;
  const auto all = inputs::all_value_families();
  if (validation.promote()) {
    std::vector<inputs::ValueFamily> families(all.begin(), all.end());
    families.insert(families.end(), k_drawn_more_often.begin(), k_drawn_more_often.end());
    families.insert(families.end(), longest_of(sizes) < k_long ? 0 : validation.calls_for_all_tops(),
                    inputs::ValueFamily::whole);
    families = validation.wanted(families);
    families.insert(families.begin(), validation.setting().forced.values ? 1 : 0, inputs::ValueFamily::normal);
    return families;
  }
  return {inputs::ValueFamily::normal, validation.one_of(all.subspan(1))};
}

// A plan that grows with a size fits up to some size. One that fits at longer ones, too, chooses
// where it is looked at: so the longest of many that it fits.
Result<std::optional<kernel::Sizes>> another_that_fits(Validation& validation, const kernel::Sizes& sizes)
{
  HONE_TRY(const std::vector<kernel::Sizes> others, validation.sizes_as_far(sizes));
  std::optional<kernel::Sizes> largest;
  for (const kernel::Sizes& other : others) {
    if (!largest || longest_of(other) > longest_of(*largest)) {
      HONE_TRY(const std::string missing, why_it_does_not_fit(validation, other));
      largest = missing.empty() ? other : largest;
    }
  }
  return largest;
}

// What stands at the ends of buffers.
std::string_view guards(const Validation& validation)
{
  return validation.setting().capabilities.guard_pages ? "guard pages" : "guard bands on the device";
}

// Which values are tried at some sizes.
using Families = std::vector<inputs::ValueFamily> (*)(Validation&, const kernel::Sizes&);

std::vector<inputs::ValueFamily> plain_ones(Validation&, const kernel::Sizes&)
{
  return {inputs::ValueFamily::normal};
}

Result<SessionResult<std::string>> try_size(Validation& validation, const kernel::Sizes& sizes, Families families_of)
{
  HONE_SESSION(Harness* const harness, validation.harness(sizes, Layout::guard_pages));
  const std::vector<inputs::ValueFamily> families = families_of(validation, sizes);
  for (const inputs::ValueFamily family : families) {
    HONE_SESSION_CHECK(validation.checked_call(*harness, validation.draw_inputs(family)));
  }
  return SessionResult<std::string>(fmt::format("{} value families, {}", families.size(), guards(validation)));
}

// Words for the record.
Result<SessionResult<std::string>> try_further(Validation& validation, const kernel::Sizes& sizes,
                                               Families families_of = further_families)
{
  HONE_TRY(const std::string missing, why_it_does_not_fit(validation, sizes));
  if (missing.empty()) {
    return try_size(validation, sizes, families_of);
  }
  HONE_TRY(const std::optional<kernel::Sizes> other, another_that_fits(validation, sizes));
  if (!other) {
    return SessionResult<std::string>("left out: " + missing);
  }
  HONE_SESSION(const std::string seen, try_size(validation, *other, families_of));
  return SessionResult<std::string>(
    fmt::format("left out: {}; {} in its place: {}", missing, kernel::to_text(*other), seen));
}

} // namespace

Result<SessionResult<void>> validate_hidden_sizes(Validation& validation)
{
  if (validation.hidden_sizes().empty()) {
    validation.note_that_nothing_ran(validation.kernel().also == kernel::AlsoSizes::timed
                                       ? "the kernel is specialised to its timed sizes"
                                       : "the kernel has no other sizes");
  }
  if (validation.promote()) {
    HONE_CHECK(validation.watch_beside());
  }
  std::size_t number = 0;
  for (const kernel::Sizes& sizes : validation.hidden_sizes()) {
    const Layout layout = number++ % 2 == 0 ? Layout::guard_pages : Layout::canaries;
    HONE_SESSION(Harness* const harness, validation.harness(sizes, layout));
    const std::vector<inputs::ValueFamily> families = families_for(validation, sizes);
    for (const inputs::ValueFamily family : families) {
      const inputs::InputSet inputs = validation.draw_inputs(family);
      HONE_SESSION_CHECK(validation.checked_call(*harness, inputs));
    }
    validation.note(fmt::format("hidden size {}", kernel::to_text(sizes)),
                    fmt::format("{} value families, {}", families.size(),
                                layout == Layout::guard_pages || !validation.setting().capabilities.shared_memory
                                  ? guards(validation)
                                  : "canaries"));
  }
  // While what watches is compiled, sizes at which a call is brief.
  for (const kernel::Sizes& sizes : validation.strata()) {
    HONE_SESSION_CHECK(try_further(validation, sizes, plain_ones));
  }
  for (const kernel::Sizes& sizes : validation.literal_sizes()) {
    HONE_SESSION_CHECK(try_further(validation, sizes));
  }
  if (validation.promote()) { // whoever never ends has been found out
    HONE_SESSION_CHECK(validation.watching()->finish_first_places());
  }
  for (const kernel::Sizes& sizes : validation.further_sizes()) {
    HONE_SESSION(const std::string seen, try_further(validation, sizes));
    validation.note(fmt::format("further size {}", kernel::to_text(sizes)), seen);
  }
  if (validation.promote()) {
    validation.note("sizes of every length", fmt::format("{}, a third of an octave apart", validation.strata().size()));
    validation.note("literal-derived sizes",
                    fmt::format("{}, about the {} numbers of its files and code and thresholds of its plan that may be "
                                "extents or products of them",
                                validation.literal_sizes().size(), validation.literals()));
  }
  return SessionResult<void>();
}

} // namespace hone::gate
