// A candidate: device code, macros and a launch plan for one backend. Untrusted data; never host code.
#pragma once

#include "kernel/definition.h"
#include "kernel/plan_expression.h"

#include <map>
#include <string>
#include <vector>

namespace hone::kernel {

// One value per tuning parameter; to_text of Sizes prints it too ("TILE_M=64 TILE_N=32").
using TuningPoint = std::map<std::string, std::int64_t>;

struct TuningParameter {
  std::string name;
  std::vector<std::int64_t> values; // not empty, in the order written
  std::int64_t default_value = 0;   // one of values
};

// The space of tuning points and what restricts it. Parameters become macros; they change speed, never the result.
struct TuningSpace {
  std::vector<TuningParameter> parameters;
  std::vector<PlanExpression> constraints; // all must be non-zero

  TuningPoint defaults() const;
  double size() const; // product of the numbers of values, before constraints
};

struct ScratchSpec {
  std::string name;
  DataType type = DataType::f32;
  PlanExpression size;   // elements
  bool prepared = false; // written by [[prepare]] ahead of the calls, which only read it
};

// A tensor as copies of boxes see it (CUDA's tensor maps), from the innermost dimension on; its elements lie densely.
// Launches get its address.
struct MapSpec {
  std::string name, tensor;               // of an argument or a scratch buffer
  std::vector<PlanExpression> sizes, box; // elements, 1 to 5 each
  std::int64_t swizzle = 0;               // bytes: 0, 32, 64 or 128
  Place place;
};

struct LaunchSpec {
  std::string kernel;                  // name of the extern "C" function
  std::vector<PlanExpression> grid;    // 1 to 3 entries: number of work-groups, x first
  std::vector<PlanExpression> block;   // 1 to 3 entries: work-items per group; all 1 on the CPU
  std::vector<PlanExpression> cluster; // 1 to 3 entries: groups that run together; empty: each by itself
  PlanExpression shared;               // bytes of group-local scratch (CPU: per worker)
  std::vector<std::string> args;       // arguments, scratch buffers, maps, size symbols
  std::vector<std::string> reduce;     // buffers where groups may write the same element
  std::string fill_buffer;             // buffer filled before the launch, or ""
  std::int64_t fill_value = 0;
  PlanExpression when = PlanExpression::constant(1);   // launched only when not zero
  PlanExpression repeat = PlanExpression::constant(1); // times; `repeat_index` may be an argument
  Place place;
};

struct LaunchPlan {
  TuningSpace tuning;
  std::vector<ScratchSpec> scratch;
  std::vector<MapSpec> maps;
  std::vector<LaunchSpec> preparation; // [[prepare]]: run once the weights are known, timed apart; see only weights
  std::vector<LaunchSpec> launches;    // not empty
};

Result<LaunchPlan> parse_launch_plan(std::string_view toml, const std::string& origin);

struct Candidate {
  std::string backend;                      // "cpu", "opencl"
  std::map<std::string, std::string> files; // device.*, macros.h, launch.toml by name, and nothing else
  LaunchPlan plan;                          // parsed from files["launch.toml"]
  std::string schedule;                     // schedule.toml of the built-in engine, or ""; not part of the identity

  std::string hash() const;                 // SHA-256 over files: path, length, bytes
  const std::string& device_source() const; // the device.* file's text
};

// The device file's name for a backend ("device.cpp", "device.cl"), or "" for an unknown backend.
std::string device_file_name(std::string_view backend);

// Builds a candidate from its files, checks the plan against the kernel: names, argument kinds, numbers of entries.
Result<Candidate> make_candidate(const Kernel& kernel, std::map<std::string, std::string> files);
// Reads a candidate folder (no links out of it, bounded sizes); writes one.
Result<Candidate> load_candidate(const Kernel& kernel, const fs::path& folder);
// Where a kernel folder keeps a first candidate of its own for a backend.
fs::path start_folder(const fs::path& kernel_folder, std::string_view backend);
Result<void> save_candidate(const Candidate& candidate, const fs::path& folder);

} // namespace hone::kernel
