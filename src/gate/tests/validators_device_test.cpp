// Every validator on a device that shares no memory: what runs there, what stands in, and that each still finds what it
// is there for.
#include "fake_device.h"
#include "gate/gate_state.h"
#include "gate/validate/validation.h"

#include <gmock/gmock.h>

namespace hone::gate::test {
namespace {

using testing::HasSubstr;
using Outcome = record::ValidatorRun::Outcome;

constexpr const char* k_device_kernel = R"toml(
[kernel]
name = "axpy"
[compute]
expr = "C[i,j] = 2 * A[i,j] + B[i,j]"
[arguments]
A = { type = "f32", shape = ["m", "n"] }
B = { type = "f32", shape = ["m", "n"] }
C = { type = "f32", shape = ["m", "n"], role = "output" }
[sizes]
timed = [ { m = 64, n = 64 } ]
)toml";

constexpr const char* k_device_plan = R"toml(
[[scratch]]
name = "sums"
type = "f32"
size = "m * n"
[[launch]]
kernel = "double"
grid = ["ceil_div(m * n, 256)"]
args = ["A", "sums", "m", "n"]
[[launch]]
kernel = "add"
grid = ["ceil_div(m * n, 256)"]
args = ["sums", "B", "C", "m", "n"]
)toml";

template <class Element> void for_part(const FakeGroup& group, std::int64_t n, Element element)
{
  const std::int64_t end = std::min(n, 256 * (group.id[0] + 1));
  for (std::int64_t i = 256 * group.id[0]; i < end; ++i) {
    element(i);
  }
}

std::int64_t elements_in(const FakeGroup& group, std::size_t argument)
{
  return static_cast<std::int64_t>(group.buffers[argument].size() / sizeof(float));
}

// Of the launch that adds.
std::int64_t elements_of(const FakeGroup& group)
{
  return elements_in(group, 2);
}

void double_all(const FakeGroup& group)
{
  for_part(group, elements_in(group, 1),
           [&](std::int64_t i) { group.at<float>(1)[i] = 2 * group.at<const float>(0)[i]; });
}

void add_all(const FakeGroup& group)
{
  for_part(group, elements_of(group),
           [&](std::int64_t i) { group.at<float>(2)[i] = group.at<const float>(0)[i] + group.at<const float>(1)[i]; });
}

// The same of vectors: of which there are fewer sizes to try.
std::string of_vectors(std::string text)
{
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  };
  replace("[i,j]", "[i]");
  replace("[\"m\", \"n\"]", "[\"n\"]");
  replace("m * n", "n");
  replace("m = 64, n = 64", "n = 4096");
  replace("\"m\", \"n\"]", "\"n\"]");
  return text;
}

class DeviceValidators : public testing::Test {
protected:
  DeviceValidators()
  {
    m_device.kernels = {{"double", double_all}, {"add", add_all}};
    choose(k_device_kernel, k_device_plan);
  }

  void choose(const std::string& kernel_text, const std::string& plan)
  {
    auto kernel = kernel::parse_kernel(kernel_text, "kernel.toml");
    EXPECT_TRUE(kernel) << kernel.error().text();
    m_kernel = std::move(*kernel);
    auto candidate = kernel::make_candidate(m_kernel, {{"launch.toml", plan}, {"device.cl", "// 256\n"}});
    EXPECT_TRUE(candidate) << candidate.error().text();
    m_contender.candidate = std::move(*candidate);
    auto references = references_for(m_kernel, "device tests", HONE_BINARY_ROOT "/test-references");
    EXPECT_TRUE(references) << references.error().text();
    m_references.emplace(std::move(*references));
    m_recipe.sizes = m_kernel.timed.front();
  }

  Result<SessionResult<std::shared_ptr<const Prepared>>> prepare(const kernel::Sizes& sizes)
  {
    auto prepared = std::make_shared<Prepared>();
    prepared->contender = m_contender;
    prepared->sizes = sizes;
    HONE_TRY(prepared->plan, kernel::resolve_plan(m_kernel, m_contender.candidate, sizes, m_contender.point, {}));
    prepared->build =
      std::make_shared<const Build>(Build{record::Status::correct, {}, {}, fake_module(prepared->plan)});
    return SessionResult<std::shared_ptr<const Prepared>>(std::move(prepared));
  }

