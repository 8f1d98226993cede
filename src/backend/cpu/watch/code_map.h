// Instruction boundaries in a library's code. A jump to anywhere else runs an instruction hidden inside another one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::backend::cpu {

class CodeMap {
public:
  CodeMap() = default; // empty: every jump is valid
  // `file`: contents of the ELF file; `base`: its load address.
  CodeMap(const std::string& file, std::uintptr_t base);

  // Whether an instruction or its callback sequence begins at `address`, or it lies outside this library's code.
  bool may_jump_to(std::uintptr_t address) const;

private:
  struct Section {
    std::uintptr_t begin = 0;
    std::vector<bool> begins;
  };
  std::vector<Section> m_sections;
};

} // namespace hone::backend::cpu
