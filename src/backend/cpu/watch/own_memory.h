// What a candidate may touch beside the buffers of its call: its stack, as far as it has one, and its constants. What
// lies below the stack, above it or anywhere else belongs to others, and keeps from call to call what is written there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hone::cpu {

class OwnMemory {
public:
  OwnMemory() = default; // everything
  // `code`: an address in the candidate's library. `top_of_stack`: what the group itself lies below.
  OwnMemory(const void* code, const void* top_of_stack);

  void allow_reading(const void* begin, std::size_t bytes); // what describes a group

  // "" or whose it is, of an access that is made from a function whose frame lies above `frame`.
  std::string trouble(const void* address, std::size_t size, const void* frame, bool write) const;

  // Whether it may be where a stack ends that groups use: anywhere below the top, but not too far.
  bool is_in_stack(const void* address) const;

private:
  struct Range {
    std::uintptr_t begin = 0, end = 0;
  };

  bool m_everything = true;
  std::uintptr_t m_top = 0;
  std::vector<Range> m_constants;
  std::vector<Range> m_read;
};

} // namespace hone::cpu
