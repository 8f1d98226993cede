// Work-groups one by one: their write sets must not overlap unless the plan declares a reduction, and their order must
// not matter. A race shows here every time, not only when two groups happen to meet.
#include "gate/validate/groups.h"

#include "gate/mismatch.h"
#include "inputs/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

namespace hone::gate {
namespace {

constexpr std::size_t k_drawn_families = 4;                    // beside plain values, in full depth
constexpr std::size_t k_together = 64;                         // elements that are compared as one
constexpr std::int64_t k_looked_at = 512;                      // looked at one by one, per launch
constexpr std::int64_t k_most_with_stale_scratch = 4096;       // groups of a launch, each of which is handed over
constexpr std::int64_t k_most_bytes = std::int64_t{256} << 20; // compared over all groups of a launch

// One buffer that groups may write: an output or a scratch buffer.
struct Buffer {
  std::string name;
  std::span<std::byte> bytes;
  std::size_t element = 1;
  std::vector<std::int64_t> shape;
  bool reduced = false; // in the launch at hand
};

// The launches of a plan, or those of its preparation, with the session that runs them.
struct Part {
  RunnerSession* session = nullptr;
  const kernel::ResolvedPlan* plan = nullptr;

  std::string words() const { return plan->prepares ? "[[prepare]]" : "launch"; }
};

std::vector<Part> parts_of(Harness& harness)
{
  std::vector<Part> parts;
  if (auto& preparation = harness.preparation()) {
    parts.push_back({&preparation->session(), &preparation->plan()});
  }
  parts.push_back({&harness.session(), &harness.prepared().plan});
  return parts;
}

Result<std::vector<Buffer>> writable_buffers(const kernel::Kernel& kernel, Harness& harness,
                                             const kernel::ResolvedPlan& plan)
{
  std::vector<Buffer> buffers;
  for (const std::size_t position : plan.prepares ? std::vector<std::size_t>() : kernel.outputs()) {
    const kernel::Argument& argument = kernel.arguments[position];
    HONE_TRY(std::vector<std::int64_t> shape, kernel::shape_of(argument, harness.sizes()));
    buffers.push_back(
      {argument.name, harness.arena().tensor(0, position), kernel::size_of(argument.type), std::move(shape)});
  }
  const std::span<std::byte> scratch = plan.prepares ? harness.arena().prepared(0) : harness.arena().scratch(0);
  const std::vector<std::size_t> offsets = scratch_offsets(plan);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const kernel::ResolvedScratch& spec = plan.scratch[i];
    if (plan.writes(spec)) {
      buffers.push_back(
        {spec.name, scratch.subspan(offsets[i], spec.bytes()), kernel::size_of(spec.type), {spec.elements}});
    }
  }
  return buffers;
}

void mark_reductions(const kernel::Kernel& kernel, const kernel::ResolvedPlan& plan,
                     const kernel::ResolvedLaunch& launch, std::vector<Buffer>& buffers)
{
  for (Buffer& buffer : buffers) {
    buffer.reduced =
      std::any_of(launch.reduce.begin(), launch.reduce.end(), [&](const kernel::ResolvedArgument& argument) {
        const std::string& name = argument.kind == kernel::ResolvedArgument::Kind::scratch
                                    ? plan.scratch[argument.position].name
                                    : kernel.arguments[argument.position].name;
        return name == buffer.name;
      });
  }
}

std::vector<std::vector<std::byte>> snapshot(const std::vector<Buffer>& buffers)
{
  std::vector<std::vector<std::byte>> state;
  for (const Buffer& buffer : buffers) {
    state.emplace_back(buffer.bytes.begin(), buffer.bytes.end());
  }
  return state;
}

void restore(const std::vector<Buffer>& buffers, const std::vector<std::vector<std::byte>>& state)
{
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    std::memcpy(buffers[i].bytes.data(), state[i].data(), state[i].size());
  }
}

// Which group wrote each element, -1 for none yet.
class Owners {
public:
  explicit Owners(const std::vector<Buffer>& buffers) : m_buffers(buffers)
  {
    for (const Buffer& buffer : buffers) {
      m_owner.emplace_back(buffer.bytes.size() / buffer.element, std::int64_t{-1});
    }
  }

