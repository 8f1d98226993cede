// Who builds programs and runs them: the jail of this machine, or something that pretends to in tests.
#pragma once

#include "program/program.h"
#include "util/result.h"

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::program {

// A tree that was built; it is gone with the last one who holds it.
class BuiltProgram {
public:
  virtual ~BuiltProgram() = default;
};

struct BuildOutcome {
  std::shared_ptr<const BuiltProgram> program; // null: the build failed
  std::string log;
  double seconds = 0;
};

struct RunRequest {
  std::vector<std::string> command; // "./x" is a file of the built tree, {tree} its folder
  std::string input;
  std::map<std::string, std::string> files; // in the working folder, which is empty otherwise
  std::vector<std::string> collect;         // files to read there afterwards
  double limit_s = 60;
  int cpus = 1;
};

struct RunOutcome {
  int exit_status = -1; // -1: killed
  int signal = 0;
  bool timed_out = false, cut = false; // cut: wrote more than is kept
  std::string out, err;
  std::map<std::string, std::string> files; // of those to collect, the ones that are there
  double seconds = 0;                       // wall time, from outside, setting up the jail included
};

class Machine {
public:
  virtual ~Machine() = default;
  virtual Result<BuildOutcome> build(const Tree& tree, const std::vector<std::string>& command) = 0;
  virtual Result<RunOutcome> run(const BuiltProgram& program, const RunRequest& request) = 0;
};

// Landlock, seccomp, limits, no network: see "gate/jailed_folder.h". A program runs in a fresh folder and may read the
// tree it was built from.
std::unique_ptr<Machine> make_jail_machine(std::stop_token stop);

} // namespace hone::program
