#include "gate/timed_data.h"

#include "gate/harness.h"
#include "gate/scoped_timer.h"
#include "inputs/elements.h"
#include "inputs/sizes.h"
#include "inputs/stress_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace hone::gate {
namespace {

constexpr std::size_t k_pool_size = 2;             // input sets with cached references, per sizes
constexpr std::size_t k_look_bytes = 256 << 10;    // of outputs looked at per block, at least one call
constexpr std::uint64_t k_exact_one_in = 16;       // how often an answer is known in full,
constexpr std::uint64_t k_exact_beside = 32;       // and beside projections, which see every row
constexpr std::int64_t k_elements = 8;             // of each output, where no projection exists
constexpr std::size_t k_checked_bytes = 64U << 20; // of fully checked outputs kept for recognition

} // namespace

TimedData::TimedData(const kernel::Kernel& kernel, References& references, std::uint64_t pool_seed,
                     std::uint64_t secret_seed)
  : m_kernel(kernel), m_references(references), m_pool_seed(pool_seed), m_random(secret_seed),
    m_scaling(BilinearScaling::of(kernel)), m_projects(kernel::supports_freivalds(kernel) && m_scaling.has_value()),
    m_fresh(m_projects || (inputs::keeps_its_inputs(kernel) && references.has_elements()))
{
}

void TimedData::begin(std::size_t sets, bool shared_inputs)
{
  m_content.assign(sets, {});
  m_checked.clear();
  m_shared = shared_inputs;
  m_seen_in_full = {};
}

Result<void> TimedData::fill(Arena& arena, std::span<const std::uint32_t> sets, Arm arm)
{
  const ScopedTimer timer(m_fill_seconds);
  if (m_shared) {
    HONE_CHECK(fill_one(arena, 0, true));
    for (std::size_t set = 1; set < m_content.size(); ++set) {
      HONE_CHECK(fill_inputs(m_kernel, arena, set, m_content[0].inputs, Store::streaming, Fill::inout_only));
      m_content[set] = m_content[0];
    }
    return {};
  }
  const bool due = sets.size() == 1 && !seen_in_full(arm); // as ensure_known would fill it
  for (const std::uint32_t set : sets) {
    HONE_CHECK(fill_one(arena, set, due || m_random.below(m_projects ? k_exact_beside : k_exact_one_in) == 0));
  }
  return {};
}

Result<void> TimedData::ensure_known(Arena& arena, std::span<const std::uint32_t> sets, Arm arm)
{
  const ScopedTimer timer(m_fill_seconds);
  const bool known = std::ranges::any_of(sets, [&](std::uint32_t set) { return m_content[set].expected != nullptr; });
  if (known || seen_in_full(arm)) {
    return {};
  }
  return fill_one(arena, sets[m_random.below(sets.size())], true);
}

// Scaled where that can be done, like plain values: what a candidate has seen in validation does not come again.
Result<bool> TimedData::fill_stress(Arena& arena, std::size_t set)
{
  const ScopedTimer timer(m_fill_seconds);
  if (m_stress_left.empty()) {
    m_stress_left = inputs::stress_families(m_kernel, arena.sizes());
    std::shuffle(m_stress_left.begin(), m_stress_left.end(), m_random);
  }
  if (m_stress_left.empty()) {
    return false;
  }
  Content content;
  content.inputs = {m_stress_left.back(), m_scaling ? m_pool_seed : m_random.next()};
  m_stress_left.pop_back();
  HONE_CHECK(fill_inputs(m_kernel, arena, set, content.inputs, Store::streaming));
  HONE_TRY(content.expected, m_references.expected(arena, set, content.inputs, m_scaling.has_value()));
  if (m_scaling) {
    HONE_TRY(content.expected, m_scaling->apply(arena, set, content.expected->outputs.front(), m_random.next()));
  }
  drop_inputs(arena, set);
  content.generation = ++m_generation;
  if (m_shared) {
    std::ranges::fill(m_content, content);
  } else {
    m_content[set] = std::move(content);
  }
  return true;
}

std::size_t TimedData::stress_kinds(const kernel::Sizes& sizes) const
{
  return inputs::stress_families(m_kernel, sizes).size();
}

Result<void> TimedData::fill_unseen(Arena& arena, std::size_t set)
{
  const ScopedTimer timer(m_fill_seconds);
  m_content[set] = {++m_generation, nullptr, {inputs::ValueFamily::normal, m_random.next()}};
  return fill_inputs(m_kernel, arena, set, m_content[set].inputs, Store::streaming);
}

void TimedData::drop_inputs(Arena& arena, std::size_t set) const
{
  for (const std::size_t argument : m_kernel.inputs()) {
    drop_from_caches(arena.tensor(set, argument));
  }
}

Result<void> TimedData::fill_one(Arena& arena, std::size_t set, bool exact)
{
  Content& content = m_content[set];
  if (m_fresh && !exact) {
    content = {++m_generation, nullptr, {inputs::ValueFamily::normal, m_random.next()}};
    return fill_inputs(m_kernel, arena, set, content.inputs, Store::streaming);
  }
  const std::uint64_t member = m_random.below(m_projects ? 1 : k_pool_size);
  content.inputs = {inputs::ValueFamily::normal, m_pool_seed + member};
  HONE_CHECK(fill_inputs(m_kernel, arena, set, content.inputs, Store::streaming));
  HONE_TRY(content.expected, m_references.expected(arena, set, content.inputs, true));
  content.generation = ~member; // the pool's own names never meet the counter
  if (m_projects) {
    HONE_TRY(content.expected, m_scaling->apply(arena, set, content.expected->outputs.front(), m_random.next()));
    content.generation = ++m_generation;
  }
  drop_inputs(arena, set); // what is right was computed from them
  return {};
}

