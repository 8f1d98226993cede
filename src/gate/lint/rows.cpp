#include "gate/lint/rows.h"

namespace hone::gate {

void enter_call(LintRow& row, const OutputCheck& check, inputs::ValueFamily family, const kernel::Sizes& sizes)
{
  ++row.calls;
  row.noticed += check.passed ? 0 : 1;
  const bool first_noticed = !check.passed && row.noticed == 1;
  if (first_noticed || (row.noticed == 0 && check.errors.worst_normalised >= row.error)) {
    row.values = inputs::name_of(family);
    row.sizes = sizes;
    row.error = check.errors.worst_normalised;
  }
}

void enter_honest_call(LintRow& row, const OutputCheck& check, inputs::ValueFamily family, const kernel::Sizes& sizes)
{
  if (!check.passed && row.noticed == 0) {
    row.reason = check.reason;
  }
  enter_call(row, check, family, sizes);
}

void conclude_honest(LintRow& row)
{
  row.outcome = row.noticed > 0 ? LintRow::Outcome::refused
                : row.calls > 0 ? LintRow::Outcome::proven
                                : LintRow::Outcome::not_applicable;
}

} // namespace hone::gate
