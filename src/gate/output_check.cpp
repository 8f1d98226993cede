#include "gate/output_check.h"

#include "gate/mismatch.h"
#include "inputs/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace hone::gate {
namespace {

constexpr double k_unbounded = std::numeric_limits<double>::infinity();

// Error over bound for the cases that plain arithmetic does not decide: zero bounds, infinities, NaN.
double special_error(double got, double expected, double bound, double largest)
{
  if (std::isinf(bound)) {
    return 0; // nothing can be told: the accumulation type overflows on the way
  }
  if (std::isnan(expected)) {
    return std::isnan(got) ? 0 : k_unbounded;
  }
  if (std::isnan(got)) {
    return k_unbounded;
  }
  if (got == expected) {
    return 0;
  }
  if (std::isinf(got)) {
    // The exact value is finite in fp64, but an honest rounding to the output's type may overflow.
    const bool may_overflow = got > 0 ? expected + bound > largest : expected - bound < -largest;
    return may_overflow ? 0 : k_unbounded;
  }
  if (std::isinf(expected) || std::isnan(bound)) {
    return k_unbounded;
  }
  const double difference = std::fabs(got - expected);
  return bound > 0 ? difference / bound : k_unbounded;
}

struct Tally {
  double worst = 0;
  std::int64_t worst_at = -1;
  double error_squares = 0;
  double value_squares = 0;
  std::int64_t wrong = 0;
  std::int64_t first_wrong = -1;
};

// Error of one element: all cases.
void tally_one(Tally& tally, std::int64_t i, double got, double value, double bound, double largest)
{
  const double difference = std::fabs(got - value);
  if (std::isfinite(difference)) {
    tally.error_squares += difference * difference;
    tally.value_squares += value * value;
  }
  const double error = special_error(got, value, bound, largest);
  if (error > tally.worst || tally.worst_at < 0) {
    tally.worst = error;
    tally.worst_at = i;
  }
  if (error > 1) {
    tally.first_wrong = tally.wrong == 0 ? i : tally.first_wrong;
    ++tally.wrong;
  }
}

constexpr std::int64_t k_block = 512;     // elements
constexpr std::int64_t k_error_lanes = 8; // of the loop over them, which the compiler makes vectors of

// Adds a block of which no element is worse than the worst so far; false where one is, or is no plain number.
template <class Get>
bool tally_harmless(Tally& tally, std::int64_t first, const double* values, const double* bounds, Get get)
{
  const double limit = std::min(tally.worst, 1.0);
  double errors[k_error_lanes] = {}, squares[k_error_lanes] = {}, worse[k_error_lanes] = {};
  for (std::int64_t i = 0; i < k_block; i += k_error_lanes) {
    for (std::int64_t session = 0; session < k_error_lanes; ++session) {
      const double value = values[i + session];
      const double difference = std::fabs(get(first + i + session) - value);
      errors[session] += difference * difference;
      squares[session] += value * value;
      worse[session] += difference <= limit * bounds[i + session] ? 0.0 : 1.0;
    }
  }
  if (std::accumulate(worse, worse + k_error_lanes, 0.0) > 0) {
    return false;
  }
  tally.error_squares += std::accumulate(errors, errors + k_error_lanes, 0.0);
  tally.value_squares += std::accumulate(squares, squares + k_error_lanes, 0.0);
  return true;
}

// `get(i)` reads element i. It runs over whole outputs of timed calls.
template <class Get> Tally tally_errors(const kernel::ReferenceOutput& expected, double largest, Get get)
{
  Tally tally;
  const double* values = expected.values.data();
  const double* bounds = expected.bounds.data();
  const auto count = static_cast<std::int64_t>(expected.values.size());
  for (std::int64_t first = 0; first < count; first += k_block) {
    const std::int64_t end = std::min(first + k_block, count);
    if (end - first == k_block && tally_harmless(tally, first, values + first, bounds + first, get)) {
      continue;
    }
    for (std::int64_t i = first; i < end; ++i) {
      tally_one(tally, i, get(i), values[i], bounds[i], largest);
    }
  }
  return tally;
}

template <class T> auto reader(const std::byte* bytes)
{
  return [bytes](std::int64_t i) {
    T value;
    std::memcpy(&value, bytes + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    return static_cast<double>(value);
  };
}

Tally tally_output(kernel::DataType type, const std::byte* bytes, const kernel::ReferenceOutput& expected)
{
  const double largest = kernel::largest_value(type);
  switch (type) {
  case kernel::DataType::f32:
    return tally_errors(expected, largest, reader<float>(bytes));
  case kernel::DataType::f64:
    return tally_errors(expected, largest, reader<double>(bytes));
  default:
    return tally_errors(expected, largest, [type, bytes, size = kernel::size_of(type)](std::int64_t i) {
      return inputs::load_element(type, bytes + static_cast<std::size_t>(i) * size);
    });
  }
}

struct OutputView {
  const kernel::Argument& argument;
  const std::byte* bytes;
  std::vector<std::int64_t> shape;
  const kernel::ReferenceOutput& expected;

  double get(std::int64_t i) const
  {
    return inputs::load_element(argument.type, bytes + static_cast<std::size_t>(i) * kernel::size_of(argument.type));
  }
};

std::string describe_element(const OutputView& view, std::int64_t i)
{
  const auto at = static_cast<std::size_t>(i);
  return fmt::format("{}{}: got {:.9g}, expected {:.9g} +- {:.2g}", view.argument.name, multi_index(i, view.shape),
                     view.get(i), view.expected.values[at], view.expected.bounds[at]);
}

// What a whole wrong output looks like at a glance.
std::optional<std::string> describe_whole(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                                          const OutputView& view, std::span<const std::byte* const> arguments)
{
  const auto count = static_cast<std::int64_t>(view.expected.values.size());
  bool all_zero = true;
  bool all_nan = true;
  for (std::int64_t i = 0; i < count && (all_zero || all_nan); ++i) {
    const double got = view.get(i);
    all_zero = all_zero && got == 0;
    all_nan = all_nan && std::isnan(got);
  }
  if (all_zero) {
    return "all zero";
  }
  if (all_nan) {
    return "all NaN";
  }
  for (const std::size_t input : kernel.inputs()) {
    const kernel::Argument& argument = kernel.arguments[input];
    const auto elements = kernel::elements_of(argument, sizes);
    const bool comparable = argument.type == view.argument.type && elements && *elements == count;
    if (comparable && arguments[input] != view.bytes
        && std::memcmp(arguments[input], view.bytes, static_cast<std::size_t>(count) * kernel::size_of(argument.type))
             == 0) {
      return fmt::format("a copy of {}", argument.name);
    }
  }
  return std::nullopt;
}

std::string describe_wrong(const kernel::Kernel& kernel, const kernel::Sizes& sizes, const OutputView& view,
                           const Tally& tally, std::span<const std::byte* const> arguments)
{
  std::string pattern;
  if (const auto whole = describe_whole(kernel, sizes, view, arguments)) {
    pattern = *whole;
  } else {
    const double largest = kernel::largest_value(view.argument.type);
    std::vector<std::uint8_t> wrong(view.expected.values.size());
    for (std::size_t i = 0; i < wrong.size(); ++i) {
      const double error = special_error(view.get(static_cast<std::int64_t>(i)), view.expected.values[i],
                                         view.expected.bounds[i], largest);
      wrong[i] = error > 1 ? 1 : 0;
    }
    pattern = describe_mismatch(wrong, view.shape);
  }
  return fmt::format("{}: {}; {}", view.argument.name, pattern, describe_element(view, tally.first_wrong));
}

} // namespace

bool is_right(kernel::DataType type, double got, const kernel::ElementReference& expected)
{
  const double difference = std::fabs(got - expected.value);
  return difference <= expected.bound
         || special_error(got, expected.value, expected.bound, kernel::largest_value(type)) <= 1;
}

Result<void> expect_bounds(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                           std::span<const kernel::ReferenceOutput> expected)
{
  constexpr double k_most_unbounded = 0.02;
  const std::vector<std::size_t> outputs = kernel.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const LargeVector<double>& bounds = expected[i].bounds;
    const auto unbounded = std::count_if(bounds.begin(), bounds.end(), [](double bound) { return std::isinf(bound); });
    const double share = static_cast<double>(unbounded) / static_cast<double>(std::max<std::size_t>(bounds.size(), 1));
    if (unbounded > 2 && share > k_most_unbounded) {
      return fail(
        fmt::format("the reference can say nothing about {:.0f} % of '{}' ({}): in {} the computation overflows, "
                    "or divides by what may be 0, on the way",
                    100 * share, kernel.arguments[outputs[i]].name, kernel::to_text(sizes),
                    kernel::name_of(kernel.accumulate)),
        "give the inputs a domain in kernel.toml for which results are certain, or state the expression in a "
        "stable form");
    }
  }
  return {};
}

