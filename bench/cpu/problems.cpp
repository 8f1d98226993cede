#include "problems.h"

#include <fmt/format.h>

namespace hone {

std::string Problem::text() const
{
  return fmt::format("{}{}{} x {} x {}", kind == "matmul" ? "" : kind + " ", type == "f32" ? "" : type + " ", m, n, k);
}

std::vector<Problem> gemm_problems(const std::string& type)
{
  if (type == "f32") {
    return {
      {64, 64, 64, true},    {128, 128, 128},        {256, 256, 256},        {512, 512, 512, true}, {1024, 1024, 1024},
      {2048, 2048, 2048},    {4096, 64, 1024, true}, {64, 4096, 1024},       {1024, 1024, 32},      {64, 64, 8192},
      {127, 131, 137, true}, {1021, 1019, 1013},     {2048, 16, 2048, true}, {1, 4096, 4096},
    };
  }
  std::vector<Problem> problems = {{256, 256, 256, true},  {1024, 1024, 1024}, {4096, 64, 1024, true},
                                   {64, 4096, 1024, true}, {1021, 1019, 1013}, {127, 131, 137, true}};
  if (type != "f64") {
    problems.resize(4); // those that libraries have fast paths for
  }
  for (Problem& problem : problems) {
    problem.type = type;
  }
  return problems;
}

std::vector<Problem> fused_problems()
{
  return {{1024, 1024, 1024, true, "matmul-bias-relu", "max({} + bias[n], 0)", true},
          {1024, 1024, 1024, true, "matmul-bias-gelu", "gelu({} + bias[n])", true}};
}

std::string kernel_text(const Problem& problem, const std::string& also)
{
  const std::string value = fmt::format(fmt::runtime(problem.epilogue), "sum(k, A[m,k] * B[k,n])");
  const std::string output = problem.type == "i8" ? "i32" : problem.type == "bf16" ? "f32" : problem.type;
  return fmt::format(R"toml([kernel]
name    = "{}"
summary = "C = A x B and what follows it, row-major"

[compute]
expr = "C[m,n] = {}"

[arguments]
A = {{ type = "{}", shape = ["m", "k"] }}
B = {{ type = "{}", shape = ["k", "n"] }}
{}C = {{ type = "{}", shape = ["m", "n"], role = "output" }}

[sizes]
timed = [ {{ m = {}, n = {}, k = {} }} ]
also  = "{}"

[accuracy]
accumulate = "{}"
)toml",
                     problem.kind, value, problem.type, problem.type,
                     problem.bias ? "bias = { type = \"f32\", shape = [\"n\"] }\n" : "", output, problem.m, problem.n,
                     problem.k, also, problem.type == "f64" ? "f64" : "f32");
}

} // namespace hone
