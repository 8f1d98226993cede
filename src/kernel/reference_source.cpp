// Long because one class prints every kind of expression: a value and its error bound are printed side by side.
#include "kernel/reference_source.h"

#include "kernel/carried_reduction.h"
#include "kernel/expression_types.h"
#include "kernel/reference_accuracy.h"
#include "kernel/reference_prelude.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace hone::kernel {

namespace {

std::string_view storage_type(DataType type)
{
  switch (type) {
  case DataType::f64:
    return "double";
  case DataType::f32:
    return "float";
  case DataType::f16:
    return "f16";
  case DataType::bf16:
    return "bf16";
  case DataType::i64:
    return "std::int64_t";
  case DataType::i32:
    return "std::int32_t";
  case DataType::i16:
    return "std::int16_t";
  case DataType::i8:
    return "std::int8_t";
  case DataType::u32:
    return "std::uint32_t";
  case DataType::u16:
    return "std::uint16_t";
  case DataType::u8:
  case DataType::boolean:
    break;
  }
  return "std::uint8_t";
}

// Absolute error that rounding to a type may add near zero. Devices may flush what is below the normal numbers,
// except for the halves, which they keep.
double tiny_of(DataType type)
{
  switch (type) {
  case DataType::f64:
    return 0x1p-1022;
  case DataType::f32:
    return 0x1p-126;
  case DataType::f16:
    return 0x1p-25;
  case DataType::bf16:
    return 0x1p-126;
  default:
    return 0;
  }
}

// Beyond it an implementation that computes in the type has infinities. bf16 is only stored in; what matters is that
// the arithmetic in f32 reaches no farther.
double largest_of(DataType type)
{
  return largest_value(type == DataType::bf16 ? DataType::f32 : type);
}

std::string literal(double value)
{
  return fmt::format("{:a}", value);
}

class SourcePrinter {
public:
  SourcePrinter(const Kernel& kernel, const std::optional<Contraction>& contraction)
    : m_kernel(kernel), m_contraction(contraction)
  {
  }

  std::string run()
  {
    std::string out =
      fmt::format("// The fp64 reference of the kernel '{}', generated from its expression.\n", m_kernel.name);
    out += "#include <cmath>\n#include <cstdint>\n#include <cstring>\n#include <vector>\n\n"
           "namespace {\n";
    out += fmt::format("\nconstexpr double k_u = {}; // {}\nconstexpr double k_tiny = {};\n"
                       "constexpr double k_largest = {};\n",
                       literal(unit_roundoff(m_kernel.accumulate) + 0x1p-53), name_of(m_kernel.accumulate),
                       literal(tiny_of(m_kernel.accumulate)), literal(largest_of(m_kernel.accumulate)));
    const double largest = largest_of(m_kernel.accumulate);
    out += reference_accuracy_head(m_kernel.accuracy, largest * unit_roundoff(m_kernel.accumulate), largest);
    out += reference_prelude();
    if (m_contraction) {
      out += reference_contraction();
    }
    out += reference_accuracy_tail(m_kernel.accuracy, m_contraction.has_value());
    for (m_statement = 0; m_statement < m_kernel.program.statements.size(); ++m_statement) {
      out += statement_functions(m_kernel.program.statements[m_statement]);
    }
    out += "\n} // namespace\n" + entry_points();
    return out;
  }

private:
  std::string sizes() const
  {
    std::string out;
    for (std::size_t i = 0; i < m_kernel.symbols.size(); ++i) {
      out += fmt::format("  [[maybe_unused]] const i64 size_{} = env.sizes[{}];\n", m_kernel.symbols[i], i);
    }
    return out;
  }

  // Flat offset of subscripts in a row-major tensor.
  static std::string offset(const std::vector<std::string>& subscripts, const std::vector<std::string>& extents)
  {
    std::string out = subscripts.empty() ? "0" : subscripts[0];
    for (std::size_t i = 1; i < subscripts.size(); ++i) {
      out = fmt::format("({}) * ({}) + ({})", out, extents[i], subscripts[i]);
    }
    return out;
  }

  std::vector<std::string> integers(const std::vector<ExprPtr>& expressions)
  {
    std::vector<std::string> out;
    for (const ExprPtr& expression : expressions) {
      out.push_back(integer(*expression));
    }
    return out;
  }

  // The statement where the elements of `name` are kept once it is computed: one before this one, or in the same loop.
  std::optional<std::size_t> earlier_statement(std::string_view name) const
  {
    const std::size_t home = home_of(m_kernel.program, name);
    const std::size_t end =
      is_ordered(m_kernel.program.statements[m_statement]) ? end_of_block(m_kernel.program, m_statement) : m_statement;
    return home < end ? std::optional(home) : std::nullopt;
  }

  std::string element_of(const Expr& load)
  {
    const auto position = static_cast<std::size_t>(m_kernel.find_argument(load.name) - m_kernel.arguments.data());
    const Argument& argument = m_kernel.arguments[position];
    const std::vector<std::string> extents = integers(argument.shape);
    return fmt::format("static_cast<const {}*>(env.arguments[{}])[{}]", storage_type(argument.type), position,
                       offset(subscripts(load, extents), extents));
  }