  // Enters what changed against `before` as written by `group`. The first element that another group wrote too:
  // "groups 3 and 7 both write C[5]".
  std::optional<std::string> enter(std::int64_t group, const std::vector<std::vector<std::byte>>& before)
  {
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
      const Buffer& buffer = m_buffers[i];
      if (buffer.reduced || std::memcmp(buffer.bytes.data(), before[i].data(), before[i].size()) == 0) {
        continue;
      }
      const auto differ = [&](std::size_t first, std::size_t count) {
        const std::size_t offset = first * buffer.element;
        return std::memcmp(buffer.bytes.data() + offset, before[i].data() + offset, count * buffer.element) != 0;
      };
      for (std::size_t e = 0; e < m_owner[i].size(); ++e) {
        // Most of what a group does not write lies together.
        if (e % k_together == 0 && e + k_together <= m_owner[i].size() && !differ(e, k_together)) {
          e += k_together - 1;
          continue;
        }
        if (!differ(e, 1)) {
          continue;
        }
        std::int64_t& owner = m_owner[i][e];
        if (owner >= 0 && owner != group) {
          return fmt::format("groups {} and {} both write {}{}", owner, group, buffer.name,
                             multi_index(static_cast<std::int64_t>(e), buffer.shape));
        }
        owner = group;
      }
    }
    return std::nullopt;
  }

private:
  const std::vector<Buffer>& m_buffers;
  std::vector<std::vector<std::int64_t>> m_owner;
};

