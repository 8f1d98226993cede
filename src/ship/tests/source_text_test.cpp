// Device code as text: words that change their names, and C++ that becomes C or is refused.
#include "ship/c_math.h"
#include "ship/carried.h"
#include "ship/outer_functions.h"
#include "ship/plain_c.h"
#include "ship/source_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::ship;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string in_c(const std::string& text)
{
  const auto out = plain_c(text, "device.cpp");
  return out ? *out : out.error().text();
}

} // namespace

TEST(SourceTokens, AreTheTextByteForByte)
{
  const std::string text =
    "/* a */ f(\"x \\\" y\", 'c', 1.5e3f, 0x1'0) // end\n#define R(x) R\"a(\n\" )b\" )a\" \"open\nint y;";
  EXPECT_EQ(text_of(source_tokens(text)), text);
  EXPECT_EQ(source_tokens(text).back().line, 4);
}

TEST(SourceTokens, WordsAreRenamedOutsideOfCommentsAndLiterals)
{
  EXPECT_EQ(with_words("a + ab; // a\n\"a\" a", {{"a", "z"}}), "z + ab; // a\n\"a\" z");
  EXPECT_THAT(words_of("a 1b /* c */ \"d\""), testing::ElementsAre("a"));
}

TEST(PlainC, TakesCodeThatIsWrittenPlainly)
{
  EXPECT_EQ(in_c("float* p = nullptr;"), "float* p = NULL;");
  EXPECT_EQ(in_c("x = f32v{};"), "x = (f32v){0};");
  EXPECT_EQ(in_c("static constexpr int N = 4 * 2; float a[N];"), " enum { N = 4 * 2 }; float a[N];");
  EXPECT_EQ(in_c("inline int f() { return 1; }"), "static inline int f() { return 1; }");
  EXPECT_EQ(in_c("static inline int f() { return a & b; }"), "static inline int f() { return a & b; }");
  EXPECT_EQ(in_c("struct pair { int a; };"), "struct pair { int a; };");
  EXPECT_EQ(in_c("a ? b : c; x[i] = y[&z - q];"), "a ? b : c; x[i] = y[&z - q];");
}

// Two files of a program with a function of one name do not link; strict compilers refuse what nothing uses.
TEST(OuterFunctions, BelongToTheirFileAndUseTheirParameters)
{
  const std::string code = "#define F(x) \\\n  { x\n"
                           "void helper(int n, float* x);\n"
                           "void helper(int n, float* x) { x[0] = 1; }\n"
                           "const float table[2] = {1, 2};\n"
                           "struct s { int n; };\n"
                           "double cbrt(double);\n"
                           "__attribute__((noinline)) static int kept(void) { return 1; }\n"
                           "float alone(const struct s*, long count) { return (float)count; }\n"
                           "void entry(const hone_group* group, float* x) { helper(kept(), x); }\n";
  EXPECT_EQ(with_used_parameters(with_static_functions(code, {"entry"})),
            "#define F(x) \\\n  { x\n"
            "static void helper(int n, float* x);\n"
            "static void helper(int n, float* x) {\n  (void)n; x[0] = 1; }\n"
            "const float table[2] = {1, 2};\n"
            "struct s { int n; };\n"
            "double cbrt(double);\n"
            "__attribute__((noinline)) static int kept(void) { return 1; }\n"
            "static __attribute__((unused)) float alone(const struct s* unused_0, long count) {\n  (void)unused_0; "
            "return (float)count; }\n"
            "void entry(const hone_group* group, float* x) {\n  (void)group; helper(kept(), x); }\n");
}

TEST(PlainC, RefusesByNameAndPlace)
{
  EXPECT_THAT(in_c("int x;\ntemplate <class T> T f();"),
              HasSubstr("device.cpp:2:1: the candidate is no C: 'template'"));
  EXPECT_THAT(in_c("auto x = 1;"), HasSubstr("'auto'"));
  EXPECT_THAT(in_c("x = std::max(a, b);"), HasSubstr("'std::'"));
  EXPECT_THAT(in_c("f([&](int i) { return i; });"), HasSubstr("a function without a name"));
  EXPECT_THAT(in_c("void f(const float& x) {}"), HasSubstr("a reference"));
  EXPECT_THAT(in_c("constexpr long N = 4;"), HasSubstr("'constexpr' of anything but an int"));
  EXPECT_THAT(in_c("auto x = 1;"), HasSubstr("--as cpp"));
}

