// The gate: build -> validate -> time -> verdict. The only place where numbers come from.
//
// The parent (this process) owns inputs, reference, bounds, clock and comparison. Candidates are compiled in a jail
// and called in locked runner processes; nothing they print or return is evidence. The gate keeps no records: it
// returns verdicts to whoever called, and writes only its cache: compiled files, and which kernels have proved sound.
//
// Public too: "gate/tool_run.h", what performance tools need of the gate, "gate/lint.h", which proves a kernel's
// checker before the gate judges candidates by it, "gate/cache_check.h", which says whether cached files are still what
// they were, and "gate/jailed_folder.h", commands of whole programs in the jail.
#pragma once

#include "backend/backend.h"
#include "gate/tool_run.h"
#include "inputs/catalogue.h"
#include "record/contender.h"
#include "record/verdict.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::gate {

// Measured ceilings of a device, kept with its fingerprint.
struct Ceilings {
  std::string fingerprint;
  std::string method;                       // how and where they were measured, for people
  std::map<std::string, double> gflops;     // "f32", "f64": the best; per instruction set: "f32/avx2"
  std::map<std::string, double> gbytes;     // "L1", "L2", "L3", "DRAM": read bandwidth in GB/s
  std::map<std::string, double> capacities; // "L1", "L2", "L3": bytes
};

struct GateOptions {
  fs::path cache;                                 // compiled references and modules, by content
  std::uint64_t seed = 0;                         // 0: from the operating system
  std::stop_token stop;                           // Ctrl-C: the job in flight ends as soon as possible
  std::function<void(std::string_view)> progress; // phase names, for the live table; may be empty
  std::optional<Ceilings> ceilings; // faster than these: AMBG after a second look; far beyond them: rejected
  // Of one call, while nothing is known about its time; later a multiple of what the incumbent takes. Not said: 30 s,
  // as a naive kernel takes seconds, and 90 s where the backend never times, as on an emulated device.
  std::optional<std::chrono::milliseconds> call_deadline;
  inputs::ForcedInputs forced; // validations are limited to these and to basic checks; their verdicts say so
};

class Gate {
public:
  // From then on the process keeps up to 1 GiB of freed memory (mallopt).
  static Result<Gate> open(std::shared_ptr<const kernel::Kernel> kernel, const backend::Backend& backend,
                           GateOptions options);
  Gate(Gate&&) noexcept;
  ~Gate();

  const backend::DeviceInfo& device() const;
  // Hash over device fingerprint, compiler, flags, jail layers: the `environment` of a result.
  const std::string& environment() const;

  // Who may end the calls that follow, and who is told of their phases, in place of what the options said.
  void attend(std::stop_token stop, std::function<void(std::string_view)> progress);

  // Whether this machine and backend can carry a recipe out: the error says why not. Everything below checks it too.
  Result<void> check(const record::Recipe& recipe) const;

  // Build and validate; no timing. Candidate mistakes are verdicts; an Error means that the gate could not work.
  Result<record::Verdict> validate(const record::Contender& contender, const record::Recipe& recipe,
                                   record::Depth depth);

  // Build, validate, then time against the incumbent in the recipe's regimes. A verdict other than `correct` has no
  // times. Cached builds and validations are reused within this object.
  Result<record::Verdict> judge(const record::Contender& contender, const record::Contender& incumbent,
                                const record::Recipe& recipe, record::Depth depth, bool both_regimes);

  // Build and validate once, then measure alone (against a copy of itself: gives times and the A/A band). A call that
  // takes longer than the deadline is a timeout; 0: GateOptions::call_deadline.
  Result<record::Verdict> measure(const record::Contender& contender, const record::Recipe& recipe, record::Depth depth,
                                  bool both_regimes, std::chrono::milliseconds call_deadline = {});

  // Compares two contenders that are already known to be correct.
  Result<record::ComparisonResult> compare(const record::Contender& candidate, const record::Contender& incumbent,
                                           const record::Recipe& recipe, record::Regime regime);

