// From what was measured about a candidate to what bounds it: one rule for each kind of bottleneck. (internal)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::tools {

// What the other tools know, as far as they could look; zeros and empty texts where not.
struct CandidateFacts {
  std::string lines;              // of the hot loop
  int arithmetic = 0, memory = 0; // its instructions
  int calls = 0, special = 0, gathers = 0, others = 0;
  bool scalar = false;                // its arithmetic is one number an instruction (CPUs)
  double cycles = 0, port_cycles = 0; // of a round; and where nothing waits for results
  std::string chain, port;            // the instructions that wait for one another; the busiest port

  struct Level {
    std::string name;   // that is read from: "L2", "DRAM"
    double seconds = 0; // that its bandwidth alone takes for what the call moves
  };
  std::vector<Level> levels;
  double seconds = 0;            // a measured call
  double first_level_misses = 0; // share of the accesses
  double stack_share = 0;        // of the accesses
  struct Site {
    std::string what; // "B at device.cpp:14"
    double share = 0; // of the first level's misses
    long long stride = 0;
    double conflicts = 0; // share of its misses
    double crossings = 0; // share of its accesses that lie in two lines
  };
  std::vector<Site> sites; // the heaviest first
  long long line_bytes = 64;
};

struct Bottleneck {
  std::string name;     // "strided access"
  double weight = 0;    // 0 to 1: how much of the time it explains, roughly; for the order
  std::string evidence; // a sentence with numbers
};

// The most important first; empty where nothing stands out.
std::vector<Bottleneck> bottlenecks_of(const CandidateFacts& facts);

// Words by which a transformation's `bottleneck` says that it relieves this kind.
std::vector<std::string_view> words_for(std::string_view bottleneck);
// All kinds, for documentation and tests.
std::vector<std::string_view> bottleneck_names();

} // namespace hone::tools
