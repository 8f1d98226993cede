// A tensor, a scratch buffer or a copy is read or written one element further on.
#include "mutation_testing/operator.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::mutation_testing {

namespace {

bool is_access(std::string_view name)
{
  return name.starts_with("hone_load") || name.starts_with("hone_store") || name.starts_with("hone_stream");
}

// Prefetches change no result.
bool inside_prefetch(const SourceCode& code, std::size_t at)
{
  return std::ranges::any_of(code.calls(), [&](const Call& call) {
    return code[call.name].text == "__builtin_prefetch" && call.name < at && at < call.close;
  });
}

TextMutation one_further(const SourceCode& code, TokenRange shown, std::size_t last)
{
  const std::string before = code.words(shown);
  const std::size_t offset = code[last].end;
  const std::size_t kept = code.words({shown.first, last + 1}).size();
  return {fmt::format("{} -> {} + 1{}", before, before.substr(0, kept), before.substr(kept)),
          {{offset, offset, " + 1"}}};
}

std::vector<TextMutation> in_code(const CodeSubject& subject)
{
  const SourceCode& code = subject.code;
  std::vector<TextMutation> out;
  for (std::size_t at = 0; at + 1 < code.size(); ++at) {
    const std::size_t close = code.is(at + 1, "[") ? code.partner(at + 1) : 0;
    if (close > at + 2 && code.pointers().contains(code[at].text) && !inside_prefetch(code, at)) {
      out.push_back(one_further(code, {at, close + 1}, close - 1));
    }
  }
  // What is passed as an address: hone_load(X + at).
  for (const Call& call : code.calls()) {
    const TokenRange address = call.arguments.front();
    if (is_access(code[call.name].text) && address.size() > 0 && !code.is(address.first, "&")
        && code.pointers().contains(code[address.first].text)) {
      out.push_back(one_further(code, {call.name, call.close + 1}, address.last - 1));
    }
  }
  return out;
}

} // namespace

MutationOperator index_off_by_one()
{
  return {"index-off-by-one", "an element is read or written one further on", in_code};
}

} // namespace hone::mutation_testing