  // An expression of an integer type, as i64.
  std::string integer(const Expr& expression)
  {
    switch (expression.kind) {
    case ExprKind::number:
      return fmt::format("i64{{{}}}", static_cast<std::int64_t>(expression.number));
    case ExprKind::index:
      return "i_" + expression.name;
    case ExprKind::extent:
      return "size_" + expression.name;
    case ExprKind::load:
      if (earlier_statement(expression.name)) {
        return fmt::format("static_cast<i64>({}.v)", read_call(expression));
      }
      return fmt::format("i64{{{}}}", element_of(expression));
    case ExprKind::cast:
      return wrapped(expression.type, is_float(expression.args[0]->type)
                                        ? fmt::format("to_integer({}.v)", value(*expression.args[0]))
                                        : integer(*expression.args[0]));
    case ExprKind::unary:
      return fmt::format("(-{})", integer(*expression.args[0]));
    case ExprKind::binary:
      return integer_binary(expression);
    case ExprKind::call:
      return integer_call(expression);
    case ExprKind::select:
      return fmt::format("({}.v ? {} : {})", truth(*expression.args[0]), integer(*expression.args[1]),
                         integer(*expression.args[2]));
    case ExprKind::reduce:
      return is_position(expression.op) ? fmt::format("static_cast<i64>({}.v)", position_reduction(expression))
                                        : reduction(expression, "Integer");
    default:
      return "i64{0}";
    }
  }

  static std::string wrapped(DataType type, const std::string& value)
  {
    return fmt::format("static_cast<i64>(static_cast<{}>({}))", storage_type(type), value);
  }

  // True when a correct implementation may compute another integer, or another condition: it follows from a float that
  // rounding may move.
  bool may_differ(const Expr& expression) const
  {
    if (expression.kind == ExprKind::load && earlier_statement(expression.name)) {
      return true;
    }
    if (is_float(expression.type)) {
      return expression.kind != ExprKind::load && expression.kind != ExprKind::number;
    }
    const bool from_float = expression.kind == ExprKind::cast && is_float(expression.args[0]->type);
    const bool position = expression.kind == ExprKind::reduce && is_position(expression.op);
    const bool moving_range = std::ranges::any_of(expression.ranges, [&](const IndexRange& range) {
      return may_differ(*range.upper) || (range.lower && may_differ(*range.lower));
    });
    return from_float || position || moving_range
           || std::ranges::any_of(expression.args, [&](const ExprPtr& arg) { return may_differ(*arg); });
  }

  // The largest distance that rounding may move one of some integers by; "" when none moves.
  std::string reach_of(const std::vector<ExprPtr>& integers)
  {
    std::string out;
    for (const ExprPtr& one : integers) {
      if (one && may_differ(*one)) {
        const std::string error = value(*one) + ".e";
        out = out.empty() ? error : fmt::format("larger_of({}, {})", out, error);
      }
    }
    return out;
  }

  // A subscript list in bounds also where rounding may move a subscript out of them.
  std::vector<std::string> subscripts(const Expr& load, const std::vector<std::string>& extents)
  {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < load.args.size(); ++i) {
      const std::string text = integer(*load.args[i]);
      out.push_back(may_differ(*load.args[i]) ? fmt::format("inside({}, {})", text, extents[i]) : text);
    }
    return out;
  }

  std::string integer_binary(const Expr& binary)
  {
    const std::string left = integer(*binary.args[0]);
    const std::string right = integer(*binary.args[1]);
    if (binary.name == "/" || binary.name == "%") {
      return fmt::format("{}({}, {})", binary.name == "/" ? "idiv" : "imod", left, right);
    }
    return fmt::format("({} {} {})", left, binary.name, right);
  }

  std::string integer_call(const Expr& call)
  {
    std::string out = integer(*call.args[0]);
    if (call.args.size() == 1) {
      return fmt::format("i{}({})", call.name, out);
    }
    for (std::size_t i = 1; i < call.args.size(); ++i) {
      out = fmt::format("i{}({}, {})", call.name, out, integer(*call.args[i]));
    }
    return out;
  }

  // A condition, as Truth.
  std::string truth(const Expr& expression)
  {
    if (expression.kind == ExprKind::unary) {
      return fmt::format("(!{})", truth(*expression.args[0]));
    }
    if (expression.kind == ExprKind::load) {
      return earlier_statement(expression.name) ? fmt::format("truth_of({})", read_call(expression))
                                                : fmt::format("sure({} != 0)", element_of(expression));
    }
    const Expr& left = *expression.args[0];
    const Expr& right = *expression.args[1];
    if (is_logical(expression.name)) {
      return fmt::format("{}({}, [&] {{ return {}; }})", expression.name == "&&" ? "both" : "either", truth(left),
                         truth(right));
    }
    if (is_integer(left.type) && is_integer(right.type) && !may_differ(left) && !may_differ(right)) {
      return fmt::format("sure({} {} {})", integer(left), expression.name, integer(right));
    }
    return comparison(expression.name, value(left), value(right));
  }

  static std::string comparison(const std::string& op, const std::string& left, const std::string& right)
  {
    if (op == "==" || op == "!=") {
      return fmt::format("({}equal({}, {}))", op == "!=" ? "!" : "", left, right);
    }
    const bool turned = op == ">" || op == ">=";
    return fmt::format("{}({}, {})", op == "<" || op == ">" ? "less" : "less_equal", turned ? right : left,
                       turned ? left : right);
  }

  std::string read_call(const Expr& load)
  {
    const std::size_t statement = *earlier_statement(load.name);
    std::vector<std::string> args = subscripts(load, extents(m_kernel.program.statements[statement]));
    args.insert(args.begin(), "env");
    return fmt::format("read_{}<Lazy>({})", statement, join(args, ", "));
  }

  std::string decimal(double number) const
  {
    const bool narrow = m_kernel.accumulate != DataType::f64;
    const double stored = narrow ? static_cast<double>(static_cast<float>(number)) : number;
    return stored == number ? fmt::format("exact({})", literal(number))
                            : fmt::format("number({0}, round_error({0}))", literal(number));
  }

