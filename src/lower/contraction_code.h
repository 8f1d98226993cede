// Shared by all parts of the contraction compiler: the view, the shape of the nest, names, and code that addresses and
// loads elements of the operands.
#pragma once

#include "lower/candidate_text.h"
#include "lower/contraction_view.h"
#include "lower/expression_text.h"
#include "lower/lanes.h"
#include "lower/schedule.h"

#include <string>
#include <vector>

namespace hone::lower {

// The loop nest of a schedule: block and tile sizes, and where the sums live. Empty steps: no such loop.
struct NestShape {
  std::string m_block; // rows per work-group
  std::string n_block; // columns per block, in a group of its own (n_grouped) or walked by the group
  std::string k_block;
  bool n_grouped = false;
  bool m_loop = false;            // a loop over rows inside the group's block
  std::string m_step = "1";       // rows per tile
  std::string n_step = "1";       // columns per tile
  std::string tile_columns = "1"; // columns of a tile as separate sums: a number of elements, or of vectors
  bool vector = false;
  bool k_outside_n = false; // the sums live in memory
  bool n_outside_m = false; // a panel of columns is finished for all rows before the next one
  std::string unroll;

  bool register_tile() const { return m_step != "1"; }
};
NestShape nest_shape(const Schedule& schedule);

// A column as text: its index in the output, and its offset in the packed panel.
struct ColumnText {
  std::string index;
  std::string in_panel;
};
struct RowText {
  std::string index;
  std::string in_panel;
};

// Wide because each method writes one part of the loop nest; they share the schedule.
struct ContractionCode {
  ContractionCode(const kernel::Kernel& the_kernel, const Schedule& the_schedule, const Dialect& the_dialect)
    : kernel(the_kernel), schedule(the_schedule), dialect(the_dialect)
  {
  }

  const kernel::Kernel& kernel;
  const Schedule& schedule;
  const Dialect& dialect;
  ContractionView view;
  NestShape nest;
  kernel::DataType compute = kernel::DataType::f32;

  // Variables of the nest.
  std::string i, j, p;
  std::map<std::string, std::string> variables; // index -> variable, batch indices included
  std::string i_end, j_begin, j_end, p_begin, p_end;
  std::string p_from, p_to; // how much of k the group walks, in blocks from p_begin to p_end
  std::string sums;         // where tiles are stored: the output, a buffer of its shape, or the group's part in `parts`
  std::string parts;        // where the sums over all parts of a split k lie one behind the other
  std::string panel_a, panel_b;
  // Where a tile finds B, when that is a choice: the function's parameter, and its values.
  std::string from, in_place, copy, copying;
  std::string j_whole, last_columns; // where the columns end that fill vectors, and the copy of those behind
  std::vector<std::pair<std::string, std::string>> group_buffers; // besides panels: name, element type

  // Spellings, which macros.h may have names for.
  std::string element_type;
  std::string sum_type;
  std::string vector_type;
  std::string lanes;
  std::map<double, std::string> constants;

