#include "lower/contraction_view.h"

#include <fmt/format.h>

namespace hone {

namespace {

const std::string k_hint = "write the change by hand, or let a model carry it out";

bool is_plain_range(const IndexRange& range)
{
  return !range.lower && range.upper
         && (range.upper->kind == ExprKind::extent || range.upper->kind == ExprKind::number);
}

bool is_plain_load(const Expr& load)
{
  return load.kind == ExprKind::load && !load.args.empty() && plain_subscripts(load).has_value();
}

bool loads(const Expr& expression, const std::string& tensor)
{
  return any_part(expression, [&](const Expr& part) { return part.kind == ExprKind::load && part.name == tensor; });
}

// A dimension keeps its last index; the ones before it are walked like a batch.
IndexRange take_last(std::vector<IndexRange> ranges, std::vector<IndexRange>& batch)
{
  IndexRange last = ranges.back();
  ranges.pop_back();
  batch.insert(batch.end(), ranges.begin(), ranges.end());
  return last;
}

bool unit_stride(const Expr& load, const std::string& index)
{
  return load.args.back()->name == index;
}

// Whatever the types are.
Result<ContractionView> nest_view(const Kernel& kernel)
{
  std::optional<Contraction> found = as_contraction(kernel);
  if (!found || kernel.program.statements.size() != 1) {
    return fail("this kernel is not a contraction (a sum of products of two tensors)", k_hint);
  }
  ContractionView view;
  view.contraction = std::move(*found);
  const Contraction& contraction = view.contraction;
  view.statement = &kernel.program.statements[contraction.statement];
  if (loads(*view.statement->value, view.statement->target)) {
    return fail("the built-in engine sums in the output, which here must keep its old contents until it is read",
                k_hint);
  }
  if (contraction.m.empty() || contraction.n.empty()) {
    return fail("this contraction has no two free dimensions (it is a matrix-vector or a dot product)", k_hint);
  }
  if (contraction.k.size() != 1) {
    return fail("the built-in engine handles sums over exactly one index", k_hint);
  }
  if (view.statement->guard || !is_plain_load(*contraction.a) || !is_plain_load(*contraction.b)) {
    return fail("the built-in engine handles operands whose subscripts are plain indices", k_hint);
  }
  view.batch = contraction.batch;
  view.m = take_last(contraction.m, view.batch);
  // The output's last index is the one that is contiguous in memory, whatever its place in the list of n indices.
  std::vector<IndexRange> n = contraction.n;
  const std::string& contiguous = view.statement->indices.back().name;
  for (std::size_t i = 0; i < n.size(); ++i) {
    if (n[i].name == contiguous) {
      std::swap(n[i], n.back());
      break;
    }
  }
  view.n = take_last(n, view.batch);
  view.k = contraction.k.front();
  for (const IndexRange& range : {view.m, view.n, view.k}) {
    if (!is_plain_range(range)) {
      return fail("the built-in engine handles indices that run from 0 to a size", k_hint, range.place);
    }
  }
  for (const IndexRange& range : view.batch) {
    if (!is_plain_range(range)) {
      return fail("the built-in engine handles indices that run from 0 to a size", k_hint, range.place);
    }
  }
  if (view.n.name != contiguous) {
    return fail("the built-in engine handles outputs that are contiguous in n", k_hint);
  }
  view.a_strided = !unit_stride(*contraction.a, view.k.name);
  view.b_strided = !unit_stride(*contraction.b, view.n.name);
  return view;
}

} // namespace

Result<ContractionView> contraction_view(const Kernel& kernel)
{
  HONE_TRY(ContractionView view, nest_view(kernel));
  for (const DataType type : {view.contraction.a->type, view.contraction.b->type, view.statement->type}) {
    if (type != DataType::f32 && type != DataType::f64) {
      return fail(fmt::format("this step is for f32 and f64, not {}", name_of(type)),
                  "for narrow operands there is dot-products; " + k_hint);
    }
  }
  return view;
}

Result<ContractionView> dot_view(const Kernel& kernel)
{
  HONE_TRY(ContractionView view, nest_view(kernel));
  const DataType a = view.contraction.a->type;
  const DataType b = view.contraction.b->type;
  const DataType out = view.statement->type;
  if (a == DataType::bf16 && b == DataType::bf16) {
    if ((out != DataType::f32 && out != DataType::bf16) || kernel.accumulate != DataType::f32) {
      return fail("products of bf16 are summed in f32 here, with an output of f32 or bf16", k_hint);
    }
    return view;
  }
  if ((a != DataType::i8 && a != DataType::u8) || (b != DataType::i8 && b != DataType::u8)) {
    return fail(fmt::format("there are dot products of i8, u8 and bf16, not of {} and {}", name_of(a), name_of(b)),
                k_hint);
  }
  if (out != DataType::i32 || view.contraction.epilogue->kind != ExprKind::hole) {
    return fail("products of bytes are summed in i32 here, and the sums are stored as they are", k_hint);
  }
  return view;
}

} // namespace hone