  // For performance tools ("gate/tool_run.h"): a candidate built as it is timed, and the memory of one call.
  Result<BuiltCandidate> build(const record::Contender& contender, const kernel::Sizes& sizes);
  Result<CallMemory> memory_of_call(const record::Contender& contender, const kernel::Sizes& sizes, std::uint64_t seed);

  // Counts the events of a call at the recipe's sizes and threads. An error: the candidate does not run.
  Result<EventCounts> count_events(const record::Contender& contender, const record::Recipe& recipe,
                                   std::uint64_t seed);

  // Builds in advance, on any thread, so that compiling overlaps with measuring. Later calls reuse the result.
  void prebuild(const record::Contender& contender, const record::Recipe& recipe);

private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
  explicit Gate(std::unique_ptr<Impl> impl);
};

// Which isolation layers hold here, for `hone doctor` and records.
struct IsolationLayer {
  std::string name; // "landlock", "seccomp", "user namespace", "bubblewrap", "separate uid"
  bool active = false;
  std::string detail; // "ABI 7", or why not
};
std::vector<IsolationLayer> isolation_layers();

// Library baselines that this machine has for this kernel at these sizes: name and setting, strongest candidates first.
// Empty for kernels no library computes.
struct Baseline {
  std::string name;    // "openblas", "onednn", "blis"
  std::string setting; // "OPENBLAS_CORETYPE=SkylakeX"; names what a loop of ours adds after the product
  double load_s = 0;   // what it takes to compile its code, about; each measurement loads it three times
};
std::vector<Baseline> baselines_for(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                                    const backend::Backend& backend);

// One thread, about two seconds. The error is the backend's when its device is not there.
Result<Ceilings> measure_ceilings(const backend::Backend& backend);
// Measures the rates again that bound most kernels, arithmetic in f32 and f64 and reads from memory, in about 0.4 s.
// A rate that was measured beside other work is too low: the larger one is kept. True where one grew.
Result<bool> raise_ceilings(Ceilings& ceilings, const backend::Backend& backend);
Json to_json(const Ceilings& ceilings);
Result<Ceilings> ceilings_from_json(const Json& json);
// Where the ceilings of a backend are kept: cache_folder()/ceilings-BACKEND.json.
fs::path ceilings_file(std::string_view backend);
Result<void> save_ceilings(const Ceilings& ceilings, const fs::path& path);
// Refuses ceilings that were measured on a device with another fingerprint.
Result<Ceilings> load_ceilings(const fs::path& path, std::string_view fingerprint);
// What bounds a call, as a roofline says: arithmetic, or the bandwidth of the level where its data begin.
struct Roof {
  double seconds = 0; // of a call at best; 0: not known
  std::string level;  // "DRAM", "L2", ... where bandwidth bounds it; empty: arithmetic
  double bytes = 0;   // that every call must move at least
  double gflops = 0;  // of arithmetic in these types, on all threads; 0: not measured
  double gbytes = 0;  // GB/s of that level, on all threads; 0: not measured
};
// Cold: all data come from memory, however small they are. Hot: from the nearest level that holds them.
Roof roof_of(const kernel::Kernel& kernel, const kernel::Sizes& sizes, const Ceilings& ceilings, int threads,
             record::Regime regime);

// Best possible time of one call on so many threads, each as fast as one alone: max(flops / rate, compulsory bytes /
// bandwidth of the nearest level that holds them). Seconds; 0 when the work is not known for these sizes.
double roofline_seconds(const kernel::Kernel& kernel, const kernel::Sizes& sizes, const Ceilings& ceilings,
                        int threads = 1);
// The same where weights were prepared ahead: how much of the work was done then is not known, but outputs must be
// written.
double floor_seconds_prepared(const kernel::Kernel& kernel, const kernel::Sizes& sizes, const Ceilings& ceilings,
                              int threads = 1);

} // namespace hone::gate
