// A small world for policies: an engine that writes down what was done, and an executor that knows how long
// everything takes. The workflow is the real one, in a temporary folder.
#pragma once

#include "execute/serial_executor.h"
#include "lower/lower.h"
#include "policy/policy.h"
#include "util/util.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace hone::policy::fakes {

using Steps = std::set<std::string>;

inline kernel::Kernel parsed_kernel(const std::string& toml)
{
  auto kernel = kernel::parse_kernel(toml, "kernel.toml");
  EXPECT_TRUE(kernel) << (kernel ? "" : kernel.error().text());
  return kernel ? *kernel : kernel::Kernel{};
}

inline kernel::Kernel matmul()
{
  return parsed_kernel(R"toml([kernel]
name = "matmul"
summary = "for tests"
[compute]
expr = "C[m,n] = sum(k, A[m,k] * B[k,n])"
[arguments]
A = { type = "f32", shape = ["m", "k"] }
B = { type = "f32", shape = ["k", "n"] }
C = { type = "f32", shape = ["m", "n"], role = "output" }
[sizes]
timed = [ { m = 8, n = 8, k = 8 } ]
)toml");
}

inline kernel::Kernel row_maximum()
{
  return parsed_kernel(R"toml([kernel]
name = "row-maximum"
summary = "for tests"
[compute]
expr = "Y[m] = max(n, X[m,n])"
[arguments]
X = { type = "f32", shape = ["m", "n"] }
Y = { type = "f32", shape = ["m"], role = "output" }
[sizes]
timed = [ { m = 8, n = 8 } ]
)toml");
}

class FakeBackend final : public backend::Backend {
public:
  std::string_view name() const override { return "cpu"; }
  record::Tier tier() const override { return record::Tier::b; }
  std::string_view lock_profile() const override { return "none"; }
  Result<backend::DeviceInfo> probe() const override { return backend::DeviceInfo{}; }
  lower::Dialect dialect() const override { return lower::cpu_dialect(64, true); }
  Result<backend::CompileJob> compile_job(const backend::BuildInput&) const override { return backend::CompileJob{}; }
  std::expected<backend::Module, backend::LoadFailure> load(const backend::BuildInput&,
                                                            const std::map<std::string, std::string>&) const override
  {
    return backend::Module{};
  }
  std::string translate_log(std::string_view log) const override { return std::string(log); }
  std::string_view runner_program() const override { return "none"; }
};

// The device code of a fake candidate is the sorted list of steps that were carried out on it, so the same steps in
// another order give the same source. Steps in `with_parameter` make the tuning parameter T appear.
inline kernel::Candidate candidate_of(const kernel::Kernel& kernel, const Steps& steps, bool with_parameter)
{
  std::string device = "// steps:";
  for (const std::string& step : steps) {
    device += " " + step;
  }
  std::string plan = with_parameter ? "[tuning]\nT = { values = [1, 2, 4], default = 1 }\n\n" : "";
  plan += "[[launch]]\nkernel = \"f\"\ngrid = [1]\nblock = [1, 1, 1]\nargs = [";
  for (const kernel::Argument& argument : kernel.arguments) {
    plan += "\"" + argument.name + "\", ";
  }
  plan += "\"m\", \"n\"]\n";
  auto made = kernel::make_candidate(
    kernel, {{"device.cpp", device + "\n"}, {"macros.h", "#pragma once\n"}, {"launch.toml", plan}});
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return made ? *made : kernel::Candidate{};
}

// None for code that Hone wrote from the formula.
inline Steps steps_of(const kernel::Candidate& candidate)
{
  if (!candidate.device_source().starts_with("// steps:")) {
    return {};
  }
  const std::vector<std::string> words = split(trim(candidate.device_source()), ' ');
  return Steps(words.begin() + 2, words.end());
}

class FakeEngine final : public rewrite::Engine {
public:
  Steps refuses;
  Steps unknown;
  Steps with_parameter;

  std::string_view name() const override { return "fake"; }
  bool knows(std::string_view step) const override { return !unknown.contains(std::string(step)); }
  Result<kernel::Candidate> apply(const rewrite::EngineRequest& request) const override
  {
    const std::string& step = request.transformation.name;
    if (refuses.contains(step) || unknown.contains(step)) {
      return fail(step + " cannot be carried out here");
    }
    Steps steps = steps_of(request.current);
    steps.insert(step);
    const bool parameter = std::ranges::any_of(steps, [&](const auto& name) { return with_parameter.contains(name); });
    return candidate_of(request.kernel, steps, parameter);
  }
};

class FakeExecutor final : public execute::SerialExecutor {
public:
  // Seconds per call of a candidate, and the status of a job.
  std::function<double(const Steps&, const kernel::TuningPoint&)> time = [](const Steps&, const kernel::TuningPoint&) {
    return 1.0;
  };
  std::function<record::Status(const record::Job&)> status = [](const record::Job&) { return record::Status::correct; };
  std::function<void(const record::Job&)> before = [](const record::Job&) {};
  std::function<double(const record::Job&)> half_width = [](const record::Job&) {
    return 0.001;
  };                                             // of a ratio's interval, relative
  std::string time_utc = "2000-01-01T00:00:00Z"; // of records
  std::vector<record::Job> jobs;
  std::vector<record::Contender> prepared;

