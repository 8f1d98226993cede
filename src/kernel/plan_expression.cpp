#include "kernel/plan_expression.h"

#include "kernel/integer_arithmetic.h"
#include "util/did_you_mean.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

namespace hone::kernel {

struct PlanExpression::Node {
  enum class Kind { constant, name, unary, binary, choice, call };
  Kind kind = Kind::constant;
  std::int64_t value = 0;
  std::string text; // name, operator or function
  std::vector<std::shared_ptr<const Node>> args;
  std::size_t offset = 0; // in the text
};

namespace {

using Node = PlanExpression::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr int k_deepest = 100;
constexpr std::size_t k_max_text = 2000;

struct PlanFunction {
  std::string_view name;
  std::size_t least;
  std::size_t most;
};
constexpr std::array<PlanFunction, 5> k_plan_functions{
  {{"ceil_div", 2, 2}, {"round_up", 2, 2}, {"min", 2, 16}, {"max", 2, 16}, {"ceil_log2", 1, 1}}};

bool is_name_char(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

class PlanParser {
public:
  PlanParser(std::string_view text, const Place& place) : m_text(text), m_place(place) {}

  Result<NodePtr> run()
  {
    HONE_TRY(NodePtr out, choice());
    if (!at_end()) {
      return unexpected("an operator or the end");
    }
    return out;
  }

private:
  bool at_end()
  {
    skip_space();
    return m_offset >= m_text.size();
  }

  void skip_space()
  {
    while (m_offset < m_text.size() && (m_text[m_offset] == ' ' || m_text[m_offset] == '\t')) {
      ++m_offset;
    }
  }

  Place here() const { return at(m_offset); }
  Place at(std::size_t offset) const
  {
    Place place = m_place;
    if (place.line > 0) {
      place.column += static_cast<int>(offset);
    }
    return place;
  }

  std::unexpected<Error> unexpected(std::string_view expected)
  {
    const std::string found = at_end() ? "the end" : fmt::format("'{}'", m_text[m_offset]);
    return fail(fmt::format("{} was not expected in '{}'; expected {}", found, m_text, expected), {}, here());
  }

  // Takes the longest of the operators that stands here.
  std::optional<std::string_view> take(std::span<const std::string_view> operators)
  {
    skip_space();
    for (const std::string_view op : operators) {
      if (m_text.substr(m_offset, op.size()) == op) {
        m_offset += op.size();
        return op;
      }
    }
    return std::nullopt;
  }

  bool take(std::string_view op) { return take(std::span(&op, 1)).has_value(); }

  static NodePtr node(Node::Kind kind, std::string_view text, std::size_t offset, std::vector<NodePtr> args)
  {
    auto out = std::make_shared<Node>();
    out->kind = kind;
    out->text = text;
    out->offset = offset;
    out->args = std::move(args);
    return out;
  }

  Result<NodePtr> choice()
  {
    if (++m_depth > k_deepest) {
      return fail("the expression is nested too deeply", {}, here());
    }
    const std::size_t start = m_offset;
    HONE_TRY(NodePtr condition, level(0));
    if (take("?")) {
      HONE_TRY(NodePtr yes, choice());
      if (!take(":")) {
        return unexpected("':'");
      }
      HONE_TRY(NodePtr no, choice());
      condition = node(Node::Kind::choice, "?", start, {condition, yes, no});
    }
    --m_depth;
    return condition;
  }

  Result<NodePtr> level(std::size_t precedence)
  {
    static constexpr std::array<std::string_view, 1> either{"||"};
    static constexpr std::array<std::string_view, 1> both{"&&"};
    static constexpr std::array<std::string_view, 6> comparisons{"==", "!=", "<=", ">=", "<", ">"};
    static constexpr std::array<std::string_view, 2> sums{"+", "-"};
    static constexpr std::array<std::string_view, 3> products{"*", "/", "%"};
    static constexpr std::array<std::span<const std::string_view>, 5> levels{either, both, comparisons, sums, products};
    if (precedence == levels.size()) {
      return unary();
    }
    HONE_TRY(NodePtr left, level(precedence + 1));
    while (true) {
      skip_space();
      const std::size_t start = m_offset;
      const auto op = take(levels[precedence]);
      if (!op) {
        return left;
      }
      HONE_TRY(NodePtr right, level(precedence + 1));
      left = node(Node::Kind::binary, *op, start, {left, right});
    }
  }

  Result<NodePtr> unary()
  {
    skip_space();
    const std::size_t start = m_offset;
    static constexpr std::array<std::string_view, 2> signs{"-", "!"};
    if (const auto op = take(signs)) {
      if (++m_depth > k_deepest) {
        return fail("the expression is nested too deeply", {}, here());
      }
      HONE_TRY(NodePtr operand, unary());
      --m_depth;
      return node(Node::Kind::unary, *op, start, {operand});
    }
    return primary();
  }

  Result<NodePtr> primary()
  {
    if (take("(")) {
      HONE_TRY(NodePtr inner, choice());
      if (!take(")")) {
        return unexpected("')'");
      }
      return inner;
    }
    skip_space();
    const std::size_t start = m_offset;
    while (m_offset < m_text.size() && is_name_char(m_text[m_offset])) {
      ++m_offset;
    }
    const std::string_view word = m_text.substr(start, m_offset - start);
    if (word.empty()) {
      return unexpected("a number, a name or '('");
    }
    if (word[0] >= '0' && word[0] <= '9') {
      return number(word, start);
    }
    return take("(") ? call(word, start) : Result<NodePtr>(node(Node::Kind::name, word, start, {}));
  }

  Result<NodePtr> number(std::string_view word, std::size_t start)
  {
    auto out = std::make_shared<Node>();
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), out->value);
    if (status != std::errc{} || end != word.data() + word.size()) {
      return fail(fmt::format("'{}' is not an integer of at most 64 bits", word), {}, at(start));
    }
    return NodePtr(std::move(out));
  }