  Validation validation(record::Depth depth)
  {
    ValidationSetting setting;
    setting.kernel = &m_kernel;
    setting.backend = &m_backend;
    setting.capabilities = m_device.capabilities;
    setting.references = &*m_references;
    setting.recipe = &m_recipe;
    setting.depth = depth;
    setting.candidate = &m_contender.candidate;
    setting.device_facts = &m_facts;
    setting.seed = 5;
    setting.pool_seed = 6;
    setting.prepare = [this](const kernel::Sizes& sizes) { return prepare(sizes); };
    return Validation(std::move(setting));
  }

  static const Validator& validator(std::string_view name)
  {
    return *std::ranges::find(validators(), name, &Validator::name);
  }

  // One alone; how it ended the candidate, or nothing.
  std::optional<SessionEnd> run(std::string_view name, record::Depth depth = record::Depth::screen)
  {
    Validation here = validation(depth);
    const auto drawn = here.draw_sizes();
    EXPECT_TRUE(drawn && *drawn);
    const auto ended = validator(name).run(here);
    EXPECT_TRUE(ended) << ended.error().text();
    m_checks = here.checks();
    return ended && !*ended ? std::optional(ended->error()) : std::nullopt;
  }

  FakeDevice m_device;
  FakeDeviceBackend m_backend{m_device};
  kernel::Kernel m_kernel;
  record::Contender m_contender;
  record::Recipe m_recipe;
  kernel::PlanScope m_facts;
  std::optional<References> m_references;
  std::vector<record::CheckResult> m_checks;
};

// All at once, as the gate does it, with the record of what became of each.
TEST_F(DeviceValidators, pass_and_say_what_stood_in)
{
  choose(of_vectors(k_device_kernel), of_vectors(k_device_plan));
  Validation here = validation(record::Depth::promote);
  const auto drawn = here.draw_sizes();
  ASSERT_TRUE(drawn && *drawn);
  std::vector<record::ValidatorRun> runs;
  const auto ended = run_validators(here, runs);
  ASSERT_TRUE(ended) << ended.error().text();
  ASSERT_TRUE(*ended) << ended->error().reason;
  std::map<std::string, Outcome> outcomes;
  for (const record::ValidatorRun& run : runs) {
    outcomes[run.name] = run.outcome;
    std::cout << run.name << ": " << record::name_of(run.outcome) << (run.detail.empty() ? "" : ": ") << run.detail
              << "\n";
  }
  const std::map<std::string, Outcome> expected{{"hidden sizes", Outcome::ran_with_substitutes},
                                                {"several long extents at once", Outcome::not_applicable},
                                                {"poisoned outputs", Outcome::ran},
                                                {"repeats", Outcome::ran},
                                                {"left by other calls", Outcome::ran_with_substitutes},
                                                {"dependence", Outcome::ran},
                                                {"work-groups", Outcome::substituted},
                                                {"timed sizes", Outcome::ran_with_substitutes},
                                                {"memory accesses", Outcome::substituted}};
  EXPECT_EQ(outcomes, expected);
  EXPECT_GT(m_device.calls, 100);
  EXPECT_LT(m_device.starts, 20) << "runners take other jobs";
  EXPECT_GT(m_device.rebinds, 20);
}

TEST_F(DeviceValidators, try_several_long_extents_at_once)
{
  EXPECT_FALSE(run("several long extents at once", record::Depth::promote));
  EXPECT_GT(m_device.calls, 10);
  m_device.kernels["add"] = [](const FakeGroup& group) {
    add_all(group);
    if (group.integers[3] > 200 && group.integers[4] > 200) {
      std::ranges::fill(group.buffers[2], std::byte{0});
    }
  };
  EXPECT_TRUE(run("several long extents at once", record::Depth::promote));
}

