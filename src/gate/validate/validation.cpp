#include "gate/validate/validation.h"

#include "gate/validate/watching.h"
#include "inputs/corners.h"
#include "inputs/elements.h"
#include "inputs/guard_thresholds.h"
#include "inputs/inputs.h"
#include "inputs/literal_sizes.h"
#include "inputs/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hone::gate {
namespace {

constexpr double k_screen_work = 1e6; // flops + bytes of one call at hidden sizes
constexpr double k_promote_work = 4e6;
constexpr std::size_t k_as_far = 400;    // sizes looked at, not tried
constexpr double k_further_work = 1.5e7; // of the few that are larger than any tile, thin, or round
constexpr std::size_t k_corners_of_two = 20, k_corners_of_more = 32;  // symbols
constexpr inputs::CornerLimits k_in_full{.flops = 5e6, .bytes = 5e6}; // where the reference knows whole outputs only
constexpr double k_quick_groups = 1 << 18;                            // that are called in no time
constexpr double k_longest_deadline = 20;                             // times the given one
constexpr double k_strata_work = 5e6;                                 // of the many sizes of every length
constexpr double k_strata_work_of_one = 3e7;                          // of which there are few
constexpr std::size_t k_screen_sizes = 2;
constexpr std::size_t k_promote_sizes = 12;
constexpr std::size_t k_long_sizes = 3; // of these
constexpr std::size_t k_most_literal = 128;
constexpr double k_looks = 48;      // elements of an output that are looked at, as long as they do not cost more than
constexpr double k_look_work = 2e6; // in operations of plain loops
constexpr std::int64_t k_near_an_end = 40; // elements
constexpr std::size_t k_probe_draws = 32;  // sizes among which the one with most neighbouring groups is looked for

// Prefers several groups along every axis: neighbours that clash may lie on any side.
std::int64_t neighbourhood(const kernel::ResolvedPlan& plan)
{
  std::int64_t total = 0;
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    std::int64_t neighbours = 1;
    for (const std::int64_t extent : launch.grid) {
      neighbours *= std::min<std::int64_t>(extent, 3);
    }
    total += neighbours;
  }
  return total;
}

} // namespace

Validation::Validation(ValidationSetting setting)
  : m_setting(std::move(setting)), m_scaling(BilinearScaling::of(kernel())), m_random(m_setting.seed),
    m_draw(m_random.next())
{
  if (m_setting.forced.values) {
    m_draw.force(*m_setting.forced.values);
  }
}

std::vector<inputs::ValueFamily> Validation::wanted(std::span<const inputs::ValueFamily> families) const
{
  std::vector<inputs::ValueFamily> all(families.begin(), families.end());
  if (const auto& forced = m_setting.forced.values) {
    std::erase_if(all, [&](inputs::ValueFamily family) { return family != forced->family; });
  }
  return all.empty() ? std::vector{inputs::ValueFamily::normal} : all;
}

inputs::ValueFamily Validation::one_of(std::span<const inputs::ValueFamily> families)
{
  const std::vector<inputs::ValueFamily> among = wanted(families);
  return among[m_random.below(among.size())];
}

void Validation::leave_out_sizes(double most, double (*of)(const kernel::Kernel&, const kernel::Work&),
                                 const std::string& check, const std::string& why)
{
  std::size_t left_out = 0;
  for (std::vector<kernel::Sizes>* sizes : {&m_hidden, &m_further, &m_strata, &m_corners, &m_literal}) {
    left_out += most <= 0 ? 0 : std::erase_if(*sizes, [&](const kernel::Sizes& one) {
      const Result<kernel::Work> work = kernel::work_of(kernel(), one);
      return !work || of(kernel(), *work) > most;
    });
  }
  if (left_out > 0) {
    note(check, fmt::format("{} left out: {}", left_out, why));
  }
}

void Validation::leave_out_what_is_too_long()
{
  const backend::Capabilities& can = m_setting.capabilities;
  leave_out_sizes(
    can.most_work, [](const kernel::Kernel&, const kernel::Work& work) { return work.total(); }, "sizes with much work",
    "the emulated device would take too long");
  leave_out_sizes(
    can.most_rounds,
    [](const kernel::Kernel& kernel, const kernel::Work& work) { // one item may go over a row for every statement
      return work.per_element * static_cast<double>(kernel.program.statements.size());
    },
    "sizes with long loops",
    fmt::format("this driver ends the loops of a work-item after {:.0f} rounds", can.most_rounds));
}

