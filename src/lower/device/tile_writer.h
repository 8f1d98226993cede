// The class behind tile_statement(). (internal to the folder)
#pragma once

#include "lower/candidate_text.h"
#include "lower/device/expression.h"
#include "lower/device/matrix_instruction.h"
#include "lower/device/reductions.h"
#include "lower/device/tile_function.h"
#include "lower/expression_text.h"
#include "util/text.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace hone::lower::device {

inline std::string product(const std::vector<std::string>& factors)
{
  std::vector<std::string> out;
  std::ranges::copy_if(factors, std::back_inserter(out),
                       [](const std::string& one) { return one != "1" && !one.empty(); });
  return out.empty() ? "1" : join(out, " * ");
}

// What stands in place of a load while the terms of a sum are added.
struct Operand {
  kernel::ExprPtr load;
  std::string text;                              // of the load
  bool rows = false;                             // it names the index of rows
  bool columns = false;                          // it names the index of columns
  std::string block;                             // in local memory; "": read where it lies
  bool along_k = false;                          // the block's rows hold the terms of one row
  std::string row_elements;                      // of the block
  kernel::DataType type = kernel::DataType::f32; // of the block's elements
};

class TileFunction {
public:
  TileFunction(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source,
               const TileOptions& options)
    : m_kernel(kernel), m_dialect(dialect), m_source(source), m_options(options),
      m_values(kernel, compute_type(kernel, source)), m_text(kernel, dialect, compute_type(kernel, source)),
      m_reductions(outermost_reductions(*source.value))
  {
  }

  Result<TiledStatement> build();

private:
  // --- what the axes are ---

  Result<void> choose_axes();

  // The rows of a tile are an index that the operands of columns do not name: what is loaded is used for each row.
  const kernel::IndexRange* rows_of_most_use() const;

  bool of_rows(const kernel::Expr& expression) const;
  bool of_columns(const kernel::Expr& expression) const { return kernel::names_anywhere(expression, m_columns->name); }

  // --- loops over the item's tile ---

  Block each(const std::string& name_of_loop, const std::string& count, Block body) const;
  Block each_row(Block body) const { return each(m_row_name, has_rows() ? m_options.tile_m : "1", std::move(body)); }
  Block each_vector(Block body) const { return each(m_vector_name, m_options.tile_n, std::move(body)); }
  Value row_number() const { return m_rows == nullptr || m_options.tile_m == "1" ? integer(0) : name(m_row_name); }
  Value vector_number() const { return m_options.tile_n == "1" ? integer(0) : name(m_vector_name); }

  Type number_type() const { return with_lanes(m_values.number_type(), m_options.lanes); }
  Type sum_type(const kernel::Expr& reduce) const;

  // A variable for each row of the tile, each vector, or each of both: an array, or one variable where that is one.
  Value slot(const std::string& called, const Type& type, bool rows, bool vectors) const;
  Block set_slots(const std::string& called, bool rows, bool vectors, Value value, bool constant) const;
  bool has_rows() const { return m_rows != nullptr && m_options.tile_m != "1"; }

  // Where the tile's columns and rows lie, for the code inside of the loops over them.
  void point_at(Value row, Value column);
  void point_at_tile();

  // Of a group.
  std::vector<std::string> row_factors() const;
  std::vector<std::string> column_factors() const;
  static Value product_of(const std::vector<std::string>& factors);
  Value tile_rows() const { return product_of(row_factors()); }
  Value tile_columns() const { return product_of(column_factors()); }
  Value group_items() const { return parameter(m_options.group_m) * parameter(m_options.group_n); }
  Value group_item() const { return m_item_y * parameter(m_options.group_n) + m_item_x; }

  // --- the function ---

  Result<Block> whole_body();

  Result<Block> tile_body(const Value& columns, const Value& rows);

  // Groups that take tile after tile: the loop over tiles around what a group does for one.
  Result<Block> tile_loop(const Value& columns, const Value& rows, Block tile_body);

  // Where the group's tile lies among the tiles.
  Value group(int axis) const { return m_tile ? m_of_tile[static_cast<std::size_t>(axis)] : group_id(axis); }

