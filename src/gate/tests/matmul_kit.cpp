#include "matmul_kit.h"

#include <stdexcept>

namespace hone::gate::test {

std::shared_ptr<const kernel::Kernel> matmul_kernel(const std::string& also)
{
  const auto kernel = kernel::parse_kernel(R"toml(
[kernel]
name    = "matmul"
summary = "C = A x B"

[compute]
expr = "C[m,n] = sum(k, A[m,k] * B[k,n])"

[arguments]
A = { type = "f32", shape = ["m", "k"] }
B = { type = "f32", shape = ["k", "n"] }
C = { type = "f32", shape = ["m", "n"], role = "output" }

[sizes]
timed = [ { m = 48, n = 40, k = 32 } ]
also  = ")toml" + also + R"toml("

[accuracy]
accumulate = "f32"
)toml",
                                           "matmul_kit");
  if (!kernel) {
    throw std::runtime_error(kernel.error().text());
  }
  return std::make_shared<const kernel::Kernel>(*kernel);
}

std::string device_text(const DeviceText& text)
{
  const bool scratch =
    text.prologue.find("partial") != std::string::npos || text.per_element.find("partial") != std::string::npos;
  return "#include \"macros.h\"\n" + text.globals
         + "\nextern \"C\" void matmul(const hone_group* group, "
           "const float* A, const float* B, float* C, "
         + (scratch ? "float* partial, " : "") + "int64_t m, int64_t n, int64_t k)\n{\n"
         + "  const int64_t x = group->id[0];\n" + "  const int64_t y = group->id[1];\n  " + text.prologue + "\n"
         + "  for (int64_t i = y * TILE; i < (y + 1) * TILE && i < m; ++i) {\n" + "    for (int64_t j = x * TILE; j < "
         + text.last_column + " && j < n; ++j) {\n      " + text.accumulator
         + " s = 0;\n      for (int64_t p = 0; p < k; ++p) {\n        s += (" + text.accumulator
         + ")(A[i * k + p] * B[p * n + j]);\n      }\n      " + text.per_element + "\n    }\n  }\n}\n";
}

std::string launch_text(const std::string& more, const std::string& scratch)
{
  return R"toml([tuning]
TILE = { values = [8, 16], default = 8 }
)toml" + more
         + R"toml(
[[launch]]
kernel = "matmul"
grid   = ["ceil_div(n, TILE)", "ceil_div(m, TILE)"]
block  = [1, 1, 1]
args   = ["A", "B", "C", )toml"
         + (scratch.empty() ? "" : "\"" + scratch + "\", ") + R"toml("m", "n", "k"]
)toml";
}

record::Contender contender_of(const kernel::Kernel& kernel, const std::string& device, const std::string& launch)
{
  auto candidate = kernel::make_candidate(kernel, {{"device.cpp", device}, {"macros.h", ""}, {"launch.toml", launch}});
  if (!candidate) {
    throw std::runtime_error(candidate.error().text());
  }
  record::Contender contender;
  contender.point = candidate->plan.tuning.defaults();
  contender.candidate = std::move(*candidate);
  return contender;
}

} // namespace hone::gate::test
