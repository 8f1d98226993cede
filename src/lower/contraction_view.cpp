#include "lower/contraction_view.h"

#include "lower/candidate_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

const std::string k_hint = "write the change by hand, or let a model carry it out";

bool is_plain_range(const kernel::IndexRange& range)
{
  return !range.lower && range.upper
         && (range.upper->kind == kernel::ExprKind::extent || range.upper->kind == kernel::ExprKind::number);
}

bool is_plain_load(const kernel::Expr& load)
{
  return load.kind == kernel::ExprKind::load && !load.args.empty() && kernel::plain_subscripts(load).has_value();
}

bool loads(const kernel::Expr& expression, const std::string& tensor)
{
  return kernel::any_part(
    expression, [&](const kernel::Expr& part) { return part.kind == kernel::ExprKind::load && part.name == tensor; });
}

// All that the expression reads of the statement's target is the element that it writes.
bool reads_own_element_only(const kernel::Expr& expression, const kernel::Statement& statement)
{
  return !kernel::any_part(expression, [&](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::load && part.name == statement.target && !is_own_element(part, statement);
  });
}

// A dimension keeps its last index; the ones before it are walked like a batch.
kernel::IndexRange take_last(std::vector<kernel::IndexRange> ranges, std::vector<kernel::IndexRange>& batch)
{
  kernel::IndexRange last = ranges.back();
  ranges.pop_back();
  batch.insert(batch.end(), ranges.begin(), ranges.end());
  return last;
}

// Several summed indices as one, named like the last of them.
kernel::IndexRange joined(const std::vector<kernel::IndexRange>& parts)
{
  kernel::IndexRange out = parts.back();
  for (std::size_t i = parts.size() - 1; i-- > 0;) {
    out.upper = kernel::make_binary("*", parts[i].upper, out.upper);
  }
  return out;
}

bool unit_stride(const kernel::Expr& load, const std::string& index)
{
  return load.args.back()->name == index;
}

// Whatever the types are.
Result<ContractionView> nest_view(const kernel::Kernel& kernel)
{
  std::optional<kernel::Contraction> found = kernel::as_contraction(kernel);
  if (!found || kernel.program.statements.size() != 1) {
    return fail("this kernel is not a contraction (a sum of products of two tensors)", k_hint);
  }
  ContractionView view;
  view.contraction = std::move(*found);
  const kernel::Contraction& contraction = view.contraction;
  view.statement = &kernel.program.statements[contraction.statement];
  const std::string& target = view.statement->target;
  if (contraction.a->name == target || contraction.b->name == target
      || !reads_own_element_only(*contraction.epilogue, *view.statement)) {
    return fail(fmt::format("the built-in engine stores elements of {} before all that reads their old values is "
                            "computed",
                            target),
                k_hint);
  }
  view.updates = loads(*contraction.epilogue, target);
  if (contraction.m.empty() || contraction.n.empty()) {
    return fail("this contraction has no two free dimensions (it is a matrix-vector or a dot product)", k_hint);
  }
  if (contraction.k.empty()) {
    return fail("the built-in engine handles sums over an index", k_hint);
  }
  if (!is_plain_load(*contraction.a) || !is_plain_load(*contraction.b)) {
    return fail("the built-in engine handles operands whose subscripts are plain indices", k_hint);
  }
  view.batch = contraction.batch;
  view.m = take_last(contraction.m, view.batch);
  // The output's last index is the one that is contiguous in memory, whatever its place in the list of n indices.
  std::vector<kernel::IndexRange> n = contraction.n;
  const std::string& contiguous = view.statement->indices.back().name;
  for (std::size_t i = 0; i < n.size(); ++i) {
    if (n[i].name == contiguous) {
      std::swap(n[i], n.back());
      break;
    }
  }
  view.n = take_last(n, view.batch);
  view.k_parts = contraction.k;
  for (const std::vector<kernel::IndexRange>& ranges : {{view.m, view.n}, view.k_parts, view.batch}) {
    for (const kernel::IndexRange& range : ranges) {
      if (!is_plain_range(range)) {
        return fail("the built-in engine handles indices that run from 0 to a size", k_hint, range.place);
      }
    }
  }
  view.k = joined(view.k_parts);
  if (view.n.name != contiguous) {
    return fail("the built-in engine handles outputs that are contiguous in n", k_hint);
  }
  view.a_strided = view.k_parts.size() > 1 || !unit_stride(*contraction.a, view.k.name);
  view.b_strided = !unit_stride(*contraction.b, view.n.name);
  return view;
}

} // namespace

Result<ContractionView> contraction_view(const kernel::Kernel& kernel)
{
  HONE_TRY(ContractionView view, nest_view(kernel));
  for (const kernel::DataType type : {view.contraction.a->type, view.contraction.b->type, view.statement->type}) {
    if (type != kernel::DataType::f32 && type != kernel::DataType::f64) {
      return fail(fmt::format("this step is for f32 and f64, not {}", kernel::name_of(type)),
                  "for narrow operands there is dot-products; " + k_hint);
    }
  }
  return view;
}

Result<ContractionView> dot_view(const kernel::Kernel& kernel)
{
  HONE_TRY(ContractionView view, nest_view(kernel));
  if (view.k_parts.size() > 1) {
    return fail("dot products run along one index, and this sum has several", k_hint);
  }
  const kernel::DataType a = view.contraction.a->type;
  const kernel::DataType b = view.contraction.b->type;
  const kernel::DataType out = view.statement->type;
  if (a == kernel::DataType::bf16 && b == kernel::DataType::bf16) {
    if ((out != kernel::DataType::f32 && out != kernel::DataType::bf16) || kernel.accumulate != kernel::DataType::f32) {
      return fail("products of bf16 are summed in f32 here, with an output of f32 or bf16", k_hint);
    }
    return view;
  }
  if ((a != kernel::DataType::i8 && a != kernel::DataType::u8)
      || (b != kernel::DataType::i8 && b != kernel::DataType::u8)) {
    return fail(fmt::format("there are dot products of i8, u8 and bf16, not of {} and {}", kernel::name_of(a),
                            kernel::name_of(b)),
                k_hint);
  }
  if (out != kernel::DataType::i32 || view.contraction.epilogue->kind != kernel::ExprKind::hole) {
    return fail("products of bytes are summed in i32 here, and the sums are stored as they are", k_hint);
  }
  return view;
}

} // namespace hone::lower