  Value width() const { return m_options.lanes.empty() ? integer(1) : name(m_options.lanes); }

  Result<Value> extent_of(const kernel::IndexRange& index);

  // Groups that follow each other take GROUP_ROWS rows of groups before the next column of groups, so that what they
  // read is still in a cache that they share.
  std::pair<Value, Value> groups(Block& body, const Value& columns, const Value& rows);

  // The remaining indices from the third coordinate, the last one fastest.
  Result<void> decode_others(Block& body);

  // rows[] and columns[]: places that exist, also for what lies beyond the edge and is not stored.
  void define_places(Block& main, const Value& rows, const Value& columns);

  Value row_in_tile() const;
  Value column_in_tile() const;
  Value wanted_row() const { return m_first_row + row_in_tile(); }
  Value wanted_column() const { return m_first_column + column_in_tile(); }

  // --- sums ---

  bool staging() const { return !m_staged.empty(); }

  Result<void> add_sum(const kernel::Expr& reduce, Block& main);

  // The loops of a sum around what one term does.
  Result<Block> terms(const kernel::Expr& reduce, const Value& place);

  // Loads that no condition guards are shared: those of columns by all rows, those of rows by all columns.
  Result<Block> term(const kernel::Expr& reduce, const Value& place);

  // A condition that differs from column to column. It holds between the columns where it holds, so that the first and
  // the last lane speak for a vector. Where they do not, the vector is put together lane by lane.
  Result<Block> masked_term(const kernel::Expr& reduce, const Value& place);

  // Into those that name the columns and the others. Only what holds between two columns where it holds is taken.
  Result<void> sort_conditions(const kernel::Expr& condition, std::vector<const kernel::Expr*>& of_column,
                               std::vector<const kernel::Expr*>& of_others) const;

  std::vector<Operand> operands_of(const kernel::Expr& reduce) const;

  // --- blocks in local memory ---

  // Operands of the only sum that name its index and rows or columns, but not both.
  Result<void> choose_staging();

  Value block_size(const Operand& operand) const;
  // Rows or columns of the operand's block.
  Value elements_of(const Operand& operand) const;
  std::string elements_text(const Operand& operand) const;
  // A place in the numbered of several blocks; where there is one, the place itself.
  Value in_stage(const Operand& operand, const Value& buffer, const Value& at) const;

  // The terms of row r begin r places later in the block's row, so that rows lie in different banks.
  Value rotated(const Value& element, const Value& slice_term) const;

  Value place_in_block(const Operand& operand, const Value& element, const Value& slice_term) const;

  Result<Value> loaded_operand(const Operand& operand, Block& before);

  // All items of the group fill a block together, neighbours with what lies side by side in memory.
  Result<Block> fill(const Operand& operand, const kernel::IndexRange& k, const Value& first, const Value& end,
                     const Value& buffer);

  Result<Block> fill_all(const kernel::IndexRange& k, const Value& first, const Value& end, const Value& buffer);

  // Slice by slice.
  Result<Block> slices(const kernel::Expr& reduce, const Value& place);

  // Behind it all items see what they stored to blocks; so do instructions of warp groups.
  Block block_barrier() const;

  // Load, wait, add, wait.
  Result<Block> plain_slices(const kernel::IndexRange& k, const std::pair<Value, Value>& ends, const Value& first,
                             Block adds);

  // Two blocks: the next slice is loaded while this one is added.
  Result<Block> overlapped_slices(const kernel::IndexRange& k, const std::pair<Value, Value>& ends, const Value& first,
                                  Block adds);

  // Blocks that asynchronous copies fill ahead: STAGES of them, the oldest in use.
  Result<Block> staged_slices(const kernel::IndexRange& k, const std::pair<Value, Value>& ends, const Value& first,
                              Block adds);

  // --- a pipeline of tensor copies ---

