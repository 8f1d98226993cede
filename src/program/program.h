// Whole programs with a region of interest: a program is built, run and timed as it is, and one region of its text is
// replaced. The program runs its own host code, so that Hone vouches for less than for a kernel: tier C. Its numbers
// are ratios of whole runs, and are never mixed with those of kernels.
//
//   program.toml -> load() -> Judge::open() -> judge(text of the region) -> ProgramRecord
//
// What stands where: "program/region.h", the region in its file; "program/parameters.h", inputs that are drawn;
// "program/outputs.h", how outputs are compared; "program/machine.h", who builds and runs; "program/judge.h", the
// protocol; "program/record.h", what came of it; "program/records.h", what is kept beside the program;
// "program/improve.h", a language model that is asked for a better region.
#pragma once

#include "program/outputs.h"
#include "program/parameters.h"
#include "program/region.h"
#include "util/fs.h"
#include "util/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hone::program {

// Files by their path below the source folder, with "/".
using Tree = std::map<std::string, std::string>;

struct NamedInput {
  std::string name;
  Values values; // of every parameter
};

struct TimeSetting {
  Parameters parameters; // of the timed runs: fixed values, or what is drawn for each pair
  int pairs = 9;         // of runs, original and replacement
  int cpus = 1;          // that a run may use
  double slack = 0.05;   // how much of the program's time may differ between what the region and the whole saved
};

struct Program {
  std::string name;
  fs::path folder; // with program.toml
  fs::path file;
  std::string source_folder; // its name below `folder`
  Tree sources;
  std::vector<std::string> build;           // run in the jail, in the tree
  std::vector<std::string> run;             // with {parameter} in its words; "./x" is a file of the built tree
  std::string input;                        // template of standard input
  std::map<std::string, std::string> files; // templates of files in the working folder
  double limit_s = 60;                      // of one run
  RegionSpec region;
  std::vector<OutputSpec> outputs;
  Tolerance tolerance;
  std::vector<std::string> ignored; // lines of stdout and text files that hold one of these are not compared
  std::vector<NamedInput> inputs;   // declared: whoever writes a replacement may know them
  Parameters drawn;                 // fresh inputs, which nobody knows before
  int fresh = 6;                    // how many of them
  TimeSetting time;

  const std::string& region_file() const { return sources.at(region.file); }
};

// `where`: the program's folder or its program.toml. The error names the place of the first mistake.
Result<Program> load(const fs::path& where);

// The whole tree with another region; see with_region().
Result<Tree> with_replacement(const Program& program, const std::string& replacement);

} // namespace hone::program
