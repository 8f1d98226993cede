#include "backend/library/gemm_mapping.h"

#include <algorithm>
#include <functional>

namespace hone::backend {
namespace {

// One index, or several that behave as one: how many values it takes and how far apart they lie in each tensor
// (0: the tensor does not have it).
struct Axis {
  std::int64_t extent = 1;
  std::int64_t a = 0, b = 0, c = 0;
};

// Elements from one value of an index to the next, by the index's name.
using Strides = std::map<std::string, std::int64_t>;

std::optional<Strides> strides_of(const kernel::Argument& argument, std::span<const std::string> subscripts,
                                  const kernel::Sizes& sizes)
{
  const auto shape = kernel::shape_of(argument, sizes);
  if (!shape || shape->size() != subscripts.size()) {
    return std::nullopt;
  }
  Strides strides;
  std::int64_t stride = 1;
  for (std::size_t i = subscripts.size(); i-- > 0;) {
    if (!strides.emplace(subscripts[i], stride).second) {
      return std::nullopt; // the same index twice: a diagonal
    }
    stride *= (*shape)[i];
  }
  return strides;
}

std::int64_t stride_in(const Strides& strides, const std::string& index)
{
  const auto found = strides.find(index);
  return found == strides.end() ? 0 : found->second;
}

struct Layout {
  Strides a, b, c;
};

// Several indices act as one where, in every tensor, stepping the outer one continues where the inner one ends.
std::optional<Axis> merge(const std::vector<kernel::IndexRange>& ranges, const Layout& layout,
                          const kernel::Sizes& sizes)
{
  std::vector<kernel::NamedValue> values;
  for (const auto& [name, value] : sizes) {
    values.push_back({name, value});
  }
  Axis whole;
  for (std::size_t i = ranges.size(); i-- > 0;) {
    const kernel::IndexRange& range = ranges[i];
    const auto extent = kernel::evaluate_integer(*range.upper, values);
    const auto lower = range.lower ? kernel::evaluate_integer(*range.lower, values) : Result<std::int64_t>(0);
    if (!extent || !lower || *lower != 0) {
      return std::nullopt;
    }
    const Axis axis{*extent, stride_in(layout.a, range.name), stride_in(layout.b, range.name),
                    stride_in(layout.c, range.name)};
    const bool first = i + 1 == ranges.size();
    const auto continues = [&](std::int64_t outer, std::int64_t inner) { return outer == inner * whole.extent; };
    if (first) {
      whole = axis;
    } else if (continues(axis.a, whole.a) && continues(axis.b, whole.b) && continues(axis.c, whole.c)) {
      whole.extent *= axis.extent;
    } else {
      return std::nullopt;
    }
  }
  return whole;
}

// How one matrix is stored: row-major as named, or transposed.
struct Stored {
  bool transposed = false;
  std::int64_t leading = 1;
};

std::optional<Stored> stored(std::int64_t rows, std::int64_t row_stride, std::int64_t columns,
                             std::int64_t column_stride)
{
  if (column_stride == 1 || columns == 1) {
    return Stored{false, rows == 1 ? std::max(columns, row_stride) : row_stride};
  }
  if (row_stride == 1 || rows == 1) {
    return Stored{true, column_stride};
  }
  return std::nullopt;
}

std::int64_t position_of(const kernel::Kernel& kernel, const std::string& name)
{
  const auto found = std::ranges::find(kernel.arguments, name, &kernel::Argument::name);
  return found == kernel.arguments.end() ? -1 : found - kernel.arguments.begin();
}

bool is_number(const kernel::Expr& expression, double value)
{
  return expression.kind == kernel::ExprKind::number && expression.number == value;
}

bool is_binary(const kernel::Expr& expression, std::string_view op)
{
  return expression.kind == kernel::ExprKind::binary && expression.name == op;
}

bool same(const kernel::Expr& left, const kernel::Expr& right)
{
  return left.kind == right.kind && left.name == right.name && left.number == right.number
         && std::ranges::equal(left.args, right.args, [](const kernel::ExprPtr& a, const kernel::ExprPtr& b) {
              return a == b || (a && b && same(*a, *b));
            });
}

// x of 0.5 * x * (1 + erf(x * sqrt(0.5))), which is what gelu(x) stands for; else nothing.
const kernel::Expr* argument_of_gelu(const kernel::Expr& expression)
{
  if (!is_binary(expression, "*") || !is_binary(*expression.args[0], "*") || !is_binary(*expression.args[1], "+")) {
    return nullptr;
  }
  const kernel::Expr& half = *expression.args[0];
  const kernel::Expr& factor = *expression.args[1];
  const kernel::Expr& erf = *factor.args[1];
  if (!is_number(*half.args[0], 0.5) || !is_number(*factor.args[0], 1) || erf.kind != kernel::ExprKind::call
      || erf.name != "erf" || !is_binary(*erf.args[0], "*") || !is_number(*erf.args[0]->args[1], 0.7071067811865476)) {
    return nullptr;
  }
  return same(*half.args[1], *erf.args[0]->args[0]) ? half.args[1].get() : nullptr;
}

// Reads what follows the sum, from the outside inwards: max(_, 0) or gelu(_), then _ + bias[n], then factors around the
// sum.
class Epilogue {
public:
  Epilogue(const kernel::Kernel& kernel, const std::vector<kernel::IndexRange>& columns, GemmCall& call)
    : m_kernel(kernel), m_columns(columns), m_call(call)
  {
  }

