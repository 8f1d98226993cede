// The kinds of hidden sizes: one table of named rows.
#pragma once

#include "util/result.h"

#include <span>
#include <string>
#include <string_view>

namespace hone::inputs {

class SizeDraw;

// Rows whose sizes are drawn together.
enum class SizeGroup { hidden, longer, further, strata, corners, literal };

struct SizeRow {
  std::string_view name; // "farthest"
  SizeGroup group;
  std::string_view applies; // to which kernels and candidates
  std::string_view sizes;   // what is drawn
  std::string_view reason;  // which fault of a candidate it finds
  Result<void> (*generator)(SizeDraw& draw);
};

std::span<const SizeRow> size_table();

// The error names the row that is nearest to the name.
Result<const SizeRow*> size_row_named(const std::string& name);

// Whether the row's sizes are wanted where only `forced` is, or, without, everything.
inline bool is_wanted(const SizeRow& row, const SizeRow* forced)
{
  return forced == nullptr || forced == &row;
}

} // namespace hone::inputs
