#include "gate/gate.h"

#include "backend/library/library.h"
#include "gate/code_reference.h"
#include "gate/control_loops.h"
#include "gate/cpus.h"
#include "gate/gate_state.h"
#include "gate/runner_session.h"
#include "util/hash.h"
#include "util/json.h"

#include <fmt/format.h>

#include <malloc.h>

namespace hone::gate {

std::string environment_of(const backend::Backend& backend, const backend::DeviceInfo& device)
{
  Json environment{{"backend", backend.name()},
                   {"fingerprint", device.fingerprint},
                   {"lock", backend.lock_profile()},
                   {"protocol", record::k_protocol_version}};
  if (const auto flags = device.facts.find("flags"); flags != device.facts.end()) {
    environment["flags"] = flags->second;
  }
  for (const IsolationLayer& layer : isolation_layers()) {
    environment["isolation"][layer.name] = layer.active;
  }
  return sha256(environment.dump());
}

Result<References> references_for(const kernel::Kernel& kernel, const std::string& environment, const fs::path& cache)
{
  if (kernel.reference == kernel::ReferenceKind::expression) {
    HONE_TRY(kernel::Reference reference, kernel::Reference::build(kernel, cache));
    return References(kernel, std::move(reference), std::make_shared<RoundingControls>(kernel, environment, cache));
  }
  HONE_TRY(CodeReference reference, CodeReference::build(kernel, environment, cache));
  return References(kernel, std::move(reference));
}

namespace {

constexpr std::chrono::seconds k_call_deadline{30}, k_emulated_call_deadline{90};

// What references need at one size they need at the next: asking the system for the same pages again took half of a
// validation's time.
void keep_freed_memory()
{
  constexpr int k_mebibyte = 1 << 20;
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1024 * k_mebibyte);
  mallopt(M_TOP_PAD, 64 * k_mebibyte);
}

} // namespace

std::string identity_of(const record::Contender& contender)
{
  if (!contender.library.empty()) {
    return sha256("library " + contender.library + " " + contender.library_setting);
  }
  return sha256(contender.candidate.hash() + " " + kernel::to_text(contender.point));
}

Gate::Impl::Impl(std::shared_ptr<const kernel::Kernel> k, const backend::Backend& b, GateOptions o,
                 backend::DeviceInfo d, std::string env, References r)
  : kernel(std::move(k)), backend(b), options(std::move(o)), device(std::move(d)), environment(std::move(env)),
    call_deadline(options.call_deadline.value_or(b.capabilities().times ? k_call_deadline : k_emulated_call_deadline)),
    seed(options.seed != 0 ? options.seed : fresh_seed()), pool_seed(Random(seed).next()), secret(fresh_seed()),
    references(std::move(r)), cpus(usable_cpus()), claim(cpus),
    builds(*kernel, backend, environment, options.cache, claim.cpu())
{
  cpus = beginning_with(claim.cpu(), std::move(cpus));
}

Result<void> Gate::Impl::check_threads(const record::Recipe& recipe) const
{
  if (recipe.threads < 1) {
    return fail(fmt::format("a candidate cannot run on {} threads", recipe.threads), "give --threads 1 or more");
  }
  if (recipe.threads > 1 && !backend.takes_threads()) {
    return fail(fmt::format("the {} backend chooses its threads itself", backend.name()), "leave --threads at 1");
  }
  if (std::cmp_greater(recipe.threads, cpus.size())) {
    return fail(fmt::format("{} threads need a CPU each, and Hone may use {} here", recipe.threads, cpus.size()),
                fmt::format("give --threads {} or less, or allow more CPUs (taskset, cgroup)", cpus.size()));
  }
  return {};
}

Result<SessionResult<std::shared_ptr<const Prepared>>> Gate::Impl::prepare(const record::Contender& contender,
                                                                           const kernel::Sizes& sizes)
{
  if (contender.library.empty()) {
    return prepare_candidate(*kernel, builds, device.plan_facts, contender, sizes);
  }
  auto prepared = std::make_shared<Prepared>();
  prepared->contender = contender;
  prepared->sizes = sizes;
  HONE_TRY(backend::LibraryModule library,
           backend::library_module(*kernel, sizes, contender.library, contender.library_setting));
  prepared->plan = std::move(library.plan);
  prepared->build = std::make_shared<const Build>(Build{record::Status::correct, {}, {}, std::move(library.module)});
  return SessionResult<std::shared_ptr<const Prepared>>(std::move(prepared));
}

void Gate::Impl::progress(std::string_view phase) const
{
  if (options.progress) {
    options.progress(phase);
  }
}