  bool read(const kernel::Expr& expression)
  {
    if (expression.kind == kernel::ExprKind::call && expression.name == "max" && expression.args.size() == 2) {
      m_call.activation = Activation::relu;
      if (is_number(*expression.args[1], 0)) {
        return biased(*expression.args[0]);
      }
      return is_number(*expression.args[0], 0) && biased(*expression.args[1]);
    }
    if (const kernel::Expr* argument = argument_of_gelu(expression)) {
      m_call.activation = Activation::gelu;
      return biased(*argument);
    }
    return biased(expression);
  }

private:
  bool biased(const kernel::Expr& expression)
  {
    if (expression.kind == kernel::ExprKind::binary && expression.name == "+") {
      return (bias(*expression.args[1]) && scaled(*expression.args[0]))
             || (bias(*expression.args[0]) && scaled(*expression.args[1]));
    }
    return scaled(expression);
  }

  bool bias(const kernel::Expr& load)
  {
    const auto subscripts = kernel::plain_subscripts(load);
    if (load.kind != kernel::ExprKind::load || !subscripts
        || !std::ranges::equal(*subscripts, m_columns, {}, {}, &kernel::IndexRange::name)) {
      return false;
    }
    m_call.bias = position_of(m_kernel, load.name);
    return m_call.bias >= 0;
  }

  bool scaled(const kernel::Expr& expression)
  {
    if (expression.kind == kernel::ExprKind::hole) {
      return true;
    }
    if (expression.kind == kernel::ExprKind::cast) {
      return scaled(*expression.args[0]);
    }
    if (expression.kind != kernel::ExprKind::binary || (expression.name != "*" && expression.name != "/")) {
      return false;
    }
    const kernel::Expr& left = *expression.args[0];
    const kernel::Expr& right = *expression.args[1];
    if (right.kind == kernel::ExprKind::number) {
      m_call.alpha *= expression.name == "*" ? right.number : 1 / right.number;
      return scaled(left);
    }
    if (expression.name == "*" && left.kind == kernel::ExprKind::number) {
      m_call.alpha *= left.number;
      return scaled(right);
    }
    return false;
  }