Result<SessionResult<void>> Validation::draw_sizes()
{
  if (m_setting.depth < record::Depth::screen) {
    note("hidden sizes", "not tried: one call at the timed sizes was asked for");
    return SessionResult<void>();
  }
  if (kernel().also == kernel::AlsoSizes::timed) {
    m_probe = m_setting.recipe->sizes;
    note("hidden sizes", "skipped: the kernel is specialised to its timed sizes");
    return SessionResult<void>();
  }
  inputs::HiddenSizesRequest request;
  const inputs::SizeRow* const only = m_setting.forced.sizes;
  const bool all_edges = promote() && (only == nullptr || only->group == inputs::SizeGroup::hidden);
  request.count = all_edges ? k_promote_sizes - k_long_sizes : k_screen_sizes;
  request.work_limit = promote() ? k_promote_work : k_screen_work;
  HONE_TRY(m_hidden, inputs::draw_hidden_sizes(kernel(), m_setting.point, request, m_random));
  if (m_hidden.empty() && !kernel().symbols.empty()) {
    note("hidden sizes", "none: no small sizes were found on which the kernel means something");
  }
  if (promote() && !m_hidden.empty()) {
    HONE_TRY(std::vector<kernel::Sizes> longer,
             inputs::draw_long_sizes(kernel(), k_long_sizes, k_promote_work, m_random, only));
    std::erase_if(longer,
                  [&](const kernel::Sizes& sizes) { return std::ranges::find(m_hidden, sizes) != m_hidden.end(); });
    m_hidden.insert(m_hidden.end(), longer.begin(), longer.end());
  }
  if (promote()) {
    HONE_TRY(m_further, inputs::draw_further_sizes(kernel(), m_setting.point, k_further_work, m_random, only));
    HONE_TRY(m_strata,
             inputs::draw_strata(kernel(), kernel().symbols.size() == 1 ? k_strata_work_of_one : k_strata_work,
                                 m_random, only));
    if (!m_hidden.empty()) {
      HONE_TRY(m_corners,
               inputs::draw_corners(kernel(), kernel().symbols.size() == 2 ? k_corners_of_two : k_corners_of_more,
                                    knows_elements() ? inputs::CornerLimits() : k_in_full, m_random, only));
    }
    HONE_SESSION(const std::shared_ptr<const Prepared> timed, m_setting.prepare(m_setting.recipe->sizes));
    HONE_TRY(const std::vector<std::int64_t> compared, m_setting.backend->compared_numbers(timed->build->module));
    m_draw.set_max_magnitudes(inputs::max_magnitudes_in(*m_setting.candidate, compared));
    const inputs::LiteralSources sources{
      inputs::literals_in(*m_setting.candidate, m_setting.point, compared),
      inputs::guard_thresholds(kernel(), *m_setting.candidate, m_setting.point, *m_setting.device_facts),
      inputs::ratios_in(*m_setting.candidate), inputs::blocks_at(m_setting.point)};
    m_literals = sources.literals.size() + sources.thresholds.size();
    HONE_TRY(m_literal, inputs::draw_literal_sizes(kernel(), sources, k_most_literal, m_random, only));
  }
  leave_out_what_is_too_long();
  if (m_hidden.empty()) { // a kernel without size symbols, or whose timed sizes are all there is
    m_probe = m_setting.recipe->sizes;
    return SessionResult<void>();
  }
  request.count = k_probe_draws;
  HONE_TRY(std::vector<kernel::Sizes> choices, inputs::draw_hidden_sizes(kernel(), m_setting.point, request, m_random));
  choices.insert(choices.end(), m_hidden.begin(), m_hidden.end());
  std::pair<std::int64_t, double> most{-1, 0};
  for (const kernel::Sizes& sizes : choices) {
    HONE_SESSION(const std::shared_ptr<const Prepared> prepared, m_setting.prepare(sizes));
    // Of as many neighbours, those with more work: groups that share a sum of one term do not clash.
    const Result<kernel::Work> work = kernel::work_of(kernel(), sizes);
    if (const std::pair found{neighbourhood(prepared->plan), work ? work->flops : 0}; found > most) {
      most = found;
      m_probe = sizes;
    }
  }
  return SessionResult<void>();
}

