// All validators, what each needs of a platform, and what stands in for it where a platform lacks that.
#include "gate/validate/validation.h"

#include <fmt/format.h>

#include <array>

namespace hone::gate {
namespace {

constexpr Need k_guard_pages{&backend::Capabilities::guard_pages, "pages that nobody can reach behind buffers",
                             "guard bands around every buffer, of a fresh key, checked after every call", ""};
constexpr Need k_caller{&backend::Capabilities::caller_state,
                        "a caller whose arithmetic, stack and registers can be chosen", "",
                        "what is launched on a device has no caller that it could depend on"};
constexpr Need k_numbers{&backend::Capabilities::compared_numbers, "the numbers that compiled code compares sizes with",
                         "the numbers in the candidate's files and plan", ""};
constexpr Need k_group_orders{&backend::Capabilities::groups_one_by_one, "work-groups one by one",
                              "whole calls; what groups do to each other is left to repeats and to watched calls", ""};
constexpr Need k_shared_scratch{&backend::Capabilities::shared_scratch,
                                "a view of what work-groups leave in shared memory", "",
                                "the parent can neither see nor write what work-groups share"};

constexpr std::array k_of_hidden_sizes{k_guard_pages, k_caller, k_numbers};
constexpr std::array k_of_corners{k_guard_pages, k_group_orders};
constexpr std::array k_of_leftovers{k_caller, k_shared_scratch};
constexpr std::array k_of_timed_sizes{k_caller};
constexpr std::array k_of_groups{
  Need{&backend::Capabilities::groups_one_by_one, "work-groups one by one",
       "repeats must give the same bytes, and watched calls, where there is a tool, show "
       "races between work-groups",
       "", true}};
constexpr std::array k_of_accesses{Need{&backend::Capabilities::watched_accesses,
                                        "a tool that watches accesses to memory",
                                        "guard bands, digests of inputs and fresh poison show what is written where it "
                                        "must not be; reads out of bounds are not seen",
                                        "", true}};

constexpr std::array<Validator, 9> k_validators{{
  {"hidden sizes", record::Depth::screen, validate_hidden_sizes, k_of_hidden_sizes},
  {"several long extents at once", record::Depth::promote, validate_corners, k_of_corners},
  {"poisoned outputs", record::Depth::screen, validate_poison, {}},
  {"repeats", record::Depth::screen, validate_repeats, {}},
  {"left by other calls", record::Depth::promote, validate_leftovers, k_of_leftovers},
  {"dependence", record::Depth::promote, validate_dependence, {}},
  {"work-groups", record::Depth::screen, validate_groups, k_of_groups},
  // Dear, but what is watched goes on beside it.
  {"timed sizes", record::Depth::glance, validate_timed_sizes, k_of_timed_sizes},
  {"memory accesses", record::Depth::promote, validate_memory_accesses, k_of_accesses},
}};

using Outcome = record::ValidatorRun::Outcome;

// "work-groups one by one: whole calls; ..." for everything that the platform lacks.
std::string substitutes_for(const Validator& validator, const backend::Capabilities& can)
{
  std::string words;
  for (const Need& need : validator.needs) {
    if (!(can.*need.capability)) {
      words += fmt::format("{}without {}: {}", words.empty() ? "" : "; ", need.words,
                           need.substitute.empty() ? fmt::format("nothing, because {}", need.nothing_because)
                                                   : std::string(need.substitute));
    }
  }
  return words;
}

// Of what the whole validator rests on.
const Need* missing(const Validator& validator, const backend::Capabilities& can)
{
  for (const Need& need : validator.needs) {
    if (need.is_all && !(can.*need.capability)) {
      return &need;
    }
  }
  return nullptr;
}

} // namespace

std::span<const Validator> validators()
{
  return k_validators;
}

Result<SessionResult<void>> run_validators(Validation& validation, std::vector<record::ValidatorRun>& runs)
{
  const backend::Capabilities& can = validation.setting().capabilities;
  SessionResult<void> result;
  for (const Validator& validator : validators()) {
    record::ValidatorRun& run = runs.emplace_back(record::ValidatorRun{std::string(validator.name), Outcome::ran, {}});
    if (!result) {
      run.outcome = Outcome::not_reached;
      continue;
    }
    if (validation.setting().depth < validator.least) {
      run.outcome = Outcome::not_asked;
      run.detail = fmt::format("from depth {} on", record::name_of(validator.least));
      continue;
    }
    run.detail = substitutes_for(validator, can);
    if (const Need* need = missing(validator, can)) {
      run.outcome = need->substitute.empty() ? Outcome::not_applicable : Outcome::substituted;
      validation.note(run.name, "not tried: " + run.detail);
      continue;
    }
    HONE_TRY(result, validator.run(validation));
    if (!result && validation.setting().stop.stop_requested()) {
      return fail("stopped"); // its call may have been cancelled
    }
    if (!result) {
      run.outcome = Outcome::failed;
      run.detail = result.error().reason;
      validation.note_failure(run.name, run.detail);
    } else if (std::string why = validation.take_why_nothing_ran(); !why.empty()) {
      run.outcome = Outcome::not_applicable;
      run.detail = std::move(why);
    } else if (!run.detail.empty()) {
      run.outcome = Outcome::ran_with_substitutes;
    }
  }
  return result;
}

} // namespace hone::gate
