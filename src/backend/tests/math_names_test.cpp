#include "backend/cpu/math_names.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using cpu::names_overloads;

TEST(MathNames, AreFoundInCode)
{
  EXPECT_TRUE(names_overloads("float f(float x) { return exp(x); }"));
  EXPECT_TRUE(names_overloads("float f(float x) { return std::expf(x); }"));
  EXPECT_TRUE(names_overloads("using namespace std;"));
  EXPECT_TRUE(names_overloads("#include <cmath>\n"));
  EXPECT_TRUE(names_overloads("const char* t = \"//\"; float f(float x) { return sqrt(x); }"));
  EXPECT_TRUE(names_overloads("constexpr int n = 1'000; float f(float x) { return abs(x) + 'a'; }"));
  EXPECT_TRUE(names_overloads("bool f(char c) { return c == u8' ' && exp(c) > 1; }"));
  EXPECT_TRUE(names_overloads("auto t = L'\"'; float f(float x) { return exp(x); }"));
  EXPECT_TRUE(names_overloads("int f(char c) { switch (c) { case' ': return abs(c); } }"));
  EXPECT_TRUE(names_overloads("auto* f(void* p) { return new (p) int(1); }"));
  EXPECT_TRUE(names_overloads("bool f(int a, int b) { return (a <=> b) < 0; }"));
  EXPECT_TRUE(names_overloads("const char* t = R\"(\")\";"));
}

TEST(MathNames, AreNotFoundElsewhere)
{
  EXPECT_FALSE(names_overloads("float f(float x) { return hone_exp(x) + expf(x) + x.log_of; }"));
  EXPECT_FALSE(names_overloads("// Y[i] = exp(X[i])\n/* std::exp\n too */ int f();"));
  EXPECT_FALSE(names_overloads("// goes on \\\nexp\nint f();"));
  EXPECT_FALSE(names_overloads("const char* t = \"a \\\" exp\"; char c = '\\'';"));
  EXPECT_FALSE(names_overloads(""));
}

} // namespace
} // namespace hone
