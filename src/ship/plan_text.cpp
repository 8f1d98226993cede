#include "ship/plan_text.h"

#include "ship/source_tokens.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::ship {

namespace {

using Kind = SourceToken::Kind;

std::string number(std::int64_t value, bool in_arithmetic)
{
  const std::string text = fmt::format("{}{}", value, in_arithmetic ? "LL" : ""); // int * int would overflow early
  return value < 0 ? "(" + text + ")" : text;
}

bool is_plan_operator(std::string_view text)
{
  return text == "&&" || text == "||" || text == "==" || text == "!=" || text == "<=" || text == ">="
         || (text.size() == 1 && std::string_view("+-*/%<>?:").find(text[0]) != std::string_view::npos);
}

// "device.l2" is one name in a plan, and "&&" one operator.
std::vector<SourceToken> plan_tokens(const std::string& text)
{
  std::vector<SourceToken> out;
  for (SourceToken& token : source_tokens(text)) {
    const bool in_name = !out.empty() && (token.text == "." || out.back().text.ends_with('.'));
    const bool in_operator =
      !out.empty() && out.back().kind == Kind::mark && is_plan_operator(out.back().text + token.text);
    if (in_name || in_operator) {
      out.back().text += token.text;
    } else if (token.kind != Kind::space) {
      out.push_back(std::move(token));
    }
  }
  return out;
}

bool is_size(const ExportContext& names, const std::string& word)
{
  return std::ranges::find(names.kernel().symbols, word) != names.kernel().symbols.end();
}

std::string function_name(const ExportContext& names, const std::string& name)
{
  return names.function + "_plan_" + name;
}

// Prints an expression that has been parsed already, so that its brackets are known to match.
class PlanPrinter {
public:
  PlanPrinter(const ExportContext& names, const kernel::PlanExpression& expression, const std::string& shared)
    : m_names(names), m_expression(expression), m_shared(shared), m_tokens(plan_tokens(expression.text()))
  {
  }

  // Up to a comma, a closing bracket or the end.
  Result<std::string> sequence()
  {
    std::string out;
    bool equality = false; // C gives == and != a level of their own; plans do not
    bool order = false;
    bool operand_before = false;
    for (; m_at < m_tokens.size() && text() != "," && text() != ")"; ++m_at) {
      const std::string& word = text();
      const bool logical = word == "&&" || word == "||" || word == "?" || word == ":";
      equality = !logical && (equality || word == "==" || word == "!=");
      order = !logical && (order || (is_plan_operator(word) && (word[0] == '<' || word[0] == '>')));
      if (equality && order) {
        return fail(fmt::format("'{}' means something else in C, which compares with == after <", m_expression.text()),
                    "put brackets around the comparisons", Place{"launch.toml", 0, 0});
      }
      const bool binary = operand_before && is_plan_operator(word);
      HONE_TRY(const std::string piece, operand());
      out += binary ? " " + piece + " " : piece;
      operand_before = !is_plan_operator(word) && word != "!";
    }
    return out;
  }

private:
  const std::string& text() const { return m_tokens[m_at].text; }
  bool next_is(std::string_view wanted) const
  {
    return m_at + 1 < m_tokens.size() && m_tokens[m_at + 1].text == wanted;
  }
  bool in_arithmetic() const
  {
    const auto is_one = [&](std::size_t i) {
      return i < m_tokens.size() && std::string_view("+-*/%").find(m_tokens[i].text) != std::string_view::npos;
    };
    return is_one(m_at + 1) || (m_at > 0 && is_one(m_at - 1));
  }

  Result<std::string> operand()
  {
    if (text() == "(") {
      ++m_at;
      HONE_TRY(const std::string inside, sequence());
      return "(" + inside + ")";
    }
    if (m_tokens[m_at].kind == Kind::number) {
      return number(std::stoll(text()), in_arithmetic());
    }
    if (m_tokens[m_at].kind == Kind::mark) {
      return text();
    }
    return next_is("(") ? call() : name();
  }

  // min and max take any number of arguments in a plan and two in C.
  Result<std::string> call()
  {
    const std::string function = function_name(m_names, text());
    ++m_at;
    std::vector<std::string> arguments;
    do {
      ++m_at;
      HONE_TRY(std::string argument, sequence());
      arguments.push_back(std::move(argument));
    } while (text() == ",");
    std::string out = arguments.back();
    const bool is_alone = arguments.size() == 1;
    for (std::size_t i = arguments.size() - 1; i-- > 0;) {
      out = fmt::format("{}({}, {})", function, arguments[i], out);
    }
    return is_alone ? fmt::format("{}({})", function, out) : out;
  }

