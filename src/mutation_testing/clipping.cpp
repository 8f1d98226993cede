#include "mutation_testing/clipping.h"

namespace hone::mutation_testing {

namespace {

// The outermost brace around a token.
std::size_t function_around(const SourceCode& code, std::size_t at)
{
  std::size_t outermost = code.size();
  for (std::size_t brace = code.enclosing_brace(at); brace < code.size(); brace = code.enclosing_brace(brace)) {
    outermost = brace;
  }
  return outermost;
}

} // namespace

std::vector<Call> clamped_indices(const SourceCode& code, TokenRange block)
{
  std::vector<Call> out;
  const std::size_t function = function_around(code, block.first);
  for (const Call& call : code.calls()) {
    // name[...] = hone_min(...)
    const bool assigned = code[call.name].text == "hone_min" && call.name >= 3 && code.is(call.name - 1, "=")
                          && code.is(call.name - 2, "]") && call.arguments.size() == 2;
    const std::size_t open = assigned ? code.partner(call.name - 2) : 0;
    if (open > 0 && code.has(block, code[open - 1].text) && function_around(code, call.name) == function) {
      out.push_back(call);
    }
  }
  return out;
}

} // namespace hone::mutation_testing
