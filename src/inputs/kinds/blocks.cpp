// Sums over several blocks of terms.
#include "inputs/size_draw.h"

#include <algorithm>
#include <array>
#include <set>

namespace hone::inputs {
namespace {

void collect_summed(const kernel::Expr& expression, std::set<std::string>& out)
{
  for (const kernel::IndexRange& range : expression.ranges) {
    if (range.upper && range.upper->kind == kernel::ExprKind::extent) {
      out.insert(range.upper->name);
    }
  }
  for (const kernel::ExprPtr& part : expression.args) {
    if (part) {
      collect_summed(*part, out);
    }
  }
}

// Three blocks and a part of one; five whole ones, which is no multiple of two, three or four stages.
Result<void> draw_blocks_of_terms(SizeDraw& draw)
{
  std::set<std::string> summed;
  for (const kernel::Statement& statement : draw.kernel().program.statements) {
    collect_summed(*statement.value, summed);
  }
  std::set<std::int64_t> blocks;
  for (const auto& [name, value] : draw.point) {
    if (name.ends_with("_K") && value > 1 && value <= k_largest_landmark) {
      blocks.insert(value);
    }
  }
  for (const std::string& symbol : summed) {
    for (const std::int64_t block : blocks) {
      for (const std::int64_t extent : {3 * block + draw.between(1, block - 1), 5 * block}) {
        kernel::Sizes sizes = draw.others_of(1, k_most_small);
        sizes[symbol] = extent;
        HONE_TRY(const bool added, draw.add_if_cheap(sizes));
        if (!added) {
          sizes = draw.others_of(1, k_thin);
          sizes[symbol] = extent;
          HONE_CHECK(draw.try_to_add(sizes, 2));
        }
      }
    }
  }
  return {};
}

constexpr std::array k_block_rows{
  SizeRow{
    "blocks-of-terms", SizeGroup::further, "sums, of candidates with a tuning parameter ..._K",
    "three blocks of terms and a part of one; five whole blocks",
    "a buffer that is written while others still read it: right for two blocks; a pipeline whose depth must divide "
    "the number of blocks.",
    draw_blocks_of_terms},
};

} // namespace

std::span<const SizeRow> block_size_rows()
{
  return k_block_rows;
}

} // namespace hone::inputs
