// An attack as data: a folder of tests/attacks with its `expect`, and the detectors that may refuse one.
#pragma once

#include "gate/gate.h"

#include <map>
#include <string>
#include <vector>

namespace hone::attacks {

// What refuses a candidate: a validator or a stage of the gate (one line of the file `detectors`).
struct Detector {
  std::string name;
  std::string check;              // name of the failed check in a verdict; empty: any
  std::vector<std::string> words; // one of them stands in the reason; empty: none is asked for
  bool ends_at_build = false;     // no call is needed to see it
};
using Detectors = std::map<std::string, Detector>;

struct Attack {
  std::string name;
  fs::path folder;
  std::vector<std::string> detectors; // one of them refuses it; empty where it is honest
  std::vector<std::string> statuses;  // one of them is the answer
  std::string reason;                 // stands in the reason
  std::string kernel = "matmul";
  std::vector<std::string> sizes; // "n=1"
  std::vector<std::string> each;  // words for the macro EACH; empty: one run
  std::string against;            // another attack: compared with it instead of measured alone
  std::string needs;              // a program
  std::string secret;             // stands nowhere in the answer
  int deadline = 60;              // seconds
  bool timing = true;
  bool in_default_set = true;
  int repeat = 1;
  int tries = 1;
  int threads = 1;

  bool is_for_opencl() const;
  // What is judged side by side: "opencl", or the name of the kernel.
  std::string group() const { return is_for_opencl() ? "opencl" : kernel; }
};

Result<Detectors> load_detectors(const fs::path& file);
Result<Attack> load_attack(const fs::path& folder, const Detectors& detectors);
// All folders with an `expect`, by name.
Result<std::vector<Attack>> load_attacks(const fs::path& folder, const Detectors& detectors);
// Whether all detectors of it work before anything of it is called.
bool ends_at_build(const Attack& attack, const Detectors& detectors);

// How the gate answered.
struct Answer {
  std::string status; // "refused": nobody judged
  std::string check;  // the one that failed
  std::string reason;
};
Answer answer_of(const record::Verdict& verdict);
// Why this is not the answer that the attack expects; empty: it is. `word` stands in place of EACH.
std::string complaint(const Attack& attack, const Detectors& detectors, const std::string& word, const Answer& answer);

} // namespace hone::attacks
