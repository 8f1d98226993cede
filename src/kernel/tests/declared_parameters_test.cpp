#include "kernel/declared_parameters.h"

#include <gtest/gtest.h>

namespace hone::kernel {
namespace {

constexpr const char* k_text = R"(
static void row(const float* x) { product(nullptr, x); } // void product(const float* no, const float* no)
extern "C" void product(const hone_group* group, const float* A, float const *packed,
                        float* const kept, /* const */ float* C, int64_t n)
{
  product_of(A);
}
extern "C" void other(const hone_group*, const float*, float*, pair<const float*, int>* both) {}
)";

TEST(DeclaredParameters, TellWhatIsOnlyRead)
{
  const auto is_const = [](const char* kernel, std::size_t i) { return is_declared_const(k_text, kernel, i); };
  EXPECT_TRUE(is_const("product", 0));
  EXPECT_TRUE(is_const("product", 1));
  EXPECT_TRUE(is_const("product", 2));
  EXPECT_FALSE(is_const("product", 3)); // the pointer is constant, what it points to is not
  EXPECT_FALSE(is_const("product", 4));
  EXPECT_FALSE(is_const("product", 5));
  EXPECT_TRUE(is_const("other", 1));
  EXPECT_FALSE(is_const("other", 2));
}

TEST(DeclaredParameters, ArePlainWhereNothingIsSaid)
{
  EXPECT_FALSE(is_declared_const(k_text, "product", 9));
  EXPECT_FALSE(is_declared_const(k_text, "missing", 1));
  EXPECT_FALSE(is_declared_const("", "f", 0));
  EXPECT_FALSE(is_declared_const("void f(const float* x", "f", 0));
  EXPECT_FALSE(is_declared_const("/* void f(const float* x) {}", "f", 0));
}

} // namespace
} // namespace hone::kernel