  Result<NodePtr> call(std::string_view name, std::size_t start)
  {
    const auto facts = std::ranges::find(k_plan_functions, name, &PlanFunction::name);
    if (facts == k_plan_functions.end()) {
      std::vector<std::string> known;
      for (const PlanFunction& function : k_plan_functions) {
        known.emplace_back(function.name);
      }
      return fail(fmt::format("there is no function '{}' in plans; expected one of {}", name, join(known, ", ")),
                  did_you_mean(name, known), at(start));
    }
    std::vector<NodePtr> args;
    do {
      HONE_TRY(NodePtr arg, choice());
      args.push_back(std::move(arg));
    } while (take(","));
    if (!take(")")) {
      return unexpected("')'");
    }
    if (args.size() < facts->least || args.size() > facts->most) {
      return fail(fmt::format("{}() takes {} argument(s); {} given", name, facts->least, args.size()), {}, at(start));
    }
    return node(Node::Kind::call, name, start, std::move(args));
  }

  std::string_view m_text;
  const Place& m_place;
  std::size_t m_offset = 0;
  int m_depth = 0;
};

class Evaluator {
public:
  Evaluator(const PlanScope& scope, const std::string& text, const Place& place)
    : m_scope(scope), m_text(text), m_place(place)
  {
  }

  Result<std::int64_t> run(const Node& node) const
  {
    switch (node.kind) {
    case Node::Kind::constant:
      return node.value;
    case Node::Kind::name:
      return name(node);
    case Node::Kind::unary: {
      HONE_TRY(const std::int64_t value, run(*node.args[0]));
      return node.text == "!" ? Result<std::int64_t>(value == 0) : operation(node, "-", 0, value);
    }
    case Node::Kind::choice: {
      HONE_TRY(const std::int64_t condition, run(*node.args[0]));
      return run(*node.args[condition != 0 ? 1 : 2]);
    }
    case Node::Kind::binary:
      return binary(node);
    case Node::Kind::call:
      break;
    }
    return call(node);
  }

private:
  std::unexpected<Error> failed(const Node& node, std::string message, std::string hint = {}) const
  {
    Place place = m_place;
    if (place.line > 0) {
      place.column += static_cast<int>(node.offset);
    }
    return fail(fmt::format("{} in '{}'", message, m_text), std::move(hint), std::move(place));
  }

