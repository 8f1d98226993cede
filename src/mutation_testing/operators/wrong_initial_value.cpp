// A reduction begins with another value than the one that changes nothing.
#include "mutation_testing/operator.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace hone::mutation_testing {

namespace {

// {{{1}}} for as many dimensions: the first session of the first vector.
std::string first_is_one(const SourceCode& code, std::size_t equals)
{
  std::string open = "{", close = "}";
  for (std::size_t at = equals; at > 0 && code.is(at - 1, "]"); at = code.partner(at - 1)) {
    open += "{";
    close += "}";
  }
  return open + "1" + close;
}

std::vector<TextMutation> in_code(const CodeSubject& subject)
{
  const SourceCode& code = subject.code;
  static const std::map<std::string, std::string> k_others = {{"0", "1"},       {"0.0", "1.0"},   {"0.0f", "1.0f"},
                                                              {"1.0", "0.0"},   {"1.0f", "0.0f"}, {"-INFINITY", "0"},
                                                              {"INFINITY", "0"}};
  std::vector<TextMutation> out;
  for (const TokenRange& statement : code.statements()) {
    const std::size_t equals = code.find(statement, "=");
    if (equals == statement.last || code.begins_loop(statement)) {
      continue;
    }
    const std::string& first = code[statement.first].text;
    const bool element = code.is(statement.first + 1, "[") && code.pointers().contains(first);
    const bool declared = is_float_type(first) || first == "int64_t" || first == "long";
    const std::string start = code.words({equals + 1, statement.last});
    const auto other = k_others.find(start);
    std::string now;
    if ((declared || element) && other != k_others.end()) {
      now = other->second;
    } else if (declared && start == "{}") {
      now = first_is_one(code, equals);
    } else if (start.starts_with("hone_broadcast(") && start.find("INFINITY") != std::string::npos) {
      now = start.substr(0, start.find_first_of("-I")) + "0" + start.substr(start.find("INFINITY") + 8);
    } else if (start == "hone_broadcast(0.0f)" || start == "hone_broadcast(0.0)") {
      now = replace_all(start, "0.0", "1.0");
    }
    if (!now.empty()) {
      out.push_back({fmt::format("{} -> {}", code.words(statement), now),
                     {{code[equals + 1].begin, code[statement.last - 1].end, now}}});
    }
  }
  return out;
}

} // namespace

MutationOperator wrong_initial_value()
{
  return {"wrong-initial-value", "a reduction does not begin with the value that changes nothing", in_code};
}

} // namespace hone::mutation_testing
