// Tools that run a candidate slowly and watch its accesses to memory, such as oclgrind: they see races and accesses out
// of bounds that neither outputs nor guard bands show.
//
// As with compilers, a backend only describes the job; the gate runs it in the jail.
#pragma once

#include "backend/backend.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::backend {

struct InspectionInput {
  const BuildInput& build;
  std::map<std::string, std::string> built; // what the build jobs put out
  // Bytes of each kernel argument before the call; those of pure outputs are not used.
  std::vector<std::span<const std::byte>> arguments;
  // Bytes of each scratch buffer of the plan that its launches only read; empty for the others.
  std::vector<std::span<const std::byte>> scratch;
  std::size_t most_accesses = 0; // watch as many groups as these are enough for; 0: all
  std::uint64_t seed = 0;        // draws their order
  int threads = 1;               // among which the groups of a launch would be shared out, for counters
};

struct InspectionFinding {
  enum class Kind { race, write_out_of_bounds, read_out_of_bounds, unwritten_read, hidden_code, crash, other };
  Kind kind = Kind::other;
  std::string text; // one line: "device.cl:7: write-write data race on local memory (work-items 0 and 1 of group 3)"
};

class Inspector {
public:
  virtual ~Inspector() = default;
  virtual std::string_view name() const = 0; // "oclgrind"
  virtual std::string_view way() const = 0;  // in which it runs a call: "groups one after another in any order"
  virtual std::string missing() const = 0;   // empty where the tool is here; else what to install
  virtual double most_work() const = 0;      // flops + bytes of a call that takes it about a second
  // Of a larger call, of which it watches a part; 0: it watches whole calls only.
  virtual std::size_t most_accesses() const { return 0; }
  // What the tool runs, where that is compiled first, by jobs that need nothing of one another. Equal lists of them are
  // carried out once. `timed`: what the same input was compiled to for the runner. `bare`: without definitions of the
  // tool's own, for candidates that do not compile with them.
  virtual Result<std::vector<CompileJob>> build_jobs(const BuildInput&, [[maybe_unused]] const Module& timed,
                                                     [[maybe_unused]] bool bare) const
  {
    return std::vector<CompileJob>();
  }
  virtual Result<CompileJob> job(const InspectionInput& input) const = 0;
  // Several of these as one, where the tool can and they run the same: each in a process of its own, one after the
  // other, until one fails. What the first puts out is named name_together(0, its name) then, and so on.
  virtual std::optional<CompileJob> together(const std::vector<CompileJob>&) const { return std::nullopt; }
  static std::string name_together(std::size_t number, const std::string& name)
  {
    return std::to_string(number) + "." + name;
  }
  // Whether a candidate is at fault that does not compile for the tool, or that it gives up on.
  virtual bool takes_all() const { return false; }
  // Under which names the job hands an output of a whole call back, one for each time it is carried out; none where it
  // does not.
  virtual std::vector<std::string> output_names(std::size_t) const { return {}; }
  // What the tool saw, each place once, in its order. An error: it gave up on this candidate.
  virtual Result<std::vector<InspectionFinding>> findings(const std::map<std::string, std::string>& outputs) const = 0;
};

} // namespace hone::backend
