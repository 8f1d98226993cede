#include "util/random.h"
#include "kernel/kernel.h"

#include <gtest/gtest.h>
#include <chrono>
#include <fmt/format.h>
using namespace hone;
TEST(Reference, Speed)
{
  for (const char* name : {"matmul","matmul-f64","matmul-ta","matmul-tb","matmul-batched","matmul-bias-relu","attention-scores","softmax"}) {
    auto kernel = load_kernel(std::string(HONE_SOURCE_ROOT) + "/kernels/" + name);
    ASSERT_TRUE(kernel) << kernel.error().text();
    auto ref = Reference::build(*kernel, "/tmp/hone-ref-cache");
    ASSERT_TRUE(ref) << ref.error().text();
    std::vector<std::vector<std::byte>> data; std::vector<const std::byte*> ptrs; Random r(1);
    for (auto& a : kernel->arguments) {
      auto n = *elements_of(a, kernel->timed[0]);
      data.emplace_back(n * size_of(a.type));
      for (long i = 0; i < n; ++i) { if (a.type == DataType::f32) ((float*)data.back().data())[i] = r.normal(); else ((double*)data.back().data())[i] = r.normal(); }
      ptrs.push_back(data.back().data());
    }
    auto t0 = std::chrono::steady_clock::now();
    auto out = ref->evaluate(kernel->timed[0], ptrs);
    auto t1 = std::chrono::steady_clock::now();
    ASSERT_TRUE(out) << out.error().text();
    double worst = 0, wb = 0;
    for (int i = 0; i < 50; ++i) { auto at = r.below((*out)[0].values.size()); auto e = ref->element(kernel->timed[0], ptrs, 0, at); ASSERT_TRUE(e) << e.error().text();
      worst = std::max(worst, std::abs(e->value - (*out)[0].values[at]) / (*out)[0].bounds[at]); wb = std::max(wb, std::abs(e->bound / (*out)[0].bounds[at] - 1)); }
    fmt::print("{} class {} {:.3f} s; v {} b {} worst {} wb {}\n", name, name_of(classify(*kernel)), std::chrono::duration<double>(t1 - t0).count(), (*out)[0].values[5], (*out)[0].bounds[5], worst, wb);
  }
}
