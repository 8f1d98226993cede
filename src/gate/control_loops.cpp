#include "gate/control_loops.h"

#include "gate/addends_first.h"
#include "gate/cpus.h"
#include "gate/output_check.h"
#include "gate/reversed_sums.h"
#include "lower/lower.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hone::gate {
namespace {

Result<kernel::Candidate> make_reversed(const kernel::Kernel& kernel, const lower::Dialect& dialect)
{
  kernel::Kernel turned = kernel;
  turned.program = with_sums_reversed(kernel.program);
  return lower::lower_schedule(turned, lower::Schedule{}, dialect); // plain statements
}

Result<kernel::Candidate> make_addends_first(const kernel::Kernel& kernel, const lower::Dialect& dialect)
{
  kernel::Kernel turned = kernel;
  turned.program = with_addends_first(kernel.program);
  return lower::lower_schedule(turned, lower::Schedule{}, dialect);
}

constexpr ControlImplementation k_implementations[] = {
  {"plain loops", lower::naive_candidate, [](const kernel::Kernel&) { return true; }, ""},
  {"sums from the last term to the first", make_reversed,
   [](const kernel::Kernel& kernel) { return has_sums(kernel.program); }, "there are no sums"},
  {"sums that begin with what is added to them", make_addends_first,
   [](const kernel::Kernel& kernel) { return adds_to_sums(kernel.program); }, "nothing is added to a sum"},
};

} // namespace

std::span<const ControlImplementation> control_implementations()
{
  return k_implementations;
}

struct RoundingControls::State {
  const backend::Backend* backend = nullptr;
  backend::DeviceInfo device;
  std::unique_ptr<BuildCache> builds;
  std::vector<record::Contender> contenders;
};

RoundingControls::RoundingControls(const kernel::Kernel& kernel, std::string environment, fs::path cache)
  : m_kernel(kernel), m_environment(std::move(environment)), m_cache(std::move(cache))
{
}

Result<void> RoundingControls::open()
{
  auto state = std::make_shared<State>();
  HONE_TRY(state->backend, backend::find_backend("cpu"));
  HONE_TRY(state->device, state->backend->probe());
  state->builds = std::make_unique<BuildCache>(m_kernel, *state->backend, m_environment + " control loops", m_cache,
                                               usable_cpus().front());
  for (const ControlImplementation& implementation : k_implementations) {
    if (implementation.applies(m_kernel)) {
      HONE_TRY(kernel::Candidate candidate, implementation.make(m_kernel, state->backend->dialect()));
      kernel::TuningPoint point = candidate.plan.tuning.defaults();
      state->contenders.push_back({std::move(candidate), std::move(point), {}, {}});
    }
  }
  m_state = std::move(state);
  return {};
}

Result<std::optional<double>> RoundingControls::worst_error(const kernel::Sizes& sizes,
                                                            std::span<const std::byte* const> inputs,
                                                            const std::vector<kernel::ReferenceOutput>& expected)
{
  if (!m_state) {
    HONE_CHECK(open());
  }
  std::optional<double> worst;
  for (const record::Contender& contender : m_state->contenders) {
    HONE_TRY(const std::optional<double> error, error_of(contender, sizes, inputs, expected));
    worst = error ? std::max(worst.value_or(0), *error) : worst;
  }
  return worst;
}

Result<std::optional<double>> RoundingControls::error_of(const record::Contender& contender, const kernel::Sizes& sizes,
                                                         std::span<const std::byte* const> inputs,
                                                         const std::vector<kernel::ReferenceOutput>& expected)
{
  HONE_TRY(auto prepared, prepare_candidate(m_kernel, *m_state->builds, m_state->device.plan_facts, contender, sizes));
  if (!prepared) {
    return std::optional<double>();
  }
  HarnessSpec spec;
  spec.kernel = &m_kernel;
  spec.backend = m_state->backend;
  spec.prepared = prepared->get();
  spec.layout_seed = fresh_seed();
  spec.deadline = k_control_deadline;
  HONE_TRY(SessionResult<Harness> harness, Harness::open(spec));
  if (!harness) {
    return std::optional<double>();
  }
  Arena& arena = harness->arena();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (m_kernel.arguments[i].role != kernel::Role::output) {
      const std::span<std::byte> tensor = arena.tensor(0, i);
      std::memcpy(tensor.data(), inputs[i], tensor.size());
    }
  }
  if (!harness->call()) {
    return std::optional<double>();
  }
  HONE_TRY(const OutputCheck check, check_outputs(m_kernel, sizes, arena.arguments(0), expected));
  const double error = check.errors.worst_normalised;
  return std::isfinite(error) ? std::optional(error) : std::nullopt;
}

} // namespace hone::gate