  // An expression of any number type, as Number.
  std::string value(const Expr& expression)
  {
    if (expression.type == DataType::boolean) {
      return fmt::format("number_of({})", truth(expression));
    }
    const bool inexact = expression.kind == ExprKind::hole || is_float(expression.type) || may_differ(expression);
    if (!inexact || expression.kind == ExprKind::index || expression.kind == ExprKind::extent) {
      return fmt::format("from_integer({})", integer(expression));
    }
    switch (expression.kind) {
    case ExprKind::number:
      return decimal(expression.number);
    case ExprKind::load: {
      const std::string element = earlier_statement(expression.name)
                                    ? read_call(expression)
                                    : fmt::format("exact(static_cast<double>({}))", element_of(expression));
      const std::string reach = reach_of(expression.args);
      return reach.empty() ? element : fmt::format("unless_moved({}, {})", reach, element);
    }
    case ExprKind::unary:
      return fmt::format("neg({})", value(*expression.args[0]));
    case ExprKind::binary:
      return binary(expression);
    case ExprKind::call:
      return call(expression);
    case ExprKind::select:
      return fmt::format("choose({}, [&] {{ return {}; }}, [&] {{ return {}; }})", truth(*expression.args[0]),
                         value(*expression.args[1]), value(*expression.args[2]));
    case ExprKind::cast:
      if (!is_float(expression.type)) {
        return fmt::format("kept_in<{}>(truncated({}))", storage_type(expression.type), value(*expression.args[0]));
      }
      return rounded(expression.type, value(*expression.args[0]));
    case ExprKind::reduce:
      return memoised(expression,
                      is_position(expression.op) ? position_reduction(expression) : reduction(expression, ""));
    case ExprKind::hole:
      return "hole";
    default:
      return "exact(0)";
    }
  }

  // Rounding to a type, which may be of a smaller range than the arithmetic.
  std::string rounded(DataType type, const std::string& value) const
  {
    const bool narrow = largest_of(type) < largest_of(m_kernel.accumulate);
    return fmt::format("rounded({}, {}, {}{})", value, literal(unit_roundoff(type)), literal(tiny_of(type)),
                       narrow ? ", " + literal(largest_of(type) * (1 + unit_roundoff(type) / 2)) : "");
  }

  std::string binary(const Expr& expression)
  {
    if (!is_float(expression.type) && (expression.name == "/" || expression.name == "%")) {
      return fmt::format("whole_{}({}, {})", expression.name == "/" ? "quotient" : "remainder",
                         value(*expression.args[0]), value(*expression.args[1]));
    }
    const std::string_view name = expression.name == "+"   ? "add"
                                  : expression.name == "-" ? "sub"
                                  : expression.name == "*" ? "mul"
                                                           : "div";
    return fmt::format("{}({}, {})", name, value(*expression.args[0]), value(*expression.args[1]));
  }

  std::string call(const Expr& expression)
  {
    std::string out = value(*expression.args[0]);
    if (expression.args.size() == 1) {
      return fmt::format("fn_{}({})", expression.name, out);
    }
    for (std::size_t i = 1; i < expression.args.size(); ++i) {
      out = fmt::format("fn_{}({}, {})", expression.name, out, value(*expression.args[i]));
    }
    return out;
  }

  std::string loop_head(const IndexRange& range)
  {
    return fmt::format("for (i64 i_{0} = {1}; i_{0} < {2}; ++i_{0}) ", range.name,
                       range.lower ? integer(*range.lower) : "0", integer(*range.upper));
  }

  static std::string_view accumulator(ReduceOp op)
  {
    switch (op) {
    case ReduceOp::sum:
      return "Sum";
    case ReduceOp::prod:
      return "Product";
    case ReduceOp::max:
      return "Max";
    case ReduceOp::min:
      return "Min";
    case ReduceOp::argmax:
      return "ArgMax";
    case ReduceOp::argmin:
      return "ArgMin";
    }
    return "Sum";
  }

  // A reduction that a formula names several times (gelu of a sum) is computed once per element. Inside another
  // reduction every round has its own.
  std::string memoised(const Expr& reduce, std::string text)
  {
    const auto found = std::ranges::find(m_repeated, &reduce);
    return found == m_repeated.end() || m_depth > 0
             ? text
             : fmt::format("memo_{}.get([&] {{ return {}; }})", found - m_repeated.begin(), text);
  }

  void find_repeated(const ExprPtr& expression, std::vector<const Expr*>& seen)
  {
    if (expression->kind == ExprKind::reduce) {
      if (std::ranges::find(seen, expression.get()) == seen.end()) {
        seen.push_back(expression.get());
      } else if (std::ranges::find(m_repeated, expression.get()) == m_repeated.end()) {
        m_repeated.push_back(expression.get());
      }
      return;
    }
    for (const ExprPtr& arg : expression->args) {
      find_repeated(arg, seen);
    }
  }

  std::string memos(const Statement& statement)
  {
    std::vector<const Expr*> seen;
    m_repeated.clear();
    find_repeated(statement.value, seen);
    std::string out;
    for (std::size_t i = 0; i < m_repeated.size(); ++i) {
      out += fmt::format("  Memo memo_{};\n", i);
    }
    return out;
  }

  std::string position_reduction(const Expr& reduce)
  {
    return nest(reduce, accumulator(reduce.op), value_inside(*reduce.args[0]),
                fmt::format(", i_{}", reduce.ranges.front().name), false);
  }

  std::string value_inside(const Expr& body)
  {
    ++m_depth;
    std::string out = value(body);
    --m_depth;
    return out;
  }

