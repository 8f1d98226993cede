// A barrier between work-items of a group is left out.
#include "mutation_testing/operator.h"

#include <fmt/format.h>

namespace hone::mutation_testing {

namespace {

std::vector<TextMutation> in_code(const CodeSubject& subject)
{
  const SourceCode& code = subject.code;
  std::vector<TextMutation> out;
  for (const TokenRange& statement : code.statements()) {
    const std::string& name = code[statement.first].text;
    if (subject.work_items && (name == "barrier" || name == "work_group_barrier")) {
      out.push_back({fmt::format("without: {}", code.words(statement)),
                     {{code[statement.first].begin, code[statement.last - 1].end, ""}}});
    }
  }
  return out;
}

} // namespace

MutationOperator missing_barrier()
{
  return {"missing-barrier", "a barrier is left out", in_code};
}

} // namespace hone::mutation_testing
