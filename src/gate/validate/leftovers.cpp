// Outputs and scratch, its own and shared, as other calls of the same candidate left them: on nearly the same inputs,
// at the timed sizes, too, on others, on other sizes. Poison has no seal that a candidate would believe; what it wrote
// itself has, and is nearly right. Finds results that are kept from call to call.
#include "gate/validate/validation.h"
#include "inputs/elements.h"
#include "inputs/order.h"
#include "inputs/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace hone::gate {
namespace {

constexpr std::size_t k_fewest_changes = 6;
constexpr std::size_t k_most_changes = 12;
constexpr std::size_t k_sizes = 5;              // beside the one with most neighbours
constexpr std::uint64_t k_most_changed = 4;     // elements, side by side: who compares a sample misses them
constexpr int k_slight_changes = 3;             // of all elements
constexpr double k_quick_work = 5e8;            // of a call at the timed sizes: else one change is all
constexpr int k_first_bit = 5, k_last_bit = 18; // where they begin to differ

using Bytes = std::vector<std::byte>;

Bytes copy_of(std::span<const std::byte> bytes)
{
  return {bytes.begin(), bytes.end()};
}

// What a call leaves: in its scratch, in the first worker's shared scratch, and where its results lie.
struct Left {
  Bytes scratch, shared;
  std::vector<Bytes> outputs;
};

Left left_by(const kernel::Kernel& kernel, Harness& harness)
{
  Left left{copy_of(harness.arena().scratch(0)), copy_of(harness.arena().shared_scratch()), {}};
  for (const std::size_t output : kernel.outputs()) {
    left.outputs.push_back(copy_of(harness.arena().tensor(0, output)));
  }
  return left;
}

void put_back(std::span<std::byte> to, const Bytes& from)
{
  std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
}

// What is updated is an input of the next call.
void put_back(const kernel::Kernel& kernel, Harness& harness, const Left& left)
{
  put_back(harness.arena().scratch(0), left.scratch);
  put_back(harness.arena().shared_scratch(), left.shared);
  const std::vector<std::size_t> outputs = kernel.outputs();
  for (std::size_t i = 0; i < left.outputs.size(); ++i) {
    if (kernel.arguments[outputs[i]].role == kernel::Role::output) {
      put_back(harness.arena().tensor(0, outputs[i]), left.outputs[i]);
    }
  }
}

// How an input differs from what the call before found there.
enum class Change {
  replaced, // a few elements are as they are in other values, and one of them outweighs all others: no sum hides it
  moved,    // a few elements have changed places with others, which no sum over all shows
  rows,     // two rows have, which no sum over columns shows either
};
constexpr std::array k_ways{Change::replaced, Change::moved, Change::rows};

// Two stretches of as many elements.
struct Stretches {
  std::size_t first = 0, second = 0, count = 0;

