#include "tools/bench.h"

#include "backend/access_counter.h"
#include "tools/loop_rounds.h"
#include "util/hash.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

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
  return sha256(fmt::format("{}\n{}\n{}\n{}\n{}", identity_of(m_spec.subject), kernel().hash,
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

Result<const CompiledText*> Bench::compiled_text()
{
  if (!m_compiled) {
    HONE_TRY(const gate::BuiltCandidate* code, built());
    HONE_TRY(const backend::ListingJob job, backend().listing_job(build_input(*code)));
    HONE_TRY(gate::ToolRun run, gate::run_tool(job.job, m_spec.stop));
    if (!run.finished) {
      return fail("the candidate's code cannot be listed: " + run.reason, split(run.log, '\n').front());
    }
    m_compiled = CompiledText{parse_listing(run.outputs[std::string(backend::k_listing_file)], job.syntax),
                              std::move(run.outputs[std::string(backend::k_remarks_file)]), std::move(run.log)};
  }
  return &*m_compiled;
}

const backend::AccessCounts* Bench::counts_if_any()
{
  const backend::AccessCounter* counter = backend().access_counter();
  if (counter == nullptr || !counter->missing().empty()) {
    return nullptr;
  }
  if (m_accesses) {
    return &*m_accesses;
  }
  const auto counts = accesses(counter->levels());
  return counts ? *counts : nullptr;
}

Result<HotLoop> Bench::hot_loop()
{
  HONE_TRY(const CompiledText* code, compiled_text());
  const HotLoop by_code = tools::hot_loop(code->listing);
  // Of a GPU the code alone says it: counting takes long there.
  if (by_code.loop == nullptr || code->listing.syntax != backend::ListingSyntax::x86) {
    return by_code;
  }
  const backend::AccessCounts* counts = counts_if_any();
  return counts == nullptr ? by_code : tools::hot_loop(code->listing, *counts);
}

double Bench::rounds(const HotLoop& loop)
{
  const backend::AccessCounts* counts = counts_if_any();
  if (counts == nullptr) {
    return 1;
  }
  if (counts->of_warps || loop.loop == nullptr) {
    return 0;
  }
  const double rounds = rounds_of(loop, *counts);
  return rounds > 0 ? rounds : static_cast<double>(counts->total.accesses());
}

Result<const gate::Ceilings*> Bench::ceilings()
{
  if (!m_ceilings) {
    HONE_TRY(m_ceilings, m_spec.ceilings());
  }
  return &*m_ceilings;
}

Result<const backend::AccessCounts*> Bench::accesses(const std::vector<backend::CacheLevel>& levels)
{
  if (m_accesses && m_levels == levels) {
    return &*m_accesses;
  }
  const backend::AccessCounter* counter = backend().access_counter();
  if (counter == nullptr) {
    return fail(fmt::format("accesses are not counted on the {} backend", backend().name()),
                "use the cpu, opencl, cuda or hip backend");
  }
  HONE_TRY(const gate::BuiltCandidate* code, built());
  const backend::BuildInput build = build_input(*code);
  backend::InspectionInput input{build, {}, {}, {}, counter->most_accesses(), m_spec.seed, m_spec.recipe.threads};
  HONE_TRY(const std::vector<backend::CompileJob> jobs, counter->build_jobs(build, code->module));
  for (const backend::CompileJob& job : jobs) {
    HONE_TRY(gate::ToolRun run, gate::run_tool(job, m_spec.stop));
    if (!run.finished) {
      return fail("the candidate's accesses cannot be counted: " + run.reason, split(run.log, '\n').front());
    }
    input.built.merge(run.outputs);
  }
  HONE_TRY(const gate::CallMemory memory,
           gate().memory_of_call(m_spec.subject.contender, m_spec.recipe.sizes, m_spec.seed));
  const auto bytes = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  std::ranges::transform(memory.arguments, std::back_inserter(input.arguments), bytes);
  std::ranges::transform(memory.scratch, std::back_inserter(input.scratch), bytes);
  HONE_TRY(const backend::CompileJob job, counter->job(input, levels));
  HONE_TRY(const gate::ToolRun run, gate::run_tool(job, m_spec.stop));
  if (!run.finished) {
    return fail("the call whose accesses were counted ended early: " + run.reason, split(run.log, '\n').front());
  }
  HONE_TRY(m_accesses, counter->counts(run.outputs));
  m_levels = levels;
  return &*m_accesses;
}

Bench* Bench::other()
{
  if (!m_other && m_spec.against) {
    BenchSpec spec = m_spec;
    spec.subject = *m_spec.against;
    spec.against.reset();
    m_other = std::make_unique<Bench>(std::move(spec));
  }
  return m_other.get();
}

Result<const record::ComparisonResult*> Bench::compared()
{
  if (!m_compared) {
    const auto refused = [](const std::string& name, const std::string& reason) {
      return fail(fmt::format("{} is not correct: {}", name, reason),
                  "`hone run` says where; only correct candidates are timed");
    };
    HONE_TRY(const record::Verdict other,
             gate().validate(m_spec.against->contender, m_spec.recipe, record::Depth::glance));
    if (other.status != record::Status::correct) {
      return refused(m_spec.against->name, other.reason);
    }
    HONE_TRY(record::Verdict verdict, gate().judge(m_spec.subject.contender, m_spec.against->contender, m_spec.recipe,
                                                   record::Depth::glance, false));
    if (verdict.status != record::Status::correct || verdict.comparisons.empty()) {
      return refused(m_spec.subject.name, verdict.reason);
    }
    m_compared = std::move(verdict.comparisons.front());
  }
  return &*m_compared;
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
