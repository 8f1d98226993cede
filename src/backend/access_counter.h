// Tools that run a call slowly and count what it does to memory, through modelled caches: for machines that let nobody
// read hardware counters.
//
// As with inspectors (inspector.h), a backend only describes the jobs; the gate runs them in the jail.
#pragma once

#include "backend/access_counts.h"
#include "backend/inspector.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone::backend {

class AccessCounter {
public:
  virtual ~AccessCounter() = default;
  virtual std::string_view name() const = 0;
  virtual std::string missing() const = 0; // empty where the tool is here; else what to install
  // The caches of this machine, as far as it tells; else usual ones.
  virtual std::vector<CacheLevel> levels() const = 0;
  // After so many accesses a run usually ends (InspectionInput::most_accesses): a matter of seconds.
  virtual std::size_t most_accesses() const = 0;
  // What it runs; jobs that need nothing of one another. `timed`: what the same input was compiled to for the runner.
  virtual Result<std::vector<CompileJob>> build_jobs(const BuildInput&, const Module& timed) const = 0;
  // One call, its groups in order on one thread, with caches that are empty at first; it ends by itself within 20 s of
  // CPU time. `input.built`: what the build
  // jobs put out; `input.seed` is not used. Errors: levels that no cache can have.
  virtual Result<CompileJob> job(const InspectionInput& input, const std::vector<CacheLevel>& levels) const = 0;
  // An error: the outputs are not those of such a job.
  virtual Result<AccessCounts> counts(const std::map<std::string, std::string>& outputs) const = 0;
};

// "L1=49152,12,64": bytes, ways, bytes of a line, as cachegrind's options give them.
Result<CacheLevel> parse_cache_level(std::string_view text);
std::string to_text(const CacheLevel& level);

// Whether these are caches: whole sets, lines of a power of two bytes, the same at all levels.
Result<void> check_levels(const std::vector<CacheLevel>& levels);

} // namespace hone::backend