  bool overlap() const { return first < second + count && second < first + count; }
};

Stretches draw_stretches(std::size_t elements, std::size_t row, Change way, Random& random)
{
  const std::size_t rows = elements / row;
  if (way == Change::rows && rows > 1) {
    return {random.below(rows) * row, random.below(rows) * row, row};
  }
  const std::size_t count = std::min<std::size_t>(1 + random.below(k_most_changed), elements);
  return {random.below(elements - count + 1), random.below(elements - count + 1), count};
}

// In turn of every input, in every way (or as many of these as there are turns). Returns what was changed.
Result<std::string> change(Validation& validation, Harness& harness, const std::vector<Bytes>& others, std::size_t turn)
{
  const std::vector<std::size_t> inputs = validation.kernel().inputs();
  const std::size_t chosen = turn % inputs.size();
  const kernel::Argument& argument = validation.kernel().arguments[inputs[chosen]];
  HONE_TRY(const std::vector<std::int64_t> shape, kernel::shape_of(argument, harness.sizes()));
  const std::span<std::byte> tensor = harness.arena().tensor(0, inputs[chosen]);
  const std::size_t size = kernel::size_of(argument.type), elements = tensor.size() / size;
  const std::size_t row = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
  const Change way = k_ways[turn / inputs.size() % k_ways.size()];
  const Stretches at = draw_stretches(elements, row, way, validation.random());
  const std::span<std::byte> here = tensor.subspan(at.first * size, at.count * size);
  if (way != Change::replaced && !at.overlap()) {
    std::ranges::swap_ranges(here, tensor.subspan(at.second * size, at.count * size));
    HONE_CHECK(inputs::restore_order(validation.kernel(), harness.sizes(), tensor, inputs[chosen]));
    return fmt::format("a call before on the same values, but {} of {} have changed places with others", at.count,
                       argument.name);
  }
  std::copy_n(others[chosen].begin() + static_cast<std::ptrdiff_t>(at.first * size), here.size(), here.begin());
  HONE_CHECK(inputs::restore_order(validation.kernel(), harness.sizes(), tensor, inputs[chosen]));
  if (kernel::is_float(argument.type)) {
    const double value = inputs::load_element(argument.type, &here[0]);
    const double outweighing = 2 * std::sqrt(static_cast<double>(elements)) * (value < 0 ? value - 1 : value + 1);
    inputs::store_element(argument.type, &here[0], std::clamp(outweighing, argument.domain.low, argument.domain.high));
    if (argument.matrix != kernel::MatrixForm::any) {
      HONE_CHECK(inputs::restore_order(validation.kernel(), harness.sizes(), tensor, inputs[chosen]));
    }
  }
  return fmt::format("a call before on the same values but for {} of {}", at.count, argument.name);
}

// Every number of every input a little smaller or larger: whoever compares their upper bits, or the result that is
// there with the one that is due, takes the old one for good.
std::string change_slightly(Validation& validation, Harness& harness)
{
  const auto bit = static_cast<int>(inputs::drawn_between(k_first_bit, k_last_bit, validation.random()));
  for (const std::size_t input : validation.kernel().inputs()) {
    const kernel::Argument& argument = validation.kernel().arguments[input];
    if (!kernel::is_float(argument.type)) {
      continue;
    }
    const std::span<std::byte> tensor = harness.arena().tensor(0, input);
    for (std::size_t at = 0; at < tensor.size(); at += kernel::size_of(argument.type)) {
      const double value = inputs::load_element(argument.type, &tensor[at]);
      const double changed = value * (1 + std::ldexp(2 * validation.random().uniform() - 1, -bit));
      inputs::store_element(argument.type, &tensor[at], std::clamp(changed, argument.domain.low, argument.domain.high));
    }
  }
  return fmt::format("a call before on the same values but for bits from the {}th on", bit);
}

// Half of the signs changed: who compares magnitudes sees no difference. Where the domain has room for either sign.
std::string change_signs(Validation& validation, Harness& harness)
{
  for (const std::size_t input : validation.kernel().inputs()) {
    const kernel::Argument& argument = validation.kernel().arguments[input];
    if (!kernel::is_float(argument.type) || argument.domain.low != -argument.domain.high) {
      continue;
    }
    const std::span<std::byte> tensor = harness.arena().tensor(0, input);
    for (std::size_t at = 0; at < tensor.size(); at += kernel::size_of(argument.type)) {
      const double value = inputs::load_element(argument.type, &tensor[at]);
      inputs::store_element(argument.type, &tensor[at], validation.random().below(2) == 0 ? value : -value);
    }
  }
  return "a call before on the same values but for half of the signs";
}

std::vector<Bytes> inputs_of(Validation& validation, Harness& harness)
{
  std::vector<Bytes> all;
  for (const std::size_t input : validation.kernel().inputs()) {
    all.push_back(copy_of(harness.arena().tensor(0, input)));
  }
  return all;
}

// How many calls on nearly the same inputs follow one another.
struct Turns {
  int slight = 0;          // every number a little different
  int signs = 0;           // half of the signs different
  std::size_t changes = 0; // a few elements different, of each input in each way in turn, beginning with
  std::size_t first = 0;
};

// `keeps`: there is memory besides the outputs.
Turns turns_for(const kernel::Kernel& kernel, bool keeps, Random& random)
{
  const std::size_t all_ways = k_ways.size() * kernel.inputs().size();
  const bool floats = inputs::has_float_inputs(kernel);
  return {floats ? k_slight_changes : 0, floats ? 1 : 0,
          keeps ? std::clamp(all_ways, k_fewest_changes, k_most_changes) : 0, random.below(all_ways)};
}

Turns turns_at_timed_sizes(Validation& validation)
{
  const kernel::Kernel& kernel = validation.kernel();
  const auto work = kernel::work_of(kernel, validation.setting().recipe->sizes);
  const bool quick = work && work->total() <= k_quick_work;
  const std::size_t inputs = kernel.inputs().size();
  return {quick && inputs::has_float_inputs(kernel) ? 1 : 0, 0, quick ? 2 * inputs : 1,
          quick ? 0 : validation.random().below(inputs)};
}

// Calls on nearly the same inputs, one behind the other.
Result<SessionResult<void>> try_changes(Validation& validation, const kernel::Sizes& sizes, const Turns& turns,
                                        Left& left)
{
  HONE_SESSION(Harness* const harness, validation.harness(sizes, Layout::canaries));
  const inputs::InputSet inputs = validation.draw_inputs(inputs::ValueFamily::normal);
  HONE_CHECK(harness->set_up(validation.draw_inputs(inputs::ValueFamily::normal), validation.random().next()));
  const std::vector<Bytes> others = inputs_of(validation, *harness);
  HONE_CHECK(harness->set_up(inputs, validation.random().next())); // at the timed sizes checked_call may scale them
  HONE_SESSION_CHECK(validation.checked_call_on(*harness, "a call before on other values"));
  const Left unchanged = left_by(validation.kernel(), *harness);
  const auto call_on = [&](const Left& rest, const std::string& origin) {
    put_back(validation.kernel(), *harness, rest);
    return validation.checked_call_on(*harness, origin);
  };
  for (int i = 0; i < turns.slight; ++i) {
    HONE_CHECK(harness->set_up(inputs, validation.random().next()));
    HONE_SESSION_CHECK(call_on(unchanged, change_slightly(validation, *harness)));
  }
  for (int i = 0; i < turns.signs; ++i) {
    HONE_CHECK(harness->set_up(inputs, validation.random().next()));
    HONE_SESSION_CHECK(call_on(unchanged, change_signs(validation, *harness)));
  }
  left = unchanged;
  for (std::size_t i = turns.first; i < turns.first + turns.changes; ++i) {
    HONE_CHECK(harness->set_up(inputs, validation.random().next()));
    HONE_TRY(const std::string origin, change(validation, *harness, others, i));
    HONE_SESSION_CHECK(call_on(left, origin));
    left = left_by(validation.kernel(), *harness);
  }
  return SessionResult<void>();
}

} // namespace

