// A tolerance that covers the results themselves: zeros pass where users look, though large values elsewhere show them.
#include "gate/lint/wide_tolerance.h"

#include "inputs/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::gate {
namespace {

constexpr std::int64_t k_looks = 64; // elements of each output, where the reference knows them one by one
constexpr double k_most_work = 2e10; // of a reference of whole outputs
constexpr double k_most_bytes = 4e9;

std::vector<std::int64_t> places_in(std::int64_t count, Random& random)
{
  std::vector<std::int64_t> places(static_cast<std::size_t>(std::min(k_looks, count)));
  std::ranges::generate(places, [&] { return inputs::drawn_between(0, count - 1, random); });
  return places;
}

// Zeros instead of the right values: how many bounds they are off.
void enter_values(LintRow& row, double value, double bound)
{
  if (std::isfinite(value) && std::isfinite(bound) && bound > 0) {
    row.error = std::max(row.error, std::fabs(value) / bound);
  }
}

Result<void> enter_output(LintRow& row, References& references, Arena& arena, std::size_t output, std::int64_t count,
                          const ExpectedOutputs& whole, Random& random)
{
  if (whole) {
    const kernel::ReferenceOutput& expected = whole->outputs[output];
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      enter_values(row, expected.values[i], expected.bounds[i]);
    }
    return {};
  }
  HONE_TRY(const std::vector<kernel::ElementReference> elements,
           references.elements(arena, 0, output, places_in(count, random)));
  for (const kernel::ElementReference& one : elements) {
    enter_values(row, one.value, one.bound);
  }
  return {};
}

Result<void> try_sizes(const kernel::Kernel& kernel, References& references, const kernel::Sizes& sizes, Random& random,
                       std::vector<LintRow>& rows)
{
  const auto work = kernel::work_of(kernel, sizes);
  if (work
      && ((!references.has_elements() && work->plain_flops > k_most_work) || work->compulsory_bytes > k_most_bytes)) {
    return {};
  }
  ArenaSpec spec;
  spec.kernel = &kernel;
  spec.sizes = sizes;
  spec.layout_seed = random.next();
  HONE_TRY(Arena arena, Arena::create(spec));
  const inputs::InputSet inputs{inputs::ValueFamily::normal, random.next()};
  HONE_CHECK(fill_inputs(kernel, arena, 0, inputs));
  ExpectedOutputs whole;
  if (!references.has_elements()) {
    HONE_TRY(whole, references.expected(arena, 0, inputs, false));
  }
  const std::vector<std::size_t> outputs = kernel.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const kernel::Argument& argument = kernel.arguments[outputs[i]];
    if (!kernel::is_float(argument.type)) {
      continue; // no tolerance holds for integers
    }
    HONE_TRY(const std::int64_t count, kernel::elements_of(argument, sizes));
    LintRow& row = rows.emplace_back();
    row.subject = "zeros, on plain values at timed sizes";
    row.output = argument.name;
    row.calls = 1;
    row.values = inputs::name_of(inputs.family);
    row.sizes = sizes;
    HONE_CHECK(enter_output(row, references, arena, i, count, whole, random));
    row.noticed = row.error > 1 ? 1 : 0;
    row.outcome = row.noticed > 0 ? LintRow::Outcome::proven : LintRow::Outcome::refused;
    row.reason = row.noticed > 0 ? "" : "the tolerance covers the results: lower absolute and relative in [accuracy]";
  }
  return {};
}

} // namespace

Result<void> prove_tolerance(const kernel::Kernel& kernel, References& references, const LintOptions& options,
                             Random& random, LintReport& report)
{
  if (!kernel.accuracy.tolerance.is_given()) {
    return {};
  }
  for (const kernel::Sizes& sizes : kernel.timed) {
    if (options.stop.stop_requested()) {
      return fail("stopped");
    }
    if (options.progress) {
      options.progress("zeros at timed sizes");
    }
    HONE_CHECK(try_sizes(kernel, references, sizes, random, report.degenerate));
  }
  return {};
}

} // namespace hone::gate
