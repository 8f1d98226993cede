#include "record.h"

#include "native_calls.h"
#include "tune/cache_file.h"
#include "tune/tune.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace hone {

namespace {

constexpr std::size_t k_most_points = 100'000;
constexpr std::uint64_t k_order_seed = 7;
constexpr std::size_t k_save_every = 50;
constexpr double k_block_s = 0.001;    // of calls between two looks at the clock
constexpr double k_undisturbed = 0.25; // quantile of the blocks of an arm: other programs only ever add time
constexpr double k_same_output = 1e-4;

double now_s()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result<kernel::Sizes> sizes_from(const std::string& text, kernel::Sizes sizes)
{
  for (const std::string& item : split(text, ',')) {
    const std::size_t equals = item.find('=');
    std::int64_t value = 0;
    const char* end = item.data() + item.size();
    if (equals == std::string::npos || std::from_chars(item.data() + equals + 1, end, value).ptr != end) {
      return fail("'" + item + "' is no size", "write sizes as m=512,n=512,k=512");
    }
    sizes[item.substr(0, equals)] = value;
  }
  return sizes;
}

// log(incumbent's time / candidate's time), from blocks in turns.
double pair_ratio(const NativeCall& candidate, const NativeCall& incumbent, double seconds)
{
  const std::array<const NativeCall*, 2> calls{&candidate, &incumbent};
  std::array<int, 2> per_block{};
  for (std::size_t arm = 0; arm < 2; ++arm) {
    const double call_s = std::min(calls[arm]->seconds(1), calls[arm]->seconds(1));
    per_block[arm] = std::max(1, static_cast<int>(k_block_s / std::max(call_s, 1e-7)));
  }
  std::array<std::vector<double>, 2> times;
  double spent = 0;
  for (int quad = 0; spent < seconds || quad < 3; ++quad) {
    for (const std::size_t turn : {0U, 1U, 1U, 0U}) {
      const std::size_t arm = quad % 2 == 0 ? turn : 1 - turn;
      const double block_s = calls[arm]->seconds(per_block[arm]);
      times[arm].push_back(block_s / per_block[arm]);
      spent += block_s;
    }
  }
  return quantile(times[1], k_undisturbed) / quantile(times[0], k_undisturbed);
}

// One size: its space, its tensors and its incumbent.
struct Recording {
  fs::path out;
  tune::StoredSpace space;
  NativeArena arena;
  std::unique_ptr<NativeCall> incumbent;
  double expected_sum = 0;
};

class Recorder {
public:
  explicit Recorder(const RecordOptions& options) : m_options(options) {}

  Result<void> run()
  {
    HONE_CHECK(open());
    HONE_TRY(const std::vector<kernel::TuningPoint> points, points_left());
    const double begin = now_s();
    std::size_t done = 0;
    for (const kernel::TuningPoint& point : points) {
      if (now_s() - begin > m_options.seconds) {
        fmt::print(stderr, "{} points are left out: the time is over\n", points.size() - done);
        break;
      }
      HONE_CHECK(record(point));
      if (++done % k_save_every == 0) {
        fmt::print(stderr, "{} of {} points, {:.0f} s\n", done, points.size(), now_s() - begin);
        HONE_CHECK(save());
      }
    }
    HONE_CHECK(save());
    for (Recording& recording : m_recordings) {
      HONE_CHECK(measure_best_again(recording));
    }
    return save();
  }

private:
  Result<void> open()
  {
    HONE_TRY(m_kernel, kernel::load_kernel(m_options.kernel / "kernel.toml"));
    HONE_TRY(m_candidate, kernel::load_candidate(m_kernel, m_options.candidate));
    HONE_TRY(const backend::Backend* backend, backend::find_backend("cpu"));
    HONE_TRY(m_device, backend->probe());
    HONE_TRY(NativeCompiler compiler, NativeCompiler::open());
    m_compiler.emplace(std::move(compiler));
    if (m_options.sizes.size() != m_options.out.size()) {
      return fail("as many --size as --out are needed", "each size is a space of its own, with its own file");
    }
    for (std::size_t i = 0; i < m_options.out.size(); ++i) {
      HONE_TRY(const kernel::Sizes sizes, sizes_from(m_options.sizes[i], m_kernel.timed.front()));
      HONE_CHECK(open_recording(m_options.out[i], sizes));
    }
    return {};
  }

  Result<void> open_recording(const fs::path& out, const kernel::Sizes& sizes)
  {
    Recording recording;
    recording.out = out;
    if (fs::exists(out)) {
      HONE_TRY(recording.space, tune::read_cache_file(out));
    }
    describe(recording.space, sizes);
    HONE_TRY(recording.arena, NativeArena::make(m_kernel, sizes));
    HONE_TRY(const NativeCompiler::Built built, build(recording.space.incumbent, sizes));
    HONE_TRY(recording.incumbent, loaded(built.module, recording.space.incumbent, recording));
    recording.arena.clear_outputs();
    recording.incumbent->run();
    recording.expected_sum = recording.arena.output_sum();
    std::vector<double> times;
    for (int i = 0; i < 50; ++i) {
      times.push_back(recording.incumbent->seconds(1));
    }
    recording.space.incumbent_s = quantile(times, k_undisturbed);
    m_recordings.push_back(std::move(recording));
    return {};
  }