  static Result<ContractionCode> create(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

  // "VECTORS * lanes" with the lanes spelled for this program; "" stays "".
  std::string spell(const std::string& step) const;
  std::string type_of(kernel::DataType type) const;
  // A name that collides with no size, tensor or index.
  std::string local(const std::string& name) const;

  // Positions in the three tensors at a row, a column and a depth.
  Result<std::string> position(const kernel::Expr& load, const std::string& row, const std::string& column,
                               const std::string& depth) const;
  Result<std::string> output_position(const std::string& row, const std::string& column) const;
  // One element of A; one element or vector of B; the same from the packed copies where there are some.
  Result<std::string> load_a(const RowText& row, const std::string& depth) const;
  Result<std::string> load_b(const ColumnText& column, const std::string& depth, Lanes lanes) const;
  std::string panel_position(const ColumnText& column, const std::string& depth) const; // in the copy of B
  // Elements between neighbours along an index of an operand: "n", or "1".
  Result<std::string> stride(const kernel::Expr& load, const std::string& index) const;
  // Fetches an element of B itself, packed or not, and what lies beside it.
  Result<std::string> prefetch_b(const std::string& column, const std::string& depth) const;
  Result<std::string> load_output(const std::string& row, const std::string& column, Lanes lanes) const;
  Result<std::string> store_output(const std::string& row, const std::string& column, Lanes lanes,
                                   const std::string& value) const;
  // The same for finished sums, which may go elsewhere than those that wait.
  Result<std::string> store_finished(const std::string& row, const std::string& column, Lanes lanes,
                                     const std::string& value) const;
  // Stores a whole vector past the caches, where its address is aligned.
  Result<std::string> stream_output(const std::string& row, const std::string& column, const std::string& value) const;
  // The finished value of an element (or vector) whose sum is `sum`; what it needs before it goes to `before`.
  Result<std::string> finish(const std::string& sum, const std::string& row, const std::string& column, Lanes lanes,
                             ProgramBlock& before) const;

  // Parts of sums are finished by the launch that adds them up.
  bool has_epilogue() const
  {
    return !schedule.split && view.contraction.epilogue && view.contraction.epilogue->kind != kernel::ExprKind::hole;
  }
  // Unfinished sums wait beside the output, whose old values are read when they are finished.
  bool sums_wait_aside() const { return view.updates && !schedule.split && (blocked_k() || nest.k_outside_n); }
  bool blocked_k() const { return !nest.k_block.empty(); }
  std::string later_block() const { return p_begin + " > " + p_from; }
  std::string last_block() const { return p_end + " == " + p_to; }
  std::string extent(const kernel::IndexRange& range) const;
  std::string counter() const { return index_type(dialect); }

  // Every tensor, panel, size and variable of the nest that a function's body uses. One that fills panels gets
  // them writable.
  std::vector<ParameterText> parameters(const ProgramBlock& body, bool fills_panels) const;
  // Text of a block, and the sizes that its macros use behind it, to look for names in.
  std::string expanded(const ProgramBlock& body) const;
  // Definitions of index macros by name, for tensors of two dimensions and more.
  Result<std::vector<std::pair<std::string, std::string>>> index_macros() const;

private:
  Result<std::string> load_b_itself(const ColumnText& column, const std::string& depth, Lanes lanes) const;
  Result<std::string> store_in(const std::string& buffer, const std::string& row, const std::string& column,
                               Lanes lanes, const std::string& value) const;
  ExpressionText expression_text() const;
  std::vector<std::pair<std::string, std::string>> m_index_macros;
};

// The parameters of a launched function with this body: tensors, scratch and sizes, which become the launch's arguments
// too.
std::vector<ParameterText> entry_parameters(const ContractionCode& code, const ProgramBlock& body, LaunchText& launch);

// A function of `name` around a body, and how the nest calls it.
struct Outlined {
  ProgramNode definition;
  std::string name;
  std::string arguments;

  // `values` for the constants in front.
  ProgramNode call(const std::vector<std::string>& values = {}) const;
};
Outlined outline(const ContractionCode& code, const std::string& name, ProgramBlock body, bool fills_panels = false);

// What copies of B are called: A and B may be one tensor.
std::string name_of_b(const ContractionView& view);

// The same with int parameters in front, which are constants wherever the function is called, so that every call gets
// code of its own.
Outlined outline_by(const std::vector<std::string>& constants, const ContractionCode& code, const std::string& name,
                    ProgramBlock body);

// "const int64_t NAME = VALUE;", of the type that indices have.
ProgramNode constant(const ContractionCode& code, const std::string& name, const std::string& value);

// A definition, and what it is for.
ProgramBlock explained(ProgramNode definition, const std::string& purpose);

// The sizes that the kernel is timed at, as constants of the device code.
ProgramBlock constant_sizes(const kernel::Kernel& kernel, const Dialect& dialect);

} // namespace hone::lower
