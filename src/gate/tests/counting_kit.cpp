#include "counting_kit.h"

#include "gate/jail.h"
#include "inputs/inputs.h"

#include <utility>

namespace hone::gate::test {
namespace {

Result<JailOutcome> carry_out_count(const backend::CompileJob& job)
{
  JailLimits limits;
  limits.cpu_seconds = 60;
  HONE_TRY(JailOutcome outcome, run_in_jail(job, limits));
  if (outcome.status != record::Status::correct) {
    return fail(outcome.reason + "\n" + outcome.log);
  }
  return outcome;
}

// Compiles for other processors than this one.
void compile_for(backend::CompileJob& job, const std::string& march)
{
  for (std::vector<std::string>& command : job.commands) {
    for (std::string& word : command) {
      word = word == "-march=native" && !march.empty() ? "-march=" + march : word;
    }
  }
}

} // namespace

Result<CountedCandidate> count_candidate(const CountRequest& request)
{
  HONE_TRY(const backend::Backend* backend, backend::find_backend("cpu"));
  HONE_TRY(const backend::DeviceInfo device, backend->probe());
  const backend::AccessCounter& counter = *backend->access_counter();
  HONE_TRY(const kernel::ResolvedPlan plan,
           kernel::resolve_plan(request.kernel, request.candidate, request.sizes, request.point, device.plan_facts));
  const backend::BuildInput build{request.kernel, request.candidate, request.point, request.sizes, plan};
  HONE_TRY(backend::CompileJob compile, backend->compile_job(build));
  compile_for(compile, request.march);
  HONE_TRY(const JailOutcome compiled, carry_out_count(compile));
  const auto module = backend->load(build, compiled.outputs);
  if (!module) {
    return fail(module.error().reason);
  }
  CountedCandidate counted;
  HONE_TRY(std::vector<backend::CompileJob> jobs, counter.build_jobs(build, *module));
  backend::InspectionInput input{build, {}, {}, {}, request.most_accesses, 0};
  for (backend::CompileJob& job : jobs) {
    compile_for(job, request.march);
    HONE_TRY(JailOutcome outcome, carry_out_count(job));
    input.built.merge(outcome.outputs);
    counted.built.files.merge(job.files);
  }
  std::vector<std::vector<std::byte>> arguments;
  for (std::size_t i = 0; i < request.kernel.arguments.size(); ++i) {
    const kernel::Argument& argument = request.kernel.arguments[i];
    HONE_TRY(const std::int64_t elements, kernel::elements_of(argument, request.sizes));
    arguments.emplace_back(static_cast<std::size_t>(elements) * kernel::size_of(argument.type));
    if (argument.role != kernel::Role::output) {
      HONE_CHECK(
        inputs::fill_input(request.kernel, request.sizes, arguments.back(), i, {inputs::ValueFamily::uniform, 1}));
    }
  }
  input.arguments.assign(arguments.begin(), arguments.end());
  input.scratch.resize(plan.scratch.size());
  HONE_TRY(counted.call, counter.job(input, request.levels.empty() ? counter.levels() : request.levels));
  HONE_TRY(const JailOutcome outcome, carry_out_count(counted.call));
  counted.seconds = outcome.seconds;
  HONE_TRY(counted.counts, counter.counts(outcome.outputs));
  return counted;
}

} // namespace hone::gate::test
