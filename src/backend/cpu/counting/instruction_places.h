// Where instructions come from, as addr2line tells it. (internal)
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hone::backend::cpu {

struct InstructionPlace {
  std::string file; // without its folder; "": not known
  int line = 0;
  std::string function;
  bool operator==(const InstructionPlace&) const = default;
};

// By address. `text`: what `addr2line -a -f -i -C` prints. Of the functions that were inlined into one another the
// innermost that stands in the candidate's own files counts: a line of an intrinsics header says nothing.
std::map<std::uint64_t, InstructionPlace> instruction_places(std::string_view text);

} // namespace hone::backend::cpu