  Result<std::string> name() const
  {
    const std::string& word = text();
    if (is_size(m_names, word)) {
      return word;
    }
    if (word == "repeat_index") {
      return m_names.local(word);
    }
    if (word == "shared" && !m_shared.empty()) {
      return m_shared;
    }
    const kernel::PlanScope scope = kernel::plan_scope({}, m_names.point, m_names.request.device_facts);
    if (const auto found = scope.find(word); found != scope.end()) {
      return number(found->second, in_arithmetic());
    }
    return fail(fmt::format("the plan names '{}', which is no size, no tuning parameter and no device fact", word),
                "ship it on a machine whose device tells this", Place{"launch.toml", 0, 0});
  }

  const ExportContext& m_names;
  const kernel::PlanExpression& m_expression;
  const std::string& m_shared;
  std::vector<SourceToken> m_tokens;
  std::size_t m_at = 0;
};

} // namespace

bool is_fixed(const ExportContext& names, const kernel::PlanExpression& expression)
{
  return std::ranges::none_of(expression.names(), [&](const std::string& name) {
    return is_size(names, name) || name == "repeat_index" || name == "shared";
  });
}

Result<std::string> plan_text(const ExportContext& names, const kernel::PlanExpression& expression,
                              const std::string& shared)
{
  if (is_fixed(names, expression)) {
    HONE_TRY(const std::int64_t value,
             expression.evaluate(kernel::plan_scope({}, names.point, names.request.device_facts)));
    return number(value, false);
  }
  return PlanPrinter(names, expression, shared).sequence();
}

namespace {

Result<std::string> operands_text(const ExportContext& names, const kernel::Expr& expression, std::string_view between)
{
  HONE_TRY(std::string out, extent_text(names, *expression.args[0]));
  for (std::size_t i = 1; i < expression.args.size(); ++i) {
    HONE_TRY(const std::string next, extent_text(names, *expression.args[i]));
    out += std::string(between) + next;
  }
  return out;
}

} // namespace

Result<std::string> extent_text(const ExportContext& names, const kernel::Expr& expression)
{
  switch (expression.kind) {
  case kernel::ExprKind::number:
    return number(static_cast<std::int64_t>(expression.number), false);
  case kernel::ExprKind::extent:
    return expression.name;
  case kernel::ExprKind::unary: {
    HONE_TRY(const std::string operand, extent_text(names, *expression.args[0]));
    return fmt::format("({}{})", expression.name, operand);
  }
  case kernel::ExprKind::binary: {
    HONE_TRY(const std::string text, operands_text(names, expression, fmt::format(" {} ", expression.name)));
    return "(" + text + ")";
  }
  case kernel::ExprKind::call:
    if ((expression.name == "min" || expression.name == "max") && expression.args.size() == 2) {
      HONE_TRY(const std::string text, operands_text(names, expression, ", "));
      return fmt::format("{}({})", function_name(names, expression.name), text);
    }
    break;
  default:
    break;
  }
  return fail(fmt::format("the extent '{}' cannot be written in C", kernel::to_text(expression)),
              "state it with + - * / over sizes", expression.place);
}

Result<std::string> elements_text(const ExportContext& names, const kernel::Argument& argument)
{
  std::string out;
  for (const kernel::ExprPtr& extent : argument.shape) {
    HONE_TRY(const std::string text, extent_text(names, *extent));
    out += (out.empty() ? "" : " * ") + text;
  }
  return out.empty() ? "1" : out;
}

std::string plan_functions(const ExportContext& names, const std::string& text)
{
  const std::set<std::string> used = words_of(text);
  const auto calls = [&](const std::string& name) { return used.contains(function_name(names, name)); };
  const auto define = [&](const std::string& name, const std::string& parameters, const std::string& body) {
    return calls(name)
             ? fmt::format("static int64_t {}({})\n{{\n{}}}\n\n", function_name(names, name), parameters, body)
             : std::string();
  };
  return define("ceil_div", "int64_t a, int64_t b", "  return a / b + (a % b != 0);\n")
         + define("round_up", "int64_t a, int64_t b", "  return (a / b + (a % b != 0)) * b;\n")
         + define("min", "int64_t a, int64_t b", "  return a < b ? a : b;\n")
         + define("max", "int64_t a, int64_t b", "  return a > b ? a : b;\n")
         + define("ceil_log2", "int64_t a",
                  "  int64_t out = 0;\n  while (out < 62 && ((int64_t)1 << out) < a) {\n    ++out;\n  }\n"
                  "  return out;\n");
}

} // namespace hone::ship
