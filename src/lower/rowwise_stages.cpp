#include "lower/rowwise_program.h"

#include <algorithm>

namespace hone::lower {

namespace {

std::vector<const kernel::Statement*> statements_of(const kernel::Kernel& kernel, std::size_t first, std::size_t count)
{
  std::vector<const kernel::Statement*> out;
  for (std::size_t i = first; i < first + count; ++i) {
    out.push_back(&kernel.program.statements[i]);
  }
  return out;
}

// The longest run from a statement on. Its last index may be the column, or one that selects the row: whatever takes
// more statements along, and the column where it makes no difference.
RowStage longest_stage(const kernel::Kernel& kernel, std::size_t first, std::size_t most, bool running)
{
  RowStage best;
  best.plain = &kernel.program.statements[first];
  std::size_t best_count = 0;
  const std::size_t rank = best.plain->indices.size();
  for (std::size_t prefix = rank > 0 ? rank - 1 : 0; prefix <= rank; ++prefix) {
    for (std::size_t count = 1; count <= most; ++count) {
      Result<RowProgram> program = row_program(kernel, statements_of(kernel, first, count), prefix, running);
      if (!program) {
        best.reason = best.reason.empty() ? program.error().message : best.reason;
        continue;
      }
      if (count > best_count) {
        best_count = count;
        best.program = std::move(*program);
      }
    }
  }
  if (best_count > 0) {
    best.plain = nullptr;
    best.reason.clear();
  }
  return best;
}

} // namespace

std::vector<RowStage> row_stages(const kernel::Kernel& kernel, const Schedule& schedule)
{
  std::vector<RowStage> out;
  const std::size_t all = kernel.program.statements.size();
  for (std::size_t first = 0; first < all;) {
    out.push_back(longest_stage(kernel, first, schedule.fused ? all - first : 1, schedule.running));
    first += out.back().plain != nullptr ? 1 : out.back().program.statements.size();
  }
  return out;
}

} // namespace hone::lower
