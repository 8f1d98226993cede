// Where candidate code lies while it runs: one executable range that the parent owns and keeps. All lanes of a thread
// use it in turn, each finding its own code there when it is told to run. The physical pages that code lies on change
// its speed by several percent in the cold regime; on the same pages that error is the same for both arms.
// (internal to the gate)
#pragma once

#include "gate/lane_memory.h"

#include <cstddef>
#include <memory>
#include <string>

namespace hone {

class CodeSlot {
public:
  CodeSlot() = default;
  // An image that will lie at `offset` in the slot. `room`: bytes that the slot must have, the same for all lanes that
  // are compared with each other.
  static Result<CodeSlot> share(std::string image, std::size_t offset, std::size_t room);

  // Copies the image in, unless it is there already; the rest is filled with an instruction that traps.
  void load();

  int fd() const;
  std::size_t size() const;

private:
  struct Pages;
  std::shared_ptr<Pages> m_pages;
  std::shared_ptr<const std::string> m_image;
  std::size_t m_offset = 0;
};

} // namespace hone