  std::string reduction(const Expr& reduce, std::string_view prefix)
  {
    const bool integers = !prefix.empty();
    const bool extreme = reduce.op == ReduceOp::max || reduce.op == ReduceOp::min;
    // Integers of which rounding decides whether they count.
    const std::string_view unsure = extreme && is_integer(reduce.type) ? "Whole" : "";
    return nest(reduce, fmt::format("{}{}", integers ? prefix : unsure, accumulator(reduce.op)),
                integers ? integer(*reduce.args[0]) : value_inside(*reduce.args[0]), "", integers);
  }

  std::string nest(const Expr& reduce, std::string_view kind, const std::string& body, const std::string& more,
                   bool integers)
  {
    std::string loops;
    for (const IndexRange& range : reduce.ranges) {
      loops += loop_head(range);
    }
    std::string take = fmt::format("out.take({}{});", body, more);
    if (reduce.args.size() > 1) {
      ++m_depth;
      const std::string guard = truth(*reduce.args[1]);
      --m_depth;
      take = integers ? fmt::format("if ({}.v) {{ {} }}", guard, take)
                      : fmt::format("const Truth t = {}; if (t.v || !t.sure) {{ out.take_maybe(t, {}{}); }}", guard,
                                    body, more);
    }
    std::string text = fmt::format("reduce<{0}>([&](auto& out) {{\n    {1}{{ {2} }}\n  }})", kind, loops, take);
    const std::optional<std::string> quick_body =
      kind == "Sum" && reduce.args.size() == 1 ? quick(*reduce.args[0]) : std::nullopt;
    if (quick_body) {
      std::string outer;
      for (std::size_t i = 0; i + 1 < reduce.ranges.size(); ++i) {
        outer += loop_head(reduce.ranges[i]);
      }
      const IndexRange& last = reduce.ranges.back();
      text = fmt::format(
        "reduce_quickly([&](QuickSum& all) {{\n    {}all.take({}, {}, [&](const i64 i_{}) {{ return {}; }});\n"
        "  }}, [&](auto& out) {{\n    {}{{ {} }}\n  }})",
        outer, last.lower ? integer(*last.lower) : "0", integer(*last.upper), last.name, *quick_body, loops, take);
    }
    if (std::ranges::find(m_carried.reductions, &reduce) != m_carried.reductions.end()) {
      text = carried(reduce, kind, take, text);
    }
    std::vector<ExprPtr> bounds;
    for (const IndexRange& range : reduce.ranges) {
      bounds.push_back(range.lower);
      bounds.push_back(range.upper);
    }
    const std::string reach = integers ? "" : reach_of(bounds);
    return reach.empty() ? text : fmt::format("unless_moved({}, {})", reach, text);
  }

  // A term of plain arithmetic as Quick; nothing for other terms.
  std::optional<std::string> quick(const Expr& expression)
  {
    static const std::map<std::string_view, std::string_view> k_names = {{"+", "quick_add"},     {"-", "quick_sub"},
                                                                         {"*", "quick_mul"},     {"/", "quick_div"},
                                                                         {"sqrt", "quick_sqrt"}, {"abs", "quick_abs"}};
    if (!is_float(expression.type)) {
      const bool index = expression.kind == ExprKind::index || expression.kind == ExprKind::extent;
      return index ? std::optional(fmt::format("quick_of({})", value(expression))) : std::nullopt;
    }
    switch (expression.kind) {
    case ExprKind::number:
      return fmt::format("quick_of({})", value(expression));
    case ExprKind::load:
      if (std::ranges::any_of(expression.args, [&](const ExprPtr& arg) { return may_differ(*arg); })) {
        return std::nullopt;
      }
      return earlier_statement(expression.name)
               ? fmt::format("quick_of({})", read_call(expression))
               : fmt::format("quick_exact(static_cast<double>({}))", element_of(expression));
    case ExprKind::unary:
    case ExprKind::binary:
    case ExprKind::call: {
      const auto name = k_names.find(expression.name);
      if (expression.kind != ExprKind::unary && name == k_names.end()) {
        return std::nullopt;
      }
      std::vector<std::string> parts;
      for (const ExprPtr& arg : expression.args) {
        std::optional<std::string> part = quick(*arg);
        if (!part) {
          return std::nullopt;
        }
        parts.push_back(std::move(*part));
      }
      return fmt::format("{}({})", expression.kind == ExprKind::unary ? "quick_neg" : name->second, join(parts, ", "));
    }
    default:
      return std::nullopt;
    }
  }

  // The terms that an element has and the one before it has not; see Carried in the prelude.
  std::string carried(const Expr& reduce, std::string_view kind, const std::string& take, const std::string& anew)
  {
    const IndexRange& first = reduce.ranges.front();
    std::string inner;
    for (std::size_t i = 1; i < reduce.ranges.size(); ++i) {
      inner += loop_head(reduce.ranges[i]);
    }
    const std::string name = fmt::format("carried_{}", m_carriers.size());
    m_carriers.push_back(fmt::format("  Carried<{}> {};\n", kind, name));
    return fmt::format(
      "(Lazy ? {} : carry_{}(state->{}, {}, {}, [&](auto& out, const i64 i_{}) {{\n    {}{{ {} }}\n  }}))", anew,
      m_carried.direction == Carried::upwards ? "upwards" : "downwards", name,
      first.lower ? integer(*first.lower) : "0", integer(*first.upper), first.name, inner, take);
  }

  std::vector<std::string> index_names(const Statement& statement, std::string_view declaration) const
  {
    std::vector<std::string> out;
    for (const IndexRange& range : statement.indices) {
      out.push_back(fmt::format("{}i_{}", declaration, range.name));
    }
    return out;
  }

