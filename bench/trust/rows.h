// What bench_trust writes: CSV on stdout, a line per comparison as soon as it is there, under a head that says where
// the figures come from. Files may be joined; trust_page.py reads all of them.
#pragma once

#include "gate/gate.h"

#include <string>

namespace hone {

// The line of facts: command, machine, date, commit.
void print_head(int argc, const char* const* argv);

// One comparison and what was true about it.
struct TrustRow {
  std::string study;          // "simulated", "aa", "known"
  std::string subject;        // kernel, or the modelled machine
  std::string neighbour;      // "none", "memory": what ran on the other CPU
  double call_s = 0;          // about: names the row's column
  double true_ratio = 1;      // of the calls' work
  double ratio_of_blocks = 1; // what hand-overs leave of it, where that is known; else as above
  double seconds = 0;         // wall time of the comparison
};
void print_row_heading();
void print_row(const TrustRow& row, const record::ComparisonResult& result);

} // namespace hone
