#include "gate/lint/degenerate_proof.h"

#include "gate/lint/rows.h"
#include "gate/lint/solutions.h"

#include <fmt/format.h>

#include <array>

namespace hone::gate {
namespace {

// A solution and what it showed so far.
struct Tried {
  DegenerateSolution solution;
  std::size_t output; // position in Kernel::arguments
  LintRow row;
};

// What was given to the check in one call.
struct Shown {
  inputs::ValueFamily family;
  const kernel::Sizes& sizes;
};

class DegenerateProof {
public:
  DegenerateProof(const kernel::Kernel& kernel, References& references, const LintOptions& options, Random& random)
    : m_kernel(kernel), m_references(references), m_options(options), m_random(random), m_outputs(kernel.outputs())
  {
    m_exact.subject = "the reference, rounded to the output's type";
    for (const std::size_t output : m_outputs) {
      for (DegenerateSolution& solution : degenerate_solutions(kernel, output)) {
        LintRow row;
        row.subject = solution.name;
        row.output = kernel.arguments[output].name;
        m_tried.push_back({std::move(solution), output, std::move(row)});
      }
    }
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      if (kernel.arguments[i].role != kernel::Role::output) {
        LintRow row;
        row.subject = kernel.arguments[i].name;
        m_inputs.push_back({i, std::move(row)});
      }
    }
  }

  Result<void> try_at(const LintTrial& trial)
  {
    ArenaSpec spec;
    spec.kernel = &m_kernel;
    spec.sizes = trial.sizes;
    spec.layout_seed = m_random.next();
    HONE_TRY(Arena arena, Arena::create(spec));
    for (const inputs::ValueFamily family : trial.families) {
      if (m_options.stop.stop_requested()) {
        return fail("stopped");
      }
      HONE_CHECK(try_with(arena, {family, trial.sizes}));
    }
    return {};
  }

  void conclude(LintReport& report)
  {
    for (Tried& tried : m_tried) {
      report.degenerate.push_back(conclusion(std::move(tried)));
    }
    for (auto& [position, row] : m_inputs) {
      report.inputs.push_back(conclusion(m_kernel.arguments[position], std::move(row)));
    }
    conclude_honest(m_exact);
    report.honest.push_back(std::move(m_exact));
  }

private:
  // Two calls with inputs of their own: each is to the other what a candidate may remember.
  Result<void> try_with(Arena& arena, const Shown& shown)
  {
    const std::array<inputs::InputSet, 2> inputs{inputs::InputSet{shown.family, m_random.next()},
                                                 inputs::InputSet{shown.family, m_random.next()}};
    std::array<ExpectedOutputs, 2> expected;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      HONE_CHECK(fill_inputs(m_kernel, arena, 0, inputs[i]));
      HONE_TRY(expected[i], m_references.expected(arena, 0, inputs[i], false));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      HONE_CHECK(fill_inputs(m_kernel, arena, 0, inputs[i]));
      HONE_CHECK(try_solutions(arena, expected[i]->outputs, expected[1 - i]->outputs, shown));
    }
    return try_inputs(arena, inputs, expected[0]->outputs, shown);
  }

  Result<void> try_solutions(Arena& arena, const std::vector<kernel::ReferenceOutput>& expected,
                             const std::vector<kernel::ReferenceOutput>& other, const Shown& shown)
  {
    // A candidate's view: inputs as they are, outputs in memory of their own, also those of an inout.
    std::vector<const std::byte*> arguments = arena.arguments(0);
    const std::vector<const std::byte*> inputs = arguments;
    std::vector<std::vector<std::byte>> right = right_outputs(arena, expected);
    for (std::size_t o = 0; o < m_outputs.size(); ++o) {
      arguments[m_outputs[o]] = right[o].data();
    }
    HONE_TRY(const OutputCheck exact, check_outputs(m_kernel, shown.sizes, arguments, expected));
    enter_honest_call(m_exact, exact, shown.family, shown.sizes);
    for (Tried& tried : m_tried) {
      if (!tried.solution.unfit.empty()) {
        continue;
      }
      const std::size_t o = static_cast<std::size_t>(std::ranges::find(m_outputs, tried.output) - m_outputs.begin());
      const kernel::Argument& output = m_kernel.arguments[tried.output];
      HONE_TRY(std::vector<std::int64_t> shape, kernel::shape_of(output, shown.sizes));
      std::vector<std::byte> bytes = unwritten(arena, tried.output);
      const DegenerateCall call{m_kernel, shown.sizes, output,   std::move(shape),
                                inputs,   expected[o], other[o], m_random};
      if (!tried.solution.write(call, bytes)) {
        continue;
      }
      arguments[tried.output] = bytes.data();
      HONE_TRY(const OutputCheck check, check_outputs(m_kernel, shown.sizes, arguments, expected));
      arguments[tried.output] = right[o].data();
      enter_call(tried.row, check, shown.family, shown.sizes);
    }
    return {};
  }