TEST_F(DeviceValidators, are_all_named_when_one_ends_the_candidate)
{
  m_device.kernels["add"] = [](const FakeGroup&) {};
  Validation here = validation(record::Depth::screen);
  const auto drawn = here.draw_sizes();
  ASSERT_TRUE(drawn && *drawn);
  std::vector<record::ValidatorRun> runs;
  const auto ended = run_validators(here, runs);
  ASSERT_TRUE(ended);
  EXPECT_FALSE(*ended);
  ASSERT_EQ(runs.size(), validators().size());
  EXPECT_EQ(runs.front().outcome, Outcome::failed);
  EXPECT_EQ(runs.back().outcome, Outcome::not_reached);
}

TEST_F(DeviceValidators, each_names_a_substitute_or_why_there_is_none)
{
  for (const Validator& one : validators()) {
    for (const Need& need : one.needs) {
      EXPECT_NE(need.substitute.empty(), need.nothing_because.empty()) << one.name << ": " << need.words;
    }
  }
}

TEST_F(DeviceValidators, find_a_size_at_which_the_result_is_wrong)
{
  m_device.kernels["add"] = [](const FakeGroup& group) {
    add_all(group);
    const std::int64_t n = elements_of(group);
    if (n % 256 != 0 && group.id[0] == group.count[0] - 1) {
      group.at<float>(2)[n - 1] += 1;
    }
  };
  const auto end = run("hidden sizes");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, record::Status::correctness);
}

TEST_F(DeviceValidators, find_an_element_that_is_not_written)
{
  m_device.kernels["add"] = [](const FakeGroup& group) {
    for_part(group, elements_of(group) - 1, [&](std::int64_t i) {
      group.at<float>(2)[i] = group.at<const float>(0)[i] + group.at<const float>(1)[i];
    });
  };
  const auto end = run("poisoned outputs");
  ASSERT_TRUE(end);
  EXPECT_THAT(end->reason, HasSubstr("is not written, or depends on memory that nothing initialised"));
}

TEST_F(DeviceValidators, find_a_result_that_varies)
{
  int calls = 0;
  m_device.kernels["add"] = [&calls](const FakeGroup& group) {
    add_all(group);
    calls += group.id[0] == 0 ? 1 : 0;
    group.at<float>(2)[0] *= calls > 2 ? 1.0000001F : 1.0F;
  };
  EXPECT_TRUE(run("repeats"));
}

// A device that keeps its result where it finds its own mark in scratch.
TEST_F(DeviceValidators, find_a_result_that_is_kept_in_scratch)
{
  m_device.kernels["double"] = [](const FakeGroup& group) {
    const auto* const a = group.at<const float>(0);
    auto* const sums = group.at<float>(1);
    if (group.id[0] == 0 && sums[0] == 2 * a[0]) {
      return; // done before, it seems
    }
    double_all(group);
  };
  const auto end = run("left by other calls", record::Depth::promote);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, record::Status::correctness);
}

TEST_F(DeviceValidators, find_a_wrong_result_at_the_timed_sizes)
{
  m_device.kernels["add"] = [](const FakeGroup& group) {
    add_all(group);
    if (elements_of(group) == 4096 && group.id[0] == 7) {
      group.at<float>(2)[7 * 256] += 1;
    }
  };
  EXPECT_TRUE(run("timed sizes", record::Depth::glance));
}

TEST_F(DeviceValidators, refuse_writes_out_of_bounds_and_to_inputs)
{
  m_device.fault = FakeFault::corrupt_guard;
  auto end = run("repeats");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, record::Status::rejected);
  EXPECT_THAT(end->reason, HasSubstr("wrote out of bounds: 4 bytes past the end of"));
  m_device.fault = FakeFault::writes_input;
  end = run("repeats");
  ASSERT_TRUE(end);
  EXPECT_THAT(end->reason, HasSubstr("wrote to input: A"));
}

// The whole gate, from candidate to verdict.
class DeviceGate : public DeviceValidators {
protected:
  Gate open(const kernel::Kernel& kernel)
  {
    GateOptions options;
    options.cache = HONE_BINARY_ROOT "/test-references";
    options.seed = 7;
    auto gate = Gate::open(std::make_shared<const kernel::Kernel>(kernel), m_backend, options);
    EXPECT_TRUE(gate) << gate.error().text();
    return std::move(*gate);
  }

