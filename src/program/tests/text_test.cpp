// What is read in texts: regions, refusals, outputs, parameters, differences.
#include "program/instrument.h"
#include "program/outputs.h"
#include "program/parameters.h"
#include "program/refusals.h"
#include "program/region.h"
#include "program/unified_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::program {
namespace {

using ::testing::HasSubstr;

constexpr const char* k_file = R"(#include <cmath>
namespace sim {
// calls step(1) { in a comment
double step(double); // declared
int other() { return static_cast<int>(step(2)); }
template <class T>
static double step(double x) noexcept
{
  const char* text = "}";
  return x + '}';
}
} // namespace sim
)";

Region found(const std::string& text, const RegionSpec& spec)
{
  const auto region = find_region(text, spec, "f.cpp");
  EXPECT_TRUE(region) << (region ? "" : region.error().text());
  return region.value_or(Region{});
}

// A region that took a call, a declaration, or a brace in a string for the function's would replace other text.
TEST(Regions, AFunctionIsItsDefinitionAlone)
{
  const Region region = found(k_file, {"f.cpp", "step", 0, 0});
  EXPECT_TRUE(region.text.starts_with("template <class T>"));
  EXPECT_TRUE(region.text.ends_with("'}';\n}"));
  EXPECT_EQ(region.first_line, 6);
  EXPECT_EQ(region.last_line, 11);
}

TEST(Regions, AttributesAndQualifiedNamesAreRead)
{
  const std::string text = "int a;\n__attribute__((optimize(\"O3\"))) void Grid::step(int n) const\n{\n}\n";
  EXPECT_TRUE(found(text, {"f.cpp", "Grid::step", 0, 0}).text.starts_with("__attribute__"));
}

TEST(Regions, WhatIsNotThereIsSaidWithAWayOut)
{
  EXPECT_THAT(find_region(k_file, {"f.cpp", "leap", 0, 0}, "f.cpp").error().text(), HasSubstr("is not defined"));
  EXPECT_THAT(find_region("void f() {}\nvoid f(int) {}\n", {"f.cpp", "f", 0, 0}, "f.cpp").error().text(),
              HasSubstr("2 times"));
  EXPECT_THAT(find_region(k_file, {"f.cpp", "", 90, 95}, "f.cpp").error().text(), HasSubstr("no lines 90 to 95"));
  EXPECT_THAT(find_region(k_file, {"f.cpp", "", 0, 0}, "f.cpp").error().text(), HasSubstr("no marked region"));
}

TEST(Regions, MarksAndLinesHoldWholeLines)
{
  const std::string text = "a\n// hone: region begin\nb\nc\n// hone: region end\nd\n";
  const Region marked = found(text, {"f.cpp", "", 0, 0});
  EXPECT_EQ(marked.text, "b\nc\n");
  EXPECT_EQ(found(text, {"f.cpp", "", 3, 4}).begin, marked.begin);
  EXPECT_EQ(with_region(text, marked, "x"), "a\n// hone: region begin\nx\n// hone: region end\nd\n");
}

// Headers inside a namespace would declare the library's functions there.
TEST(Regions, HeadersGoToTheTop)
{
  const Region region = found(k_file, {"f.cpp", "step", 0, 0});
  const std::string text = with_region(k_file, region, "#include <vector>\ndouble step(double x) { return x; }\n");
  EXPECT_TRUE(text.starts_with("#include <vector>\n#include <cmath>"));
  EXPECT_THAT(text, HasSubstr("double step(double x) { return x; }\n} // namespace sim"));
}

TEST(Regions, EmptiedOnesReturnNothingOrADefault)
{
  const std::string text = "void f(int n)\n{\n  g(n);\n}\nint* h() { return p; }\n";
  EXPECT_EQ(emptied(text, {"", "f", 0, 0}, found(text, {"", "f", 0, 0})), "void f(int n)\n{ }");
  EXPECT_EQ(emptied(text, {"", "h", 0, 0}, found(text, {"", "h", 0, 0})), "int* h() { return {}; }");
}

