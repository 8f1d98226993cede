// What lay in a buffer before stays there: a store is left out, a copy is not made anew, a sum keeps what the element
// before it came to.
#include "mutation_testing/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::mutation_testing {

namespace {

bool is_store(const SourceCode& code, TokenRange statement)
{
  const std::string& name = code[statement.first].text;
  if ((name.starts_with("hone_store") || name.starts_with("hone_stream")) && statement.size() > 3) {
    return true;
  }
  const std::size_t close = code.is(statement.first + 1, "[") ? code.partner(statement.first + 1) : 0;
  return code.pointers().contains(name) && close > 0 && code.is(close + 1, "=");
}

bool calls_own_function(const SourceCode& code, TokenRange statement)
{
  return code.functions().contains(code[statement.first].text) && code.is(statement.first + 1, "(")
         && code.partner(statement.first + 1) + 1 == statement.last;
}

void leave_out(const SourceCode& code, std::vector<TextMutation>& out)
{
  for (const TokenRange& statement : code.statements()) {
    if (is_store(code, statement) || calls_own_function(code, statement)) {
      out.push_back({fmt::format("without: {}", code.words(statement)),
                     {{code[statement.first].begin, code[statement.last - 1].end, ""}}});
    }
  }
}

// float sum = 0;  float sum[4] = {};  float largest = -INFINITY;
bool starts_collecting(const SourceCode& code, TokenRange statement)
{
  const std::string& type = code[statement.first].text;
  if (!(is_float_type(type) || type == "int64_t" || type == "long") || code.begins_loop(statement)) {
    return false;
  }
  const std::size_t equals = code.find(statement, "=");
  constexpr std::array<std::string_view, 8> k_starts{"0", "0.0", "0.0f", "1.0f", "1.0", "{}", "-INFINITY", "INFINITY"};
  const std::string start = equals < statement.last ? code.words({equals + 1, statement.last}) : "";
  return std::ranges::find(k_starts, start) != k_starts.end();
}

// The declaration moves in front of the loop that it is directly in.
void keep_across_rounds(const SourceCode& code, std::vector<TextMutation>& out)
{
  for (const TokenRange& statement : code.statements()) {
    if (!starts_collecting(code, statement)) {
      continue;
    }
    for (const ForLoop& loop : code.loops()) {
      const bool direct = loop.body.size() > 0 && code.enclosing_brace(statement.first) + 1 == loop.body.first;
      if (direct) {
        const std::string text = code.words(statement);
        const std::size_t front = code.line_start_with_pragmas(code[loop.keyword].begin);
        out.push_back({fmt::format("{} -> only once, before for ({})", text, code.words(loop.start)),
                       {{front, front, text + ";\n"}, {code[statement.first].begin, code[statement.last].end, ""}}});
      }
    }
  }
}

std::vector<TextMutation> in_code(const CodeSubject& subject)
{
  std::vector<TextMutation> out;
  leave_out(subject.code, out);
  keep_across_rounds(subject.code, out);
  return out;
}

} // namespace

MutationOperator stale_buffer()
{
  return {"stale-buffer", "a store or a copy is left out, or a sum is not begun anew", in_code};
}

} // namespace hone::mutation_testing