  void describe(tune::StoredSpace& space, const kernel::Sizes& sizes) const
  {
    space.kernel = m_kernel.name;
    space.kernel_hash = m_kernel.hash;
    space.candidate = m_candidate.hash();
    space.device = m_device.name;
    space.device_facts = m_device.facts;
    space.plan_facts = m_device.plan_facts;
    space.recipe.sizes = sizes;
    space.recipe.regime = record::Regime::hot;
    space.recipe.pairs = m_options.pairs;
    space.recipe.seconds_per_pair = m_options.pair_seconds;
    space.parameters = m_candidate.plan.tuning.parameters;
    space.incumbent = m_candidate.plan.tuning.defaults();
    space.constraints.clear();
    for (const kernel::PlanExpression& constraint : m_candidate.plan.tuning.constraints) {
      space.constraints.push_back(constraint.text());
    }
  }

  // In a drawn order, so that a recording that was cut short is a fair sample.
  Result<std::vector<kernel::TuningPoint>> points_left() const
  {
    Random random(k_order_seed);
    const tune::StoredSpace& space = m_recordings.front().space;
    HONE_TRY(tune::PointList list,
             tune::legal_points(m_candidate.plan.tuning, space.recipe.sizes, space.plan_facts, k_most_points, random));
    std::erase_if(list.points, [&](const kernel::TuningPoint& point) {
      return std::ranges::find(space.trials, point, &tune::StoredTrial::point) != space.trials.end();
    });
    std::ranges::shuffle(list.points, random);
    return std::move(list.points);
  }

  Result<kernel::ResolvedPlan> plan_of(const kernel::TuningPoint& point, const kernel::Sizes& sizes) const
  {
    return kernel::resolve_plan(m_kernel, m_candidate, sizes, point, m_device.plan_facts);
  }

  Result<NativeCompiler::Built> build(const kernel::TuningPoint& point, const kernel::Sizes& sizes)
  {
    HONE_TRY(const kernel::ResolvedPlan plan, plan_of(point, sizes));
    return m_compiler->build({m_kernel, m_candidate, point, sizes, plan});
  }

  Result<std::unique_ptr<NativeCall>> loaded(const backend::Module& module, const kernel::TuningPoint& point,
                                             const Recording& recording) const
  {
    HONE_TRY(kernel::ResolvedPlan plan, plan_of(point, recording.space.recipe.sizes));
    auto call = std::make_unique<NativeCall>(module, std::move(plan), recording.arena);
    if (!call->loaded()) {
      return fail("no executable memory is to be had here");
    }
    return call;
  }

  Result<void> record(const kernel::TuningPoint& point)
  {
    HONE_TRY(const NativeCompiler::Built built, build(point, m_recordings.front().space.recipe.sizes));
    for (Recording& recording : m_recordings) {
      HONE_TRY(tune::StoredTrial trial, measured(point, built.module, recording, m_options.pairs));
      trial.build_s = built.cpu_s;
      recording.space.trials.push_back(std::move(trial));
    }
    return {};
  }

  Result<tune::StoredTrial> measured(const kernel::TuningPoint& point, const backend::Module& module,
                                     Recording& recording, int pairs) const
  {
    HONE_TRY(const auto call, loaded(module, point, recording));
    tune::StoredTrial trial;
    trial.point = point;
    recording.arena.clear_outputs();
    call->run();
    if (std::abs(recording.arena.output_sum() / recording.expected_sum - 1) > k_same_output) {
      trial.status = record::Status::correctness;
      return trial;
    }
    const double begin = cpu_seconds_of_thread();
    for (int i = 0; i < pairs; ++i) {
      trial.ratios.push_back(pair_ratio(*call, *recording.incumbent, m_options.pair_seconds));
    }
    trial.measure_s = cpu_seconds_of_thread() - begin;
    trial.call_s = recording.space.incumbent_s / trial.ratio();
    return trial;
  }

  // The truth about the fastest: many pairs each, in turns, so that what changes with time meets all of them.
  Result<void> measure_best_again(Recording& recording)
  {
    std::vector<tune::StoredTrial> fastest = recording.space.trials;
    std::ranges::stable_sort(fastest, std::ranges::greater(), &tune::StoredTrial::ratio);
    fastest.resize(std::min(fastest.size(), m_options.best));
    std::vector<backend::Module> modules;
    for (tune::StoredTrial& trial : fastest) {
      trial.ratios.clear();
      HONE_TRY(NativeCompiler::Built built, build(trial.point, recording.space.recipe.sizes));
      modules.push_back(std::move(built.module));
    }
    for (int round = 0; round < m_options.rounds; ++round) {
      for (std::size_t i = 0; i < fastest.size(); ++i) {
        HONE_TRY(const tune::StoredTrial again, measured(fastest[i].point, modules[i], recording, 1));
        fastest[i].ratios.insert(fastest[i].ratios.end(), again.ratios.begin(), again.ratios.end());
      }
    }
    recording.space.best = std::move(fastest);
    return {};
  }

  Result<void> save() const
  {
    for (const Recording& recording : m_recordings) {
      HONE_CHECK(tune::write_cache_file(recording.space, recording.out));
    }
    return {};
  }

  RecordOptions m_options;
  kernel::Kernel m_kernel;
  kernel::Candidate m_candidate;
  backend::DeviceInfo m_device;
  std::optional<NativeCompiler> m_compiler;
  std::vector<Recording> m_recordings;
};

} // namespace

Result<void> record_spaces(const RecordOptions& options)
{
  return Recorder(options).run();
}

} // namespace hone
