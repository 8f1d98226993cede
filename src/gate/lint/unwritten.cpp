// Outputs of which the end was left out: what lay there before the call is still there.
#include "gate/lint/solutions.h"
#include "inputs/elements.h"

#include <array>
#include <cstring>

namespace hone::gate {
namespace {

constexpr std::int64_t k_tile = 4; // rows and columns of a tile: small enough for small sizes

// The output as matrices of its last two axes. A vector has rows of one element, a single number is one of them.
struct Matrix {
  std::int64_t rows = 1;
  std::int64_t columns = 1;

  explicit Matrix(const std::vector<std::int64_t>& shape)
  {
    const std::size_t rank = shape.size();
    rows = rank >= 2 ? shape[rank - 2] : rank == 1 ? shape[0] : 1;
    columns = rank >= 2 ? shape[rank - 1] : 1;
  }
};

// Writes all but what `left_out(row, column)` says, which counts both from the end of each matrix, beginning with 0;
// `last_only`: in the last matrix. False where what lay there is right: an inout's old values at its border, say.
template <class LeftOut>
bool write_rest(const DegenerateCall& call, std::span<std::byte> bytes, bool last_only, LeftOut left_out)
{
  const Matrix matrix(call.shape);
  const kernel::DataType type = call.output.type;
  const std::size_t element = kernel::size_of(type);
  const auto count = static_cast<std::int64_t>(call.expected.values.size());
  const std::int64_t size = matrix.rows * matrix.columns;
  bool wrong = false;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = matrix.rows - 1 - i % size / matrix.columns;
    const std::int64_t column = matrix.columns - 1 - i % matrix.columns;
    const bool skipped = (!last_only || i >= count - size) && left_out(row, column);
    std::byte* at = bytes.data() + static_cast<std::size_t>(i) * element;
    std::array<std::byte, 8> right{};
    inputs::store_element(type, right.data(), call.expected.values[static_cast<std::size_t>(i)]);
    if (!skipped) {
      std::memcpy(at, right.data(), element);
    } else if (std::memcmp(at, right.data(), element) != 0) {
      wrong = true;
    }
  }
  return wrong;
}

bool leave_out_last_row(const DegenerateCall& call, std::span<std::byte> bytes)
{
  return write_rest(call, bytes, true, [](std::int64_t row, std::int64_t) { return row == 0; });
}

bool leave_out_last_column(const DegenerateCall& call, std::span<std::byte> bytes)
{
  return write_rest(call, bytes, false, [](std::int64_t, std::int64_t column) { return column == 0; });
}

bool leave_out_last_tile(const DegenerateCall& call, std::span<std::byte> bytes)
{
  const Matrix matrix(call.shape);
  const std::int64_t height = (matrix.rows - 1) % k_tile + 1;
  const std::int64_t width = (matrix.columns - 1) % k_tile + 1;
  const bool several = matrix.rows > k_tile || matrix.columns > k_tile; // else the only one, and more than a row
  return several && write_rest(call, bytes, true, [&](std::int64_t row, std::int64_t column) {
           return row < height && column < width;
         });
}

DegenerateSolution unwritten(std::string what, bool (*write)(const DegenerateCall&, std::span<std::byte>))
{
  DegenerateSolution solution;
  solution.name = std::move(what) + " not written";
  solution.meaning = "what a candidate leaves out is not noticed";
  solution.untried = "what lies there before a call is right";
  solution.write = write;
  return solution;
}

} // namespace

void add_unwritten(const kernel::Kernel& kernel, std::size_t output, Solutions& list)
{
  const std::size_t rank = kernel.arguments[output].shape.size();
  list.push_back(unwritten("last row", leave_out_last_row));
  DegenerateSolution column = unwritten("last column", leave_out_last_column);
  column.unfit = rank < 2 ? "the output has no columns" : "";
  list.push_back(std::move(column));
  DegenerateSolution tile = unwritten("last tile", leave_out_last_tile);
  tile.unfit = rank < 1 ? "the output is one number" : "";
  tile.untried = "the output is never larger than a tile, or what lies there before a call is right";
  list.push_back(std::move(tile));
}

} // namespace hone::gate
