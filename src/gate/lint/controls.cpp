#include "gate/lint/controls.h"

#include "gate/control_loops.h"
#include "gate/cpus.h"
#include "gate/gate_state.h"
#include "gate/lint/rows.h"
#include "gate/printable.h"

#include <fmt/format.h>

namespace hone::gate {
namespace {

constexpr int k_seeds = 2;

class HonestProof {
public:
  HonestProof(const kernel::Kernel& kernel, References& references, const LintTrials& trials,
              const LintOptions& options, Random& random)
    : m_kernel(kernel), m_references(references), m_trials(trials), m_options(options), m_random(random)
  {
  }

  Result<std::vector<LintRow>> rows()
  {
    HONE_TRY(m_backend, backend::find_backend("cpu"));
    HONE_TRY(m_device, m_backend->probe());
    m_builds = std::make_unique<BuildCache>(m_kernel, *m_backend, environment_of(*m_backend, m_device), m_options.cache,
                                            usable_cpus().front());
    std::vector<LintRow> rows;
    for (const ControlImplementation& implementation : control_implementations()) {
      HONE_TRY(LintRow row, prove(implementation));
      rows.push_back(std::move(row));
    }
    return rows;
  }

private:
  Result<LintRow> prove(const ControlImplementation& implementation)
  {
    LintRow row;
    row.subject = implementation.name;
    if (m_kernel.program.statements.empty()) {
      row.reason = "there is no expression that another implementation could be made from";
      return row;
    }
    if (!implementation.applies(m_kernel)) {
      row.reason = implementation.unfit;
      return row;
    }
    if (m_options.progress) {
      m_options.progress(implementation.name);
    }
    HONE_TRY(kernel::Candidate candidate, implementation.make(m_kernel, m_backend->dialect()));
    kernel::TuningPoint point = candidate.plan.tuning.defaults();
    const record::Contender contender{std::move(candidate), std::move(point), {}, {}};
    for (const LintTrial& trial : m_trials.all) {
      HONE_CHECK(prove_at(trial, contender, row));
    }
    conclude_honest(row);
    return row;
  }

  Result<void> prove_at(const LintTrial& trial, const record::Contender& contender, LintRow& row)
  {
    HONE_TRY(auto prepared, prepare_candidate(m_kernel, *m_builds, m_device.plan_facts, contender, trial.sizes));
    if (!prepared) {
      return broken(row, trial, prepared.error());
    }
    HarnessSpec spec;
    spec.kernel = &m_kernel;
    spec.backend = m_backend;
    spec.prepared = prepared->get();
    spec.layout_seed = m_random.next();
    spec.deadline = k_control_deadline;
    HONE_TRY(SessionResult<Harness> harness, Harness::open(spec));
    if (!harness) {
      return broken(row, trial, harness.error());
    }
    for (const inputs::ValueFamily family : trial.families) {
      for (int seed = 0; seed < k_seeds; ++seed) {
        HONE_CHECK(call(*harness, trial, {family, m_random.next()}, row));
      }
    }
    return {};
  }

  Result<void> call(Harness& harness, const LintTrial& trial, const inputs::InputSet& inputs, LintRow& row)
  {
    if (m_options.stop.stop_requested()) {
      return fail("stopped");
    }
    HONE_CHECK(harness.set_up(inputs, m_random.next()));
    HONE_TRY(const ExpectedOutputs expected, m_references.expected(harness.arena(), 0, inputs, false));
    if (const auto called = harness.call(); !called) {
      return broken(row, trial, called.error());
    }
    HONE_TRY(OutputCheck check, check_outputs(m_kernel, trial.sizes, harness.arena().arguments(0), expected->outputs));
    if (!check.passed) { // a candidate that errs as much gets a second look
      HONE_TRY(const OutputCheck judged, m_references.check(harness.arena(), 0, *expected));
      check.passed = judged.passed;
      row.excused += judged.passed ? 1 : 0;
    }
    enter_honest_call(row, check, inputs.family, trial.sizes);
    return {};
  }

  // Loops that Hone wrote end in no other way than by answering: that they do is no statement about the kernel.
  std::unexpected<Error> broken(const LintRow& row, const LintTrial& trial, const SessionEnd& end) const
  {
    return fail(
      fmt::format("kernel '{}' could not be proved: the generated implementation ({}) ended with {} at {}: {}",
                  m_kernel.name, row.subject, record::name_of(end.status), kernel::to_text(trial.sizes),
                  printable_utf8(end.reason + (end.log.empty() ? "" : "\n" + end.log))),
      "on a busy machine: try again; else this is a mistake in Hone: please report the kernel.toml");
  }

  const kernel::Kernel& m_kernel;
  References& m_references;
  const LintTrials& m_trials;
  const LintOptions& m_options;
  Random& m_random;
  const backend::Backend* m_backend = nullptr;
  backend::DeviceInfo m_device;
  std::unique_ptr<BuildCache> m_builds;
};

} // namespace

Result<std::vector<LintRow>> prove_controls(const kernel::Kernel& kernel, References& references,
                                            const LintTrials& trials, const LintOptions& options, Random& random)
{
  return HonestProof(kernel, references, trials, options, random).rows();
}

} // namespace hone::gate
