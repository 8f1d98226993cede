// A mutation operator: one kind of mistake, and where it can be made. (internal to the room)
#pragma once

#include "kernel/kernel.h"
#include "mutation_testing/source_code.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::mutation_testing {

// [begin, end) of a text becomes something else. Those of one mutation do not overlap.
struct Replacement {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

std::string with_replacements(std::string_view text, std::vector<Replacement> replacements);

struct TextMutation {
  std::string change; // one line for people
  std::vector<Replacement> replacements;
};

struct ProgramMutation {
  std::string change;
  kernel::Program program;
};

struct CodeSubject {
  const kernel::Kernel& kernel;
  const SourceCode& code;
  bool work_items = false; // OpenCL C
};

// Each place is one mutation. What would compute the same everywhere is not offered: an operator knows the code it
// changes, or evaluates both sides.
struct MutationOperator {
  std::string_view name;
  std::string_view meaning;
  std::vector<TextMutation> (*in_code)(const CodeSubject& subject) = nullptr;
  std::vector<ProgramMutation> (*in_program)(const kernel::Kernel& kernel) = nullptr;
  std::vector<TextMutation> (*in_plan)(std::string_view launch_toml) = nullptr;
};

std::span<const MutationOperator> mutation_operators();

// One per file in operators/.
MutationOperator index_off_by_one();
MutationOperator dropped_term();
MutationOperator wrong_accumulation_type();
MutationOperator missing_edge_mask();
MutationOperator swapped_operands();
MutationOperator stale_buffer();
MutationOperator missing_barrier();
MutationOperator wrong_launch_size();
MutationOperator wrong_tile_constraint();
MutationOperator wrong_initial_value();
MutationOperator wrong_comparison();
MutationOperator wrong_constant();
MutationOperator missing_maximum_subtraction();

} // namespace hone::mutation_testing
