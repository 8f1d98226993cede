// The part of a tensor that the windows of a work-group cover, copied to group->shared with its border. (internal to
// the room)
//
// The copy has a dimension for every subscript that the reduction, or the rows of the group, move; its last one holds
// what lies along the columns: elements that are `stride` columns apart side by side, so that tiles load whole vectors.
// Where a window sticks out over the border the copy holds what changes nothing, and no condition is left.
#pragma once

#include "lower/packed_windows.h"

namespace hone::lower {

class WindowPacking final : public PackedWindows {
public:
  // An error says why the windows cannot be copied.
  static Result<WindowPacking> create(const WindowCode& code);

  bool covers(const WindowCondition& condition) const override; // those that are the border
  Result<std::string> address() const override;
  Result<WindowFunction> copy() const override; // what the group's rows need
  std::string shared_bytes() const override;
  std::string length() const override;

private:
  explicit WindowPacking(const WindowCode& code) : PackedWindows(code) {}

  struct Span {             // of one subscript
    kernel::ExprPtr first;  // its smallest value in the group
    kernel::ExprPtr offset; // how far beyond it an element lies
    kernel::ExprPtr extent; // how many values it takes
    kernel::ExprPtr most;   // the same for a full block of rows, for the plan
    bool moves = false;     // there is more than one
  };
  Result<Span> span_of(const kernel::Expr& subscript) const;
  Result<void> check_conditions();
  Result<ProgramBlock> copy_columns(const std::string& to, const std::vector<std::string>& subscripts) const;

  const WindowLoad* m_load = nullptr;
  std::vector<Span> m_spans; // of the subscripts
  std::vector<kernel::ExprPtr> m_extents;
  std::string m_outside; // what changes nothing
};

} // namespace hone::lower