Result<void> Validation::watch_beside()
{
  if (!m_watching) {
    HONE_TRY(m_watching, Watching::begin(*this));
  }
  return {};
}

Result<void> Validation::keep_watching()
{
  return m_watching ? m_watching->go_on() : Result<void>();
}

// The given one is for calls of little work, and those at the timed sizes.
std::chrono::milliseconds Validation::deadline_for(const Prepared& prepared) const
{
  const auto work = kernel::work_of(kernel(), prepared.sizes);
  const double times =
    work && prepared.sizes != m_setting.recipe->sizes
      ? std::max(work->plain_flops / (2 * k_further_work), static_cast<double>(prepared.plan.groups()) / k_quick_groups)
      : 1;
  return m_setting.deadline * static_cast<std::int64_t>(std::clamp(std::ceil(times), 1.0, k_longest_deadline));
}

Result<SessionResult<Harness>> Validation::open_harness(const Prepared& prepared, Layout layout,
                                                        std::uint64_t layout_seed, HarnessRest former,
                                                        HarnessUse use) const
{
  HarnessSpec spec;
  spec.kernel = &kernel();
  spec.backend = m_setting.backend;
  spec.prepared = &prepared;
  spec.cpus = m_setting.cpus;
  spec.flush_to_guard = layout == Layout::guard_pages;
  spec.layout_seed = layout_seed;
  spec.use = use;
  spec.deadline = deadline_for(prepared);
  spec.stop = m_setting.stop;
  return Harness::open(spec, std::move(former));
}

Result<SessionResult<Harness*>> Validation::harness(const kernel::Sizes& sizes, Layout layout)
{
  if (m_setting.stop.stop_requested()) {
    return fail("stopped");
  }
  HONE_CHECK(keep_watching());
  if (m_open && m_open->sizes == sizes && m_open->layout == layout) {
    return SessionResult<Harness*>(&m_open->harness);
  }
  if (m_open) {
    m_former = Harness::take_rest(std::move(m_open->harness));
    m_open.reset();
  }
  HONE_SESSION(std::shared_ptr<const Prepared> prepared, m_setting.prepare(sizes));
  std::uint64_t layout_seed = m_random.next() / k_layout_styles * k_layout_styles;
  if (layout == Layout::canaries) {
    layout_seed += m_next_style++ % k_layout_styles; // every way in which tensors lie, in turn
  }
  HONE_SESSION(Harness opened, open_harness(*prepared, layout, layout_seed, std::exchange(m_former, {})));
  m_open.reset(new Open{sizes, layout, std::move(prepared), std::move(opened)});
  return SessionResult<Harness*>(&m_open->harness);
}

SessionResult<void> Validation::call(Harness& harness, CallerState caller)
{
  if (auto called = harness.call(caller); !called) {
    SessionEnd end = std::move(called.error());
    end.reason += fmt::format(" (sizes {})", kernel::to_text(harness.sizes()));
    return std::unexpected(std::move(end));
  }
  ++m_calls;
  return {};
}

SessionResult<void> Validation::check(Harness& harness, const ExpectedOutputs& expected, const inputs::InputSet& inputs,
                                      const std::string& origin, CallerState caller)
{
  if (auto called = call(harness, caller); !called) {
    return called;
  }
  return judge(harness, expected, inputs, origin);
}

SessionResult<void> Validation::judge(Harness& harness, const ExpectedOutputs& expected, const inputs::InputSet& inputs,
                                      const std::string& origin)
{
  const auto checked = m_setting.references->check(harness.arena(), 0, *expected);
  if (!checked) { // the shapes were evaluated before: only a bug of ours gets here
    return std::unexpected(SessionEnd{record::Status::runtime, checked.error().text(), {}});
  }
  record::ErrorFigures errors = checked->errors;
  if (inputs.family != inputs::ValueFamily::normal) {
    errors.worst_relative = 0; // says nothing where sums cancel or underflow on purpose
  }
  merge(m_errors, errors);
  if (!checked->passed) {
    return std::unexpected(
      incorrect(fmt::format("{} (sizes {}, values: {}, {})", checked->reason, kernel::to_text(harness.sizes()),
                            inputs::row_names(kernel(), harness.sizes(), inputs), origin)));
  }
  return {};
}

