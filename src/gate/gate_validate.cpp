// Build and validation of one contender: everything before the clock starts.
#include "gate/gate_state.h"
#include "gate/printable.h"
#include "gate/validate/validation.h"
#include "inputs/stress_inputs.h"
#include "util/hash.h"
#include "util/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace hone {
namespace {

class Stopwatch {
public:
  double lap()
  {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> elapsed = now - m_begin;
    m_begin = now;
    return elapsed.count();
  }

private:
  std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

void note_every_call(Validation& validation)
{
  const Kernel& kernel = validation.kernel();
  if (kernel.reference != ReferenceKind::expression) {
    validation.note("reference",
                    fmt::format("the kernel's {}, within {:g} + {:g} of the value", name_of(kernel.reference),
                                kernel.tolerance.absolute, kernel.tolerance.relative));
  }
  if (validation.calls() > 0) {
    validation.note("guard bands", fmt::format("whole in {} calls", validation.calls()));
    validation.note("inputs", validation.setting().capabilities.shared_memory
                                ? "sealed: the system lets no runner write there, but to those that a call updates"
                                : "the same digests on the device after every call as before it");
  }
}

// Right answers that will be asked for at the timed sizes, whoever the contender is.
std::vector<InputSet> known_ahead(const Kernel& kernel, const Sizes& sizes, Depth depth, std::uint64_t pool_seed)
{
  std::vector<ValueFamily> families = families_shared_at_timed_sizes(kernel, depth);
  if (depth == Depth::promote && !families.empty()) { // and between timed blocks
    std::ranges::copy(stress_families(kernel, sizes), std::back_inserter(families));
  }
  std::vector<InputSet> all;
  for (const ValueFamily family : families) {
    all.push_back({family, pool_seed});
  }
  return all;
}

} // namespace

void enter_end(Verdict& verdict, const LaneEnd& end)
{
  verdict.status = end.status;
  verdict.reason = printable_utf8(end.reason);
  if (!end.log.empty()) {
    verdict.log = printable_utf8(end.log);
  }
}

Result<Verdict> Gate::Impl::validate(const Contender& contender, const Recipe& recipe, Depth depth,
                                     std::chrono::milliseconds deadline)
{
  const auto key = [&](Depth of) {
    return fmt::format("{} {} {} {}", identity_of(contender), to_text(recipe.sizes), recipe.threads, name_of(of));
  };
  for (const Depth enough : {Depth::promote, Depth::screen, Depth::glance}) {
    if (const auto known = validated.find(key(enough)); enough >= depth && known != validated.end()) {
      Verdict verdict = known->second;
      verdict.spent.clear(); // nothing was spent this time
      return verdict;
    }
  }
  HONE_TRY(Verdict verdict, validate_anew(contender, recipe, depth, deadline));
  if (verdict.status != Status::timeout && verdict.status != Status::runtime) {
    validated[key(depth)] = verdict; // a loaded machine may cause the others: they are tried again
  }
  return verdict;
}

Result<Verdict> Gate::Impl::validate_anew(const Contender& contender, const Recipe& recipe, Depth depth,
                                          std::chrono::milliseconds deadline)
{
  Verdict verdict;
  verdict.tier = backend.tier();
  Stopwatch watch;
  progress("building");
  references.evaluate_ahead(recipe.sizes, known_ahead(*kernel, recipe.sizes, depth, pool_seed));
  HONE_TRY(auto prepared, prepare(contender, recipe.sizes));
  verdict.spent["build"] = watch.lap();
  if (!prepared) {
    enter_end(verdict, prepared.error());
    verdict.checks.push_back({"build", false, verdict.reason});
    return verdict;
  }
  if ((*prepared)->build) {
    verdict.module_hash = (*prepared)->build->module.hash;
    if ((*prepared)->preparation) { // a module of its own: neither alone names the program
      verdict.module_hash = sha256(verdict.module_hash + (*prepared)->preparation->build->module.hash);
    }
    verdict.log = printable_utf8((*prepared)->build->log);
  }

  progress("validating");
  const double references_before = references.seconds();
  const Doubts doubts_before = references.doubts();
  ValidationSetting setting;
  setting.kernel = kernel.get();
  setting.backend = &backend;
  setting.capabilities = contender.library.empty() ? backend.capabilities() : Capabilities();
  setting.references = &references;
  setting.recipe = &recipe;
  setting.depth = depth;
  setting.candidate = &contender.candidate;
  setting.point = contender.point;
  setting.device_facts = &device.plan_facts;
  setting.seed = seed + 0x9e3779b97f4a7c15U * validations++;
  setting.pool_seed = pool_seed;
  setting.deadline = deadline;
  if (recipe.threads > 1) { // workers that wait for each other must not share a CPU
    setting.cpus = cpus_for(recipe);
  }
  setting.stop = options.stop;
  setting.forced = options.forced;
  setting.prepare = [&](const Sizes& sizes) { return prepare(contender, sizes); };
  const std::uint64_t used_seed = setting.seed;

  Validation validation(std::move(setting));
  if (options.forced.any()) {
    validation.note(std::string(k_forced_inputs), options.forced.text());
  }
  HONE_TRY(LaneResult<void> drawn, validation.draw_sizes());
  if (!drawn) {
    validation.note_failure("hidden sizes", drawn.error().reason);
    enter_end(verdict, drawn.error());
  } else {
    HONE_TRY(LaneResult<void> ended, run_validators(validation, verdict.validators));
    if (!ended) {
      enter_end(verdict, ended.error());
    }
  }
  note_every_call(validation);
  if (const int asked = references.doubts().asked - doubts_before.asked; asked > 0) {
    validation.note(
      "rounding",
      fmt::format("a little beyond the bounds in {} calls; plain loops err as much on the same values in {}", asked,
                  references.doubts().excused - doubts_before.excused));
  }
  if ((*prepared)->preparation) {
    validation.note("prepared weights", "laid out ahead of the calls, by a runner that sees nothing else");
  }
  validation.note("seed", fmt::format("{:#x}", used_seed));
  verdict.errors = validation.errors();
  verdict.checks = std::move(validation.checks());
  for (CheckResult& check : verdict.checks) {
    check.detail = printable_utf8(check.detail);
  }
  for (ValidatorRun& run : verdict.validators) {
    run.detail = printable_utf8(run.detail);
  }
  const double reference_time = references.seconds() - references_before;
  verdict.spent["reference"] = reference_time;
  verdict.spent["build"] += validation.build_seconds();
  verdict.spent["validate"] = watch.lap() - reference_time - validation.build_seconds();
  return verdict;
}

} // namespace hone
