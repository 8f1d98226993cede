// schedule.toml, which travels beside a candidate of the built-in engine: read, printed as a candidate, written again,
// and taken as the beginning of one of the steps that the engine knows.
#include "fuzz_target.h"
#include "lower/lower.h"
#include "rewrite/rewrite.h"

namespace hone::fuzz {

namespace {

const std::vector<kernel::Kernel>& kernels()
{
  static const std::vector<kernel::Kernel> k_kernels = [] {
    std::vector<kernel::Kernel> out;
    for (const char* name : {"matmul", "softmax", "conv2d", "matmul-i8"}) {
      const std::string folder = std::string("kernels/") + name;
      Result<kernel::Kernel> kernel = kernel::parse_kernel(files_named(folder, "kernel.toml").front(), "kernel.toml");
      if (!kernel) {
        promise_broken(kernel.error().text());
      }
      out.push_back(std::move(*kernel));
    }
    return out;
  }();
  return k_kernels;
}

const std::vector<catalogue::Transformation>& steps()
{
  static const std::vector<catalogue::Transformation> k_steps = [] {
    Result<std::vector<catalogue::Transformation>> all =
      catalogue::load_catalogue(fs::path(HONE_SOURCE_ROOT) / "transformations", {});
    if (!all) {
      promise_broken(all.error().text());
    }
    std::erase_if(*all,
                  [](const catalogue::Transformation& step) { return !rewrite::builtin_engine().knows(step.name); });
    return std::move(*all);
  }();
  return k_steps;
}

std::vector<std::string> seeds()
{
  std::vector<std::string> out;
  const lower::Dialect dialect = lower::cpu_dialect(64, true);
  for (const kernel::Kernel& kernel : kernels()) {
    kernel::Candidate naive;
    naive.schedule = lower::to_toml(lower::naive_schedule(kernel));
    out.push_back(naive.schedule);
    for (const catalogue::Transformation& step : steps()) {
      if (const auto next = rewrite::builtin_engine().apply({kernel, naive, step, dialect});
          next && !next->schedule.empty()) {
        out.push_back(next->schedule);
      }
    }
  }
  lower::Schedule tiled = lower::naive_schedule(kernels().front());
  tiled.loops = {{lower::Dimension::batch, lower::LoopKind::group, "1", false, ""},
                 {lower::Dimension::m, lower::LoopKind::group, "TILE_M", false, ""},
                 {lower::Dimension::m, lower::LoopKind::serial, "REG_M", false, ""},
                 {lower::Dimension::n, lower::LoopKind::serial, "VECTORS * sessions", false, ""},
                 {lower::Dimension::k, lower::LoopKind::serial, "1", false, "UNROLL_K"},
                 {lower::Dimension::m, lower::LoopKind::registers, "1", false, ""},
                 {lower::Dimension::n, lower::LoopKind::registers, "sessions", true, ""}};
  tiled.edges = lower::EdgeTreatment::masked;
  tiled.tuning = {{"TILE_M", {16, 32}, 32}, {"REG_M", {4, 6}, 6}, {"VECTORS", {1, 2}, 2}, {"UNROLL_K", {1, 2}, 1}};
  tiled.constraints = {"TILE_M % 16 == 0"};
  tiled.done = {"cache-tiling", "register-tiling", "vectorize", "mask-edges"};
  out.push_back(lower::to_toml(tiled));
  return out;
}

void run(std::string_view input)
{
  const Result<lower::Schedule> schedule = lower::parse_schedule(input, "schedule.toml");
  if (!schedule) {
    return check_error(schedule.error());
  }
  const std::string text = lower::to_toml(*schedule);
  const Result<lower::Schedule> again = lower::parse_schedule(text, "schedule.toml");
  if (!again || lower::to_toml(*again) != text) {
    promise_broken("a schedule changes when it is written and read again:\n" + text);
  }
  const lower::Dialect dialect = lower::cpu_dialect(64, true);
  for (const kernel::Kernel& kernel : kernels()) {
    if (const Result<kernel::Candidate> candidate = lower::lower_schedule(kernel, *schedule, dialect); !candidate) {
      check_error(candidate.error());
      continue;
    }
    kernel::Candidate given;
    given.schedule = std::string(input);
    const catalogue::Transformation& step = steps()[std::hash<std::string_view>()(input) % steps().size()];
    if (const auto next = rewrite::builtin_engine().apply({kernel, given, step, dialect}); !next) {
      check_error(next.error());
    }
  }
}

} // namespace

const Target& schedule_target()
{
  static const Target k_target = {"schedule", seeds, run};
  return k_target;
}

} // namespace hone::fuzz
