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

namespace hone::gate {
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
  const kernel::Kernel& kernel = validation.kernel();
  if (kernel.reference != kernel::ReferenceKind::expression) {
    validation.note("reference",
                    fmt::format("the kernel's {}, within {:g} + {:g} of the value", kernel::name_of(kernel.reference),
                                kernel.accuracy.tolerance.absolute, kernel.accuracy.tolerance.relative));
  }
  if (kernel.reference == kernel::ReferenceKind::expression
        ? !kernel::has_derived_bounds(kernel)
        : kernel.accuracy.bounds == kernel::BoundClass::normwise || kernel.accuracy.may_leave_elements()) {
    validation.note(std::string(record::k_accuracy), kernel::accuracy_text(kernel));
  }
  if (validation.calls() > 0) {
    validation.note("guard bands", fmt::format("whole in {} calls", validation.calls()));
    validation.note("inputs", validation.setting().capabilities.shared_memory
                                ? "read-only for the candidate's process, except those that a call updates"
                                : "the same digests on the device after every call as before it");
  }
}

// Right answers that will be asked for at the timed sizes, whoever the contender is.
std::vector<inputs::InputSet> known_ahead(const kernel::Kernel& kernel, const kernel::Sizes& sizes, record::Depth depth,
                                          std::uint64_t pool_seed)
{
  std::vector<inputs::ValueFamily> families = families_shared_at_timed_sizes(kernel, depth);
  if (depth == record::Depth::promote && !families.empty()) { // and between timed blocks
    std::ranges::copy(inputs::stress_families(kernel, sizes), std::back_inserter(families));
  }
  std::vector<inputs::InputSet> all;
  for (const inputs::ValueFamily family : families) {
    all.push_back({family, pool_seed});
  }
  return all;
}

} // namespace

void enter_end(record::Verdict& verdict, const SessionEnd& end)
{
  verdict.status = end.status;
  verdict.reason = printable_utf8(end.reason);
  if (!end.log.empty()) {
    verdict.log = printable_utf8(end.log);
  }
}

Result<record::Verdict> Gate::Impl::validate(const record::Contender& contender, const record::Recipe& recipe,
                                             record::Depth depth, std::chrono::milliseconds deadline)
{
  const auto key = [&](record::Depth of) {
    return fmt::format("{} {} {} {}", identity_of(contender), kernel::to_text(recipe.sizes), recipe.threads,
                       record::name_of(of));
  };
  for (const record::Depth enough : {record::Depth::promote, record::Depth::screen, record::Depth::glance}) {
    if (const auto known = validated.find(key(enough)); enough >= depth && known != validated.end()) {
      record::Verdict verdict = known->second;
      verdict.spent.clear(); // nothing was spent this time
      return verdict;
    }
  }
  HONE_TRY(record::Verdict verdict, validate_anew(contender, recipe, depth, deadline));
  if (verdict.status != record::Status::timeout && verdict.status != record::Status::runtime) {
    validated[key(depth)] = verdict; // a loaded machine may cause the others: they are tried again
  }
  return verdict;
}

// On a device that is too slow for the timed sizes: smaller ones in their place, of the same proportions.
kernel::Sizes affordable_sizes(const kernel::Kernel& kernel, kernel::Sizes sizes, double most_work)
{
  const auto is_too_much = [&] {
    const Result<kernel::Work> work = kernel::work_of(kernel, sizes);
    return most_work > 0 && work && work->total() > most_work;
  };
  while (kernel.also != kernel::AlsoSizes::timed && is_too_much()) {
    const auto longest = std::ranges::max_element(sizes, {}, [](const auto& size) { return size.second; });
    if (longest == sizes.end() || longest->second <= 1) {
      break;
    }
    longest->second = (longest->second + 1) / 2;
  }
  return sizes;
}

Result<record::Verdict> Gate::Impl::validate_everywhere(const record::Contender& contender,
                                                        const record::Recipe& recipe, record::Depth depth,
                                                        std::chrono::milliseconds deadline)
{
  const double most_work = contender.library.empty() ? backend.capabilities().most_work : 0;
  const kernel::Sizes sizes = affordable_sizes(*kernel, recipe.sizes, most_work);
  HONE_TRY(record::Verdict verdict, validate(contender, recipe.at(sizes), depth, deadline));
  if (sizes != recipe.sizes) {
    verdict.checks.push_back({"timed sizes", true,
                              fmt::format("{} in place of {}: the emulated device would take too long",
                                          kernel::to_text(sizes), kernel::to_text(recipe.sizes))});
  }
  if (most_work > 0) {
    return verdict;
  }
  for (const record::WeighedSizes& further : recipe.further) {
    if (verdict.status != record::Status::correct || options.forced.any()) {
      return verdict;
    }
    HONE_TRY(const record::Verdict there,
             validate(contender, recipe.at(further.sizes), record::Depth::glance, call_deadline));
    const bool right = there.status == record::Status::correct;
    verdict.checks.push_back({fmt::format("timed sizes {}", kernel::to_text(further.sizes)), right,
                              right ? "every element against the reference" : there.reason});
    for (const auto& [phase, seconds] : there.spent) {
      verdict.spent[phase] += seconds;
    }
    if (!right) {
      verdict.status = there.status;
      verdict.reason = fmt::format("at {}: {}", kernel::to_text(further.sizes), there.reason);
    }
  }
  return verdict;
}

Result<record::Verdict> Gate::Impl::validate_anew(const record::Contender& contender, const record::Recipe& recipe,
                                                  record::Depth depth, std::chrono::milliseconds deadline)
{
  record::Verdict verdict;
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
  setting.capabilities = contender.library.empty() ? backend.capabilities() : backend::Capabilities();
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
  setting.prepare = [&](const kernel::Sizes& sizes) { return prepare(contender, sizes); };
  const std::uint64_t used_seed = setting.seed;

  Validation validation(std::move(setting));
  if (options.forced.any()) {
    validation.note(std::string(record::k_forced_inputs), options.forced.text());
  }
  HONE_TRY(SessionResult<void> drawn, validation.draw_sizes());
  if (!drawn) {
    validation.note_failure("hidden sizes", drawn.error().reason);
    enter_end(verdict, drawn.error());
  } else {
    HONE_TRY(SessionResult<void> ended, run_validators(validation, verdict.validators));
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
  for (record::CheckResult& check : verdict.checks) {
    check.detail = printable_utf8(check.detail);
  }
  for (record::ValidatorRun& run : verdict.validators) {
    run.detail = printable_utf8(run.detail);
  }
  const double reference_time = references.seconds() - references_before;
  verdict.spent["reference"] = reference_time;
  verdict.spent["build"] += validation.build_seconds();
  verdict.spent["validate"] = watch.lap() - reference_time - validation.build_seconds();
  return verdict;
}

} // namespace hone::gate
