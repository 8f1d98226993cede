#include "mutation_testing/mutant.h"
#include "mutation_testing/operator.h"

#include <algorithm>
#include <array>

namespace hone::mutation_testing {

std::span<const MutationOperator> mutation_operators()
{
  static const std::array k_operators = {
    index_off_by_one(), dropped_term(),    wrong_accumulation_type(),    missing_edge_mask(),     swapped_operands(),
    stale_buffer(),     missing_barrier(), wrong_launch_size(),          wrong_tile_constraint(), wrong_initial_value(),
    wrong_comparison(), wrong_constant(),  missing_maximum_subtraction()};
  return k_operators;
}

std::vector<MutationOperatorName> mutation_operator_names()
{
  std::vector<MutationOperatorName> names;
  for (const MutationOperator& one : mutation_operators()) {
    names.push_back({one.name, one.meaning});
  }
  return names;
}

std::string with_replacements(std::string_view text, std::vector<Replacement> replacements)
{
  std::ranges::sort(replacements, {}, &Replacement::begin);
  std::string out;
  std::size_t at = 0;
  for (const Replacement& replacement : replacements) {
    out += text.substr(at, replacement.begin - at);
    out += replacement.text;
    at = replacement.end;
  }
  return out += text.substr(at);
}

} // namespace hone::mutation_testing
