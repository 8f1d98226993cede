// A kernel's files: every mistake in them, and what they mean.
#pragma once

#include "app/context.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::app {

struct ExplainedStatement {
  std::string target, type;
  std::string ranges; // where the indices run: "i < m, j < n"
  bool intermediate = false;
};

struct ExplainedDomain {
  std::string argument;
  std::string values; // "[0, 1]"
  bool given = false; // as written; else inferred
};

struct ExplainedFunction {
  std::string signature, definition;
};

// What the expression leaves unsaid.
struct InferredSemantics {
  std::vector<ExplainedStatement> statements;
  std::vector<ExplainedDomain> domains; // of inputs
  std::vector<ExplainedFunction> functions;
};

struct CheckedKernel {
  std::vector<Error> mistakes; // empty: the rest is there
  std::optional<kernel::Kernel> kernel;
  kernel::Work work;                            // on its timed sizes
  std::optional<InferredSemantics> explanation; // where it was asked for
};

// `kernel`: folder, kernel.toml, or the name of a shipped kernel.
Result<CheckedKernel> check_kernel_files(const std::string& kernel, bool explained);
// "[m, n]"
std::string shape_text(const kernel::Argument& argument);

Json to_json(const CheckedKernel& checked);

} // namespace hone::app
