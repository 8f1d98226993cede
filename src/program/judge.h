// The protocol: a replacement of the region is scanned, built, verified on declared and on fresh inputs, and timed in
// pairs beside the original, each pair on an input of its own whose outputs are compared, too.
#pragma once

#include "program/machine.h"
#include "program/program.h"
#include "program/record.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace hone::program {

struct JudgeOptions {
  std::uint64_t seed = 0;                         // 0: from the operating system
  bool timing = true;                             // false: verified only
  std::function<void(std::string_view)> progress; // what is being done; may be empty
  std::stop_token stop;
};

// How the original behaves: what a judgement of a replacement rests on.
struct ProgramCheck {
  std::string program, sources, region, text; // its text
  int lines = 0;
  bool repeats = true; // twice the same outputs, within the tolerance
  std::string difference;
  double whole_s = 0;           // a timed run, from outside
  double region_s = 0;          // in it; by the program's own account
  double entries = 0;           // into the region, in it
  double share = 0;             // region_s of the run that reported it
  double started_s = 0;         // of whole_s, what starting and ending a process in the jail takes
  std::size_t reals = 0;        // real numbers in the outputs of the declared inputs
  std::string without_region;   // what the verification says where the region does nothing
  bool notices_nothing = false; // it passes
  std::vector<std::string> warnings;

  bool sound() const { return repeats && !notices_nothing && entries > 0; }
};

// Who wrote a replacement: what Hone's own engine printed need not be scanned for what a region may not say.
enum class Author { foreign, hone };

class Judge {
public:
  // Builds the original. `machine` lives longer. The error: the original cannot be built or fails on a declared input.
  static Result<Judge> open(Program program, Machine& machine, JudgeOptions options);
  Judge(Judge&&) noexcept;
  ~Judge();

  const Program& program() const;
  const Region& region() const; // the original's
  Result<ProgramCheck> check();
  // A replacement's mistakes are a record; an Error means that Hone or the original could not work.
  Result<ProgramRecord> judge(const std::string& replacement, Author author = Author::foreign);

private:
  struct State;
  explicit Judge(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

// SHA-256 over the sources and the program's file: records of another one say nothing about this.
std::string sources_hash(const Program& program);

} // namespace hone::program