TEST(PlainC, KnowsTheNamesOfHeadersInC)
{
  EXPECT_THAT(plain_c_headers({"cmath", "string.h"}).value(), testing::ElementsAre("math.h", "string.h"));
  EXPECT_THAT(plain_c_headers({"algorithm"}).error().message, HasSubstr("<algorithm>"));
}

TEST(CMath, ChoosesBetweenOverloadsByTheVector)
{
  const std::string text = "static inline f32v hone_keep(f32v x, int64_t n) { return x; }\n\n"
                           "static inline f64v hone_keep(f64v x, int64_t n) { return x; }\n\n"
                           "static inline void hone_put(float* to, f32v x) { *to = x[0]; }\n";
  const std::string out = c_overloads(text);
  EXPECT_THAT(out, HasSubstr("f32v hone_keep_f32v(f32v x, int64_t n)"));
  EXPECT_THAT(out,
              HasSubstr("#define hone_keep(x, n) _Generic((x), f32v: hone_keep_f32v, f64v: hone_keep_f64v)(x, n)"));
  EXPECT_THAT(out, HasSubstr("void hone_put(float* to, f32v x)"));
}

TEST(CMath, AddressesOfElementsChooseToo)
{
  const std::string out =
    c_overloads("static inline f32v hone_every(const float* from, int n) { return *from + n; }\n\n"
                "static inline f64v hone_every(const double* from, int n) { return *from + n; }\n");
  EXPECT_THAT(out, HasSubstr("f64v hone_every_f64v(const double* from, int n)"));
  EXPECT_THAT(out, HasSubstr("_Generic(*(from), float: hone_every_f32v, double: hone_every_f64v)(from, n)"));
}

TEST(CMath, AllOfTheVectorFunctionsAreThere)
{
  const std::string text = support_text(true);
  EXPECT_THAT(text, Not(HasSubstr("#error")));
  for (const char* name : {"exp", "log", "erf", "keep", "select", "sum", "stream", "scale", "floor"}) {
    EXPECT_THAT(text, HasSubstr(std::string("#define hone_") + name + "(")) << name;
  }
}

TEST(Carried, KeepsWhatIsNeededAndWhatThatNeeds)
{
  const std::string text = "// One.\nint hone_one() { return 1; }\n\nint hone_two() { return hone_one(); }\n\n#if A\n\n"
                           "int hone_three() { return 3; }\n\n#endif\n";
  EXPECT_EQ(needed_paragraphs(text, {"hone_two"}),
            "// One.\nint hone_one() { return 1; }\n\nint hone_two() { return hone_one(); }\n");
  EXPECT_THAT(needed_paragraphs(text, {"hone_three"}), HasSubstr("#if A\n"));
  EXPECT_EQ(needed_paragraphs(text, {"other"}), "");
}

TEST(Carried, ForCNamesAllThatForCppDoes)
{
  for (const char* word : {"hone_group",
                           "hone_f16",
                           "hone_bf16",
                           "hone_to_float",
                           "hone_to_bf16",
                           "f32v",
                           "f64v",
                           "f32v_lanes",
                           "f64v_lanes",
                           "hone_load",
                           "hone_store",
                           "hone_load_part",
                           "hone_store_part",
                           "hone_load_strided",
                           "hone_load_strided_part",
                           "hone_broadcast",
                           "hone_max",
                           "hone_min",
                           "HONE_UNROLL",
                           "HONE_PRAGMA",
                           "HONE_VECTOR_BYTES"}) {
    EXPECT_TRUE(words_of(support_text(true)).contains(word)) << word;
    EXPECT_TRUE(words_of(support_text(false)).contains(word)) << word;
  }
}