  std::vector<std::string> extents(const Statement& statement) { return integers(extents_of(statement)); }

  static std::string parameters(const std::vector<std::string>& names)
  {
    return names.empty() ? "" : ", " + join(names, ", ");
  }

  std::string stored_value(const Statement& statement)
  {
    const Expr& value_of = *statement.value;
    const bool whole = !is_float(statement.type) && is_integer(value_of.type) && !may_differ(value_of);
    return whole ? fmt::format("exact(static_cast<double>({}))", integer(value_of)) : value(value_of);
  }

  // Of the Number x, as the target's type keeps it.
  std::string stored_form(const Statement& statement) const
  {
    return is_float(statement.type)
             ? fmt::format("rounded{}(x, {}, {})", is_output(statement) ? "" : "_intermediate",
                           literal(unit_roundoff(statement.type)), literal(tiny_of(statement.type)))
             : fmt::format("kept_in<{}>(x)", storage_type(statement.type));
  }

  // Ordered statements: all_S of the first of them runs the whole block, those of the others do nothing; what they
  // share a target with keeps its elements. Single elements are read after all of it was computed.
  std::string ordered_functions(const Statement& statement)
  {
    const std::vector<Statement>& all = m_kernel.program.statements;
    const bool first = m_statement == 0 || end_of_block(m_kernel.program, m_statement - 1) == m_statement;
    std::string out;
    if (first) {
      const std::size_t end = end_of_block(m_kernel.program, m_statement);
      for (std::size_t i = m_statement; i < end; ++i) {
        out += home_of(m_kernel.program, all[i].target) == i ? home_reader(i) : "";
      }
      out += block_function(m_statement, end);
    } else {
      out += fmt::format("\nvoid all_{}(const Environment&) {{}}\n", m_statement);
    }
    out += accuracy_functions(statement);
    return out
           + fmt::format("Number one_{0}(const Environment& env, i64 at) {{ return {{env.values[{1}][at], "
                         "env.errors[{1}][at]}}; }}\n",
                         m_statement, home_of(m_kernel.program, statement.target));
  }

  bool is_judged() const { return m_kernel.accuracy.may_leave_elements(); }
  // A number of an element, without a bound where what it is computed from leaves it out of the comparison.
  std::string judged(const std::string& number) const
  {
    return is_judged() ? fmt::format("judged([&]() -> Number {{ return {}; }})", number) : number;
  }

