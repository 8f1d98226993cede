// Scratch as other calls of the same candidate left it: one on nearly the same inputs, one on other sizes. Poison has
// no seal that a candidate would believe; what it wrote itself has. Finds results that are kept from call to call.
#include "gate/validate/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace hone {
namespace {

constexpr std::size_t k_fewest_changes = 6;
constexpr std::size_t k_most_changes = 12;
constexpr std::uint64_t k_most_changed = 4; // elements, side by side: who compares a sample misses them

using Bytes = std::vector<std::byte>;

Bytes copy_of(std::span<const std::byte> bytes)
{
  return {bytes.begin(), bytes.end()};
}

void put_back(Bench& bench, const Bytes& left)
{
  const std::span<std::byte> scratch = bench.arena().scratch(0);
  std::copy_n(left.begin(), std::min(left.size(), scratch.size()), scratch.begin());
}

// A few elements of one input, as they are in other values of it; or two such stretches have changed places, which no
// sum over all elements shows. In turn of every input, first the one, then the other. Returns whose.
std::string change(Validation& validation, Bench& bench, const std::vector<Bytes>& others, std::size_t turn)
{
  Random& random = validation.random();
  const std::vector<std::size_t> inputs = validation.kernel().inputs();
  const std::size_t chosen = turn % inputs.size();
  const Argument& argument = validation.kernel().arguments[inputs[chosen]];
  const std::span<std::byte> tensor = bench.arena().tensor(0, inputs[chosen]);
  const std::size_t size = size_of(argument.type), elements = tensor.size() / size;
  const std::size_t count = std::min<std::size_t>(1 + random.below(k_most_changed), elements);
  const std::size_t first = random.below(elements - count + 1), second = random.below(elements - count + 1);
  const std::span<std::byte> here = tensor.subspan(first * size, count * size);
  const bool overlap = first < second + count && second < first + count;
  if (turn / inputs.size() % 2 == 1 && !overlap) {
    std::ranges::swap_ranges(here, tensor.subspan(second * size, count * size));
    return fmt::format("a call before on the same values, but {} of {} have changed places with others", count,
                       argument.name);
  }
  std::copy_n(others[chosen].begin() + static_cast<std::ptrdiff_t>(first * size), count * size, here.begin());
  return fmt::format("a call before on the same values but for {} of {}", count, argument.name);
}

std::vector<Bytes> inputs_of(Validation& validation, Bench& bench)
{
  std::vector<Bytes> all;
  for (const std::size_t input : validation.kernel().inputs()) {
    all.push_back(copy_of(bench.arena().tensor(0, input)));
  }
  return all;
}

} // namespace

Result<LaneResult<void>> validate_leftovers(Validation& validation)
{
  HONE_LANE(Bench * bench, validation.bench(validation.probe_sizes(), Layout::canaries));
  if (bench->arena().scratch(0).empty() || validation.kernel().inputs().empty()) {
    return LaneResult<void>();
  }
  const InputSet inputs{ValueFamily::normal, validation.random().next()};
  HONE_CHECK(bench->set_up({ValueFamily::normal, validation.random().next()}, validation.random().next()));
  const std::vector<Bytes> others = inputs_of(validation, *bench);
  HONE_LANE_CHECK(validation.checked_call(*bench, inputs));
  Bytes left = copy_of(bench->arena().scratch(0));
  const std::size_t changes = std::clamp(2 * validation.kernel().inputs().size(), k_fewest_changes, k_most_changes);
  for (std::size_t i = 0; i < changes; ++i) {
    HONE_CHECK(bench->set_up(inputs, validation.random().next()));
    const std::string origin = change(validation, *bench, others, i);
    put_back(*bench, left);
    HONE_LANE_CHECK(validation.checked_call_on(*bench, origin));
    left = copy_of(bench->arena().scratch(0));
  }
  std::vector<Sizes> elsewhere = validation.hidden_sizes();
  std::shuffle(elsewhere.begin(), elsewhere.end(), validation.random());
  elsewhere.resize(std::min<std::size_t>(elsewhere.size(), 3));
  for (const Sizes& sizes : elsewhere) {
    HONE_LANE(bench, validation.bench(sizes, Layout::canaries));
    HONE_CHECK(bench->set_up({ValueFamily::normal, validation.random().next()}, validation.random().next()));
    put_back(*bench, left);
    HONE_LANE_CHECK(validation.checked_call_on(*bench, "a call before on other sizes"));
    left = copy_of(bench->arena().scratch(0));
  }
  validation.note("left in scratch",
                  fmt::format("{} calls on what calls before left there", changes + elsewhere.size()));
  return LaneResult<void>();
}

} // namespace hone
