// What kind of computation a kernel is: decides which transformations apply.
#pragma once

#include "kernel/definition.h"

#include <optional>

namespace hone::kernel {

enum class KernelClass {
  contraction,   // one statement: epilogue(sum over k of a product of two loads), maybe batched
  row_reduction, // maps and reductions over the last axis (softmax, norms)
  map,           // no reduction
  general,       // everything else
  convolution,   // one statement: a sum of products of two loads over windows of one of them
  pooling,       // one statement: another reduction over windows of a tensor (maxima, averages)
  recurrence,    // statements inside loops that are run in order
  products,      // several statements, of which contractions do most of the work
};

std::string_view name_of(KernelClass kernel_class);
KernelClass classify(const Kernel& kernel);

// The canonical view of a contraction  OUT[batch..., m..., n...] = epilogue(sum(k..., A[...] * B[...])).
// m indices appear in A and the output, n in B and the output, batch in all three, k in A and B only.
struct Contraction {
  std::size_t statement = 0;
  ExprPtr a; // the load that has the m indices
  ExprPtr b; // the load that has the n indices (n holds the output's last index)
  std::vector<IndexRange> batch, m, n, k;
  ExprPtr epilogue;    // the statement's value with a `hole` in place of the sum; the bare hole when
                       // there is nothing more to do
  bool linear = false; // the epilogue is hole * constants: the output is bilinear in A and B
};
// Nothing when the kernel is not a contraction.
std::optional<Contraction> as_contraction(const Kernel& kernel);
// B's neighbours in memory are summed over, not columns of the output: C[m,n] = sum(k, A[m,k] * B[n,k]).
bool is_b_transposed(const Contraction& contraction);
// The index variables of a load, in order; nothing where a subscript is anything else.
std::optional<std::vector<std::string>> plain_subscripts(const Expr& load);
// Every subscript of its loads is an index that runs over just this dimension: all that is read exists, whatever
// conditions say. `ranges`: of the indices around it. Ranges of sums inside are not looked into.
bool reads_inside(const Kernel& kernel, const Expr& expression, const std::vector<std::vector<IndexRange>>& ranges);
// The tensor's values stand in conditions and subscripts alone: they decide what is computed, and enter no arithmetic
// on data. False for what is written.
bool is_only_compared(const Kernel& kernel, const Argument& argument);
// How many values the indices take together at these sizes; nothing where the sizes do not say.
std::optional<std::int64_t> extent_of(const std::vector<IndexRange>& ranges, const Sizes& sizes);
// The output has one row at these sizes (of every batch): a row vector times a matrix. False where the sizes do not
// say.
bool has_one_row(const Contraction& contraction, const Sizes& sizes);

} // namespace hone::kernel
