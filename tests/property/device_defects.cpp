// device_defects [BACKEND] [NAME]: seeded defects in programs of the built-in engine for devices: barriers left out,
// accesses out of bounds, local memory that nobody wrote, groups of another size than the program's, stores by several
// items. Each is one edit of a right program; the gate must refuse it. Prints which check found each and what it said;
// exits with 1 where one passed, or where a right program was refused; with 77 where there is no such device.
//
// Finds: a validator that no longer looks, sizes at which the defect does not show.
#include "gate/gate.h"
#include "rewrite/builtin/device/device_rewrites.h"
#include "util/util.h"

#include <fmt/format.h>

#include <map>
#include <regex>

namespace {

using namespace hone;

constexpr int k_skipped = 77;

struct Base {
  std::string name, kernel;
  kernel::Sizes sizes;
  std::vector<std::string> steps;
  kernel::TuningPoint point;
};

const std::vector<Base> k_bases = {
  {"staged",
   "matmul",
   {{"m", 45}, {"n", 37}, {"k", 51}},
   {"group-outputs", "tile-work-items", "stage-in-local-memory"},
   {{"GROUP_M", 4}, {"GROUP_N", 4}, {"TILE_M", 2}, {"TILE_N", 2}, {"SLICE_K", 8}}},
  {"overlapped",
   "matmul",
   {{"m", 45}, {"n", 37}, {"k", 51}},
   {"group-outputs", "tile-work-items", "stage-in-local-memory", "overlap-staging"},
   {{"GROUP_M", 4}, {"GROUP_N", 4}, {"TILE_M", 2}, {"TILE_N", 2}, {"SLICE_K", 8}}},
  {"split",
   "matmul-bias-gelu",
   {{"m", 33}, {"n", 29}, {"k", 51}},
   {"group-outputs", "split-k-groups"},
   {{"GROUP_M", 4}, {"GROUP_N", 8}, {"SPLIT_K", 4}}},
  {"rows", "softmax", {{"m", 19}, {"n", 83}}, {"rows-in-groups"}, {{"ITEMS", 8}, {"ROWS", 2}}},
  // Wider than the sub-groups of a CPU, whose items run together and need no barrier there.
  {"wide-rows", "softmax", {{"m", 19}, {"n", 83}}, {"rows-in-groups"}, {{"ITEMS", 32}, {"ROWS", 2}}},
};

struct Defect {
  std::string backend, name, base;
  std::string from, to;  // the first match of a regular expression, and what stands there instead
  std::string file = ""; // "": the device file
};

#include "device_defects.inc"

struct Program {
  std::shared_ptr<kernel::Kernel> kernel;
  kernel::Candidate candidate;
};

Result<Program> program_of(const Base& base, const backend::Backend& backend)
{
  HONE_TRY(kernel::Kernel loaded, kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / base.kernel));
  loaded.timed = {base.sizes};
  Program out{std::make_shared<kernel::Kernel>(std::move(loaded)), {}};
  lower::Schedule schedule = lower::naive_schedule(*out.kernel);
  for (const std::string& step : base.steps) {
    HONE_TRY(schedule, rewrite::rewrite_schedule(schedule, step, {*out.kernel, backend.dialect()}));
  }
  HONE_TRY(out.candidate, lower::lower_schedule(*out.kernel, schedule, backend.dialect()));
  return out;
}

// The check that failed; else what became of the build.
std::string found_by(const record::Verdict& verdict)
{
  for (const record::CheckResult& check : verdict.checks) {
    if (!check.passed) {
      return check.name;
    }
  }
  return std::string(record::name_of(verdict.status));
}

Result<int> run(const std::string& wanted_backend, const std::string& wanted)
{
  HONE_TRY(const backend::Backend* backend, backend::find_backend(wanted_backend));
  if (const auto device = backend->probe(); !device) {
    fmt::print("skipped: {}\n", device.error().text());
    return k_skipped;
  }
  std::map<std::string, Program> programs;
  std::map<std::string, gate::Gate> gates;
  int number = 0, missed = 0;
  std::map<std::string, int> finders;
  const auto validate = [&](const Base& base, const kernel::Candidate& candidate) -> Result<record::Verdict> {
    if (!gates.contains(base.name)) {
      gate::GateOptions options;
      options.cache = HONE_BINARY_ROOT "/test-references";
      options.seed = 5;
      HONE_TRY(gate::Gate opened, gate::Gate::open(programs.at(base.name).kernel, *backend, options));
      gates.emplace(base.name, std::move(opened));
    }
    record::Recipe recipe;
    recipe.sizes = base.sizes;
    return gates.at(base.name).validate({candidate, base.point, {}, {}}, recipe, record::Depth::promote);
  };
  for (const Defect& defect : k_defects) {
    if (defect.backend != wanted_backend || (!wanted.empty() && defect.name != wanted)) {
      continue;
    }
    const Base& base = *std::ranges::find(k_bases, defect.base, &Base::name);
    if (!programs.contains(base.name)) {
      HONE_TRY(Program program, program_of(base, *backend));
      programs.emplace(base.name, std::move(program));
      HONE_TRY(const record::Verdict right, validate(base, programs.at(base.name).candidate));
      if (right.status != record::Status::correct) {
        return fail(fmt::format("the right program {} is refused: {}", base.name, right.reason));
      }
    }
    kernel::Candidate candidate = programs.at(base.name).candidate;
    std::string& text = candidate.files.at(defect.file.empty() ? backend->dialect().device_file : defect.file);
    const std::string edited =
      std::regex_replace(text, std::regex(defect.from), defect.to, std::regex_constants::format_first_only);
    if (edited == text) {
      return fail(fmt::format("{}: nothing matches '{}' in\n{}", defect.name, defect.from, text));
    }
    text = edited;
    if (defect.file == "launch.toml") {
      HONE_TRY(candidate, kernel::make_candidate(*programs.at(base.name).kernel, candidate.files));
    }
    HONE_TRY(const record::Verdict verdict, validate(base, candidate));
    ++number;
    const std::string finder = found_by(verdict);
    const bool found = verdict.status != record::Status::correct;
    missed += found ? 0 : 1;
    finders[found ? finder : "nothing"] += 1;
    fmt::print("{} | {} | {} | {} | {}\n", defect.backend, defect.name, defect.base, found ? finder : "NOT FOUND",
               verdict.reason.substr(0, 220));
    std::fflush(stdout);
  }
  for (const auto& [finder, times] : finders) {
    fmt::print("{:40}{:5}\n", finder, times);
  }
  fmt::print("{}: {} defects, {} missed\n", wanted_backend, number, missed);
  return missed == 0 ? 0 : 1;
}

} // namespace

int main(int count, char** arguments)
{
  const Result<int> status = run(count > 1 ? arguments[1] : "opencl", count > 2 ? arguments[2] : "");
  if (!status) {
    fmt::print(stderr, "device_defects: {}\n", status.error().text());
    return 2;
  }
  return *status;
}