void Validation::compare_with_last(const kernel::Sizes& sizes, const ExpectedOutputs& expected)
{
  if (m_output_varies || !promote()) { // asked for in full depth only
    return;
  }
  if (m_last_expected && m_last_sizes == sizes) {
    m_output_varies = differ(m_last_expected->outputs, expected->outputs);
  }
  m_last_sizes = sizes;
  m_last_expected = expected;
}

Result<std::vector<kernel::Sizes>> Validation::sizes_as_far(const kernel::Sizes& sizes)
{
  return inputs::draw_sizes_as_far(kernel(), sizes, k_as_far, k_further_work, m_random);
}

Result<SessionResult<void>> Validation::checked_call_on(Harness& harness, const std::string& origin)
{
  const inputs::InputSet nameless = draw_inputs(inputs::ValueFamily::normal); // no other values have that name
  if (harness.sizes() == m_setting.recipe->sizes && kernel::supports_freivalds(kernel()) && knows_elements()) {
    if (auto called = call(harness, {.keeps_registers = true}); !called) {
      return Ended{std::move(called.error())};
    }
    return look_at_outputs(harness, nameless, origin);
  }
  HONE_TRY(const ExpectedOutputs expected, m_setting.references->expected(harness.arena(), 0, nameless, false));
  return check(harness, expected, nameless, origin, {.keeps_registers = true});
}

namespace {

// Inputs, or what they differ by, are taken for zeros where small numbers are: large factors make them count, and
// sums of them lose one at every step. Products of tiny numbers of f64 are near enough for what is split off them.
bool may_be_subnormal(const kernel::Kernel& kernel, inputs::ValueFamily family)
{
  const auto is_f64 = [&](std::size_t input) { return kernel.arguments[input].type == kernel::DataType::f64; };
  return family == inputs::ValueFamily::subnormals || family == inputs::ValueFamily::mixed
         || family == inputs::ValueFamily::extreme || family == inputs::ValueFamily::any_size
         || (family == inputs::ValueFamily::tiny && std::ranges::any_of(kernel.inputs(), is_f64));
}

// In each direction, of two elements one anywhere and one not far from the end.
std::int64_t element_near_an_end(const std::vector<std::int64_t>& shape, Random& random)
{
  std::int64_t at = 0;
  for (const std::int64_t extent : shape) {
    const std::int64_t from_end = inputs::drawn_between(0, std::min(extent, k_near_an_end) - 1, random);
    at = at * extent + (random.below(2) == 0 ? extent - 1 - from_end : inputs::drawn_between(0, extent - 1, random));
  }
  return at;
}

// A quarter of all callers.
Flushes drawn_flushes(Random& random)
{
  constexpr std::array k_all{Flushes::both, Flushes::both, Flushes::results, Flushes::operands};
  return random.below(4) == 0 ? k_all[random.below(k_all.size())] : Flushes::nothing;
}

// How they are made again.
std::string text_of(const inputs::InputSet& inputs)
{
  return fmt::format("{}seed {:#x}", inputs.top > 0 ? fmt::format("up to {}, ", inputs.top) : "", inputs.seed);
}

std::string_view text_of(Flushes flushes)
{
  switch (flushes) {
  case Flushes::nothing:
    break;
  case Flushes::results:
    return ", called with small results flushed to zero";
  case Flushes::operands:
    return ", called with small operands taken for zero";
  case Flushes::both:
    return ", called with small numbers flushed to zero";
  }
  return "";
}

} // namespace

bool Validation::knows_elements() const
{
  return m_setting.references->has_elements() && inputs::keeps_its_inputs(kernel());
}

