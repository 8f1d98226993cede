// From what was counted and modelled about a candidate to what bounds it: one rule for each kind of bottleneck. A rule
// says what share of the modelled time its cause takes; nothing is measured. (internal)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::tools {

// What the other tools know, as far as they could look; zeros and empty texts where not. Costs are cycles of a call,
// by cost_model.h.
struct CandidateFacts {
  // A round of the hot loop.
  std::string lines;
  int arithmetic = 0, memory = 0, others = 0; // its instructions
  int calls = 0, divisions = 0, gathers = 0;  // of these
  int guesses = 0;                            // branches within it that ask for data
  bool scalar = false;                        // its arithmetic is one number an instruction (CPUs)
  double cycles = 0, port_cycles = 0;         // of a round; and where nothing waits for results
  std::string chain, port;                    // the instructions that wait for one another; the busiest port
  double rounds = 0;

  // Accesses of one line of the source to one memory.
  struct Site {
    std::string what;         // "B at device.cpp:14"
    long long stride = 0;     // bytes
    double usual_stride = 0;  // share of the steps that are of this stride
    double bytes_of_line = 0; // that are accessed for each line that the first level misses
    double cycles = 0;        // that its lines take which the first level does not have
    double memory_cycles = 0; // of these: of lines that come from memory
    double conflicts = 0;     // of these cycles: lines that a cache of the same size without sets would have kept
    double crossings = 0;     // accesses that lie in two lines
    double page_misses = 0, page_walks = 0;
    double contested = 0; // stores to lines that other threads store to as well
  };
  std::vector<Site> sites;
  long long line_bytes = 64;
  double stack_share = 0; // of the accesses
  double accesses = 0;

  // A GPU's, instead of all that.
  struct WarpSite {
    std::string what;
    double sectors = 0, least_sectors = 0; // of global memory; that the bytes wanted would fill
    double memory_bytes = 0;               // of sectors that the L2 cache does not have
    double turns = 0, least_turns = 0;     // of shared memory's banks
    double branches = 0, parted = 0;
  };
  std::vector<WarpSite> warp_sites;
  double warp_instructions = 0, warp_items = 0;

  double core_cycles() const;
  double total() const; // of everything above
};

struct Bottleneck {
  std::string name;     // "strided access"
  double weight = 0;    // 0 to 1: its share of the modelled time; shares overlap where one remedy serves two causes
  std::string evidence; // a sentence with numbers
};

// The most important first; empty where nothing stands out.
std::vector<Bottleneck> bottlenecks_of(const CandidateFacts& facts);

// Words by which a transformation's `bottleneck` says that it relieves this kind.
std::vector<std::string_view> words_for(std::string_view bottleneck);
// All kinds, for documentation and tests.
std::vector<std::string_view> bottleneck_names();

} // namespace hone::tools
