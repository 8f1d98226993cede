// Exhausting a space once: what strategies are compared on afterwards, without the machine.
//
// The gate's trials take wall time that a shared machine disturbs. A recording only has to rank, and the points of a
// bench's candidates are known to be right: they are compiled by the backend's own commands, called in this process
// beside the incumbent, block by block in turns, and everything is counted in CPU time. Not a way to judge candidates.
#pragma once

#include "tune/stored_space.h"
#include "util/fs.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

struct RecordOptions {
  fs::path kernel;                // folder
  fs::path candidate;             // folder; its launch.toml names the space
  std::vector<std::string> sizes; // "m=512,n=512,k=512": one space each, compiled once for all
  std::vector<fs::path> out;      // its file; one that is there is gone on with
  int pairs = 2;                  // of a trial
  double pair_seconds = 0.05;     // CPU time of a pair
  std::size_t best = 20;          // fastest points that are measured again, in turns
  int rounds = 10;                // how often, a pair each
  double seconds = 600;           // wall time for the trials; the rest of the space is left out then
};

Result<void> record_spaces(const RecordOptions& options);

} // namespace hone