// A guard outside the function, or in a helper, would time something else.
TEST(Instrument, TimesTheBodyOfTheFunctionAndNotItsHelpers)
{
  const RegionSpec spec{"f.cpp", "step", 0, 0};
  const Region region = found(k_file, spec);
  const auto text = instrumented(k_file, spec, region, "int help() { return 1; }\ndouble step(double x) { return x; }",
                                 "hone_region_1");
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("int help() { return 1; }"));
  EXPECT_THAT(*text, HasSubstr("double step(double x) { hone_region_1_enter(1);"));
}

TEST(Instrument, ReadsOnlyWholeReports)
{
  const std::uint64_t numbers[2] = {2'000'000'000, 7};
  const std::string bytes(reinterpret_cast<const char*>(numbers), sizeof numbers);
  ASSERT_TRUE(region_time_in(bytes));
  EXPECT_DOUBLE_EQ(region_time_in(bytes)->seconds, 2);
  EXPECT_DOUBLE_EQ(region_time_in(bytes)->entries, 7);
  EXPECT_FALSE(region_time_in(bytes.substr(1)));
}

bool refused(const std::string& text, const std::string& original = "void f() { }")
{
  return !refusals_in(text, original).empty();
}

// Each of these would let a region do something else than compute.
TEST(Refusals, WhatReachesBeyondTheRegion)
{
  for (const char* text : {"void f() { printf(\"1.0\"); }",
                           "void f() { asm(\"nop\"); }",
                           "void f() { std::ofstream x; }",
                           "void f() { exit(0); }",
                           "void f() { auto p = fopen; }",
                           "#define main other\nvoid f() { }",
                           "#include \"../secret.h\"\nvoid f() { }",
                           "#include </etc/passwd>\nvoid f() { }",
                           "#include <fstream>\nvoid f() { }",
                           "#pragma GCC optimize(\"Ofast\")\nvoid f() { }",
                           "void f() { } }",
                           "void f() { { }",
                           "#if 1\nvoid f() { }",
                           "void f() { syscall(1); }",
                           "void* operator new(unsigned long);",
                           "__attribute__((constructor)) void g();",
                           "void f() { hone_region_1_leave(); }",
                           "void f() { std::chrono::seconds s; }",
                           "void f() { pri\\\nntf(); }",
                           "void f() { time(0); }",
                           "%:define x\nvoid f() { }",
                           "extern int hidden;"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

// Refusing these would refuse honest work.
TEST(Refusals, WhatOnlyComputesPasses)
{
  for (const char* text : {"void f() { double time = 1; int close = 2; }", "#include <immintrin.h>\nvoid f() { }",
                           "#if defined(__AVX2__)\nvoid f() { }\n#else\nvoid f() { }\n#endif",
                           "// printf, exit and }\nvoid f() { }", "void f() { const char* s = \"printf {\"; }",
                           "#pragma omp simd\nvoid f() { }", "void f() { int n = 1'000; }"}) {
    const auto refusals = refusals_in(text, "void f() { }");
    EXPECT_TRUE(refusals.empty()) << text << ": " << (refusals.empty() ? "" : refusals[0].what);
  }
  EXPECT_FALSE(refused("void f() { printf(\"%g\", x * 2); }", "void f() { printf(\"%g\", x + x); }"));
}

Agreement compare(const char* expected, const char* got, Tolerance tolerance = {1e-6, 0})
{
  const std::string ignored[] = {"elapsed"};
  return compare_text(expected, got, tolerance, ignored);
}

// A comparison that let one of these pass would accept wrong results.
TEST(Outputs, DifferencesBeyondTheToleranceAreSeen)
{
  EXPECT_FALSE(compare("x 1.0", "x 1.1").agrees);
  EXPECT_FALSE(compare("after 10 steps", "after 11 steps").agrees);
  EXPECT_FALSE(compare("1.0 2.0", "1.0").agrees);
  EXPECT_FALSE(compare("1.0", "1.0 2.0").agrees);
  EXPECT_FALSE(compare("1.0", "nan").agrees);
  EXPECT_FALSE(compare("1.0", "inf").agrees);
  EXPECT_FALSE(compare("1.0e3%", "1.0e3").agrees);
  EXPECT_FALSE(compare("0.0", "1e-9").agrees);
  EXPECT_FALSE(compare("converged", "stopped").agrees);
  EXPECT_THAT(compare("a 1.0\nb 2.0", "a 1.0\nb 3.0").difference, HasSubstr("line 2: 3.0 instead of 2.0"));
}

TEST(Outputs, WhatIsWithinTheToleranceAgrees)
{
  EXPECT_TRUE(compare("x=1.0, y=2.0", "x=1.0000001,  y=2.0").agrees);
  EXPECT_TRUE(compare("1.5e-3 nan", "1.5000001e-03 nan").agrees);
  EXPECT_TRUE(compare("1.0\nelapsed 3 s", "1.0\nelapsed 4 s").agrees);
  EXPECT_TRUE(compare("0.0", "-1e-9", {0, 1e-8}).agrees);
  EXPECT_NEAR(compare("1.0", "1.0000005").worst, 0.5, 1e-6);
  EXPECT_EQ(compare("1.0 2 x", "1.0 2 x").reals, 1u);
}

TEST(Outputs, ArraysAreComparedElementByElement)
{
  const auto bytes = [](std::vector<double> values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  };
  const auto compare_doubles = [&](std::vector<double> a, std::vector<double> b) {
    return compare_numbers(bytes(std::move(a)), bytes(std::move(b)), OutputSpec::As::f64, {1e-6, 0});
  };
  EXPECT_TRUE(compare_doubles({1, 2}, {1, 2.000001}).agrees);
  EXPECT_FALSE(compare_doubles({1, 2}, {1, 2.1}).agrees);
  EXPECT_FALSE(compare_doubles({1, 2}, {1}).agrees);
  EXPECT_FALSE(compare_doubles({1}, {NAN}).agrees);
}

TEST(Parameters, RangesAreDrawnWithinTheirEnds)
{
  Random random(7);
  const Parameters parameters{
    {"n", *parameter_from("3..5")}, {"x", *parameter_from("0.5..0.75")}, {"m", Choices{"a", "b"}}};
  std::map<std::string, int> seen;
  for (int i = 0; i < 200; ++i) {
    const Values values = draw(parameters, random);
    ++seen[values.at("n")];
    ++seen[values.at("m")];
    EXPECT_GE(std::stod(values.at("x")), 0.5);
    EXPECT_LE(std::stod(values.at("x")), 0.75);
  }
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_FALSE(parameter_from("5..3"));
  EXPECT_FALSE(parameter_from("a..b"));
  EXPECT_EQ(count_of({{"n", *parameter_from("3..5")}, {"m", Choices{"a", "b"}}}), 6);
}

TEST(Parameters, NamesInBracesAreFilledOnce)
{
  EXPECT_EQ(*filled("-n {n} { } {}", {{"n", "{x}"}}), "-n {x} { } {}");
  EXPECT_FALSE(filled("{n}", {}));
}

TEST(Differences, AreWhatPatchReads)
{
  std::string before, after;
  for (int i = 1; i <= 30; ++i) {
    before += std::to_string(i) + "\n";
    after += (i == 2 ? std::string("two") : std::to_string(i)) + "\n" + (i == 25 ? "more\n" : "");
  }
  EXPECT_EQ(
    unified_diff("a/f", before, "b/f", after),
    "--- a/f\n+++ b/f\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -23,6 +23,7 @@\n 23\n 24\n 25\n+more\n 26\n 27\n "
    "28\n");
  EXPECT_EQ(unified_diff("a", before, "b", before), "");
}

} // namespace
} // namespace hone::program