// Groups that are looked at: all, or a window of neighbours (where tiles overlap) at a random place.
struct Window {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

Window draw_window(std::int64_t groups, std::int64_t most, Random& random)
{
  const std::int64_t count = std::min(groups, most);
  return {inputs::drawn_between(0, groups - count, random), count};
}

Window choose_window(std::int64_t groups, const std::vector<Buffer>& buffers, Random& random)
{
  std::int64_t bytes = 1;
  for (const Buffer& buffer : buffers) {
    bytes += static_cast<std::int64_t>(buffer.bytes.size());
  }
  const std::int64_t affordable = std::max<std::int64_t>(k_most_bytes / bytes, 2);
  return draw_window(groups, std::min(k_looked_at, affordable), random);
}

// What a part's launches must find: the same values and poison for the same seeds.
Result<SessionResult<void>> set_up(Harness& harness, const Part& part, const inputs::InputSet& inputs,
                                   std::uint64_t poison_seed)
{
  HONE_CHECK(harness.set_up(inputs, poison_seed));
  if (part.plan->prepares) {
    Random random(poison_seed);
    harness.arena().poison_prepared(0, random);
    return SessionResult<void>();
  }
  return harness.prepare();
}

// Groups of a launch that are run apart from the others of their list: none of them may write what another one does.
using Apart = std::vector<Window>;

// All groups of a window, one by one.
std::vector<Apart> one_by_one(const Window& window)
{
  Apart groups;
  for (std::int64_t group = window.first; group < window.first + window.count; ++group) {
    groups.push_back({group, 1});
  }
  return {groups};
}

// Where the groups of a grid meet: the last two of a row, and the last row of a plane and the last plane with those
// before them.
std::vector<Apart> where_they_meet(const kernel::ResolvedLaunch& launch, Random& random)
{
  std::vector<Apart> meetings;
  const auto [row, rows, planes] = launch.grid;
  if (row > 1) {
    const std::int64_t last = row * inputs::drawn_between(1, rows * planes, random) - 1;
    meetings.push_back({{last - 1, 1}, {last, 1}});
  }
  if (rows > 1) {
    const std::int64_t plane = row * rows * inputs::drawn_between(0, planes - 1, random);
    const std::int64_t last = plane + row * (rows - 1);
    meetings.push_back({{plane, last - plane}, {last, row}});
  }
  if (planes > 1) {
    const std::int64_t last = row * rows * (planes - 1);
    meetings.push_back({{0, last}, {last, row * rows}});
  }
  return meetings;
}

// Sets the buffers back before each run.
Result<SessionResult<void>> run_apart(const Part& part, std::uint32_t l, const Apart& windows,
                                      const std::vector<Buffer>& buffers, const kernel::Sizes& sizes)
{
  const auto before = snapshot(buffers);
  Owners owners(buffers);
  for (const Window& window : windows) {
    if (auto ran = part.session->run_groups(0, l, window.first, window.count, false, false); !ran) {
      return Ended{std::move(ran.error())};
    }
    if (const auto clash = owners.enter(window.first, before)) {
      return Ended{incorrect(fmt::format("race: {} in {} {} ({}), sizes {}", *clash, part.words(), l,
                                         part.plan->launches[l].kernel, kernel::to_text(sizes)))};
    }
    restore(buffers, before);
  }
  return SessionResult<void>();
}

// `choose`: from a launch and its buffers, lists of windows.
template <class Choose>
Result<SessionResult<void>> compare_write_sets(Validation& validation, Harness& harness, const Part& part,
                                               const Choose& choose)
{
  const kernel::ResolvedPlan& plan = *part.plan;
  HONE_SESSION_CHECK(
    set_up(harness, part, validation.draw_inputs(inputs::ValueFamily::normal), validation.random().next()));
  HONE_TRY(std::vector<Buffer> buffers, writable_buffers(validation.kernel(), harness, plan));
  for (std::uint32_t l = 0; l < plan.launches.size(); ++l) {
    const kernel::ResolvedLaunch& launch = plan.launches[l];
    mark_reductions(validation.kernel(), plan, launch, buffers);
    // No group yet, only what the plan fills before the launch.
    if (auto filled = part.session->run_groups(0, l, 0, 0, false, true); !filled) {
      return Ended{std::move(filled.error())};
    }
    for (const Apart& windows : choose(launch, buffers)) {
      HONE_SESSION_CHECK(run_apart(part, l, windows, buffers, harness.sizes()));
    }
    if (l + 1 == plan.launches.size()) {
      break; // nothing comes after that would need its results
    }
    if (auto ran = part.session->run_groups(0, l, 0, launch.groups(), false, false); !ran) {
      return Ended{std::move(ran.error())};
    }
  }
  return SessionResult<void>();
}

Result<SessionResult<std::vector<std::byte>>> run_in_order(Harness& harness, const Part& part,
                                                           const inputs::InputSet& inputs, std::uint64_t poison_seed,
                                                           bool descending)
{
  HONE_SESSION_CHECK(set_up(harness, part, inputs, poison_seed));
  for (std::uint32_t l = 0; l < part.plan->launches.size(); ++l) {
    if (auto ran = part.session->run_groups(0, l, 0, part.plan->launches[l].groups(), descending, true); !ran) {
      return Ended{std::move(ran.error())};
    }
  }
  if (!part.plan->prepares) {
    return SessionResult<std::vector<std::byte>>(harness.outputs());
  }
  const std::span<std::byte> bytes = harness.arena().prepared(0);
  return SessionResult<std::vector<std::byte>>(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

Result<SessionResult<void>> compare_orders_of(Validation& validation, Harness& harness, const Part& part,
                                              inputs::ValueFamily family)
{
  const inputs::InputSet inputs = validation.draw_inputs(family);
  // What a preparation leaves alone keeps its poison, which must then be the same; a call's must not matter.
  const std::uint64_t poison = validation.random().next();
  const std::uint64_t other = part.plan->prepares ? poison : validation.random().next();
  HONE_SESSION(const std::vector<std::byte> forward, run_in_order(harness, part, inputs, poison, false));
  if (!part.plan->prepares && !reduces(*part.plan)) {
    HONE_SESSION_CHECK(set_up(harness, part, inputs, other));
    if (auto called = harness.call(); !called) {
      return Ended{std::move(called.error())};
    }
    if (harness.outputs() != forward) {
      return Ended{incorrect(fmt::format("race: work-groups one by one, which find other things in shared scratch, in "
                                         "registers and below the stack, give another result (sizes {})",
                                         kernel::to_text(harness.sizes())))};
    }
  }
  HONE_SESSION(const std::vector<std::byte> reverse, run_in_order(harness, part, inputs, other, true));
  if (forward == reverse) {
    return SessionResult<void>();
  }
  if (!reduces(*part.plan)) {
    return Ended{
      incorrect(fmt::format("race: work-groups in reverse order, or with other things left in shared scratch, "
                            "give another result (sizes {})",
                            kernel::to_text(harness.sizes())))};
  }
  // A declared reduction may round differently in another order: its values must be right. Of what a preparation
  // leaves nobody knows what is right.
  if (!part.plan->prepares) {
    return validation.look_at_outputs(harness, inputs,
                                      fmt::format("work-groups in reverse order, seed {:#x}", inputs.seed));
  }
  return SessionResult<void>();
}

// What shared scratch held on one worker during a call: before each of some neighbours of a launch, and after all.
struct LeftInShared {
  Window window;
  std::vector<std::vector<std::byte>> before;
  std::vector<std::byte> after;
};

Result<SessionResult<std::vector<LeftInShared>>> left_in_shared_scratch(Harness& harness, const Part& part,
                                                                        Random& random)
{
  const std::int64_t bytes = std::max<std::int64_t>(shared_bytes_of(*part.plan), 1);
  const auto launches = static_cast<std::int64_t>(part.plan->launches.size());
  const std::int64_t affordable = std::max<std::int64_t>(k_most_bytes / launches / bytes, 1);
  const auto scratch = harness.arena().shared_scratch().first(static_cast<std::size_t>(bytes));
  std::vector<LeftInShared> all;
  for (std::uint32_t l = 0; l < part.plan->launches.size(); ++l) {
    const std::int64_t groups = part.plan->launches[l].groups();
    LeftInShared left;
    left.window = draw_window(groups, std::min(k_looked_at, affordable), random);
    const auto [first, count] = left.window;
    if (auto ran = part.session->run_groups(0, l, 0, first, false, true, true); !ran) {
      return Ended{std::move(ran.error())};
    }
    for (std::int64_t group = first; group < first + count; ++group) {
      left.before.emplace_back(scratch.begin(), scratch.end());
      if (auto ran = part.session->run_groups(0, l, group, 1, false, false, true); !ran) {
        return Ended{std::move(ran.error())};
      }
    }
    if (auto ran = part.session->run_groups(0, l, first + count, groups - first - count, false, false, true); !ran) {
      return Ended{std::move(ran.error())};
    }
    left.after.assign(scratch.begin(), scratch.end());
    all.push_back(std::move(left));
  }
  return SessionResult<std::vector<LeftInShared>>(std::move(all));
}

// For a group of a launch.
using Stale = std::function<std::span<const std::byte>(std::uint32_t launch, std::int64_t group)>;

// A call in which the groups of these windows, one to a launch, find `stale` in shared scratch each.
Result<SessionResult<std::vector<std::byte>>>
run_with_stale_scratch(Harness& harness, const Part& part, std::span<const Window> windows, const Stale& stale)
{
  const std::span<std::byte> scratch = harness.arena().shared_scratch();
  for (std::uint32_t l = 0; l < part.plan->launches.size(); ++l) {
    const std::int64_t groups = part.plan->launches[l].groups();
    const auto [first, count] = windows[l];
    if (auto ran = part.session->run_groups(0, l, 0, first, false, true); !ran) {
      return Ended{std::move(ran.error())};
    }
    for (std::int64_t group = first; group < first + count; ++group) {
      std::ranges::copy(stale(l, group), scratch.begin());
      if (auto ran = part.session->run_groups(0, l, group, 1, false, false, true); !ran) {
        return Ended{std::move(ran.error())};
      }
    }
    if (auto ran = part.session->run_groups(0, l, first + count, groups - first - count, false, false); !ran) {
      return Ended{std::move(ran.error())};
    }
  }
  return SessionResult<std::vector<std::byte>>(harness.outputs());
}

// What a worker finds in shared scratch, when it has run none of a call's groups yet, may be of any earlier call, on
// other values, under the same addresses: what its launches left, or what was there just before the same group.
Result<SessionResult<void>> try_stale_scratch(Validation& validation, Harness& harness, const Part& part)
{
  if (shared_bytes_of(*part.plan) == 0 || part.plan->prepares) {
    return SessionResult<void>();
  }
  const inputs::InputSet inputs = validation.draw_inputs(inputs::ValueFamily::normal);
  const std::uint64_t poison = validation.random().next();
  HONE_SESSION(const std::vector<std::byte> right, run_in_order(harness, part, inputs, poison, false));
  HONE_SESSION_CHECK(set_up(harness, part, validation.draw_inputs(inputs::ValueFamily::normal), poison));
  HONE_SESSION(const std::vector<LeftInShared> left, left_in_shared_scratch(harness, part, validation.random()));
  std::vector<Window> many, watched;
  for (std::size_t l = 0; l < left.size(); ++l) {
    many.push_back(draw_window(part.plan->launches[l].groups(), k_most_with_stale_scratch, validation.random()));
    watched.push_back(left[l].window);
  }
  std::vector<std::pair<std::span<const Window>, Stale>> ways;
  for (const LeftInShared& launch : left) {
    ways.emplace_back(many, [&launch](std::uint32_t, std::int64_t) { return std::span(launch.after); });
  }
  ways.emplace_back(watched, [&left](std::uint32_t l, std::int64_t group) {
    return std::span(left[l].before[static_cast<std::size_t>(group - left[l].window.first)]);
  });
  for (const auto& [windows, stale] : ways) {
    HONE_SESSION_CHECK(set_up(harness, part, inputs, poison));
    HONE_SESSION(const std::vector<std::byte> got, run_with_stale_scratch(harness, part, windows, stale));
    if (got != right) {
      return Ended{incorrect(fmt::format("race: a work-group that finds in shared scratch what a group of an earlier "
                                         "call left there, as on another worker, gives another result (sizes {})",
                                         kernel::to_text(harness.sizes())))};
    }
  }
  return SessionResult<void>();
}

Result<SessionResult<void>> check_parts(Validation& validation, Harness& harness,
                                        const std::vector<inputs::ValueFamily>& families)
{
  for (const Part& part : parts_of(harness)) {
    HONE_SESSION_CHECK(compare_write_sets(validation, harness, part, [&](const auto& launch, const auto& buffers) {
      return one_by_one(choose_window(launch.groups(), buffers, validation.random()));
    }));
    for (const inputs::ValueFamily family : families) {
      HONE_SESSION_CHECK(compare_orders_of(validation, harness, part, family));
    }
    HONE_SESSION_CHECK(try_stale_scratch(validation, harness, part));
  }
  return SessionResult<void>();
}

} // namespace

bool reduces(const kernel::ResolvedPlan& plan)
{
  return std::ranges::any_of(plan.launches,
                             [](const kernel::ResolvedLaunch& launch) { return !launch.reduce.empty(); });
}

Result<SessionResult<void>> compare_sides(Validation& validation, Harness& harness)
{
  for (const Part& part : parts_of(harness)) {
    HONE_SESSION_CHECK(compare_write_sets(validation, harness, part, [&](const auto& launch, const auto&) {
      return where_they_meet(launch, validation.random());
    }));
  }
  return SessionResult<void>();
}

Result<SessionResult<void>> compare_orders(Validation& validation, Harness& harness, inputs::ValueFamily family)
{
  for (const Part& part : parts_of(harness)) {
    HONE_SESSION_CHECK(compare_orders_of(validation, harness, part, family));
  }
  return SessionResult<void>();
}

Result<SessionResult<void>> validate_groups(Validation& validation)
{
  HONE_SESSION(Harness* const harness, validation.harness(validation.probe_sizes(), Layout::canaries));
  std::vector<inputs::ValueFamily> families{inputs::ValueFamily::normal};
  const auto all = inputs::all_value_families();
  for (std::size_t i = 0; i < (validation.promote() ? k_drawn_families : 0); ++i) {
    families.push_back(validation.one_of(all));
  }
  HONE_SESSION_CHECK(check_parts(validation, *harness, families));
  validation.note("work-groups", "write sets are disjoint; forward and reverse order agree");
  if (validation.promote()) {
    HONE_SESSION(Harness* const timed, validation.harness(validation.setting().recipe->sizes, Layout::canaries));
    HONE_SESSION_CHECK(check_parts(validation, *timed, {inputs::ValueFamily::normal}));
    validation.note("work-groups at the timed sizes",
                    "write sets of neighbours are disjoint; forward and reverse order agree");
  }
  return SessionResult<void>();
}

} // namespace hone::gate
