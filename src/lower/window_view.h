// A statement whose reduction goes over windows of a tensor: convolutions and pooling, as their loops see them.
//
//   Y[n,o,y,x] = sum(c, r < 3, s < 3, X[n,c,y + r - 1,x + s - 1] * W[o,c,r,s] where 0 <= x + s - 1 < w && ...)
//
// x, the output's last index, is the column: neighbouring columns go into the lanes of a vector. o is the channel: a
// load that runs along the columns (X) does not depend on it, so that a tile of several channels loads it once.
#pragma once

#include "lower/window_condition.h"

#include <string>
#include <vector>

namespace hone::lower {

// A load whose elements differ from column to column.
struct WindowLoad {
  kernel::ExprPtr load;
  std::int64_t stride = 1; // neighbouring columns lie so many elements apart
  bool by_channel = false; // depends on the channel, too
  std::string node;        // stands for it in the body: "value ..."
};

struct WindowView {
  const kernel::Statement* statement = nullptr;
  kernel::ReduceOp op = kernel::ReduceOp::sum;
  std::vector<kernel::IndexRange> ranges; // of the reduction, outermost first
  kernel::ExprPtr body;                   // the loads replaced by their nodes, the column by "column"
  kernel::ExprPtr epilogue;               // the same; the reduction is the node `k_collected`
  std::vector<WindowLoad> loads;
  std::vector<WindowCondition> conditions; // all must hold for a term to count
  std::vector<kernel::IndexRange> outer;   // output indices that select a row of columns
  std::vector<kernel::IndexRange> channel; // one or none
  kernel::IndexRange column;
  kernel::DataType type = kernel::DataType::f32;
};

constexpr const char* k_collected = "value collected";

// The statement as windows; an error says what does not fit.
Result<WindowView> window_view(const kernel::Kernel& kernel, const kernel::Statement& statement);

// The only statement of a kernel, as windows.
Result<WindowView> window_view(const kernel::Kernel& kernel);

} // namespace hone::lower
