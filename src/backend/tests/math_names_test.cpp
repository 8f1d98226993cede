#include "backend/cpu/math_names.h"

#include <gtest/gtest.h>

namespace hone::backend {
namespace {

using cpu::needs_cpp_math;

TEST(MathNames, AreFoundInCode)
{
  EXPECT_TRUE(needs_cpp_math("float f(float x) { return exp(x); }"));
  EXPECT_TRUE(needs_cpp_math("float f(float x) { return std::expf(x); }"));
  EXPECT_TRUE(needs_cpp_math("using namespace std;"));
  EXPECT_TRUE(needs_cpp_math("#include <cmath>\n"));
  EXPECT_TRUE(needs_cpp_math("const char* t = \"//\"; float f(float x) { return sqrt(x); }"));
  EXPECT_TRUE(needs_cpp_math("constexpr int n = 1'000; float f(float x) { return abs(x) + 'a'; }"));
  EXPECT_TRUE(needs_cpp_math("bool f(char c) { return c == u8' ' && exp(c) > 1; }"));
  EXPECT_TRUE(needs_cpp_math("auto t = L'\"'; float f(float x) { return exp(x); }"));
  EXPECT_TRUE(needs_cpp_math("int f(char c) { switch (c) { case' ': return abs(c); } }"));
  EXPECT_TRUE(needs_cpp_math("auto* f(void* p) { return new (p) int(1); }"));
  EXPECT_TRUE(needs_cpp_math("bool f(int a, int b) { return (a <=> b) < 0; }"));
  EXPECT_TRUE(needs_cpp_math("const char* t = R\"(\")\";"));
}

TEST(MathNames, AreNotFoundElsewhere)
{
  EXPECT_FALSE(needs_cpp_math("float f(float x) { return hone_exp(x) + expf(x) + x.log_of; }"));
  EXPECT_FALSE(needs_cpp_math("// Y[i] = exp(X[i])\n/* std::exp\n too */ int f();"));
  EXPECT_FALSE(needs_cpp_math("// goes on \\\nexp\nint f();"));
  EXPECT_FALSE(needs_cpp_math("const char* t = \"a \\\" exp\"; char c = '\\'';"));
  EXPECT_FALSE(needs_cpp_math(""));
}

} // namespace
} // namespace hone::backend