bool differ(std::span<const kernel::ReferenceOutput> one, std::span<const kernel::ReferenceOutput> other)
{
  for (std::size_t output = 0; output < one.size(); ++output) {
    for (std::size_t i = 0; i < one[output].values.size(); ++i) {
      const double apart = std::fabs(one[output].values[i] - other[output].values[i]);
      const double bounds = one[output].bounds[i] + other[output].bounds[i];
      if (apart > bounds) {
        return true;
      }
    }
  }
  return false;
}

void merge(record::ErrorFigures& into, const record::ErrorFigures& other)
{
  if (other.worst_normalised > into.worst_normalised || into.worst_where.empty()) {
    into.worst_normalised = other.worst_normalised;
    into.worst_where = other.worst_where;
  }
  into.worst_relative = std::fmax(into.worst_relative, other.worst_relative);
}

Result<OutputCheck> check_outputs(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                                  std::span<const std::byte* const> arguments,
                                  std::span<const kernel::ReferenceOutput> expected)
{
  OutputCheck check;
  const std::vector<std::size_t> outputs = kernel.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const kernel::Argument& argument = kernel.arguments[outputs[i]];
    HONE_TRY(std::vector<std::int64_t> shape, kernel::shape_of(argument, sizes));
    const OutputView view{argument, arguments[outputs[i]], std::move(shape), expected[i]};
    const Tally tally = tally_output(argument.type, view.bytes, expected[i]);
    record::ErrorFigures errors;
    errors.worst_normalised = tally.worst;
    errors.worst_relative = tally.value_squares > 0 ? std::sqrt(tally.error_squares / tally.value_squares) : 0;
    errors.worst_where = tally.worst_at >= 0 ? describe_element(view, tally.worst_at) : "";
    merge(check.errors, errors);
    if (tally.wrong > 0 && check.passed) {
      check.passed = false;
      check.reason = describe_wrong(kernel, sizes, view, tally, arguments);
    }
  }
  return check;
}

} // namespace hone::gate