  std::string home_reader(std::size_t home)
  {
    const std::vector<std::string> shape = extents(m_kernel.program.statements[home]);
    std::vector<std::string> names;
    std::string declared;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      names.push_back(fmt::format("d{}", i));
      declared += fmt::format(", i64 d{}", i);
    }
    return fmt::format(
      "\ntemplate <bool Lazy> Number read_{0}(const Environment& env{1})\n{{\n{2}  const i64 at = {3};\n"
      "  return {4}env.values[{0}][at], env.errors[{0}][at]{5};\n}}\n",
      home, declared, sizes(), offset(names, shape), is_judged() ? "stored(" : "{", is_judged() ? ")" : "}");
  }

  std::string count_of(const Statement& statement)
  {
    std::string out = "1";
    for (const std::string& extent : extents(statement)) {
      out += fmt::format(" * ({})", extent);
    }
    return out;
  }

  std::string block_function(std::size_t first, std::size_t end)
  {
    const std::vector<Statement>& all = m_kernel.program.statements;
    std::string text;
    for (std::size_t i = first; i < end; ++i) {
      if (home_of(m_kernel.program, all[i].target) == i) {
        text +=
          fmt::format("  for (i64 at = 0; at < {}; ++at) {{\n    const Number x = {};\n    env.values[{}][at] = x.v;\n"
                      "    env.errors[{}][at] = x.e;\n  }}\n",
                      count_of(all[i]), judged(fmt::format("exact({})", first_value(all[i]))), i, i);
      }
    }
    const std::vector<SerialLoop>* open = nullptr;
    std::size_t depth = 0;
    for (m_statement = first; m_statement < end; ++m_statement) {
      const std::vector<SerialLoop>& loops = all[m_statement].loops;
      std::size_t shared = 0;
      while (open != nullptr && shared < std::min(open->size(), loops.size())
             && (*open)[shared].number == loops[shared].number) {
        ++shared;
      }
      for (; depth > shared; --depth) {
        text += "  }\n";
      }
      for (; depth < loops.size(); ++depth) {
        text += "  " + loop_head(loops[depth].range) + "{\n  if (is_stopped()) {\n    return;\n  }\n";
      }
      open = &loops;
      text += ordered_statement(all[m_statement]);
    }
    for (; depth > 0; --depth) {
      text += "  }\n";
    }
    m_statement = first;
    return fmt::format(
      "\nvoid all_{}(const Environment& env)\n{{\n  [[maybe_unused]] constexpr bool Lazy = false;\n{}{}}}\n", first,
      sizes(), text);
  }

  // What the elements of a target are before the loop that computes it: an inout argument's, else 0.
  std::string first_value(const Statement& statement) const
  {
    const Argument* argument = m_kernel.find_argument(statement.target);
    if (argument == nullptr || argument->role != Role::inout) {
      return "0";
    }
    return fmt::format("static_cast<double>(static_cast<const {}*>(env.arguments[{}])[at])",
                       storage_type(argument->type), argument - m_kernel.arguments.data());
  }

  // All elements are computed before the first is stored where the value reads the target elsewhere.
  std::string ordered_statement(const Statement& statement)
  {
    const std::size_t home = home_of(m_kernel.program, statement.target);
    const std::string at = offset(integers(statement.subscripts), extents(statement));
    std::string loops;
    for (const IndexRange& range : statement.indices) {
      loops += "    " + loop_head(range) + "\n";
    }
    const std::string memory = memos(statement);
    std::string element =
      memory
      + fmt::format("    Number y = {};\n", judged(fmt::format("[&] {{ const Number x = {}; return {}; }}()",
                                                               stored_value(statement), stored_form(statement))));
    const std::string where = fmt::format("    const i64 at = {};\n", at);
    const std::string old = fmt::format("Number{{env.values[{0}][at], env.errors[{0}][at]}}", home);
    if (statement.guard) {
      element =
        fmt::format("    const Truth guard = {};\n    if (guard.v || !guard.sure) {{\n{}    if (!guard.sure) {{\n"
                    "      y = choose(guard, [&] {{ return y; }}, [&] {{ return {}; }});\n    }}\n",
                    truth(*statement.guard), element, old);
    }
    const std::string close = statement.guard ? "    }\n" : "";
    const std::string store = fmt::format("    env.values[{0}][at] = y.v;\n    env.errors[{0}][at] = y.e;\n", home);
    const auto reads_target = [&](const Expr& part) {
      return part.kind == ExprKind::load && part.name == statement.target;
    };
    const bool aside =
      !statement.indices.empty()
      && (any_part(*statement.value, reads_target) || (statement.guard && any_part(*statement.guard, reads_target)));
    const std::string note = fmt::format("  // {}\n", replace_all(to_text(statement), "\n", " "));
    if (!aside) {
      return fmt::format("{}  {{\n{}    {{\n{}{}{}{}    }}\n  }}\n", note, loops, where, element, store, close);
    }
    const std::string otherwise =
      statement.guard ? fmt::format("    }} else {{\n      later.push_back({});\n    }}\n", old) : "";
    return fmt::format(
      "{0}  {{\n    std::vector<Number> later;\n{1}    {{\n{2}{3}    later.push_back(y);\n{4}    }}\n"
      "    std::size_t next = 0;\n{1}    {{\n{2}    const Number y = later[next++];\n{5}    }}\n  }}\n",
      note, loops, where, element, otherwise, store);
  }

  // compute_S: one element from its indices. read_S: the element where it is stored, computed on the way when single
  // elements are asked for. all_S: every element.
  std::string statement_functions(const Statement& statement)
  {
    if (is_ordered(statement)) {
      return ordered_functions(statement);
    }
    const std::string declared = parameters(index_names(statement, "i64 "));
    const std::string named = parameters(index_names(statement, ""));
    const std::string at = offset(index_names(statement, ""), extents(statement));
    const std::string stored = stored_form(statement);
    const std::string memory = memos(statement);
    m_carried = carried_reductions(statement);
    m_carriers.clear();
    const bool judged = m_kernel.accuracy.may_leave_elements();
    std::string body = judged ? "  return judged([&]() -> Number {\n" : "";
    if (statement.guard) {
      body += fmt::format("  const Truth guard = {};\n  if (guard.sure && !guard.v) {{\n    return exact(0);\n  }}\n",
                          truth(*statement.guard));
    }
    body += memory + fmt::format("  const Number x = {};\n", stored_value(statement));
    if (statement.guard) {
      body += fmt::format("  return choose(guard, [&] {{ return {}; }}, [] {{ return exact(0); }});\n", stored);
    } else {
      body += fmt::format("  return {};\n", stored);
    }
    body += judged ? "  });\n}\n" : "}\n";
    m_carried.reductions.clear(); // of the contraction's sums nothing is carried
    std::string out = fmt::format("\n// {}\n", replace_all(to_text(statement), "\n", " "));
    out += fmt::format("struct State_{} {{\n{}}};\n", m_statement, join(m_carriers, ""));
    out += fmt::format("template <bool Lazy> Number compute_{0}([[maybe_unused]] const Environment& env{1}, "
                       "[[maybe_unused]] State_{0}* state)\n{{\n{2}{3}",
                       m_statement, declared, sizes(), body);
    out += fmt::format("template <bool Lazy> Number read_{0}([[maybe_unused]] const Environment& env{1})\n{{\n{2}"
                       "  const i64 at = {3};\n"
                       "  if constexpr (Lazy) {{\n"
                       "    if (!env.computed[{0}][at]) {{\n"
                       "      const Number x = compute_{0}<true>(env{4}, nullptr);\n"
                       "      env.values[{0}][at] = x.v;\n      env.errors[{0}][at] = x.e;\n"
                       "      env.computed[{0}][at] = 1;\n    }}\n  }}\n"
                       "  return {5}env.values[{0}][at], env.errors[{0}][at]{6};\n}}\n",
                       m_statement, declared, sizes(), at, named, judged ? "stored(" : "{", judged ? ")" : "}");
    out += m_carriers.empty()
             ? all_elements(statement, fmt::format("compute_{}<false>(env{}, nullptr)", m_statement, named), "all", "")
             : carrying_elements(statement, fmt::format("compute_{}<false>(env{}, &state)", m_statement, named), at);
    out += single_element(statement);
    out += accuracy_functions(statement);
    if (m_contraction && m_contraction->statement == m_statement) {
      // The tiled sums lie in values and magnitudes already; what is left is the rest of the expression.
      const std::string sum = is_float(m_contraction->a->type)
                                ? fmt::format("summed(env.values[{0}][at], env.errors[{0}][at], "
                                              "k_u * env.errors[{0}][at] + terms.n * k_tiny, terms)",
                                              m_statement)
                                : fmt::format("exact(env.values[{}][at])", m_statement);
      const bool only_sums = m_contraction->epilogue->kind == ExprKind::hole && is_float(m_contraction->a->type)
                             && is_float(statement.type) && !judged;
      out += only_sums
               ? finished_sums(statement)
               : all_elements(statement,
                              fmt::format("{}[&] {{ const Number hole = {}; const Number x = {}; return {}; }}{}",
                                          judged ? "judged(" : "", sum, value(*m_contraction->epilogue), stored,
                                          judged ? ")" : "()"),
                              "finish", ", [[maybe_unused]] const Terms terms");
    }
    return out;
  }

  // Where nothing is done to the sums but storing them.
  std::string finished_sums(const Statement& statement)
  {
    return fmt::format("void finish_{0}(const Environment& env, const Terms terms)\n{{\n{1}"
                       "  finish_sums(env.values[{0}], env.errors[{0}], {2}, terms, {3}, {4});\n}}\n",
                       m_statement, sizes(), count_of(statement), literal(unit_roundoff(statement.type)),
                       literal(tiny_of(statement.type)));
  }

  std::string all_elements(const Statement& statement, const std::string& element, std::string_view name,
                           std::string_view more)
  {
    // Where an element is a reduction, one look more costs nothing; elsewhere compilers make vectors of what is left.
    const bool is_long =
      name == "all" && any_part(*statement.value, [](const Expr& part) { return part.kind == ExprKind::reduce; });
    const std::string look = is_long ? "    if (is_stopped()) {\n      return;\n    }\n" : "";
    const std::string lazy = name == "finish" ? "  [[maybe_unused]] constexpr bool Lazy = false;\n" : "";
    std::string begin = "0", loops;
    for (std::size_t i = 0; i < statement.indices.size(); ++i) {
      if (i > 0 || !is_long || statement.indices[i].lower) {
        loops += "  " + loop_head(statement.indices[i]) + "\n";
        continue;
      }
      const std::string& index = statement.indices[i].name;
      const std::vector<std::string> all = extents(statement);
      loops += fmt::format("  const i64 part_end = part_of({0}, env.part + 1, env.parts);\n"
                           "  for (i64 i_{1} = part_of({0}, env.part, env.parts); i_{1} < part_end; ++i_{1}) \n",
                           all[0], index);
      begin = fmt::format("part_of({}, env.part, env.parts)", all[0]);
      for (std::size_t d = 1; d < all.size(); ++d) {
        begin += fmt::format(" * ({})", all[d]);
      }
      m_in_parts.insert(m_statement);
    }
    return fmt::format(
      "void {0}_{1}([[maybe_unused]] const Environment& env{5})\n{{\n{2}{6}  i64 at = {8};\n{3}  {{\n{7}"
      "    const Number element = {4};\n"
      "    env.values[{1}][at] = element.v;\n    env.errors[{1}][at] = element.e;\n    ++at;\n  }}\n}}\n",
      name, m_statement, sizes(), loops, element, more, lazy, look, begin);
  }

  // With the index along which terms are carried innermost, in the direction in which they come.
  std::string carrying_elements(const Statement& statement, const std::string& element, const std::string& at)
  {
    std::string outer;
    for (std::size_t i = 0; i < statement.indices.size(); ++i) {
      outer += i == m_carried.along ? "" : "  " + loop_head(statement.indices[i]) + "\n";
    }
    const IndexRange& along = statement.indices[m_carried.along];
    const std::string inner = m_carried.direction == Carried::upwards
                                ? loop_head(along)
                                : fmt::format("for (i64 i_{0} = {1}; i_{0}-- > {2};) ", along.name,
                                              integer(*along.upper), along.lower ? integer(*along.lower) : "0");
    return fmt::format(
      "void all_{0}([[maybe_unused]] const Environment& env)\n{{\n{1}{2}  {{\n"
      "    State_{0} state;\n    {3}{{\n      if (is_stopped()) {{\n        return;\n      }}\n"
      "      const i64 at = {4};\n      const Number element = {5};\n"
      "      env.values[{0}][at] = element.v;\n      env.errors[{0}][at] = element.e;\n    }}\n  }}\n}}\n",
      m_statement, sizes(), outer, inner, at, element);
  }

  std::string single_element(const Statement& statement)
  {
    std::string decode;
    const std::vector<std::string> names = index_names(statement, "");
    const std::vector<std::string> sizes_of = extents(statement);
    for (std::size_t i = names.size(); i-- > 0;) {
      decode += fmt::format("  const i64 {0} = at % ({1});\n  at /= {1};\n", names[i], sizes_of[i]);
    }
    return fmt::format("Number one_{0}(const Environment& env, [[maybe_unused]] i64 at)\n{{\n{1}{2}"
                       "  return compute_{0}<true>(env{3}, nullptr);\n}}\n",
                       m_statement, sizes(), decode, parameters(names));
  }

  bool is_output(const Statement& statement) const
  {
    const Argument* argument = m_kernel.find_argument(statement.target);
    return argument != nullptr && is_written(argument->role);
  }

  // Bounds of all elements become what the kernel's [accuracy] makes of them: normwise after the statement, a tolerance
  // once no later statement reads them.
  std::string accuracy_functions(const Statement& statement)
  {
    const Accuracy& accuracy = m_kernel.accuracy;
    const bool sums = any_part(
      *statement.value, [](const Expr& part) { return part.kind == ExprKind::reduce && part.op == ReduceOp::sum; });
    const bool home = home_of(m_kernel.program, statement.target) == m_statement; // where its elements are
    const bool spread = accuracy.bounds == BoundClass::normwise && is_float(statement.type) && sums && home;
    const bool accepted = accuracy.tolerance.is_given() && is_float(statement.type) && is_output(statement) && home;
    const auto function = [&](std::string_view name, const std::string& call) {
      return fmt::format("void {}_{}([[maybe_unused]] const Environment& env)\n{{\n{}{}}}\n", name, m_statement,
                         call.empty() ? "" : sizes(), call);
    };
    const std::string arrays = fmt::format("env.values[{0}], env.errors[{0}], {1}", m_statement, count_of(statement));
    // Along the rounds of a loop, worst cases soon outgrow all results.
    const std::string_view accept = is_ordered(m_kernel.program) ? "accept_only" : "accept";
    return function("spread", spread ? fmt::format("  spread_largest({});\n", arrays) : "")
           + function("accept",
                      accepted ? fmt::format("  {}({}, {});\n", accept, arrays, tolerance_of(statement)) : "");
  }

  std::string tolerance_of(const Statement& statement) const
  {
    const Tolerance& tolerance = m_kernel.accuracy.tolerance;
    return fmt::format("{}, {}", literal(tolerance.absolute),
                       literal(tolerance.relative + unit_roundoff(statement.type)));
  }

  std::string entry_points() const
  {
    std::string all;
    std::string one;
    std::string accept;
    for (std::size_t i = 0; i < m_kernel.program.statements.size(); ++i) {
      const Statement& statement = m_kernel.program.statements[i];
      const char* whole = m_in_parts.contains(i) ? "" : "if (env->part == 0) "; // the others in their first part
      const bool accepted = m_kernel.accuracy.tolerance.is_given() && is_float(statement.type) && is_output(statement);
      all += fmt::format("  case {0}: {1}{{ all_{0}(*env); spread_{0}(*env); }} break;\n", i, whole);
      one += fmt::format("  case {0}: x = one_{0}(*env, element);{1} break;\n", i,
                         accepted ? fmt::format(" accept_one(x.v, x.e, {});", tolerance_of(statement)) : "");
      accept += fmt::format("  case {0}: accept_{0}(*env); break;\n", i);
    }
    std::string out =
      fmt::format("\nextern \"C\" void hone_watch(const unsigned char* flag)\n{{\n  stop_flag = flag;\n}}\n"
                  "\nextern \"C\" void hone_all(const Environment* env, i64 statement)\n{{\n"
                  "  switch (statement) {{\n{}  }}\n}}\n"
                  "\nextern \"C\" void hone_one(const Environment* env, i64 statement, i64 element, "
                  "double* value, double* error)\n{{\n  Number x{{0, 0}};\n  switch (statement) {{\n{}"
                  "  }}\n  *value = x.v;\n  *error = x.e;\n}}\n"
                  "\nextern \"C\" void hone_accept(const Environment* env, i64 statement)\n{{\n"
                  "  switch (statement) {{\n{}  }}\n}}\n",
                  all, one, accept);
    return m_contraction ? out + contraction_entry() : out;
  }

  std::string contraction_entry() const
  {
    const auto operand = [&](const Expr& load) {
      const auto position = static_cast<std::size_t>(m_kernel.find_argument(load.name) - m_kernel.arguments.data());
      return fmt::format("static_cast<const {}*>(env->arguments[{}])", storage_type(load.type), position);
    };
    const bool is_f64 =
      m_kernel.accumulate == DataType::f64 && is_float(m_contraction->a->type) && is_float(m_contraction->b->type);
    const bool notes = m_contraction->epilogue->kind != ExprKind::hole && is_float(m_contraction->a->type)
                       && is_float(m_contraction->b->type);
    const std::string note =
      notes ? fmt::format("  note_operands(*c, {}, {});\n", operand(*m_contraction->a), operand(*m_contraction->b))
            : "";
    const auto over_sums = [&](bool needed, std::string_view function) {
      return needed ? fmt::format("  {0}(*c, {1}, {2}, env->values[{3}], env->errors[{3}]);\n", function,
                                  operand(*m_contraction->a), operand(*m_contraction->b), m_contraction->statement)
                    : "";
    };
    return fmt::format(
      "\nextern \"C\" void hone_contract(const Environment* env, const Contraction* c)\n{{\n"
      "  contract(*c, {1}, {2}, env->values[{0}], env->errors[{0}]);\n}}\n"
      "\nextern \"C\" void hone_finish(const Environment* env, const Contraction* c)\n{{\n{3}"
      "{4}  finish_{0}(*env, Terms(static_cast<double>(c->terms) + k_added));\n"
      "  smallest_operand = HUGE_VAL;\n  operand_reach = 0;\n}}\n",
      m_contraction->statement, operand(*m_contraction->a), operand(*m_contraction->b),
      over_sums(is_f64, "recompute_overflowed") + over_sums(settles_sums(m_kernel.accuracy), "settle_sums"), note);
  }

  const Kernel& m_kernel;
  const std::optional<Contraction>& m_contraction;
  std::size_t m_statement = 0;         // being printed
  std::vector<const Expr*> m_repeated; // reductions that the statement names more than once
  int m_depth = 0;                     // reductions around the place being printed
  CarriedReductions m_carried;         // of the statement
  std::vector<std::string> m_carriers; // their declarations
  std::set<std::size_t> m_in_parts;    // statements whose elements can be computed in parts
};

} // namespace

std::string reference_source(const Kernel& kernel, const std::optional<Contraction>& contraction)
{
  return SourcePrinter(kernel, contraction).run();
}

} // namespace hone::kernel