Result<SessionResult<void>> validate_leftovers(Validation& validation)
{
  HONE_SESSION(Harness * harness, validation.harness(validation.probe_sizes(), Layout::canaries));
  const bool keeps = !harness->arena().scratch(0).empty() || shared_bytes_of(harness->prepared().plan) > 0;
  if (validation.kernel().inputs().empty()) {
    validation.note_that_nothing_ran("the kernel has no inputs");
    return SessionResult<void>();
  }
  const Turns turns = turns_for(validation.kernel(), keeps, validation.random());
  Left left;
  std::vector<kernel::Sizes> elsewhere = validation.hidden_sizes();
  std::shuffle(elsewhere.begin(), elsewhere.end(), validation.random());
  elsewhere.resize(std::min(elsewhere.size(), k_sizes));
  for (const kernel::Sizes& sizes : elsewhere) {
    HONE_SESSION_CHECK(try_changes(validation, sizes, turns, left));
  }
  HONE_SESSION_CHECK(try_changes(validation, validation.probe_sizes(), turns, left));
  for (const kernel::Sizes& sizes : elsewhere) {
    HONE_SESSION(harness, validation.harness(sizes, Layout::canaries));
    HONE_CHECK(harness->set_up(validation.draw_inputs(inputs::ValueFamily::normal), validation.random().next()));
    put_back(validation.kernel(), *harness, left);
    HONE_SESSION_CHECK(validation.checked_call_on(*harness, "a call before on other sizes"));
    left = left_by(validation.kernel(), *harness);
  }
  HONE_SESSION_CHECK(
    try_changes(validation, validation.setting().recipe->sizes, turns_at_timed_sizes(validation), left));
  validation.note("left by other calls",
                  fmt::format("calls at {} sizes on what calls before left in outputs and scratch, on nearly the same "
                              "values and on other sizes",
                              elsewhere.size() + 2));
  return SessionResult<void>();
}

} // namespace hone::gate
