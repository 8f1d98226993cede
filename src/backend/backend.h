// What a platform must provide: device facts, how to compile, how to load, how it is locked.
// One folder per backend and one entry in the list below; the language it is written to is a dialect of the lower room.
//
// A backend never runs a tool or a candidate itself. It describes the compile job as data (the gate executes it in
// the jail) and names the runner program that loads and calls the candidate in a process of its own.
#pragma once

#include "backend/capabilities.h"
#include "backend/runner_link.h"
#include "kernel/kernel.h"
#include "lower/dialect.h"
#include "record/tier.h"
#include "util/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::backend {

struct DeviceInfo {
  std::string backend;     // "cpu"
  std::string name;        // "AMD EPYC 9R45", as the platform says it
  std::string fingerprint; // SHA-256 over everything that changes speed: model, microcode, caches, compiler, driver
  std::map<std::string, std::string> facts; // for people and records: "isa", "compiler", "l2", ...
  kernel::PlanScope plan_facts; // for plans: device.units, device.shared_per_block, device.vector_bytes, device.l1 ...
  std::int64_t last_level_cache = 0; // bytes of it that a kernel can use; 0: not known
  std::int64_t memory = 0;           // bytes of the device's own; 0: it computes in the host's
};

struct BuildInput {
  const kernel::Kernel& kernel;
  const kernel::Candidate& candidate;
  kernel::TuningPoint point;
  kernel::Sizes sizes; // injected as macros when kernel.also == timed
  const kernel::ResolvedPlan& plan;
};

// Files to write, commands to run in order, files to read back. Paths are relative to a fresh folder.
struct CompileJob {
  std::map<std::string, std::string> files;
  std::vector<std::vector<std::string>> commands; // argv; argv[0] absolute
  std::vector<std::string> outputs;               // missing after the commands succeeded: a bug of the backend
  std::vector<std::string> readable;              // further absolute folders the tools must read (beyond /usr)
  bool operator==(const CompileJob&) const = default;
};

// What goes into a runner.
struct Module {
  std::string image;                    // code bytes (CPU), or a program binary of the driver (OpenCL)
  std::vector<std::uint64_t> entries;   // per launch of the plan: offset of its entry in the image (CPU)
  std::vector<std::string> entry_names; // per launch: kernel name
  std::string build_options;            // for platforms whose driver takes options
  std::string hash;                     // SHA-256 of all of the above
  std::string assembly;                 // the text that the image was made of, compressed (CPU)
};

// Why an image was refused, in the gate's words.
struct LoadFailure {
  enum class Kind { compile, rejected } kind = Kind::compile;
  std::string reason;
};

class AccessCounter;
class Inspector;
struct ListingJob;
struct CodeResources;

// Wide because each thing that a platform may have is asked for by a method of its own.
class Backend {
public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual record::Tier tier() const = 0;
  // One line for records and docs: what is closed before and after loading.
  virtual std::string_view lock_profile() const = 0;
  virtual Result<DeviceInfo> probe() const = 0; // error: not present, with what to install
  virtual lower::Dialect dialect() const = 0;
  virtual Result<CompileJob> compile_job(const BuildInput& input) const = 0;
  // Checks and packs the compiled files. Errors are the candidate's (LoadFailure).
  virtual std::expected<Module, LoadFailure> load(const BuildInput& input,
                                                  const std::map<std::string, std::string>& outputs) const = 0;
  // What this platform can do here. The same for as long as this program runs.
  virtual Capabilities capabilities() const { return {}; }
  // Compiler messages with our own paths and wrapper lines taken out, places pointing into the candidate's files.
  virtual std::string translate_log(std::string_view log) const = 0;
  // Whether the runner hands groups out to as many workers as it is told to; else the platform decides.
  virtual bool takes_threads() const { return false; }
  // A tool that runs candidates slowly and watches what they do to memory; nullptr where the platform has none.
  virtual const Inspector* inspector() const { return nullptr; }
  // A tool that runs candidates slowly and counts their accesses to memory; nullptr where the platform has none.
  virtual const AccessCounter* access_counter() const { return nullptr; }
  // Compiles a candidate to text that people and performance tools read ("backend/listing.h"). An error: this platform
  // shows no code.
  virtual Result<ListingJob> listing_job(const BuildInput& input) const;
  // What each kernel of a candidate needs, from what its compiler printed (gate/tool_run.h); empty where platforms do
  // not say.
  virtual std::vector<CodeResources> resources(const BuildInput& input, std::string_view log) const;
  // Whole numbers that a compiled candidate compares with something, whatever its source calls them; none where the
  // platform shows no code.
  virtual Result<std::vector<std::int64_t>> compared_numbers(const Module&) const
  {
    return std::vector<std::int64_t>();
  }
  // Name of the runner program beside the hone binary (libexec folder), speaking runner_abi.h.
  virtual std::string_view runner_program() const = 0;
  // Where a runner is no program of its own: one that is loading its job. nullptr: the program above, in a process.
  virtual std::unique_ptr<RunnerLink> start_runner(const RunnerFiles&) const { return nullptr; }
};

// All backends of this build, in order of preference ("cpu" first).
std::span<const Backend* const> backends();
// By name; the error lists the names there are.
Result<const Backend*> find_backend(std::string_view name);

// Also public: "backend/runner_abi.h", the contract between the gate and the runner programs, with
// "backend/cpu/runner_extension.h", the CPU's part of it, "backend/runner/device_words.h", what device memory is
// checked with, and "backend/runner_link.h", where the contract meets the operating system; for runners that are no
// programs "backend/runner/commands.h", "backend/runner/device_buffers.h" and "backend/runner/fill.h";
// "backend/capabilities.h", what platforms can do;
// "backend/listing.h", compiled code as text; "backend/fill_pattern.h", the bits of what launch plans fill buffers
// with; "backend/cpu/embedded_files.h", what CPU candidates are compiled with; "backend/inspector.h", tools that watch
// a candidate's accesses to memory; "backend/access_counter.h", tools that count them, with "backend/access_counts.h",
// the counts; "backend/library/library.h" and "backend/library/gemm_mapping.h", vendor libraries as rivals.

} // namespace hone::backend
