// Applies one transformation to a checkpoint, up to the point where the result can be judged. (internal to the policy
// room)
#pragma once

#include "policy/search_run.h"

#include <expected>

namespace hone::policy {

struct Attempt {
  const catalogue::Transformation* transformation = nullptr;
  record::Contender contender;
};

// The candidate after the step, or why the step is not possible. `depth`: of the check that is to follow, which an
// engine that makes mistakes tries its candidates by. `advice`: for models, what was learned about the step.
std::expected<Attempt, std::string> attempt(const PolicyContext& context, const SearchNode& from,
                                            const catalogue::Transformation& transformation,
                                            record::Depth depth = record::Depth::screen, std::string advice = {});

// The same, but a step that cannot gain anything at these sizes is not possible, either.
std::expected<Attempt, std::string> promising_attempt(const PolicyContext& context, const SearchNode& from,
                                                      const catalogue::Transformation& transformation,
                                                      std::string advice = {});

// The generated plain loops with the summed one no longer innermost (i, k, j). Nothing if the kernel has no such step.
std::optional<kernel::Candidate> reordered_loops(const PolicyContext& context);

// Keeps the values that tuning found for `before`, if they are still allowed; other parameters start at the new
// defaults.
kernel::TuningPoint inherited_point(const kernel::Candidate& candidate, const store::Checkpoint& before,
                                    const PolicyContext& context);

// The point, or one with another value of one parameter, where the launches have fewer groups than there are threads to
// share them: at sizes where one block holds everything, several threads gain nothing from a step before it is tuned.
// The fewest groups that all threads share evenly; of the values that give as many the smallest of the
// first parameter, whose groups are most alike.
kernel::TuningPoint with_groups_for_threads(const kernel::Candidate& candidate, kernel::TuningPoint point,
                                            const PolicyContext& context);

// Judges an attempt against the node it came from.
Result<record::Record> judge(SearchRun& search, const SearchNode& from, const Attempt& attempt);

// "no transformation in the catalogue applies to a row reduction on cpu", or "" when one may.
std::string why_nothing_applies(const PolicyContext& context);

} // namespace hone::policy
