#include "policy/attempt.h"
#include "policy/policy.h"

#include <fmt/format.h>

namespace hone::policy {

Result<AppliedStep> apply_transformation(PolicyContext& context, const std::string& transformation,
                                         const std::string& checkpoint)
{
  HONE_TRY(SearchRun search, SearchRun::open(context, Ends::with_search));
  HONE_TRY(const catalogue::Transformation* found, catalogue::find_transformation(context.catalogue, transformation));
  HONE_TRY(const SearchNode start, search.establish_start(record::Depth::promote));
  SearchNode from = start;
  // An empty workflow has no best yet: the start it just got is what a person means.
  if (auto named = context.workflow.find(checkpoint)) {
    HONE_TRY(from, search.node(named->id));
  } else if (checkpoint != "best") {
    return std::unexpected(std::move(named.error()));
  }
  const auto candidate = attempt(context, from, *found, record::Depth::promote);
  if (auto error = context.engine.permanent_failure(); !candidate && error) {
    return std::unexpected(std::move(*error));
  }
  if (!candidate) {
    return fail(fmt::format("'{}' cannot be applied here: {}", transformation, candidate.error()),
                found->file.empty() ? "" : "`hone transforms show " + transformation + "` says what it needs");
  }
  record::Job job = judge_job(context, from, candidate->contender, transformation, record::Depth::promote);
  HONE_TRY(record::Record record, search.run(job));
  AppliedStep step{from.checkpoint.id, {}, record};
  if (record.verdict.status == record::Status::correct) {
    HONE_TRY(const SearchNode kept, search.add_checkpoint(from, candidate->contender.candidate, record));
    step.checkpoint = kept.checkpoint.id;
  }
  return step;
}

} // namespace hone::policy
