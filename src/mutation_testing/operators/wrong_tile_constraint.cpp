// A tile that does not divide the extent is let through: code for whole tiles runs where a tile sticks out.
#include "mutation_testing/operator.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::mutation_testing {

namespace {

// if (i + TILE <= end) whole else edge: always whole.
void always_whole(const SourceCode& code, std::vector<TextMutation>& out)
{
  for (const Condition& condition : code.conditions()) {
    const TokenRange inside = condition.condition;
    if (code.has(inside, "<=") && code.has(inside, "+")) {
      out.push_back({fmt::format("if ({}) -> if (1)", code.words(inside)),
                     {{code[inside.first].begin, code[inside.last - 1].end, "1"}}});
    }
  }
}

// for (; j + STEP <= end; j += STEP), with a loop behind it for what is left: the first one goes to the end.
void no_remainder(const SourceCode& code, std::vector<TextMutation>& out)
{
  for (const ForLoop& loop : code.loops()) {
    const TokenRange inside = loop.condition;
    const bool steps = loop.step.size() > 2 && code.is(loop.step.first + 1, "+=");
    if (!steps || inside.size() < 5 || !code.is(inside.first + 1, "+") || !code.has(inside, "<=")) {
      continue;
    }
    const std::size_t compare = code.find(inside, "<=");
    const std::string now = fmt::format("{} < {}", code[inside.first].text, code.words({compare + 1, inside.last}));
    out.push_back({fmt::format("for ({}) -> for ({})", code.words(inside), now),
                   {{code[inside.first].begin, code[inside.last - 1].end, now}}});
  }
}

// full = n / STEP * STEP, up to where steps are whole: rounded up.
void rounded_up(const SourceCode& code, std::vector<TextMutation>& out)
{
  for (const TokenRange& statement : code.statements()) {
    const std::size_t divide = code.find(statement, "/");
    const std::size_t equals = code.find({statement.first, divide}, "=");
    if (divide >= statement.last || equals == divide) {
      continue;
    }
    const std::size_t behind = code.is(divide + 1, "(") ? code.partner(divide + 1) + 1 : divide + 2;
    const std::string step = code.words({divide + 1, behind});
    if (!code.is(behind, "*") || code.words({behind + 1, statement.last}) != step) {
      continue;
    }
    const std::string length = code.words({divide - 1, divide});
    if (!code.is_name(divide - 1)) {
      continue;
    }
    const std::string now = fmt::format("({} + {} - 1)", length, step);
    out.push_back(
      {fmt::format("{} -> rounded up", code.words(statement)), {{code[divide - 1].begin, code[divide - 1].end, now}}});
  }
}

std::vector<TextMutation> in_code(const CodeSubject& subject)
{
  std::vector<TextMutation> out;
  always_whole(subject.code, out);
  no_remainder(subject.code, out);
  rounded_up(subject.code, out);
  return out;
}

} // namespace

MutationOperator wrong_tile_constraint()
{
  return {"wrong-tile-constraint", "a tile that does not divide the extent is let through as a whole one", in_code};
}

} // namespace hone::mutation_testing