  Result<std::int64_t> operation(const Node& node, std::string_view op, std::int64_t a, std::int64_t b) const
  {
    const auto value = integer_operation(op, a, b);
    return value ? Result<std::int64_t>(*value) : failed(node, value.error());
  }

  Result<std::int64_t> name(const Node& node) const
  {
    const auto found = m_scope.find(node.text);
    if (found != m_scope.end()) {
      return found->second;
    }
    std::vector<std::string> known;
    for (const auto& [known_name, value] : m_scope) {
      known.push_back(known_name);
    }
    return failed(
      node, fmt::format("'{}' is not known", node.text),
      did_you_mean(node.text, known,
                   known.empty() ? "numbers alone are known here" : fmt::format("known here: {}", join(known, ", "))));
  }

  Result<std::int64_t> binary(const Node& node) const
  {
    HONE_TRY(const std::int64_t left, run(*node.args[0]));
    if (node.text == "&&" && left == 0) {
      return 0;
    }
    if (node.text == "||" && left != 0) {
      return 1;
    }
    HONE_TRY(const std::int64_t right, run(*node.args[1]));
    if (node.text == "&&" || node.text == "||") {
      return right != 0;
    }
    return operation(node, node.text, left, right);
  }

  Result<std::int64_t> call(const Node& node) const
  {
    std::vector<std::int64_t> args;
    for (const NodePtr& arg : node.args) {
      HONE_TRY(const std::int64_t value, run(*arg));
      args.push_back(value);
    }
    if (node.text == "min" || node.text == "max") {
      return node.text == "min" ? *std::ranges::min_element(args) : *std::ranges::max_element(args);
    }
    if (node.text == "ceil_log2") {
      return ceil_log2(node, args[0]);
    }
    if (args[0] < 0 || args[1] <= 0) {
      return failed(
        node, fmt::format("{}({}, {}) needs a first argument >= 0 and a second > 0", node.text, args[0], args[1]));
    }
    const std::int64_t quotient = args[0] / args[1] + (args[0] % args[1] != 0 ? 1 : 0);
    return node.text == "ceil_div" ? Result<std::int64_t>(quotient) : operation(node, "*", quotient, args[1]);
  }

  Result<std::int64_t> ceil_log2(const Node& node, std::int64_t value) const
  {
    if (value < 1) {
      return failed(node, fmt::format("ceil_log2({}) needs an argument >= 1", value));
    }
    std::int64_t out = 0;
    while (out < 62 && (std::int64_t{1} << out) < value) {
      ++out;
    }
    return (std::int64_t{1} << out) < value ? 63 : out;
  }

  const PlanScope& m_scope;
  const std::string& m_text;
  const Place& m_place;
};

void collect_names(const Node& node, std::vector<std::string>& names)
{
  if (node.kind == Node::Kind::name && std::ranges::find(names, node.text) == names.end()) {
    names.push_back(node.text);
  }
  for (const NodePtr& arg : node.args) {
    collect_names(*arg, names);
  }
}

} // namespace

Result<PlanExpression> PlanExpression::parse(std::string_view text, const Place& place)
{
  if (text.size() > k_max_text) {
    return fail(fmt::format("an expression of {} characters; expected at most {}", text.size(), k_max_text), {}, place);
  }
  PlanExpression out;
  out.m_text = text;
  out.m_place = place;
  HONE_TRY(out.m_root, PlanParser(text, place).run());
  return out;
}

PlanExpression PlanExpression::constant(std::int64_t value)
{
  auto node = std::make_shared<Node>();
  node->value = value;
  PlanExpression out;
  out.m_text = std::to_string(value);
  out.m_root = std::move(node);
  return out;
}

Result<std::int64_t> PlanExpression::evaluate(const PlanScope& scope) const
{
  return m_root ? Evaluator(scope, m_text, m_place).run(*m_root) : Result<std::int64_t>(0);
}

std::vector<std::string> PlanExpression::names() const
{
  std::vector<std::string> out;
  if (m_root) {
    collect_names(*m_root, out);
  }
  return out;
}

} // namespace hone::kernel