  execute::JobOutcome execute(const record::Job& job, const execute::JobControl&) override
  {
    before(job);
    jobs.push_back(job);
    record::Record record;
    record.candidate = job.contender.candidate.hash();
    record.point = job.contender.point;
    record.kind = job.kind;
    record.parent = job.parent;
    record.transformation = job.transformation;
    record.engine = job.engine;
    record.recipe = job.recipe.hash();
    record.recipe_used = job.recipe;
    record.incumbent = job.incumbent ? job.incumbent->candidate.hash() : "";
    record.time_utc = time_utc;
    record.id = sha256(fmt::format("{} {} {}", record.candidate, kernel::to_text(record.point), job.transformation));
    record.verdict.status = status(job);
    record.verdict.spent["measure"] = 0.5;
    if (record.verdict.status != record::Status::correct) {
      record.verdict.reason = "made to fail";
    } else if (job.incumbent) {
      record.verdict.comparisons = {comparison(seconds(*job.incumbent) / seconds(job.contender), half_width(job))};
    }
    return {.record = std::move(record)};
  }

  void prepare(const record::Contender& contender, const record::Recipe&) override { prepared.push_back(contender); }

  std::size_t count(std::string_view step) const
  {
    return static_cast<std::size_t>(std::ranges::count(jobs, step, &record::Job::transformation));
  }

private:
  double seconds(const record::Contender& contender) const
  {
    return time(steps_of(contender.candidate), contender.point);
  }

  static record::ComparisonResult comparison(double ratio, double half_width)
  {
    record::ComparisonResult result;
    result.ratio = ratio;
    result.ci95 = {ratio * (1 - half_width), ratio * (1 + half_width)};
    result.verdict = ratio > 1.005   ? record::Comparison::fast
                     : ratio < 0.995 ? record::Comparison::slow
                                     : record::Comparison::same;
    return result;
  }
};

inline catalogue::Transformation transformation_of(const std::string& name, catalogue::Speed speed)
{
  catalogue::Transformation transformation;
  transformation.name = name;
  transformation.speed = speed;
  transformation.classes = {kernel::KernelClass::contraction};
  return transformation;
}

// Everything a policy needs, with a clock that stands still unless a test moves it.
struct World {
  explicit World(const kernel::Kernel& of = matmul()) : kernel(std::make_shared<const kernel::Kernel>(of))
  {
    auto made = TemporaryFolder::create("hone-policy");
    EXPECT_TRUE(made);
    folder.emplace(std::move(*made));
    reopen();
  }

  void reopen()
  {
    workflow.reset();
    auto opened = store::Workflow::open(folder->path(), *kernel, {kernel->hash, "cpu", "fake-device"});
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().text());
    workflow.emplace(std::move(*opened));
  }

  void add(const std::string& name, catalogue::Speed speed = catalogue::Speed::faster)
  {
    catalogue.push_back(transformation_of(name, speed));
  }

  PolicyContext context()
  {
    PolicyContext result{kernel, backend, engine, executor, *workflow, catalogue};
    result.recipe.sizes = kernel->timed.front();
    result.start = candidate_of(*kernel, {}, false);
    result.tuning_strategy = "exhaustive";
    result.stop = stop.get_token();
    result.clock = [this] { return now; };
    result.observe = [this](const Progress& progress) { seen.push_back(progress); };
    return result;
  }

  Result<PolicyOutcome> run(Policy& policy)
  {
    PolicyContext current = context();
    return policy.run(current);
  }

  // A recipe file that applies the steps in this order; a number is a tuning session of that many points.
  fs::path recipe(const std::vector<std::string>& steps, const std::string& head = "")
  {
    std::string text = head;
    for (const std::string& step : steps) {
      const bool tuning = std::isdigit(static_cast<unsigned char>(step.front())) != 0;
      text += tuning ? "\n[[step]]\ntune = " + step + "\n" : "\n[[step]]\napply = \"" + step + "\"\n";
    }
    const fs::path file = folder->path() / "recipe.toml";
    EXPECT_TRUE(write_file(file, text));
    return file;
  }

  Result<PolicyOutcome> run_sequence(const std::vector<std::string>& steps, const std::string& head = "")
  {
    HONE_TRY(const auto policy, make_policy("sequence", recipe(steps, head)));
    return run(*policy);
  }

  Result<PolicyOutcome> run_greedy() { return run_named("greedy"); }
  Result<PolicyOutcome> run_named(std::string_view name)
  {
    HONE_TRY(const auto policy, make_policy(name, {}));
    return run(*policy);
  }

  store::Checkpoint checkpoint(const std::string& id)
  {
    auto found = workflow->find(id);
    EXPECT_TRUE(found) << (found ? "" : found.error().text());
    return found ? *found : store::Checkpoint{};
  }

  Steps steps_at(const std::string& id) { return steps_of(checkpoint(id).candidate); }

  std::string note_of(const std::string& step) const
  {
    for (const Progress& progress : seen) {
      if (progress.step == step && progress.finished) {
        return progress.note;
      }
    }
    return "";
  }

  std::shared_ptr<const kernel::Kernel> kernel;
  std::optional<TemporaryFolder> folder;
  std::optional<store::Workflow> workflow;
  FakeBackend backend;
  FakeEngine engine;
  FakeExecutor executor;
  std::vector<catalogue::Transformation> catalogue;
  std::stop_source stop;
  std::chrono::steady_clock::time_point now{};
  std::vector<Progress> seen;
};

// A time model: each step present multiplies the time by its factor.
inline auto factors(std::map<std::string, double> factor)
{
  return [factor = std::move(factor)](const Steps& steps, const kernel::TuningPoint&) {
    double seconds = 1;
    for (const std::string& step : steps) {
      seconds *= factor.contains(step) ? factor.at(step) : 1.0;
    }
    return seconds;
  };
}

} // namespace hone::policy::fakes
