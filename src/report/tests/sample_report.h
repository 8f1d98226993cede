// A realistic optimisation of a matrix product, made up for the tests of this room.
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace hone::report::test {

struct SampleStep {
  const char* name;
  const char* parent; // name of the parent checkpoint's step, or ""
  double seconds;     // 0: not timed
  record::Status status;
  record::Comparison comparison;
  bool taken;
  const char* reason;
};

inline std::string sample_id(const std::string& name)
{
  std::string id;
  for (std::size_t i = 0; i < 40; ++i) {
    id += "0123456789abcdef"[(static_cast<unsigned char>(name[i % name.size()]) * 7 + i * i) % 16];
  }
  return id;
}

inline record::TimeEstimate sample_time(double seconds)
{
  return {seconds, {seconds * 0.994, seconds * 1.007}, 64};
}

inline record::Verdict sample_verdict(const SampleStep& step, double incumbent_seconds)
{
  record::Verdict verdict;
  verdict.status = step.status;
  verdict.reason = step.reason;
  verdict.spent = {{"build", 0.62}, {"validate", 0.31}, {"measure", 1.2}};
  verdict.checks = {{"hidden size m=31 n=7 k=1", true, ""},
                    {"hidden size m=257 n=129 k=63", true, ""},
                    {"guard bands", true, ""},
                    {"inputs unchanged", true, ""},
                    {"work-groups forward and reverse", true, "128 groups"},
                    {"projection of every timed call", true, "worst residual 0.031 of its threshold"}};
  verdict.errors = {0.0213, 1.4e-7, "C[12, 7]: got 1.5, expected 1.5000001 +- 4.1e-06"};
  if (step.status == record::Status::correctness) {
    verdict.checks[1] = {"hidden size m=257 n=129 k=63", false, "C[256, 128]: got 0, expected 3.25 +- 1e-5"};
  }
  if (step.status == record::Status::compile) {
    verdict.log = "device.cpp:41:12: error: '_mm512_fmadd_pss' was not declared in this scope\n"
                  "   41 |     acc = _mm512_fmadd_pss(a, b, acc);\n";
    verdict.checks.clear();
  }
  if (step.seconds > 0) {
    verdict.cold = sample_time(step.seconds);
    verdict.hot = sample_time(step.seconds * 0.96);
    if (incumbent_seconds > 0) {
      record::ComparisonResult comparison;
      comparison.verdict = step.comparison;
      comparison.ratio = incumbent_seconds / step.seconds;
      comparison.ci95 = {comparison.ratio * 0.992, comparison.ratio * 1.009};
      comparison.pair_ratios = {comparison.ratio * 0.996, comparison.ratio * 1.004, comparison.ratio, comparison.ratio};
      comparison.rule = "unanimous 0.5 %";
      comparison.candidate = *verdict.cold;
      comparison.incumbent = sample_time(incumbent_seconds);
      verdict.comparisons.push_back(comparison);
    }
  }
  return verdict;
}

inline std::vector<SampleStep> sample_steps()
{
  const auto ok = record::Status::correct;
  const auto fast = record::Comparison::fast;
  return {
    {"start", "", 1.92, ok, record::Comparison::same, true, ""},
    {"unroll-k", "start", 1.91, ok, record::Comparison::same, false, ""},
    {"loop-order", "start", 0.166, ok, fast, true, ""},
    {"refactor-macros", "loop-order", 0.167, ok, record::Comparison::same, true, ""},
    {"cache-tiling", "refactor-macros", 0.121, ok, fast, true, ""},
    {"vectorise", "cache-tiling", 0, record::Status::compile, fast, false, "device.cpp:41: no intrinsic of this name"},
    {"panel-packing", "cache-tiling", 0.131, ok, record::Comparison::slow, true, ""},
    {"unroll-k", "cache-tiling", 0.1205, ok, record::Comparison::ambiguous, false, ""},
    {"register-tiling", "cache-tiling", 0.071, ok, fast, true, ""},
    {"unroll-k", "panel-packing", 0.118, ok, fast, true, ""},
    {"vectorise", "register-tiling", 0.0312, ok, fast, true, ""},
    {"masked-edges", "vectorise", 0, record::Status::correctness, fast, false,
     "hidden size m=257 n=129 k=63: C[256, 128]: got 0, expected 3.25 +- 1e-5"},
    {"masked-edges", "vectorise", 0.0301, ok, fast, true, ""},
    {"panel-packing 2", "masked-edges", 0.0262, ok, fast, true, ""},
    {"tune", "panel-packing 2", 0.0291, ok, record::Comparison::slow, false, ""},
    {"tune", "panel-packing 2", 0.0279, ok, record::Comparison::slow, false, ""},
    {"tune", "panel-packing 2", 0, record::Status::timeout, record::Comparison::slow, false, "ran longer than 10 s"},
    {"tune", "panel-packing 2", 0.0264, ok, record::Comparison::same, false, ""},
    {"tune 2", "panel-packing 2", 0.0221, ok, fast, true, ""},
    {"prefetch", "tune 2", 0.0222, ok, record::Comparison::same, false, ""},
  };
}

inline std::string sample_diff()
{
  return "diff --git a/device.cpp b/device.cpp\nindex 12ab..34cd 100644\n--- a/device.cpp\n+++ b/device.cpp\n"
         "@@ -8,7 +8,11 @@ extern \"C\" void matmul(const hone_group* group, const float* A,\n"
         "   const long row = group->id[1] * TILE_M;\n"
         "-  for (long j = 0; j < n; ++j) {\n-    float sum = 0;\n"
         "+  for (long j0 = 0; j0 < n; j0 += TILE_N) {\n+    float acc[TILE_M][TILE_N] = {};\n"
         "+    for (long k0 = 0; k0 < k; k0 += TILE_K) {\n"
         "     // one panel of B stays in L1 while all rows of the tile pass over it\n"
         "+--counter;\n   }\n";
}

inline void add_sample_step(ReportInput& input, const SampleStep& sample, std::map<std::string, double>& seconds)
{
  record::Record record;
  record.id = sample_id(std::string("record") + sample.name + std::to_string(input.steps.size()));
  record.candidate = sample_id(std::string("candidate") + sample.name + std::to_string(input.steps.size()));
  record.parent = *sample.parent != '\0' ? sample_id(sample.parent) : "";
  record.incumbent = *sample.parent != '\0' ? sample_id(std::string("candidate") + sample.parent) : "";
  record.transformation = std::string(sample.name) == "start" ? "" : std::string(sample.name);
  record.engine = "builtin";
  record.recipe_used = input.recipe;
  if (record.transformation.starts_with("tune")) {
    record.point = {{"TILE_K", 256}, {"TILE_M", 48 + static_cast<std::int64_t>(input.steps.size())}};
  }
  record.verdict = sample_verdict(sample, *sample.parent != '\0' ? seconds[sample.parent] : 0);
  record.time_utc = "2026-01-02T03:04:05Z";
  record.hone_version = "0.1.0";
  seconds[sample.name] = sample.seconds;
  store::Step step{static_cast<std::int64_t>(input.steps.size()) + 1, record, ""};
  if (sample.taken) {
    store::Checkpoint checkpoint;
    checkpoint.id = sample_id(sample.name);
    if (std::string(sample.parent) == "panel-packing") {
      checkpoint.id = sample_id("side");
    }
    checkpoint.parent = record.parent;
    checkpoint.transformation = sample.name;
    checkpoint.record = record;
    checkpoint.point = record.point;
    if (!checkpoint.parent.empty()) {
      input.diffs[checkpoint.id] = sample_diff();
    }
    step.checkpoint = checkpoint.id;
    input.checkpoints.push_back(checkpoint);
  }
  input.steps.push_back(step);
}

inline ReportInput sample_report()
{
  ReportInput input;
  input.kernel_name = "matmul";
  input.kernel_summary = "C = A x B, row-major";
  input.expression = "C[m,n] = sum(k, A[m,k] * B[k,n])";
  input.backend = "cpu";
  input.device = "Example Processor 9000, 2 cores";
  input.environment = {{"compiler", "g++ 12.2.0 -O3 -march=native"},
                       {"isa", "AVX-512"},
                       {"kernel", "Linux 6.1"},
                       {"L2", "1 MiB"},
                       {"isolation", "landlock, seccomp, separate uid"}};
  input.recipe.sizes = {{"m", 1024}, {"n", 1024}, {"k", 1024}};
  input.flops = 2.0 * 1024 * 1024 * 1024;
  input.floor_s = 0.0152;
  std::map<std::string, double> seconds;
  for (const SampleStep& step : sample_steps()) {
    add_sample_step(input, step, seconds);
  }
  input.start = sample_id("start");
  input.best = sample_id("tune 2");
  input.baselines = {{"openblas", "coretype=SkylakeX", 0.842, {0.836, 0.849}},
                     {"blis", "arch=skx", 0.911, {0.905, 0.918}},
                     {"onednn", "isa=avx512_core", 0.861, {0.853, 0.868}},
                     {"loops-ikj", "-O3 -march=native", 7.51, {7.44, 7.59}},
                     {"loops-ijk", "-O3 -march=native", 86.9, {86.1, 87.6}}};
  input.spent = {{"measure", 41.2}, {"build", 22.9}, {"validate", 14.1}, {"engine", 0.4}, {"baselines", 9.7}};
  return input;
}

} // namespace hone::report::test
