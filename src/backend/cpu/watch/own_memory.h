// Memory that a group may access besides the buffers of its call: its stack and the constants of its library. Other
// memory belongs to the program and keeps its contents between calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hone::backend::cpu {

class OwnMemory {
public:
  OwnMemory() = default; // allows everything
  // `code`: an address in the candidate's library. `stack_top`: the group's frames lie below it.
  OwnMemory(const void* code, const void* stack_top);

  void allow_reading(const void* begin, std::size_t bytes); // the group's description

  // "" or whose memory it is. `frame`: the accessing function's frame lies above it.
  std::string violation(const void* address, std::size_t size, const void* frame, bool write) const;

  // Whether a stack pointer with this value stays within the group's stack.
  bool is_in_stack(const void* address) const;

private:
  struct Range {
    std::uintptr_t begin = 0, end = 0;
  };

  bool m_everything = true;
  std::uintptr_t m_top = 0;
  std::vector<Range> m_library;
  std::vector<Range> m_readable;
};

} // namespace hone::backend::cpu
