#include "mutation_testing/trial.h"

#include "mutation_testing/difference.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace hone::mutation_testing {

namespace {

constexpr std::chrono::milliseconds k_call_deadline{10'000};

record::Contender contender_of(const kernel::Candidate& candidate)
{
  return {candidate, candidate.plan.tuning.defaults(), {}, {}};
}

std::string failed_check(const record::Verdict& verdict)
{
  const auto failed = std::ranges::find(verdict.checks, false, &record::CheckResult::passed);
  return failed == verdict.checks.end() ? std::string(record::name_of(verdict.status)) : failed->name;
}

// Built from other text into the same machine code, and launched in the same way.
bool same_program(const record::Verdict& verdict, const kernel::Candidate& candidate, const record::Verdict& original,
                  const kernel::Candidate& from)
{
  return !verdict.module_hash.empty() && verdict.module_hash == original.module_hash
         && candidate.files.at("launch.toml") == from.files.at("launch.toml");
}

class Run {
public:
  Run(const MutationPlan& plan, fs::path cache) : m_plan(plan), m_cache(std::move(cache)), m_seeds(plan.seed)
  {
    m_recipe.sizes = plan.kernel->timed.front();
  }

  Result<MutationReport> everything()
  {
    const auto begin = std::chrono::steady_clock::now();
    for (const MutationSubject& subject : m_plan.subjects) {
      HONE_CHECK(one_subject(subject));
    }
    m_report.stopped = stopped();
    m_report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(m_report);
  }

private:
  bool stopped() const { return m_plan.stop.stop_requested(); }

  void tell(const std::string& text) const
  {
    if (m_plan.progress) {
      m_plan.progress(text);
    }
  }

  Result<gate::Gate> open_gate(std::uint64_t seed) const
  {
    gate::GateOptions options;
    options.cache = m_cache;
    options.seed = seed;
    options.stop = m_plan.stop;
    options.call_deadline = k_call_deadline;
    return gate::Gate::open(m_plan.kernel, *m_plan.backend, std::move(options));
  }

  // Never 0, which would draw a fresh one.
  std::uint64_t next_seed() { return m_seeds.next() | 1; }

  Result<void> one_subject(const MutationSubject& subject)
  {
    if (stopped()) {
      return {};
    }
    tell(fmt::format("{}: the original", subject.name));
    HONE_TRY(gate::Gate gate, open_gate(next_seed()));
    auto original = gate.validate(contender_of(subject.candidate), m_recipe, m_plan.depth);
    if (!original) {
      return stopped() ? Result<void>() : std::unexpected(std::move(original.error()));
    }
    if (original->status != record::Status::correct) {
      return fail(fmt::format("the original ({}) is not right itself: {}: {}", subject.name,
                              record::name_of(original->status), original->reason),
                  "only what passes the gate can show that its mutants do not");
    }
    HONE_TRY(const std::vector<Mutant> mutants, mutants_of(m_plan, subject));
    for (std::size_t at = 0; at < mutants.size() && !stopped(); ++at) {
      tell(fmt::format("{}: mutant {} of {}", subject.name, at + 1, mutants.size()));
      if (at + 1 < mutants.size()) {
        gate.prebuild(contender_of(mutants[at + 1].candidate), m_recipe);
      }
      HONE_CHECK(one_mutant(gate, subject, *original, mutants[at]));
    }
    return run_controls(subject);
  }

  Result<void> one_mutant(gate::Gate& gate, const MutationSubject& subject, const record::Verdict& original,
                          const Mutant& mutant)
  {
    const auto verdict = gate.validate(contender_of(mutant.candidate), m_recipe, m_plan.depth);
    if (stopped()) {
      return {};
    }
    if (!verdict) {
      return std::unexpected(verdict.error());
    }
    MutantOutcome outcome{
      subject.name, mutant.operation, mutant.change, MutantFate::killed, verdict->status, {}, {}, {}};
    const bool built = !verdict->module_hash.empty();
    if (same_program(*verdict, mutant.candidate, original, subject.candidate)) {
      outcome.fate = MutantFate::equivalent;
    } else if (verdict->status == record::Status::correct) {
      outcome.fate = MutantFate::survived;
    } else if (verdict->status == record::Status::constraints
               || (!built && verdict->status == record::Status::compile)) {
      outcome.fate = MutantFate::not_a_mutant;
    }
    if (verdict->status != record::Status::correct) {
      outcome.check = failed_check(*verdict);
      outcome.reason = verdict->reason;
    }
    if (outcome.fate == MutantFate::survived
        || (outcome.fate == MutantFate::equivalent && verdict->status != record::Status::correct)) {
      outcome.difference = difference_of(subject.candidate, mutant.candidate);
    }
    if (outcome.fate == MutantFate::survived && !m_plan.survivors.empty()) {
      const std::string name = fmt::format("{}-{}", mutant.operation, mutant.candidate.hash().substr(0, 10));
      HONE_CHECK(kernel::save_candidate(mutant.candidate, m_plan.survivors / name));
    }
    m_report.mutants.push_back(std::move(outcome));
    return {};
  }

  // A gate of its own for each seed: one gate answers from what it knows already.
  Result<void> run_controls(const MutationSubject& subject)
  {
    for (std::size_t run = 0; run < m_plan.controls && !stopped(); ++run) {
      tell(fmt::format("{}: the original again, {} of {}", subject.name, run + 1, m_plan.controls));
      const std::uint64_t seed = next_seed();
      HONE_TRY(gate::Gate gate, open_gate(seed));
      const auto verdict = gate.validate(contender_of(subject.candidate), m_recipe, m_plan.depth);
      if (stopped()) {
        return {};
      }
      if (!verdict) {
        return std::unexpected(verdict.error());
      }
      m_report.controls.push_back({subject.name, seed, verdict->status, verdict->reason});
    }
    return {};
  }

  const MutationPlan& m_plan;
  fs::path m_cache;
  Random m_seeds;
  record::Recipe m_recipe;
  MutationReport m_report;
};

} // namespace

std::string_view name_of(MutantFate fate)
{
  switch (fate) {
  case MutantFate::killed:
    return "killed";
  case MutantFate::survived:
    return "survived";
  case MutantFate::equivalent:
    return "equivalent";
  case MutantFate::not_a_mutant:
    break;
  }
  return "not a mutant";
}

std::size_t MutationReport::count(MutantFate fate) const
{
  return static_cast<std::size_t>(std::ranges::count(mutants, fate, &MutantOutcome::fate));
}

std::size_t MutationReport::rejected() const
{
  const auto refused =
    std::ranges::count_if(controls, [](const auto& run) { return run.status != record::Status::correct; });
  const auto same = std::ranges::count_if(mutants, [](const MutantOutcome& mutant) {
    return mutant.fate == MutantFate::equivalent && mutant.status != record::Status::correct;
  });
  return static_cast<std::size_t>(refused + same);
}

double MutationReport::score() const
{
  const auto killed = static_cast<double>(count(MutantFate::killed)),
             survived = static_cast<double>(count(MutantFate::survived));
  return killed + survived == 0 ? 1 : killed / (killed + survived);
}

Result<std::vector<Mutant>> mutants_of(const MutationPlan& plan, const MutationSubject& subject)
{
  const lower::Dialect dialect = plan.backend->dialect();
  return make_mutants({*plan.kernel, subject.candidate, dialect, plan.only, plan.limit, plan.seed});
}

Result<MutationReport> run_mutants(const MutationPlan& plan)
{
  // Mutants are of no use to anybody later: they do not go to the cache that everything else shares.
  HONE_TRY(const TemporaryFolder cache, TemporaryFolder::create("hone-mutants-"));
  return Run(plan, cache.path()).everything();
}

} // namespace hone::mutation_testing