  bool pipelined() const { return m_options.tensor_copies && m_matrix != nullptr; }
  Result<void> choose_boxes();
  Value consumers() const; // items; the producers come behind them
  std::string items_of_pipeline() const;
  // Groups beside each other bring a part of the rows' block each, for all of them.
  bool clustered() const { return pipelined() && !m_options.cluster.empty(); }
  Value cluster() const { return parameter(clustered() ? m_options.cluster : "1"); }
  Value rank_in_cluster() const { return group_id(0) % cluster(); }
  Node barrier_of_all() const;
  Block empty_stage(const Value& stage) const;
  Value lines_of_box(const Operand& operand) const;
  Value barrier_of(const Value& stage, bool empty) const;
  Block begin_pipeline() const;
  Result<Block> pipelined_slices(const std::pair<Value, Value>& ends, const Value& first, Block adds);
  Block copy_boxes(const Value& first, const Value& buffer);
  // What the producers do for a tile: boxes by tensor maps, or copies where rows are no multiple of 16 bytes.
  Result<Block> produce(const kernel::IndexRange& k);

  // --- matrix instructions ---

  // The sum as a product of two operands, in elements that an instruction takes.
  Result<void> choose_matrix_instruction();
  // The item's place in the group's tile.
  Block define_fragments();
  // A block's lines hold what lies side by side in memory: terms, or rows or columns.
  Result<void> choose_lines(Operand& operand, const std::string& k);
  Value lines_of(const Operand& operand) const;
  Value line_length(const Operand& operand) const;
  std::string layout_of(const Operand& operand) const;          // a type of the prelude
  std::string fragment_arguments(const Operand& operand) const; // of the prelude's templates: layout, lines of terms
  // In pieces of 16 bytes; what lies beyond the last term is 0.
  Result<Block> fill_lines(const Operand& operand, const kernel::IndexRange& k, const Value& first, const Value& end,
                           const Value& buffer);
  int fragment_rows() const; // from one instruction of a warp, or of its group, to the next
  Block multiply_in_warp_groups(const Value& place);
  // What the instructions do with one slice.
  Block multiply_fragments(const Value& place);

  // --- results ---

  // The value with sums in place of reductions, in all lanes or in one.
  Result<Node> stored(const Value& column, const Value& one_lane, Block& before);

  Result<void> store_tile(Block& main, const Value& rows, const Value& columns);

  // By boxes of the output's tensor map, where its rows are a multiple of 16 bytes.
  bool stores_boxes() const { return m_options.tensor_stores && m_matrix != nullptr; }
  Result<void> choose_stored_box();
  Value first_item() const;
  Node consumers_barrier() const;
  Block begin_tensor_stores() const;
  Result<Block> store_boxes(const Value& columns);
  Block end_tensor_stores() const;

  // Element by element.
  Result<Block> plain_tile(const Value& rows, const Value& columns);

  const kernel::Kernel& m_kernel;
  const Dialect& m_dialect;
  const kernel::Statement& m_source;
  TileOptions m_options;
  ExpressionValues m_values;
  ExpressionText m_text;
  std::vector<const kernel::Expr*> m_reductions;
  TiledStatement m_out;
  const kernel::IndexRange *m_columns = nullptr, *m_rows = nullptr;
  std::string m_column_extent, m_row_extent;
  std::vector<const kernel::IndexRange*> m_others;
  std::vector<std::string> m_other_extents;
  Value m_item_x, m_item_y, m_first_row, m_first_column;
  Value m_tile; // the number of the tile; null: each group has one
  std::array<Value, 3> m_of_tile;
  std::string m_row_name, m_vector_name, m_row_array, m_column_array, m_slice_term, m_buffer_name;
  std::vector<Operand> m_staged;
  const MatrixInstruction* m_matrix = nullptr; // nullptr: sums are added term by term
  std::vector<std::string> m_maps;             // of m_staged
  std::string m_barriers;
  std::string m_stored_map, m_stored_block; // of the output
  Value m_stores_boxes, m_stores_boxes_value;
  Value m_use_tma, m_use_tma_value, m_slice_number;
  Value m_first_filler, m_fillers; // items that fill blocks; null: all of the group
  Value m_warp_row, m_warp_column, m_item_row, m_item_column;
  std::vector<std::pair<std::string, Value>> m_sums; // by the text of the reduction
};

} // namespace hone::lower::device
