// Where instructions begin in a library's code, so that a jump into the middle of one is seen, where another is hidden.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::cpu {

class CodeMap {
public:
  CodeMap() = default; // of nothing: every jump is right
  // `file`: the library as an ELF file; `base`: where it was loaded.
  CodeMap(const std::string& file, std::uintptr_t base);

  // Whether an instruction begins there, or the call that tells of it; or something that is not this library's.
  bool may_jump_to(std::uintptr_t address) const;

private:
  struct Section {
    std::uintptr_t begin = 0;
    std::vector<bool> begins;
  };
  std::vector<Section> m_sections;
};

} // namespace hone::cpu
