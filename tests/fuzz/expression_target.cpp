// Expressions inside a kernel.toml that is right, and the naive loops that are printed from them.
#include "expression_writer.h"
#include "fuzz_target.h"
#include "kernel/kernel.h"
#include "lower/lower.h"

namespace hone::fuzz {

namespace {

constexpr std::string_view k_begin = "\"\"\"\n", k_end = "\n\"\"\"";

// What stands around an expression: the writer's arguments.
std::string around(std::string_view expression)
{
  Random random(1);
  const std::string whole = ExpressionWriter(random).kernel_toml(1);
  const std::size_t begin = whole.find(k_begin) + k_begin.size();
  return whole.substr(0, begin) + std::string(expression) + whole.substr(whole.find(k_end, begin));
}

std::vector<std::string> seeds()
{
  Random random(2);
  ExpressionWriter writer(random);
  std::vector<std::string> out;
  for (int i = 0; i < 40; ++i) {
    const std::string whole = writer.kernel_toml(1);
    const std::size_t begin = whole.find(k_begin) + k_begin.size();
    out.push_back(whole.substr(begin, whole.find(k_end, begin) - begin));
  }
  return out;
}

void run(std::string_view input)
{
  const Result<kernel::Kernel> kernel = kernel::parse_kernel(around(input), "kernel.toml");
  if (!kernel) {
    return check_error(kernel.error(), "kernel.toml");
  }
  for (const lower::Dialect& dialect : {lower::cpu_dialect(64, true), lower::opencl_dialect()}) {
    if (const Result<kernel::Candidate> naive = lower::naive_candidate(*kernel, dialect); !naive) {
      check_error(naive.error());
    }
  }
}

} // namespace

const Target& expression_target()
{
  static const Target k_target = {"expression", seeds, run};
  return k_target;
}

} // namespace hone::fuzz
