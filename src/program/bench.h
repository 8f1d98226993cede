// Where a program and its replacements are built and run: the original's two builds, runs on drawn inputs, and what is
// wrong with a replacement. (internal to the room)
#pragma once

#include "program/instrument.h"
#include "program/judge.h"
#include "program/machine.h"
#include "program/record.h"
#include "util/random.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone::program {

// Both builds of one region: as it is, and timed from within.
struct Arm {
  std::shared_ptr<const BuiltProgram> plain, timed;
  std::string report; // the file in which `timed` tells the region's time
};

// Why a replacement is not right.
struct Fault {
  record::Status status = record::Status::correct;
  std::string reason, log;
};

// One run of the original's plain build, and one of its timed build, on the same input.
struct OriginalTimes {
  double whole_s = 0, timed_s = 0;
  RegionTime region;
};

class Bench {
public:
  Bench(Program program, Machine& machine, JudgeOptions options);

  const Program& program() const { return m_program; }
  const Region& region() const { return m_region; }
  std::uint64_t seed() const { return m_seed; }
  void tell(std::string_view text) const;

  // Finds the region, builds the original and runs it on the declared inputs.
  Result<void> prepare();
  // A fault where the program does not build with this replacement; timed from within, too, where times are asked for.
  Result<std::optional<Fault>> build(const std::string& replacement, Arm& arm);
  // The plain build alone; null where it does not build.
  Result<std::shared_ptr<const BuiltProgram>> build_plain(const std::string& replacement);
  // On all declared inputs and on fresh ones.
  Result<std::optional<Fault>> verify(const BuiltProgram& built, std::vector<ComparedInput>& compared);
  // The original against what it wrote first, on the declared inputs.
  Result<Agreement> repeat();
  // One run of each of the four builds, in an order of their own, on a fresh input. All outputs are compared.
  Result<std::optional<Fault>> time_pair(const Arm& replaced, PairTimes& times);
  Result<OriginalTimes> time_original();
  // Of a program that does nothing: what starting and ending one takes, seconds.
  Result<double> time_of_nothing() const;

private:
  Result<void> go_on() const;
  std::unexpected<Error> original_fails(const std::string& how, const Values& values) const;
  Result<RunOutcome> run(const BuiltProgram& built, const Values& values, double limit_s,
                         const std::string& report = {}) const;
  Result<RunOutcome> run_original(const BuiltProgram& built, const Values& values,
                                  const std::string& report = {}) const;
  Result<BuildOutcome> build_text(const std::string& text) const;
  Result<std::string> timed_text(const std::string& replacement, const std::string& name) const;
  Result<void> build_original();
  Result<std::optional<Fault>> verify_on(const BuiltProgram& built, const Values& values, const RunOutcome& expected,
                                         const std::string& name, ComparedInput& compared) const;
  std::optional<Fault> fault_of(const RunOutcome& got, const RunOutcome& expected, const Values& values,
                                const std::string& name, double limit_s, double& worst) const;

  Program m_program;
  Machine& m_machine;
  JudgeOptions m_options;
  Region m_region;
  std::uint64_t m_seed;
  Random m_random;
  Arm m_original;
  std::map<std::string, RunOutcome> m_known; // what the original wrote on declared inputs, by their name
};

} // namespace hone::program
