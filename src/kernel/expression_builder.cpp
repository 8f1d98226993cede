// Long because it has one function for each construct of the language, over helpers that most of them share.
#include "kernel/expression_builder.h"

#include "kernel/expression_types.h"
#include "kernel/function_library.h"
#include "util/did_you_mean.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::kernel {

namespace {

struct FunctionFacts {
  std::string_view name;
  std::size_t least; // number of arguments
  std::size_t most;
};

constexpr std::size_t k_any_number = 64;
constexpr std::array<FunctionFacts, 16> k_functions{{{"exp", 1, 1},
                                                     {"log", 1, 1},
                                                     {"log1p", 1, 1},
                                                     {"sqrt", 1, 1},
                                                     {"rsqrt", 1, 1},
                                                     {"tanh", 1, 1},
                                                     {"erf", 1, 1},
                                                     {"sin", 1, 1},
                                                     {"cos", 1, 1},
                                                     {"pow", 2, 2},
                                                     {"abs", 1, 1},
                                                     {"floor", 1, 1},
                                                     {"sign", 1, 1},
                                                     {"max", 2, k_any_number},
                                                     {"min", 2, k_any_number},
                                                     {"select", 3, 3}}};

constexpr std::array<std::string_view, 6> k_reductions{"sum", "prod", "max", "min", "argmax", "argmin"};

std::optional<ReduceOp> reduction_from(std::string_view name)
{
  const auto found = std::ranges::find(k_reductions, name);
  if (found == k_reductions.end()) {
    return std::nullopt;
  }
  return static_cast<ReduceOp>(found - k_reductions.begin());
}

bool holds_reduction(const Expr& expression)
{
  return any_part(expression, [](const Expr& part) { return part.kind == ExprKind::reduce; });
}

std::shared_ptr<Expr> new_node(ExprKind kind, const Place& place)
{
  auto node = std::make_shared<Expr>();
  node->kind = kind;
  node->place = place;
  return node;
}

ExprPtr placed(const ExprPtr& expression, const Place& place)
{
  auto copy = std::make_shared<Expr>(*expression);
  copy->place = place;
  return copy;
}

Result<void> expect_number(const Expr& operand, std::string_view context)
{
  if (operand.type == DataType::boolean) {
    return fail(fmt::format("a condition cannot be an operand of {}; expected a number", context),
                "turn a condition into a number with select(condition, 1, 0)", operand.place);
  }
  return {};
}

Result<void> expect_condition(const Expr& operand, std::string_view context)
{
  if (operand.type != DataType::boolean) {
    return fail(fmt::format("{} needs a condition; this is a number of type {}", context, name_of(operand.type)),
                "compare it with something, such as x != 0", operand.place);
  }
  return {};
}

std::string plural(std::size_t count, std::string_view noun)
{
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

} // namespace

const ExpressionBuilder::OpenIndex* ExpressionBuilder::find_index(std::string_view name) const
{
  const auto found =
    std::find_if(m_scope.rbegin(), m_scope.rend(), [&](const OpenIndex& open) { return open.range.name == name; });
  return found == m_scope.rend() ? nullptr : &*found;
}

bool ExpressionBuilder::is_symbol(std::string_view name) const
{
  return std::ranges::find(m_symbols, name) != m_symbols.end();
}

std::unexpected<Error> ExpressionBuilder::unknown_name(const Syntax& syntax) const
{
  std::vector<std::string> known;
  for (const OpenIndex& open : m_scope) {
    known.push_back(open.range.name);
  }
  for (const auto& [name, tensor] : tensors) {
    known.push_back(name);
  }
  known.insert(known.end(), m_symbols.begin(), m_symbols.end());
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return fail(fmt::format("'{}' is not known here; expected {}", syntax.text,
                          syntax.kind == Syntax::Kind::subscript
                            ? "an argument or an earlier target"
                            : "an index, an argument, an earlier target or a size"),
              did_you_mean(syntax.text, known,
                           known.empty() ? "state sizes under [sizes] and tensors under [arguments]"
                                         : fmt::format("known here: {}", join(known, ", "))),
              syntax.place);
}

std::unexpected<Error> ExpressionBuilder::unknown_function(const Syntax& syntax) const
{
  std::vector<std::string> known(k_reductions.begin(), k_reductions.end());
  for (const FunctionFacts& facts : k_functions) {
    known.emplace_back(facts.name);
  }
  for (const LibraryFunction& function : library_functions()) {
    known.emplace_back(function.name);
  }
  for (const std::string_view type : {"f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u32", "u16", "u8"}) {
    known.emplace_back(type);
  }
  return fail(
    fmt::format("there is no function '{}'; expected a function, a reduction or a type to cast to", syntax.text),
    did_you_mean(syntax.text, known, "tensors are subscripted with [ ]; docs/expressions.md lists the functions"),
    syntax.place);
}

Result<ExprPtr> ExpressionBuilder::build(const SyntaxPtr& syntax)
{
  switch (syntax->kind) {
  case Syntax::Kind::number:
    return placed(make_number(syntax->number, syntax->integer), syntax->place);
  case Syntax::Kind::name:
    return build_name(*syntax);
  case Syntax::Kind::subscript:
    return build_load(*syntax);
  case Syntax::Kind::unary:
    return build_unary(*syntax);
  case Syntax::Kind::binary:
    return build_binary(*syntax);
  case Syntax::Kind::call:
    break;
  }
  return build_call(*syntax);
}

Result<ExprPtr> ExpressionBuilder::build_condition(const SyntaxPtr& syntax)
{
  HONE_TRY(ExprPtr condition, build(syntax));
  HONE_CHECK(expect_condition(*condition, "'where'"));
  return condition;
}

Result<ExprPtr> ExpressionBuilder::build_name(const Syntax& syntax)
{
  if (const auto parameter = m_parameters.find(syntax.text); parameter != m_parameters.end()) {
    return parameter->second;
  }
  if (find_index(syntax.text) != nullptr) {
    return placed(make_index(syntax.text), syntax.place);
  }
  if (tensors.contains(syntax.text)) {
    return build_load(syntax);
  }
  if (is_symbol(syntax.text)) {
    return placed(make_extent(syntax.text), syntax.place);
  }
  return unknown_name(syntax);
}

Result<ExprPtr> ExpressionBuilder::build_load(const Syntax& syntax)
{
  const auto found = tensors.find(syntax.text);
  if (found == tensors.end()) {
    return unknown_name(syntax);
  }
  const KnownTensor& tensor = found->second;
  if (!tensor.unreadable.empty()) {
    return fail(fmt::format("'{}' cannot be read here: {}", syntax.text, tensor.unreadable),
                "a statement reads inputs and the targets of statements before it", syntax.place);
  }
  if (syntax.args.size() != tensor.shape.size()) {
    return fail(fmt::format("'{}' has {}; {} given", syntax.text, plural(tensor.shape.size(), "dimension"),
                            plural(syntax.args.size(), "subscript")),
                {}, syntax.place);
  }
  auto node = new_node(ExprKind::load, syntax.place);
  node->name = syntax.text;
  node->type = tensor.type;
  for (std::size_t i = 0; i < syntax.args.size(); ++i) {
    HONE_TRY(ExprPtr subscript, build_subscript(syntax.args[i], syntax.text, i, tensor.shape[i]));
    node->args.push_back(std::move(subscript));
  }
  return node;
}

Result<ExprPtr> ExpressionBuilder::build_subscript(const SyntaxPtr& syntax, const std::string& tensor,
                                                   std::size_t dimension, const ExprPtr& extent)
{
  HONE_TRY(ExprPtr subscript, build(syntax));
  if (!is_integer(subscript->type)) {
    return fail(fmt::format("a subscript must be an integer; this one is {}", name_of(subscript->type)), {},
                syntax->place);
  }
  if (holds_reduction(*subscript)) {
    return fail("a subscript cannot hold a reduction",
                "compute it in a statement of its own: T[i] = argmax(k, X[i,k]), then subscript with T[i]",
                syntax->place);
  }
  if (subscript->kind == ExprKind::index) {
    HONE_CHECK(
      note_extent(subscript->name, extent, fmt::format("dimension {} of {}", dimension + 1, tensor), syntax->place));
  }
  return subscript;
}

Result<void> ExpressionBuilder::note_extent(const std::string& index, const ExprPtr& extent, const std::string& reason,
                                            const Place& place)
{
  const auto found =
    std::find_if(m_scope.rbegin(), m_scope.rend(), [&](const OpenIndex& open) { return open.range.name == index; });
  if (found == m_scope.rend() || found->explicit_upper) {
    return {};
  }
  if (!found->range.upper) {
    found->range.upper = extent;
    found->reason = reason;
    return {};
  }
  const std::string before = to_text(*found->range.upper);
  const std::string now = to_text(*extent);
  if (before == now) {
    return {};
  }
  return fail(
    fmt::format("index '{}' runs over '{}' ({}) and over '{}' ({})", index, before, found->reason, now, reason),
    before == index ? fmt::format("make the shapes agree: {} should be '{}', or its subscripts belong in another order",
                                  reason, before)
                    : fmt::format("make the shapes agree, or say where it runs: {} < {}", index, before),
    place);
}

Result<ExprPtr> ExpressionBuilder::build_unary(const Syntax& syntax)
{
  HONE_TRY(ExprPtr operand, build(syntax.args[0]));
  if (syntax.text == "!") {
    HONE_CHECK(expect_condition(*operand, "'!'"));
  } else {
    HONE_CHECK(expect_number(*operand, "'-'"));
    if (operand->kind == ExprKind::number) {
      return placed(make_number(-operand->number, operand->integer_literal), syntax.place);
    }
  }
  auto node = new_node(ExprKind::unary, syntax.place);
  node->name = syntax.text;
  node->type = operand->type;
  node->args = {std::move(operand)};
  return node;
}

Result<ExprPtr> ExpressionBuilder::build_binary(const Syntax& syntax)
{
  HONE_TRY(ExprPtr left, build(syntax.args[0]));
  HONE_TRY(ExprPtr right, build(syntax.args[1]));
  const std::string context = fmt::format("'{}'", syntax.text);
  for (const ExprPtr& side : {left, right}) {
    if (is_logical(syntax.text)) {
      HONE_CHECK(expect_condition(*side, context));
    } else {
      HONE_CHECK(expect_number(*side, context));
    }
  }
  if (syntax.text == "%" && (!is_integer(left->type) || !is_integer(right->type))) {
    return fail("'%' works on integers only", {}, syntax.place);
  }
  if ((syntax.text == "/" || syntax.text == "%") && right->kind == ExprKind::number && right->number == 0) {
    return fail("division by zero", {}, syntax.place);
  }
  return placed(make_binary(syntax.text, std::move(left), std::move(right)), syntax.place);
}

Result<ExprPtr> ExpressionBuilder::build_call(const Syntax& syntax)
{
  if (is_reduction(syntax)) {
    return build_reduce(syntax, *reduction_from(syntax.text));
  }
  if (syntax.where) {
    return fail(
      fmt::format("'where' has no meaning in {}(); expected it in a reduction or after a statement", syntax.text),
      "a choice is written select(condition, then, else)", syntax.where->place);
  }
  const auto type = data_type_from(syntax.text);
  if (type && type != DataType::boolean) {
    return build_cast(syntax, *type);
  }
  return build_function(syntax);
}

// max(a, b) is a function, max(k, X[k]) a reduction: what decides is whether the first arguments introduce indices.
bool ExpressionBuilder::is_reduction(const Syntax& call) const
{
  if (!reduction_from(call.text)) {
    return false;
  }
  if (call.text != "max" && call.text != "min") {
    return true;
  }
  const auto fresh = [&](const std::string& name) {
    return find_index(name) == nullptr && !tensors.contains(name) && !m_parameters.contains(name);
  };
  return call.args.size() >= 2 && std::all_of(call.args.begin(), call.args.end() - 1, [&](const SyntaxPtr& arg) {
           return binder_from(*arg, fresh).has_value();
         });
}

Result<ExprPtr> ExpressionBuilder::build_function(const Syntax& syntax)
{
  if (const LibraryFunction* function = find_library_function(syntax.text)) {
    return build_library_call(syntax, *function);
  }
  const auto facts = std::ranges::find(k_functions, syntax.text, &FunctionFacts::name);
  if (facts == k_functions.end()) {
    return unknown_function(syntax);
  }
  if (syntax.args.size() < facts->least || syntax.args.size() > facts->most) {
    const std::string expected =
      facts->most == k_any_number ? fmt::format("at least {}", facts->least) : fmt::format("{}", facts->least);
    return fail(fmt::format("{}() takes {} argument(s); {} given", syntax.text, expected, syntax.args.size()),
                syntax.text == "max" || syntax.text == "min"
                  ? fmt::format("{0}(a, b), or over an index: {0}(k, X[k])", syntax.text)
                  : std::string(),
                syntax.place);
  }
  std::vector<ExprPtr> args;
  for (const SyntaxPtr& arg : syntax.args) {
    HONE_TRY(ExprPtr built, build(arg));
    args.push_back(std::move(built));
  }
  if (syntax.text == "select") {
    return build_select(syntax, std::move(args));
  }
  auto node = new_node(ExprKind::call, syntax.place);
  node->name = syntax.text;
  node->type = args[0]->type;
  for (const ExprPtr& arg : args) {
    HONE_CHECK(expect_number(*arg, syntax.text + "()"));
  }
  for (std::size_t i = 1; i < args.size(); ++i) {
    // joined_type looks at nodes, so that literals give way; the widest so far is carried by the widest argument.
    const Expr& widest = **std::ranges::find(args, node->type, [](const ExprPtr& arg) { return arg->type; });
    node->type = joined_type(widest, *args[i]);
  }
  const bool keeps_integers =
    syntax.text == "max" || syntax.text == "min" || syntax.text == "abs" || syntax.text == "sign";
  if (!is_float(node->type) && !keeps_integers) {
    node->type = is_weak(*args[0]) ? DataType::f64 : m_accumulate;
  }
  node->args = std::move(args);
  return node;
}

// Puts the arguments in the place of the definition's parameters. An argument that the definition names twice becomes
// one shared node, so that a reduction in it is computed once.
Result<ExprPtr> ExpressionBuilder::build_library_call(const Syntax& syntax, const LibraryFunction& function)
{
  if (syntax.args.size() != function.parameters.size()) {
    return fail(
      fmt::format("{}() takes {}; {} given", function.name, plural(function.parameters.size(), "argument"),
                  syntax.args.size()),
      fmt::format("{}({}) = {}", function.name,
                  join(std::vector<std::string>(function.parameters.begin(), function.parameters.end()), ", "),
                  function.definition),
      syntax.place);
  }
  ExpressionBuilder inside({}, m_accumulate, m_errors);
  for (std::size_t i = 0; i < syntax.args.size(); ++i) {
    HONE_TRY(ExprPtr argument, build(syntax.args[i]));
    HONE_CHECK(expect_number(*argument, syntax.text + "()"));
    inside.m_parameters.emplace(function.parameters[i], std::move(argument));
  }
  const SyntaxPtr definition = parse_expression_syntax(
    function.definition, SourceMap::of_text(function.definition, std::string(function.name)), m_errors);
  HONE_TRY(ExprPtr value, inside.build(definition));
  return placed(value, syntax.place);
}

Result<ExprPtr> ExpressionBuilder::build_select(const Syntax& syntax, std::vector<ExprPtr> args)
{
  HONE_CHECK(expect_condition(*args[0], "the first argument of select()"));
  HONE_CHECK(expect_number(*args[1], "select()"));
  HONE_CHECK(expect_number(*args[2], "select()"));
  auto node = new_node(ExprKind::select, syntax.place);
  node->type = joined_type(*args[1], *args[2]);
  node->args = std::move(args);
  return node;
}

Result<ExprPtr> ExpressionBuilder::build_cast(const Syntax& syntax, DataType type)
{
  if (syntax.args.size() != 1) {
    return fail(fmt::format("{}() casts 1 value; {} given", syntax.text, syntax.args.size()), {}, syntax.place);
  }
  HONE_TRY(ExprPtr value, build(syntax.args[0]));
  HONE_CHECK(expect_number(*value, syntax.text + "()"));
  auto node = new_node(ExprKind::cast, syntax.place);
  node->type = type;
  node->args = {std::move(value)};
  return node;
}

Result<Binder> ExpressionBuilder::binder_of(const Syntax& syntax, const std::string& reduction) const
{
  const auto fresh = [&](const std::string& name) { return find_index(name) == nullptr; };
  if (auto binder = binder_from(syntax, fresh)) {
    if (tensors.contains(binder->name)) {
      return fail(fmt::format("'{}' is a tensor and cannot be an index too", binder->name), "choose another name",
                  binder->place);
    }
    return *binder;
  }
  const auto any = [](const std::string&) { return true; };
  if (const auto binder = binder_from(syntax, any)) {
    return fail(fmt::format("index '{}' is in use already", binder->name),
                fmt::format("{}() introduces its own index: choose a name that is not in use here", reduction),
                binder->place);
  }
  return fail(fmt::format("expected an index of {}() here, such as k, k < n or 1 <= k < n", reduction),
              fmt::format("the last argument is what is reduced: {}(k, X[k])", reduction), syntax.place);
}

Result<ExprPtr> ExpressionBuilder::build_bound(const SyntaxPtr& syntax, bool plus_one)
{
  if (!syntax) {
    return ExprPtr();
  }
  HONE_TRY(ExprPtr bound, build(syntax));
  if (!is_integer(bound->type)) {
    return fail("the range of an index must be given by integers", {}, syntax->place);
  }
  if (holds_reduction(*bound)) {
    return fail("a range cannot hold a reduction", "compute it in a statement of its own first", syntax->place);
  }
  return plus_one ? make_binary("+", std::move(bound), make_number(1, true)) : bound;
}

Result<void> ExpressionBuilder::open_index(const Binder& binder)
{
  OpenIndex open;
  open.range.name = binder.name;
  open.range.place = binder.place;
  HONE_TRY(open.range.lower, build_bound(binder.lower, binder.lower_open));
  HONE_TRY(open.range.upper, build_bound(binder.upper, binder.upper_closed));
  open.explicit_upper = open.range.upper != nullptr;
  const ExprPtr& lower = open.range.lower;
  if (lower && lower->kind == ExprKind::number && lower->number == 0) {
    open.range.lower = nullptr; // from 0 is the default: one form for one meaning
  }
  m_scope.push_back(std::move(open));
  return {};
}

Result<std::vector<IndexRange>> ExpressionBuilder::close_indices(std::size_t first)
{
  std::vector<IndexRange> out;
  for (std::size_t i = first; i < m_scope.size(); ++i) {
    if (!m_scope[i].range.upper) {
      const std::string& name = m_scope[i].range.name;
      return fail(fmt::format("index '{}' has no range: it stands alone in no subscript", name),
                  fmt::format("say where it runs, such as {} < 3", name), m_scope[i].range.place);
    }
    out.push_back(m_scope[i].range);
  }
  drop_indices(first);
  return out;
}

Result<ExprPtr> ExpressionBuilder::build_reduce(const Syntax& syntax, ReduceOp op)
{
  if (syntax.args.size() < 2) {
    return fail(fmt::format("{}() needs an index and a body", syntax.text),
                fmt::format("such as {}(k, X[k])", syntax.text), syntax.place);
  }
  if (is_position(op) && syntax.args.size() > 2) {
    return fail(fmt::format("{}() takes one index; {} given", syntax.text, syntax.args.size() - 1),
                "the result is a single index; compute over one flattened index, or in two steps", syntax.place);
  }
  const std::size_t first = m_scope.size();
  auto node = build_body(syntax, op, first);
  drop_indices(first); // after an error the scope must still be as it was
  return node;
}

Result<ExprPtr> ExpressionBuilder::build_body(const Syntax& syntax, ReduceOp op, std::size_t first)
{
  for (std::size_t i = 0; i + 1 < syntax.args.size(); ++i) {
    HONE_TRY(const Binder binder, binder_of(*syntax.args[i], syntax.text));
    HONE_CHECK(open_index(binder));
  }
  auto node = new_node(ExprKind::reduce, syntax.place);
  node->op = op;
  HONE_TRY(ExprPtr body, build(syntax.args.back()));
  HONE_CHECK(expect_number(*body, syntax.text + "()"));
  node->type = body->type;
  if (is_position(op)) {
    node->type = DataType::i64;
  } else if ((op == ReduceOp::sum || op == ReduceOp::prod) && is_float(body->type) && !is_weak(*body)
             && size_of(m_accumulate) > size_of(body->type)) {
    node->type = m_accumulate; // sums of halves are kept in the wider type that they are accumulated in
  }
  node->args.push_back(std::move(body));
  if (syntax.where) {
    HONE_TRY(ExprPtr guard, build_condition(syntax.where));
    node->args.push_back(std::move(guard));
  }
  HONE_TRY(node->ranges, close_indices(first));
  return node;
}

} // namespace hone::kernel
