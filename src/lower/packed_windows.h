// The part of the input that a work-group's windows cover, packed into group->shared before its tiles. (internal to the
// room)
#pragma once

#include "lower/window_code.h"

namespace hone::lower {

class PackedWindows {
public:
  explicit PackedWindows(const WindowCode& code) : name(code.local("packed")), m_code(&code) {}
  virtual ~PackedWindows() = default;
  PackedWindows(const PackedWindows&) = default;
  PackedWindows& operator=(const PackedWindows&) = default;

  // Whether the copy holds the neutral element wherever the condition does not hold, so that no test is needed.
  virtual bool covers(const WindowCondition& condition) const = 0;
  // Where the vector of the first column of a tile lies in the copy.
  virtual Result<std::string> address() const = 0;
  virtual Result<WindowFunction> copy() const = 0;
  // The bytes it takes, as a plan expression; elements of one line of it.
  virtual std::string shared_bytes() const = 0;
  virtual std::string length() const = 0;
  // "float* const packed = (float*)group->shared;"
  ProgramNode declaration() const;

  std::string name; // the copy's variable

protected:
  const WindowCode* m_code;
};

// The only load along the columns, when all channels share it. An error says why there is no such load.
Result<const WindowLoad*> load_to_pack(const WindowView& view);

// The neutral element of the reduction, for reads outside of the tensor: "0", "-INFINITY"; "" if there is none.
std::string neutral_element(const WindowView& view, const std::string& node);

} // namespace hone::lower