  const kernel::Kernel& m_kernel;
  const std::vector<kernel::IndexRange>& m_columns;
  GemmCall& m_call;
};

bool reduction_is_guarded(const kernel::Expr& expression)
{
  if (expression.kind == kernel::ExprKind::reduce && expression.args.size() > 1) {
    return true;
  }
  return std::ranges::any_of(expression.args,
                             [](const kernel::ExprPtr& part) { return part && reduction_is_guarded(*part); });
}

std::vector<std::string> names_of(const std::vector<kernel::IndexRange>& ranges)
{
  std::vector<std::string> names;
  std::ranges::transform(ranges, std::back_inserter(names), &kernel::IndexRange::name);
  return names;
}

bool same_type_throughout(const kernel::Kernel& kernel, kernel::DataType type)
{
  return std::ranges::all_of(kernel.arguments, [&](const kernel::Argument& argument) { return argument.type == type; });
}

std::optional<GemmTypes> types_of(const kernel::Kernel& kernel, const GemmCall& call)
{
  const auto type = [&](std::int64_t position) { return kernel.arguments[std::size_t(position)].type; };
  const kernel::DataType a = type(call.a);
  const kernel::DataType b = type(call.b);
  const kernel::DataType c = type(call.c);
  if (c == kernel::DataType::f32 && a == kernel::DataType::bf16 && b == kernel::DataType::bf16) {
    return GemmTypes::bf16_bf16_f32;
  }
  if (c == kernel::DataType::i32 && b == kernel::DataType::i8
      && (a == kernel::DataType::i8 || a == kernel::DataType::u8)) {
    return a == kernel::DataType::i8 ? GemmTypes::i8_i8_i32 : GemmTypes::u8_i8_i32;
  }
  for (const auto& [all, types] :
       {std::pair{kernel::DataType::f32, GemmTypes::f32}, std::pair{kernel::DataType::f64, GemmTypes::f64},
        std::pair{kernel::DataType::bf16, GemmTypes::bf16}}) {
    if (same_type_throughout(kernel, all)) {
      return types;
    }
  }
  return std::nullopt;
}

std::optional<Layout> layout_of(const kernel::Kernel& kernel, const kernel::Contraction& contraction,
                                const GemmCall& call, const kernel::Sizes& sizes)
{
  const kernel::Statement& statement = kernel.program.statements[contraction.statement];
  const auto a = kernel::plain_subscripts(*contraction.a);
  const auto b = kernel::plain_subscripts(*contraction.b);
  if (!a || !b) {
    return std::nullopt;
  }
  const auto argument = [&](std::int64_t position) -> const kernel::Argument& {
    return kernel.arguments[std::size_t(position)];
  };
  const auto strides_a = strides_of(argument(call.a), *a, sizes);
  const auto strides_b = strides_of(argument(call.b), *b, sizes);
  const auto strides_c = strides_of(argument(call.c), names_of(statement.indices), sizes);
  if (!strides_a || !strides_b || !strides_c) {
    return std::nullopt;
  }
  return Layout{*strides_a, *strides_b, *strides_c};
}

} // namespace

std::optional<GemmCall> gemm_call_for(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  const auto contraction = kernel::as_contraction(kernel);
  if (!contraction || kernel.program.statements.size() != 1) {
    return std::nullopt;
  }
  const kernel::Statement& statement = kernel.program.statements[contraction->statement];
  GemmCall call;
  call.a = position_of(kernel, contraction->a->name);
  call.b = position_of(kernel, contraction->b->name);
  call.c = position_of(kernel, statement.target);
  if (call.a < 0 || call.b < 0 || call.c < 0 || statement.guard || reduction_is_guarded(*statement.value)) {
    return std::nullopt;
  }
  const auto types = types_of(kernel, call);
  if (!types || !Epilogue(kernel, contraction->n, call).read(*contraction->epilogue)) {
    return std::nullopt;
  }
  call.types = *types;
  if (call.is_narrow() && contraction->epilogue->kind != kernel::ExprKind::hole) {
    return std::nullopt;
  }

  const auto layout = layout_of(kernel, *contraction, call, sizes);
  if (!layout) {
    return std::nullopt;
  }
  const auto m = merge(contraction->m, *layout, sizes);
  const auto n = merge(contraction->n, *layout, sizes);
  const auto k = merge(contraction->k, *layout, sizes);
  const auto batch = merge(contraction->batch, *layout, sizes);
  if (!m || !n || !k || !batch || (n->c != 1 && n->extent != 1)) {
    return std::nullopt;
  }
  const auto a = stored(m->extent, m->a, k->extent, k->a);
  const auto b = stored(k->extent, k->b, n->extent, n->b);
  if (!a || !b) {
    return std::nullopt;
  }
  call.m = m->extent;
  call.n = n->extent;
  call.k = k->extent;
  call.batch = batch->extent;
  call.transpose_a = a->transposed;
  call.transpose_b = b->transposed;
  call.lda = a->leading;
  call.ldb = b->leading;
  call.ldc = m->extent == 1 ? n->extent : m->c;
  call.batch_stride_a = batch->a;
  call.batch_stride_b = batch->b;
  call.batch_stride_c = batch->c;
  return call;
}

} // namespace hone::backend
