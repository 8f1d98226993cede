#include "policy/attempt.h"
#include "policy/policy.h"

#include <fmt/format.h>

namespace hone::policy {
namespace {

// An empty workflow has no best yet: the start it just got is what a person means.
Result<SearchNode> node_named(const SearchRun& search, const SearchNode& start, const std::string& name)
{
  if (auto named = search.context().workflow.find(name)) {
    return search.node(named->id);
  } else if (name != "best") {
    return std::unexpected(std::move(named.error()));
  }
  return start;
}

} // namespace

Result<AppliedStep> apply_transformation(PolicyContext& context, const std::string& transformation,
                                         const std::string& checkpoint)
{
  HONE_TRY(SearchRun search, SearchRun::open(context, Ends::with_search));
  HONE_TRY(const catalogue::Transformation* found, catalogue::find_transformation(context.catalogue, transformation));
  HONE_TRY(const SearchNode start, search.establish_start(record::Depth::promote));
  HONE_TRY(const SearchNode from, node_named(search, start, checkpoint));
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

Result<AppliedStep> keep_candidate(PolicyContext& context, record::Contender contender, const std::string& step,
                                   const std::string& checkpoint)
{
  HONE_TRY(SearchRun search, SearchRun::open(context, Ends::with_search));
  HONE_TRY(const SearchNode start, search.establish_start(record::Depth::promote));
  HONE_TRY(const SearchNode from, node_named(search, start, checkpoint));
  record::Job job = judge_job(context, from, contender, step, record::Depth::promote);
  job.engine = k_hand_engine;
  HONE_TRY(record::Record record, search.run(job));
  AppliedStep kept{from.checkpoint.id, {}, std::move(record)};
  if (kept.record.verdict.status == record::Status::correct) {
    HONE_TRY(const SearchNode node, search.add_checkpoint(from, contender.candidate, kept.record));
    kept.checkpoint = node.checkpoint.id;
    if (is_confirmed_gain(node.gain, from.gain)) {
      HONE_CHECK(search.offer(node));
    }
  }
  return kept;
}

} // namespace hone::policy