Gate::Gate(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Gate::Gate(Gate&&) noexcept = default;
Gate::~Gate() = default;

Result<Gate> Gate::open(std::shared_ptr<const kernel::Kernel> kernel, const backend::Backend& backend,
                        GateOptions options)
{
  HONE_CHECK(prepare_sessions());
  keep_freed_memory();
  HONE_TRY(backend::DeviceInfo device, backend.probe());
  std::string environment = environment_of(backend, device);
  HONE_TRY(References references, references_for(*kernel, environment, options.cache));
  return Gate(std::make_unique<Impl>(std::move(kernel), backend, std::move(options), std::move(device),
                                     std::move(environment), std::move(references)));
}

const backend::DeviceInfo& Gate::device() const
{
  return m_impl->device;
}

const std::string& Gate::environment() const
{
  return m_impl->environment;
}

void Gate::attend(std::stop_token stop, std::function<void(std::string_view)> progress)
{
  m_impl->options.stop = std::move(stop);
  m_impl->options.progress = std::move(progress);
}

Result<void> Gate::check(const record::Recipe& recipe) const
{
  return m_impl->check_threads(recipe);
}

Result<record::Verdict> Gate::validate(const record::Contender& contender, const record::Recipe& recipe,
                                       record::Depth depth)
{
  HONE_CHECK(m_impl->check_threads(recipe));
  return m_impl->validate_everywhere(contender, recipe, depth, m_impl->call_deadline);
}

Result<record::Verdict> Gate::Impl::judge(const record::Contender& contender, const record::Contender& incumbent,
                                          const record::Recipe& recipe, record::Depth depth, bool both_regimes,
                                          std::chrono::milliseconds deadline)
{
  HONE_CHECK(check_threads(recipe));
  HONE_TRY(record::Verdict verdict, validate_everywhere(contender, recipe, depth, deadline));
  if (verdict.status == record::Status::correct && !backend.capabilities().times) {
    verdict.checks.push_back(
      {"timing", true, "none: the device is emulated; it computes and checks, and does not time"});
  } else if (verdict.status == record::Status::correct) {
    HONE_CHECK(measure(verdict, contender, incumbent, recipe, depth, both_regimes));
  }
  return verdict;
}

Result<record::Verdict> Gate::judge(const record::Contender& contender, const record::Contender& incumbent,
                                    const record::Recipe& recipe, record::Depth depth, bool both_regimes)
{
  const std::chrono::milliseconds deadline = m_impl->deadline_beside(incumbent, recipe);
  return m_impl->judge(contender, incumbent, recipe, depth, both_regimes, deadline);
}

Result<record::Verdict> Gate::measure(const record::Contender& contender, const record::Recipe& recipe,
                                      record::Depth depth, bool both_regimes, std::chrono::milliseconds call_deadline)
{
  const std::chrono::milliseconds usual = m_impl->deadline_beside(contender, recipe);
  const std::chrono::milliseconds deadline = call_deadline.count() > 0 ? std::min(call_deadline, usual) : usual;
  return m_impl->judge(contender, contender, recipe, depth, both_regimes, deadline);
}

Result<record::ComparisonResult> Gate::compare(const record::Contender& candidate, const record::Contender& incumbent,
                                               const record::Recipe& recipe, record::Regime regime)
{
  HONE_CHECK(m_impl->check_threads(recipe));
  std::map<std::string, double> spent;
  HONE_TRY(
    SessionResult<record::ComparisonResult> compared,
    m_impl->compare_everywhere(&Impl::compare, candidate, incumbent, recipe, regime, record::Depth::promote, spent));
  if (!compared) {
    return fail("the first contender failed while it was timed: " + compared.error().reason,
                "validate it first: only correct contenders can be compared");
  }
  return std::move(*compared);
}

void Gate::prebuild(const record::Contender& contender, const record::Recipe& recipe)
{
  // With several threads there may be no CPU left for a compiler: it would run where workers are timed.
  if (!contender.library.empty() || recipe.threads > 1) {
    return;
  }
  auto plan = kernel::resolve_plan(*m_impl->kernel, contender.candidate, recipe.sizes, contender.point,
                                   m_impl->device.plan_facts);
  if (plan && !plan->preparation.empty()) {
    m_impl->builds.prebuild({contender.candidate, contender.point, recipe.sizes, kernel::preparation_of(*plan)});
  }
  if (plan) {
    m_impl->builds.prebuild({contender.candidate, contender.point, recipe.sizes, std::move(*plan)});
  }
}

} // namespace hone::gate