  // The right outputs of other inputs, where one argument alone is another: they must be wrong.
  Result<void> try_inputs(Arena& arena, std::span<const inputs::InputSet> inputs,
                          const std::vector<kernel::ReferenceOutput>& expected, const Shown& shown)
  {
    const std::vector<std::vector<std::byte>> right = right_outputs(arena, expected);
    for (auto& [position, row] : m_inputs) {
      if (row.noticed > 0) {
        continue; // once is enough, and an evaluation each time would be dear
      }
      HONE_CHECK(fill_inputs(m_kernel, arena, 0, inputs[0]));
      HONE_CHECK(fill_input(m_kernel, arena, 0, position, inputs[1]));
      HONE_TRY(const ExpectedOutputs changed, m_references.expected(arena, 0, inputs[1], false));
      std::vector<const std::byte*> arguments = arena.arguments(0);
      for (std::size_t o = 0; o < m_outputs.size(); ++o) {
        arguments[m_outputs[o]] = right[o].data();
      }
      HONE_TRY(const OutputCheck check, check_outputs(m_kernel, shown.sizes, arguments, changed->outputs));
      enter_call(row, check, shown.family, shown.sizes);
    }
    return {};
  }

  std::vector<std::vector<std::byte>> right_outputs(Arena& arena,
                                                    const std::vector<kernel::ReferenceOutput>& expected) const
  {
    std::vector<std::vector<std::byte>> right;
    for (std::size_t o = 0; o < m_outputs.size(); ++o) {
      std::vector<std::byte> bytes(arena.tensor(0, m_outputs[o]).size());
      store_values(m_kernel.arguments[m_outputs[o]].type, expected[o].values, bytes);
      right.push_back(std::move(bytes));
    }
    return right;
  }

  // What lies in an output before a call: fresh poison, or the old values of an inout.
  std::vector<std::byte> unwritten(Arena& arena, std::size_t output)
  {
    arena.poison(0, m_random);
    const auto tensor = arena.tensor(0, output);
    return {tensor.begin(), tensor.end()};
  }

  static LintRow conclusion(Tried tried)
  {
    LintRow& row = tried.row;
    const DegenerateSolution& solution = tried.solution;
    if (row.calls == 0) {
      row.reason = solution.unfit.empty() ? solution.untried : solution.unfit;
      return row;
    }
    const bool seen = solution.in_every_call ? row.noticed == row.calls : row.noticed > 0;
    row.outcome = seen ? LintRow::Outcome::proven : LintRow::Outcome::refused;
    row.reason = seen ? "" : solution.meaning;
    return row;
  }

  static LintRow conclusion(const kernel::Argument& argument, LintRow row)
  {
    if (argument.domain.low == argument.domain.high && !argument.lowest && !argument.highest) {
      row.outcome = LintRow::Outcome::not_applicable;
      row.reason = "its domain is a single value";
    } else if (row.calls > 0) {
      row.outcome = row.noticed > 0 ? LintRow::Outcome::proven : LintRow::Outcome::refused;
      row.reason = row.noticed > 0 ? "" : "a candidate may leave it unread";
    }
    return row;
  }

  const kernel::Kernel& m_kernel;
  References& m_references;
  const LintOptions& m_options;
  Random& m_random;
  std::vector<std::size_t> m_outputs;
  std::vector<Tried> m_tried;
  std::vector<std::pair<std::size_t, LintRow>> m_inputs; // by position in Kernel::arguments
  LintRow m_exact;
};

} // namespace

Result<void> prove_degenerate(const kernel::Kernel& kernel, References& references, const LintTrials& trials,
                              const LintOptions& options, Random& random, LintReport& report)
{
  if (options.progress) {
    options.progress("degenerate solutions");
  }
  DegenerateProof proof(kernel, references, options, random);
  for (const LintTrial& trial : trials.all) {
    HONE_CHECK(proof.try_at(trial));
  }
  proof.conclude(report);
  return {};
}

} // namespace hone::gate