// Of so many calls with `exact` known answers. Single elements of the reference cost more than a projection.
std::size_t TimedData::wanted_looks(std::size_t calls, std::size_t exact) const
{
  const auto cheap = std::clamp<std::size_t>(k_look_bytes / std::max<std::size_t>(m_output_bytes, 1), 1, calls);
  if (m_projects) {
    return std::max(cheap, exact);
  }
  return m_fresh ? exact + 1 : cheap;
}

Result<SessionResult<void>> TimedData::check(Arena& arena, std::span<const std::uint32_t> sets, Arm arm)
{
  const ScopedTimer timer(m_check_seconds);
  m_output_bytes = 0;
  for (const std::size_t output : m_kernel.outputs()) {
    m_output_bytes += arena.tensor(sets.front(), output).size();
  }
  std::vector<std::uint32_t> order(sets.begin(), sets.end());
  std::shuffle(order.begin(), order.end(), m_random);
  // Calls whose answer is known in full are always looked at; they come first.
  std::stable_partition(order.begin(), order.end(),
                        [&](std::uint32_t set) { return m_content[set].expected != nullptr; });
  const auto exact = static_cast<std::size_t>(
    std::count_if(order.begin(), order.end(), [&](std::uint32_t set) { return m_content[set].expected != nullptr; }));
  const std::size_t wanted = std::min(order.size(), wanted_looks(order.size(), exact));
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::uint32_t set = order[i];
    HONE_SESSION_CHECK(check_one(arena, set));
    m_seen_in_full[static_cast<std::size_t>(arm)] |= m_content[set].expected != nullptr;
  }
  return SessionResult<void>();
}

Result<SessionResult<void>> TimedData::check_one(Arena& arena, std::size_t set)
{
  const Content& content = m_content[set];
  if (is_recognised(arena, set, content.generation)) {
    ++m_recognised;
    return SessionResult<void>();
  }
  if (!content.expected && !m_fresh) {
    return SessionResult<void>(); // values that nobody saw, of a kernel that tells no single elements
  }
  if (!content.expected && !m_projects) {
    return check_elements(arena, set);
  }
  if (!content.expected) {
    ++m_projections;
    HONE_TRY(const kernel::ProjectionOutcome outcome,
             kernel::check_freivalds(m_kernel, arena.sizes(), arena.arguments(set), m_random.next()));
    if (!outcome.passed) {
      return Ended{incorrect(fmt::format("a timed call gave a wrong result: random projection is off at {}, seed {:#x}",
                                         outcome.where, content.inputs.seed))};
    }
    return SessionResult<void>();
  }
  ++m_full_checks;
  HONE_TRY(const OutputCheck checked, m_references.check(arena, set, *content.expected));
  if (!checked.passed) {
    return Ended{incorrect("a timed call gave a wrong result: " + checked.reason)};
  }
  const bool may_come_again = m_shared || !m_fresh;
  if (may_come_again && (m_checked.size() + 1) * m_output_bytes <= k_checked_bytes) {
    m_checked.push_back({content.generation, outputs(arena, set)});
  }
  return SessionResult<void>();
}

Result<SessionResult<void>> TimedData::check_elements(Arena& arena, std::size_t set)
{
  ++m_element_checks;
  const std::vector<std::size_t> outputs = m_kernel.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const kernel::Argument& argument = m_kernel.arguments[outputs[i]];
    HONE_TRY(const std::int64_t count, kernel::elements_of(argument, arena.sizes()));
    const std::size_t size = kernel::size_of(argument.type);
    // One element of a sum over everything costs as much as the whole: never more looks than elements.
    std::vector<std::int64_t> places(static_cast<std::size_t>(std::min(k_elements, count)));
    std::ranges::generate(places, [&] { return inputs::drawn_between(0, count - 1, m_random); });
    HONE_TRY(const std::vector<kernel::ElementReference> expected, m_references.elements(arena, set, i, places));
    const std::span<std::byte> bytes = arena.tensor(set, outputs[i]);
    for (std::size_t look = 0; look < places.size(); ++look) {
      const double got =
        inputs::load_element(argument.type, bytes.data() + static_cast<std::size_t>(places[look]) * size);
      if (!is_right(argument.type, got, expected[look])) {
        return Ended{incorrect(fmt::format("a timed call gave a wrong result: element {} of {} is {:.9g}, expected "
                                           "{:.9g} +- {:.2g}, seed {:#x}",
                                           places[look], argument.name, got, expected[look].value, expected[look].bound,
                                           m_content[set].inputs.seed))};
      }
    }
  }
  return SessionResult<void>();
}

std::vector<std::byte> TimedData::outputs(Arena& arena, std::size_t set) const
{
  std::vector<std::byte> bytes;
  for (const std::size_t position : m_kernel.outputs()) {
    const auto tensor = arena.tensor(set, position);
    bytes.insert(bytes.end(), tensor.begin(), tensor.end());
  }
  return bytes;
}

bool TimedData::is_recognised(Arena& arena, std::size_t set, std::uint64_t generation) const
{
  return std::any_of(m_checked.begin(), m_checked.end(), [&](const Checked& checked) {
    if (checked.generation != generation) {
      return false;
    }
    std::size_t offset = 0;
    for (const std::size_t position : m_kernel.outputs()) {
      const auto tensor = arena.tensor(set, position);
      if (std::memcmp(checked.bytes.data() + offset, tensor.data(), tensor.size()) != 0) {
        return false;
      }
      offset += tensor.size();
    }
    return true;
  });
}

} // namespace hone::gate
