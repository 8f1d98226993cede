// Windows laid out as a matrix: a convolution becomes a matrix product. (internal to the room)
//
// The pixels of an output plane are numbered, row after row, and the number is the column: vectors are full even where
// rows are short. For PIXELS of them a work-group copies all elements of their windows: strips of a tile's width, a
// line for every term of the reduction, with what changes nothing where a condition does not hold.
#pragma once

#include "lower/packed_windows.h"

namespace hone::lower {

// The same windows over numbered pixels: the row is no index any more. An error says why rows cannot be joined.
Result<WindowView> joined_rows(const kernel::Kernel& kernel, const WindowView& view);

class WindowMatrix final : public PackedWindows {
public:
  // `code` goes over the joined rows of `by_rows`.
  static Result<WindowMatrix> create(const WindowCode& code, const WindowView& by_rows);

  bool covers(const WindowCondition&) const override { return true; }
  Result<std::string> address() const override;
  Result<WindowFunction> copy() const override;
  std::string shared_bytes() const override;
  std::string length() const override; // of a line

private:
  WindowMatrix(const WindowCode& code, const WindowView& by_rows) : PackedWindows(code), m_by_rows(&by_rows) {}

  std::string extent_of(const kernel::IndexRange& range) const;
  std::string terms() const; // how many lines a strip has
  Result<ProgramBlock> copy_line(const std::string& to, const std::string& strip) const;
  Result<ProgramBlock> copy_run(const std::string& to, const std::string& from_column, const std::string& count) const;

  const WindowView* m_by_rows;
};

} // namespace hone::lower