  static std::string detail_of(const record::Verdict& verdict, const std::string& check)
  {
    const auto found = std::ranges::find(verdict.checks, check, &record::CheckResult::name);
    return found == verdict.checks.end() ? "not there" : found->detail;
  }
};

TEST_F(DeviceGate, judges_by_the_devices_clock_and_says_so)
{
  Gate gate = open(m_kernel);
  m_recipe.pairs = 2;
  m_recipe.seconds_per_pair = 0.005;
  const auto verdict = gate.measure(m_contender, m_recipe, record::Depth::screen, true);
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_EQ(verdict->status, record::Status::correct) << verdict->reason;
  ASSERT_TRUE(verdict->cold && verdict->hot);
  EXPECT_NEAR(verdict->cold->median, 1e-3, 1e-9);
  EXPECT_NEAR(verdict->hot->median, 1e-3, 1e-9);
  EXPECT_EQ(detail_of(*verdict, "clock"), "the device's events, bounded by the parent's wall clock");
  EXPECT_THAT(detail_of(*verdict, "code at other places"), HasSubstr("not applicable"));
  EXPECT_THAT(detail_of(*verdict, "ceiling"), HasSubstr("not applicable"));
  const Json json = record::to_json(*verdict);
  ASSERT_EQ(json.at("validators").size(), validators().size());
  EXPECT_EQ(json.at("validators").at(0).at("outcome"), "ran with substitutes");
  const auto again = record::verdict_from_json(json);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(record::to_json(*again), json);
}

TEST_F(DeviceGate, ends_a_candidate_whose_timed_calls_do_damage)
{
  Gate gate = open(m_kernel);
  const auto validated = gate.validate(m_contender, m_recipe, record::Depth::glance);
  ASSERT_TRUE(validated);
  ASSERT_EQ(validated->status, record::Status::correct) << validated->reason;
  m_device.fault = FakeFault::writes_input;
  m_device.good_calls = m_device.calls + 3;
  const auto verdict = gate.measure(m_contender, m_recipe, record::Depth::glance, false);
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_EQ(verdict->status, record::Status::rejected);
  EXPECT_THAT(verdict->reason, HasSubstr("wrote to input"));
}

constexpr const char* k_weighted_kernel = R"toml(
[kernel]
name = "weighted"
[compute]
expr = "C[i,j] = A[i,j] + 2 * W[i,j]"
[arguments]
A = { type = "f32", shape = ["m", "n"] }
W = { type = "f32", shape = ["m", "n"], role = "weight" }
C = { type = "f32", shape = ["m", "n"], role = "output" }
[sizes]
timed = [ { m = 64, n = 64 } ]
)toml";

constexpr const char* k_weighted_plan = R"toml(
[[scratch]]
name = "doubled"
type = "f32"
size = "m * n"
prepared = true
[[prepare]]
kernel = "double"
grid = ["ceil_div(m * n, 256)"]
args = ["W", "doubled", "m", "n"]
[[launch]]
kernel = "add"
grid = ["ceil_div(m * n, 256)"]
args = ["doubled", "A", "C", "m", "n"]
)toml";

// What a preparation leaves on the device goes through the arena to the runner of the calls.
TEST_F(DeviceGate, carries_prepared_weights_from_one_runner_to_the_other)
{
  const auto kernel = kernel::parse_kernel(k_weighted_kernel, "kernel.toml");
  ASSERT_TRUE(kernel) << kernel.error().text();
  auto candidate = kernel::make_candidate(*kernel, {{"launch.toml", k_weighted_plan}, {"device.cl", "// 256\n"}});
  ASSERT_TRUE(candidate) << candidate.error().text();
  m_contender.candidate = std::move(*candidate);
  Gate gate = open(*kernel);
  m_recipe.pairs = 2;
  m_recipe.seconds_per_pair = 0.005;
  const auto verdict = gate.measure(m_contender, m_recipe, record::Depth::screen, false);
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_EQ(verdict->status, record::Status::correct) << verdict->reason;
  EXPECT_TRUE(verdict->preparation());
}

} // namespace
} // namespace hone::gate::test
