#include "tools/bench.h"

#include "util/hash.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::tools {
namespace {

// The compiler's own line where it has one.
std::string first_error(const gate::BuiltCandidate& built)
{
  for (const std::string& line : split(built.log, '\n')) {
    if (line.contains("error:")) {
      return line;
    }
  }
  return built.reason;
}

std::string identity_of(const Subject& subject)
{
  return fmt::format("{} {}", subject.contender.candidate.hash(), kernel::to_text(subject.contender.point));
}

} // namespace

std::string Bench::subject_text() const
{
  return fmt::format("{} of {} on {}, {}", m_spec.subject.name, kernel().name, backend().name(),
                     kernel::to_text(m_spec.recipe.sizes));
}

std::string Bench::content() const
{
  return sha256(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", identity_of(m_spec.subject),
                            m_spec.other ? identity_of(*m_spec.other) : "", kernel().hash,
                            kernel::to_text(m_spec.recipe.sizes), m_spec.recipe.threads, m_spec.gate->environment()));
}

Result<const gate::BuiltCandidate*> Bench::built()
{
  if (!m_built) {
    HONE_TRY(m_built, gate().build(m_spec.subject.contender, m_spec.recipe.sizes));
  }
  if (m_built->status != record::Status::correct) {
    return fail(fmt::format("{} does not build: {}", m_spec.subject.name, first_error(*m_built)),
                "`hone run` shows the whole message");
  }
  return &*m_built;
}

backend::BuildInput Bench::build_input(const gate::BuiltCandidate& built) const
{
  return {kernel(), m_spec.subject.contender.candidate, m_spec.subject.contender.point, built.sizes, built.plan};
}

Result<const Listing*> Bench::listing()
{
  if (!m_listing) {
    HONE_TRY(const gate::BuiltCandidate* code, built());
    HONE_TRY(backend::ListingJob job, backend().listing_job(build_input(*code)));
    HONE_TRY(gate::ToolRun run, gate::run_tool(job.job, m_spec.stop));
    if (!run.finished) {
      return fail("the candidate's code cannot be listed: " + run.reason, split(run.log, '\n').front());
    }
    m_remarks = run.outputs[std::string(backend::k_remarks_file)];
    m_printed = run.log;
    m_listing = parse_listing(run.outputs[std::string(backend::k_listing_file)], job.syntax);
  }
  return &*m_listing;
}

Result<const gate::Ceilings*> Bench::ceilings()
{
  if (!m_ceilings) {
    HONE_TRY(m_ceilings, m_spec.ceilings());
  }
  return &*m_ceilings;
}

Result<const record::Verdict*> Bench::timed()
{
  if (!backend().capabilities().times) {
    return fail("nothing is timed here: the device is emulated", "use a machine with a GPU, or a tool that counts");
  }
  if (!m_timed) {
    HONE_TRY(record::Verdict verdict,
             gate().measure(m_spec.subject.contender, m_spec.recipe, record::Depth::glance, true));
    m_timed = std::move(verdict);
  }
  if (m_timed->status != record::Status::correct) {
    return fail(fmt::format("{} is not correct: {}", m_spec.subject.name, m_timed->reason),
                "`hone run` says where; only correct candidates are timed");
  }
  return &*m_timed;
}

} // namespace hone::tools
