// A statement whose elements are computed side by side, and what its two forms share: names, reductions, stores.
// (internal to the room)
//
// Lanes along the target's last index: neighbouring elements, each with its own sum. Lanes along a sum: neighbouring
// terms of one element, where operands lie along what is summed over (a matrix times a vector).
#pragma once

#include "lower/expression_text.h"
#include "lower/schedule.h"
#include "lower/vector_text.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hone::lower {

// A reduction of the value, and the node that stands for what it comes to.
struct ElementReduction {
  const kernel::Expr* reduce = nullptr;
  std::string name; // the variable
  std::string node; // "value NAME" where elements of a row differ in it, "local NAME" where they do not
  bool varies = false;
};

// What a schedule says about elements.
struct ElementOptions {
  std::string rows;               // tuning parameter: rows of a tile; "" for one
  std::string columns;            // tuning parameter: columns of a tile of sums; "" for one
  std::string vectors;            // tuning parameter: vectors side by side
  std::string block = {};         // tuning parameter: rows of a matrix that several statements share; "" for none
  std::int64_t widest_stride = 1; // of loads along the columns
};

struct ElementCode {
  ElementCode(const kernel::Kernel& the_kernel, const Dialect& the_dialect, const kernel::Statement& the_source,
              ElementOptions the_options);

  const kernel::Kernel& kernel;
  const Dialect& dialect;
  const kernel::Statement& source;
  ElementOptions options;
  kernel::DataType compute;
  kernel::ExprPtr value;                        // the target's last index is called "column" in it
  std::string row;                              // the index before it, "" where there is one index only
  std::map<std::string, std::string> variables; // of indices
  std::string i, j;                             // variables of row and column; i is "" without a row

  std::string counter() const { return index_type(dialect); }
  std::string number() const { return type_text(compute, dialect); }
  std::string vector() const;
  std::string lanes() const;
  std::string fresh(const std::string& wanted);
  const std::set<std::string>& used() const { return m_used; }
  // Behind a brace, names that were made inside are free again.
  void free_names(std::set<std::string> but) { m_used = std::move(but); }

  // Indices spelled: the row and the column as the texts say.
  ExpressionText text(const std::string& row_text, const std::string& column_text) const;
  Result<std::string> integer(const kernel::Expr& expression, const std::string& row_text) const;
  Result<std::string> condition(const kernel::Expr& expression, const std::string& row_text) const;
  Result<std::string> position(ExpressionText& text, const std::string& row_text, const std::string& at) const;
  Result<std::string> extent(std::size_t dimension) const;
  Result<std::string> product_of_extents(std::size_t from, std::size_t to) const;

  // The element that is written, as it was before.
  bool is_kept(const kernel::Expr& expression) const;

  // The value with its reductions replaced by nodes; `along`: the index that runs through the lanes.
  kernel::ExprPtr without_reductions(const kernel::ExprPtr& expression, const std::string& along,
                                     std::vector<ElementReduction>& out);

private:
  std::set<std::string> m_used;
};

// From 0 to an extent, which no index and no data decide.
bool is_whole_range(const kernel::IndexRange& range);

// What selects a plane of rows and columns, out of the group's number.
Result<void> decode_outer(const ElementCode& code, ProgramBlock& block);

// Reductions are computed whatever a condition around them says: an error where what they read may lie outside of a
// tensor then.
Result<void> check_unconditional(const ElementCode& code, const kernel::Expr& value);

// for (int NAME = 0; NAME < COUNT; ++NAME), unrolled; the body alone where there is no count.
ProgramBlock unrolled(const std::string& name, const std::string& count, ProgramBlock body);
std::string neutral_of(kernel::ReduceOp op, kernel::DataType compute);
// into = into + body, as a statement; `vectors`: operands are vectors. Positions have no form.
Result<ProgramNode> taken_in(kernel::ReduceOp op, const std::string& into, const std::string& body, bool vectors,
                             kernel::DataType compute);

// `a` and `b` are texts of integers, the smaller and the larger of which is printed; numbers are folded.
std::string smaller_of(const std::string& a, const std::string& b);
std::string larger_of(const std::string& a, const std::string& b);

// Which terms of a sum the elements of a tile have: those from `begin` to `end` all of them, and single ones more.
struct TermRange {
  ProgramBlock before;
  std::string begin, end;
  std::vector<std::pair<std::string, std::string>> edges; // for an element of the tile, as `spot` spells it
};
// One index of the target that tells the elements of a tile apart, and how its first, its last and any value are
// spelled.
struct TileIndex {
  std::string index;
  std::string first, last, any;
};
Result<TermRange> term_range(ElementCode& code, const kernel::IndexRange& range, const std::vector<TileIndex>& tile);

// The names of tuning parameters.
inline const std::string k_group_rows = "TILE_M";
inline const std::string k_group_columns = "COLUMNS";
inline const std::string k_block_rows = "BLOCK_M";

// One launch: its grid, and the body.
struct ElementLaunch {
  std::vector<std::string> grid;
  ProgramBlock body;
  std::string shared; // bytes of the group's memory; "" for none
};

// The columns of a group, and the name of the variable that counts the rows of a step.
struct RowStream {
  std::string begin, end;
  std::string row;
  std::string sums = {};                      // a buffer for the sums, a multiple of lanes long; "": the group's memory
  std::string rows_begin = {}, rows_end = {}; // rows of a block; "": all that the sum has
};
// The sums begin; a block of rows is added; the finished sums are stored.
struct RowSums {
  ProgramBlock before, rows, behind;
};
// A sum of rows, as in y[j] = sum(i, A[i,j] * x[i]): the sums of the group's columns wait in the nearest caches,
// while a few rows at a time are read from their beginning to their end, as memory delivers them.
// `rest`: the value around the sum.
Result<RowSums> sums_of_rows(ElementCode& code, const ElementReduction& reduction, const kernel::Expr& rest,
                             const RowStream& stream);

Result<ElementLaunch> lanes_along_columns(ElementCode& code);
Result<ElementLaunch> lanes_along_sums(ElementCode& code);
// The same for a part of the rows, as statements: t[i] = sum(j, A[i,j] * x[j]), or A[i,j] = ..., from row `begin` on.
Result<ProgramBlock> elements_of_rows(ElementCode& code, const std::string& begin, const std::string& end);
Result<ProgramBlock> sums_along_rows(ElementCode& code, const std::string& begin, const std::string& end);

} // namespace hone::lower
