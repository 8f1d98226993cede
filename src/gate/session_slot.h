// Where candidate code lies while it runs: executable pages that the parent owns. The two arms of a pair use the same
// pages in turn, each finding its own code there when it is told to run: the physical pages that code lies on change
// its speed by several percent in the cold regime. Each pair gets pages of its own, so that a place that suits one of
// two different codes shows as disagreement between pairs. (internal to the gate)
#pragma once

#include "gate/session_memory.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace hone::gate {

struct CodeMemory;
using CodePages = std::shared_ptr<CodeMemory>;

// Pages for images of up to this many bytes, offset included, filled with an instruction that traps.
Result<CodePages> make_code_pages(std::size_t bytes);

class CodeSlot {
public:
  CodeSlot() = default;
  // An image that will lie at `offset` in the pages, which others may use in between.
  static Result<CodeSlot> share(CodePages pages, std::string image, std::size_t offset);

  // Copies the image in, unless it is there already; all else traps.
  void load();

  int fd() const;
  const SharedMemory& memory() const;
  std::size_t size() const;
  std::span<const std::byte> bytes() const; // as they are now

private:
  CodePages m_pages;
  std::shared_ptr<const std::string> m_image;
  std::size_t m_offset = 0;
};

} // namespace hone::gate