Result<bool> Validation::some_elements_are_right(Harness& harness)
{
  if (kernel::supports_freivalds(kernel())) { // every element takes part in it
    const auto outcome =
      kernel::check_freivalds(kernel(), harness.sizes(), harness.arena().arguments(0), m_random.next());
    if (outcome && !outcome->passed) { // an error: products of these values are not finite, and elements must do
      return false;
    }
  }
  const std::vector<std::size_t> outputs = kernel().outputs();
  HONE_TRY(const kernel::Work work, kernel::work_of(kernel(), harness.sizes()));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const kernel::Argument& argument = kernel().arguments[outputs[i]];
    HONE_TRY(const std::vector<std::int64_t> shape, kernel::shape_of(argument, harness.sizes()));
    HONE_TRY(const std::int64_t count, kernel::elements_of(argument, harness.sizes()));
    const double affordable = k_look_work * static_cast<double>(count) / std::max(work.plain_flops, 1.0);
    const double most = std::min(k_looks, static_cast<double>(count));
    std::vector<std::int64_t> places(static_cast<std::size_t>(std::clamp(affordable, 1.0, most)));
    std::ranges::generate(places, [&] { return element_near_an_end(shape, m_random); });
    HONE_TRY(const std::vector<kernel::ElementReference> expected,
             m_setting.references->elements(harness.arena(), 0, i, places));
    const std::byte* bytes = harness.arena().tensor(0, outputs[i]).data();
    const std::size_t size = kernel::size_of(argument.type);
    for (std::size_t look = 0; look < places.size(); ++look) {
      if (!is_right(argument.type,
                    inputs::load_element(argument.type, bytes + static_cast<std::size_t>(places[look]) * size),
                    expected[look])) {
        return false;
      }
    }
  }
  return true;
}

Result<SessionResult<void>> Validation::looked_at_call(Harness& harness, const inputs::InputSet& inputs)
{
  if (!knows_elements()) {
    return checked_call(harness, inputs);
  }
  HONE_CHECK(harness.set_up(inputs, m_random.next()));
  if (auto called = call(harness, {}); !called) {
    return Ended{std::move(called.error())};
  }
  return look_at_outputs(harness, inputs, text_of(inputs));
}

Result<SessionResult<void>> Validation::look_at_outputs(Harness& harness, const inputs::InputSet& inputs,
                                                        const std::string& origin)
{
  if (knows_elements()) {
    HONE_TRY(const bool right, some_elements_are_right(harness));
    if (right) {
      return SessionResult<void>();
    }
  }
  HONE_TRY(const ExpectedOutputs expected, m_setting.references->expected(harness.arena(), 0, inputs, false));
  return judge(harness, expected, inputs, origin);
}

Result<SessionResult<void>> Validation::checked_call(Harness& harness, const inputs::InputSet& inputs, bool any_caller)
{
  const bool timed = harness.sizes() == m_setting.recipe->sizes;
  const bool shared = timed && (m_scaling || !promote());
  const bool scaled = timed && m_scaling && inputs.family != inputs::ValueFamily::quadrants; // whose sizes say enough
  const inputs::InputSet made = shared ? inputs::InputSet{inputs.family, m_setting.pool_seed, 0, inputs.row} : inputs;
  std::string origin = text_of(made);
  HONE_CHECK(keep_watching());
  HONE_CHECK(harness.set_up(made, m_random.next()));
  HONE_TRY(ExpectedOutputs expected, m_setting.references->expected(harness.arena(), 0, made, shared));
  // Far beyond the timed sizes a kernel may overflow that does not where it is used.
  if (made.family == inputs::ValueFamily::normal && (timed || !inputs::is_far_beyond(kernel(), harness.sizes()))) {
    HONE_CHECK(expect_bounds(kernel(), harness.sizes(), expected->outputs));
  }
  if (scaled) {
    HONE_TRY(expected, m_scaling->apply(harness.arena(), 0, expected->outputs.front(), inputs.seed));
    origin += fmt::format(" scaled by seed {:#x}", inputs.seed);
  }
  compare_with_last(harness.sizes(), expected);
  const bool other_stack = m_random.below(2) == 0;
  const bool any_flushes = any_caller && !may_be_subnormal(kernel(), made.family);
  const Flushes flushes = any_flushes ? drawn_flushes(m_random) : Flushes::nothing;
  origin += text_of(flushes);
  return check(harness, expected, made, origin, {.flushes = flushes, .other_stack = other_stack});
}

} // namespace hone::gate
