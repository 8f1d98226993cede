// Carrying one transformation out on a checkpoint, up to the point where it can be judged. (internal to the policy
// room)
#pragma once

#include "policy/session.h"

#include <expected>

namespace hone {

struct Attempt {
  const Transformation* transformation = nullptr;
  Contender contender;
};

// The candidate after the step, or why there is none.
std::expected<Attempt, std::string> attempt(const PolicyContext& context, const Standing& from,
                                            const Transformation& transformation);

// The same while climbing, where a step that cannot gain anything at these sizes is left out, too.
std::expected<Attempt, std::string> promising_attempt(const PolicyContext& context, const Standing& from,
                                                      const Transformation& transformation);

// Hone's plain loops with the summed one no longer innermost: i, k, j, what a careful person writes first. Nothing
// where the kernel has no such step.
std::optional<Candidate> reordered_loops(const PolicyContext& context);

// What tuning found for `before` stays where it still is a value; everything else starts at the new defaults, which a
// step may have moved.
TuningPoint inherited_point(const Candidate& candidate, const Checkpoint& before, const PolicyContext& context);

// The point, or one with another value of one parameter, where the launches have fewer groups than there are threads to
// share them: at sizes where one block holds everything, several threads gain nothing from a step before it is tuned.
// The fewest groups that all threads share evenly; of the values that give as many the smallest of the
// first parameter, whose groups are most alike.
TuningPoint with_groups_for_threads(const Candidate& candidate, TuningPoint point, const PolicyContext& context);

// Runs the judgement of an attempt against where it came from.
Result<Record> judge(Session& session, const Standing& from, const Attempt& attempt);

// "no transformation of the catalogue applies to a row reduction yet", or "" when one may.
std::string why_nothing_applies(const PolicyContext& context);

} // namespace hone
