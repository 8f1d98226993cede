// What a check of stored files found in one place, and the way out.
#pragma once

#include <string>
#include <vector>

namespace hone {

struct Finding {
  enum class Kind {
    damage,   // something that was stored cannot be believed or read any more
    leftover, // harmless: what a killed or interrupted process left behind
  };
  Kind kind = Kind::damage;
  std::string where;   // the file, or the record or object in it
  std::string what;    // what is wrong with it
  std::string way_out; // what to do; what was done, where `mended`
  bool mended = false;
};

using Findings = std::vector<Finding>;

} // namespace hone
