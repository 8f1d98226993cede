#include "kernel/size_conditions.h"
#include "test_data.h"

#include <gmock/gmock.h>

namespace hone::kernel {
namespace {

using testing::HasSubstr;

constexpr const char* k_small_sizes = "m = 4, n = 5, k = 6";

Error error_of(const std::string& text)
{
  const auto kernel = parse_kernel(text, "test.toml");
  EXPECT_FALSE(kernel) << text;
  return kernel ? Error{} : kernel.error();
}

struct Mistake {
  const char* expr;
  int column; // within the expression, from 1
  const char* message;
  const char* hint;
};

class ExpressionMistakes : public testing::TestWithParam<Mistake> {};

// expr = " stands at column 1 of line 4, so its first character is at column 9.
TEST_P(ExpressionMistakes, AreReportedWhereTheyStand)
{
  const Mistake& mistake = GetParam();
  const Error error = error_of(kernel_text(mistake.expr, k_matrices, k_small_sizes));
  EXPECT_EQ(error.place.file, "test.toml");
  EXPECT_EQ(error.place.line, 4) << error.text();
  EXPECT_EQ(error.place.column, mistake.column + 8) << error.text();
  EXPECT_THAT(error.message, HasSubstr(mistake.message));
  EXPECT_THAT(error.hint, HasSubstr(mistake.hint));
}

INSTANTIATE_TEST_SUITE_P(
  All, ExpressionMistakes,
  testing::Values(
    Mistake{"C[m,n] = sum(k, A[m,k] * D[k,n])", 26, "'D' is not known here", "known here: A, B, C"},
    Mistake{"C[m,n] = sum(k, A[m,k] * B[k,n]", 32, "the end of the expression was not expected", ""},
    Mistake{"C[m,n] = som(k, A[m,k] * B[k,n])", 10, "there is no function 'som'", "did you mean 'sum'"},
    Mistake{"C[m,n] = sum(k, A[m,k] $ B[k,n])", 24, "the character '$' has no meaning", ""},
    Mistake{"C[m,n] = sum(k, A[m,k] * B[k])", 26, "'B' has 2 dimensions; 1 subscript given", ""},
    Mistake{"C[m,n] = sum(k, A[m,k] * B[n,k])", 28, "index 'n' runs over 'n' (dimension 2 of C) and over 'k'",
            "another order"},
    Mistake{"C[m] = sum(k, A[m,k])", 1, "'C' has 2 dimension(s); 1 given", ""},
    Mistake{"C[m,m] = 1.0", 5, "expected a new index as subscript 2", ""},
    Mistake{"C[m,n] = sum(k, B[k,n]) + select(m, 1.0, 2.0)", 34, "needs a condition", "compare"},
    Mistake{"C[m,n] = sum(k, A[m,k+1] * B[k,n])", 22, "subscript 2 of A may leave the tensor", "where k + 1 < 6"},
    Mistake{"C[m,n] = sum(k, A[m,k] * B[k,n]) + (m < n)", 39, "a condition cannot be an operand", "select"},
    Mistake{"C[m,n] = sum(r, A[m,0] * B[0,n])", 14, "index 'r' has no range", "r < 3"},
    Mistake{"C[m,n] = sum(k, sum(k, A[m,k]) * B[k,n])", 21, "index 'k' is in use already", "choose a name"},
    Mistake{"C[m,n] = exp(A[m,0], 1.0)", 10, "exp() takes 1 argument(s); 2 given", ""},
    Mistake{"C[m,n] = A[m,0.5]", 14, "a subscript must be an integer", ""},
    Mistake{"C[m,n] = A[i32(argmax(k, A[m,k])),0]", 12, "a subscript cannot hold a reduction", "T[i] = argmax"},
    Mistake{"C[m,n] = f32(argmax(j, k, A[j,k]))", 14, "argmax() takes one index; 2 given", "flattened"},
    Mistake{"C[m,n] = clamp(A[m,0], 1)", 10, "clamp() takes 3 arguments; 2 given", "min(max(x, low), high)"},
    Mistake{"C[m,n] = rellu(A[m,0])", 10, "there is no function 'rellu'", "'relu'"},
    Mistake{"C[m,n] = relu(m < n)", 17, "a condition cannot be an operand of relu()", "select"},
    Mistake{"C[m,n] = A[i32(B[0,0]),0]", 12, "subscript 1 of A may leave the tensor", "guard"},
    Mistake{"C[m,n] = A[i8(m * 100),0] * B[0,n]", 12, "subscript 1 of A may leave the tensor", "guard"},
    Mistake{"C[m,n] = A[m,0] * B[0,n] * (n / (m - 2))", 31, "'n / (m - 2)' may divide by 0", "!= 0"},
    Mistake{"T[m] = argmax(k, 0 / A[m,k]); C[m,n] = B[T[m],n]", 42, "subscript 1 of B may leave the tensor", "guard"},
    Mistake{"C[m,n] = A[m,0] > 0", 17, "the value is a condition, but 'C' holds f32", "as bool"},
    Mistake{"C[m,n] = A[m,0] / 0", 17, "division by zero", ""}, Mistake{"C[m,n] = 1e999", 10, "out of range", ""},
    Mistake{"C[m,n] = A[m,0] B[0,n]", 17, "'B' was not expected here", "separated by"},
    Mistake{"C[m,n] = T[m]; T[m] = A[m,0]", 10, "'T' cannot be read here", "before it"},
    Mistake{"T[i < 4, j <= i] = 1.0; C[m,n] = T[0,0]", 10, "a target is rectangular", "where"},
    Mistake{"C[m,n] = 1.0; C[m,n] = 2.0", 15, "'C' is computed twice", "once"}));

TEST(KernelFile, PlacesInsideMultiLineStrings)
{
  const std::string text = "[kernel]\nname = \"test\"\n[compute]\nexpr = \"\"\"\n"
                           "T[m,n] = sum(k, A[m,k] * B[k,n])\n"
                           "C[m,n] = max(T[m,n], zero)\n\"\"\"\n[arguments]\n"
                           + std::string(k_matrices) + "\n[sizes]\ntimed = [ { " + k_small_sizes + " } ]\n";
  const Error error = error_of(text);
  EXPECT_EQ(error.place.line, 6);
  EXPECT_EQ(error.place.column, 22);
}

TEST(KernelFile, PlacesAfterEscapes)
{
  const Error error = error_of(kernel_text("C[m,n] =\\tsum(k, A[m,k] * \\u0044[k,n])", k_matrices, k_small_sizes));
  EXPECT_EQ(error.place.column, 27 + 8);
}

TEST(KernelFile, MistakesOfTheForm)
{
  const std::string right = kernel_text("C[m,n] = sum(k, A[m,k] * B[k,n])", k_matrices, k_small_sizes);
  ASSERT_TRUE(parse_kernel(right, "test.toml")) << parse_kernel(right, "test.toml").error().text();

  const auto with = [&](std::string from, const std::string& to) {
    std::string text = right;
    text.replace(text.find(from), from.size(), to);
    return error_of(text);
  };
  const Error unknown_key = with("[sizes]\n", "[sizes]\ntimd = 1\n");
  EXPECT_THAT(unknown_key.message, HasSubstr("unknown key 'timd' in [sizes]"));
  EXPECT_THAT(unknown_key.hint, HasSubstr("'timed'"));
  EXPECT_EQ(unknown_key.place.line, 10);
  EXPECT_EQ(unknown_key.place.column, 1);

  EXPECT_THAT(with("\"f32\", shape = [\"m\", \"k\"]", "\"f31\", shape = [\"m\", \"k\"]").hint, HasSubstr("'f32'"));
  EXPECT_THAT(with("\"k\"] }", "\"kk\"] }").message, HasSubstr("'kk' is not known here"));
  EXPECT_THAT(with("\"output\"", "\"outptu\"").hint, HasSubstr("'output'"));
  EXPECT_THAT(with("\"m\", \"n\"], role = \"output\"", "\"m\", \"n\"], role = \"input\"").message,
              HasSubstr("'C' is computed here, but its role is input"));
  EXPECT_THAT(error_of("[kernel]\nname = \"test\"\n[compute]\nexpr = \"Y[i] = 2 * W[i]\"\n[arguments]\n"
                       "W = { type = \"f32\", shape = [\"n\"], role = \"weight\" }\n"
                       "Y = { type = \"f32\", shape = [\"n\"] }\n[sizes]\ntimed = [ { n = 8 } ]\n")
                .message,
              HasSubstr("every input is a weight"));
  EXPECT_THAT(with("k = 6", "k = 6, q = 1").message, HasSubstr("'q' is used by no shape"));
  const Error empty = error_of(kernel_text("C[m] = sum(k, A[m,k])",
                                           "A = { type = \"f32\", shape = [\"m\", \"k - 6\"] }\n"
                                           "C = { type = \"f32\", shape = [\"m\"], role = \"output\" }",
                                           "m = 4, k = 6"));
  EXPECT_THAT(empty.message, HasSubstr("dimension 2 of 'A' is 0"));
  EXPECT_EQ(empty.place.line, 6);
  EXPECT_THAT(with("k = 6", "k = 0").message, HasSubstr("from 1 to 2^31"));
  EXPECT_THAT(with("[arguments]", "[argument]").message, HasSubstr("[arguments] is missing"));
  EXPECT_THAT(with("name = \"test\"", "name = \"test").message, HasSubstr("not valid TOML"));
  EXPECT_THAT(with("A = {", "Z = { type = \"f32\", shape = [\"m\"] }\nA = {").message, HasSubstr("'Z' is not used"));
}

TEST(KernelFile, ReferencesThatAreCode)
{
  auto folder = TemporaryFolder::create("hone-kernel-test");
  ASSERT_TRUE(folder);
  const auto text = [](const std::string& compute, const std::string& accuracy) {
    return "[kernel]\nname = \"test\"\n[compute]\n" + compute
           + "\n[arguments]\nX = { type = \"f32\", shape = [\"n\"] }\n"
             "Y = { type = \"f32\", shape = [\"n\"], role = \"output\" }\n[sizes]\ntimed = [ { n = 8 } ]\n[accuracy]\n"
           + accuracy;
  };
  const std::string code = "reference = \"reference.cpp\"";
  ASSERT_TRUE(write_file(folder->path() / "kernel.toml", text(code, "relative = 1e-5")));
  EXPECT_THAT(load_kernel(folder->path()).error().text(), HasSubstr("reference.cpp"));
  ASSERT_TRUE(write_file(folder->path() / "reference.cpp", "void reference();"));
  const auto kernel = load_kernel(folder->path());
  ASSERT_TRUE(kernel) << kernel.error().text();
  EXPECT_EQ(kernel->reference, ReferenceKind::code);
  EXPECT_EQ(kernel->accuracy.tolerance.relative, 1e-5);
  EXPECT_EQ(classify(*kernel), KernelClass::general);
  ASSERT_TRUE(write_file(folder->path() / "reference.cpp", "void reference(); // another"));
  EXPECT_NE(load_kernel(folder->path())->hash, kernel->hash) << "the text is part of what the kernel means";

  EXPECT_THAT(error_of(text(code, "accumulate = \"f32\"")).message, HasSubstr("how far an output may be off"));
  EXPECT_THAT(error_of(text(code + "\nexpr = \"Y[i] = X[i]\"", "relative = 1")).message,
              HasSubstr("either an expr or"));
  EXPECT_THAT(error_of(text("expr = \"Y[i] = X[i]\"", "relative = 1")).message, HasSubstr("zeros pass"));
  EXPECT_THAT(error_of(text(code, "relative = 1e-5\noverflow = \"unchecked\"")).message, HasSubstr("no meaning here"));
  EXPECT_THAT(error_of(text("reference = \"mine.cpp\"", "relative = 1")).text(), HasSubstr("reference.cpp"));
}

TEST(KernelFile, CheckFindsAllMistakes)
{
  auto folder = TemporaryFolder::create("hone-kernel-test");
  ASSERT_TRUE(folder);
  const std::string text = kernel_text("C[m,n] = sum(k, A[m,k] * D[k,n]); E[m] = exp(F[m])", k_matrices, k_small_sizes);
  ASSERT_TRUE(write_file(folder->path() / "kernel.toml", text));
  const std::vector<Error> errors = check_kernel(folder->path());
  ASSERT_GE(errors.size(), 2u);
  EXPECT_THAT(errors[0].message, HasSubstr("'D'"));
  EXPECT_THAT(errors[1].message, HasSubstr("'F'"));
  EXPECT_TRUE(check_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels/softmax").empty());
}

// Fails if what reads a statement with a mistake is reported, too, and for a reason that is none.
TEST(KernelFile, CheckNamesTheCauseOnly)
{
  auto folder = TemporaryFolder::create("hone-kernel-test");
  ASSERT_TRUE(folder);
  const std::string text =
    kernel_text("row[i, j] = sum(s <= j, A[i, s]); C[i, j] = sum(r <= i, row[r, j])", k_matrices, k_small_sizes);
  ASSERT_TRUE(write_file(folder->path() / "kernel.toml", text));
  const std::vector<Error> errors = check_kernel(folder->path());
  ASSERT_FALSE(errors.empty());
  EXPECT_THAT(errors[0].message, HasSubstr("index 'j' has no range"));
  for (const Error& error : errors) {
    EXPECT_THAT(error.message, testing::Not(HasSubstr("'row' cannot be read")));
    EXPECT_THAT(error.message, testing::Not(HasSubstr("no statement computes")));
  }
}

TEST(KernelFile, KeepsTheOrderOfArgumentsAndSizes)
{
  const Kernel kernel = shipped("matmul-bias-relu");
  std::vector<std::string> names;
  for (const Argument& argument : kernel.arguments) {
    names.push_back(argument.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"A", "B", "bias", "C"}));
  EXPECT_EQ(kernel.symbols, (std::vector<std::string>{"m", "k", "n"}));
  EXPECT_EQ(kernel.outputs(), (std::vector<std::size_t>{3}));
  EXPECT_EQ(kernel.inputs(), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(KernelFile, HashIsOfTheMeaning)
{
  const std::string text = kernel_text("C[m,n] = sum(k, A[m,k] * B[k,n])", k_matrices, k_small_sizes);
  const std::string laid_out =
    kernel_text("C[m, n]  =  (sum(k, A[m,k]*B[k,n]))", k_matrices, "k = 6, m = 4, n = 5") + "# a comment\n";
  const std::string other = kernel_text("C[m,n] = sum(k, A[m,k] + B[k,n])", k_matrices, k_small_sizes);
  const auto hash = [](const std::string& from) { return parse_kernel(from, "x")->hash; };
  EXPECT_EQ(hash(text).size(), 64u);
  EXPECT_EQ(hash(text), hash(laid_out));
  EXPECT_NE(hash(text), hash(other));
}

// Whoever carries the sum along does no more: counted from 0 for each element it would look faster than the device.
TEST(KernelFile, ASumUpToTheColumnCountsOneTermForEach)
{
  const auto work = work_of(shipped("cumulative-sum"), Sizes{{"m", 4}, {"n", 100}});
  ASSERT_TRUE(work);
  EXPECT_EQ(work->flops, 400);
}

constexpr const char* k_rows =
  "ptr = { type = \"i32\", shape = [\"m + 1\"], domain = [0, \"q\"], order = \"rising\" }\n"
  "X = { type = \"f32\", shape = [\"q\"] }\nY = { type = \"f32\", shape = [\"m\"], role = \"output\" }";

// Counted from the middle of the domain, a row would have no terms at all.
TEST(KernelFile, RowsBetweenRisingPointersHaveAllTermsTogether)
{
  const Kernel kernel = kernel_of("Y[i < m] = sum(ptr[i] <= j < ptr[i + 1], X[j] * X[j])", k_rows, "m = 10, q = 1000");
  EXPECT_TRUE(kernel.arguments[0].rising);
  const auto work = work_of(kernel, kernel.timed.front());
  ASSERT_TRUE(work) << work.error().text();
  EXPECT_DOUBLE_EQ(work->flops, 2000);
  EXPECT_DOUBLE_EQ(work->plain_flops, 2000);
}

// Without its hash two kernels with other inputs would share records.
TEST(KernelFile, OrderAndConditionsAreMeaning)
{
  const std::string expr = "Y[i < m] = sum(ptr[i] <= j < ptr[i + 1], X[j])";
  const std::string rising = kernel_text(expr, k_rows, "m = 10, q = 1000");
  std::string any = rising;
  any.replace(any.find(", order = \"rising\""), 18, "");
  EXPECT_NE(parse_kernel(rising, "x")->hash, parse_kernel(any, "x")->hash);
  EXPECT_NE(parse_kernel(rising, "x")->hash, parse_kernel(rising + "where = [\"m <= q\"]\n", "x")->hash);
}

TEST(KernelFile, MistakesInOrdersAndConditions)
{
  const std::string right = kernel_text("Y[i < m] = sum(ptr[i] <= j < ptr[i + 1], X[j])", k_rows, "m = 10, q = 1000");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = right;
    text.replace(text.find(from), from.size(), to);
    return error_of(text).message;
  };
  EXPECT_THAT(with("domain = [0, \"q\"], ", ""), HasSubstr("'ptr' cannot be in rising order"));
  EXPECT_THAT(with("shape = [\"q\"] }", "shape = [\"q\"], domain = [0, 1], order = \"rising\" }"),
              HasSubstr("'X' cannot be in rising order"));
  EXPECT_THAT(with("\"rising\"", "\"falling\""), HasSubstr("expected one of rising"));
  EXPECT_THAT(with("\"i32\"", "\"i8\""), HasSubstr("which i8 does not hold"));
  EXPECT_THAT(error_of(right + "where = [\"m + 1\"]\n").message, HasSubstr("a condition on sizes compares"));
  EXPECT_THAT(error_of(right + "where = [\"m <= ptr\"]\n").message, HasSubstr("'ptr' is not known here"));
  const Error violated = error_of(right + "where = [\"m <= q\", \"2 * q <= m\"]\n");
  EXPECT_THAT(violated.message, HasSubstr("'2 * q <= m' does not hold for m=10 q=1000"));
  EXPECT_EQ(violated.place.line, 10); // of the set of sizes, which is what must change
}

TEST(KernelFile, SizesAreChangedUntilConditionsHold)
{
  const Kernel kernel = *parse_kernel(kernel_text("Y[i] = X[i] * m * k", k_xy, "n = 4, m = 9, k = 1")
                                        + "where = [\"n <= m\", \"2 * k + 1 <= n\"]\n",
                                      "x");
  EXPECT_FALSE(check_sizes(kernel, {{"n", 5}, {"m", 4}, {"k", 1}}));
  EXPECT_TRUE(check_sizes(kernel, {{"n", 5}, {"m", 5}, {"k", 2}}));
  // The larger side grows, and what that breaks is mended in turn.
  EXPECT_EQ(with_conditions_met(kernel, {{"n", 1}, {"m", 1}, {"k", 7}}), (Sizes{{"n", 15}, {"m", 15}, {"k", 7}}));
  const Sizes met{{"n", 7}, {"m", 100}, {"k", 1}};
  EXPECT_EQ(with_conditions_met(kernel, met), met);
  // Of a product that is too large, the largest factor shrinks.
  const Kernel small =
    *parse_kernel(kernel_text("Y[i] = X[i] * m", k_xy, "n = 4, m = 9") + "where = [\"n * m <= 50000\"]\n", "x");
  EXPECT_EQ(with_conditions_met(small, {{"n", 1024}, {"m", 512}}), (Sizes{{"n", 97}, {"m", 512}}));
}

constexpr const char* k_signature = R"([signature]
parameters = [
  { name = "n", type = "int" },
  { name = "lda", type = "int", equals = "n" },
  { name = "Y", type = "float *" },
  { name = "X", type = "const float *restrict" },
  { name = "info", type = "int *", unused = true },
]
)";

TEST(KernelFile, ASignatureKeepsOrderAndTypesAndIsNotMeaning)
{
  const std::string text = kernel_text("Y[i] = X[i]", k_xy, "n = 4");
  const auto kernel = parse_kernel(text + k_signature, "x");
  ASSERT_TRUE(kernel) << kernel.error().text();
  ASSERT_EQ(kernel->signature.parameters.size(), 5U);
  EXPECT_EQ(kernel->signature.parameters[2].name, "Y");
  EXPECT_EQ(kernel->signature.parameters[3].type, "const float *restrict");
  EXPECT_EQ(to_text(*kernel->signature.parameters[1].equals), "n");
  EXPECT_TRUE(kernel->signature.parameters[4].unused);
  EXPECT_EQ(kernel->hash, parse_kernel(text, "x")->hash);
}

TEST(KernelFile, MistakesInASignature)
{
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string signature = k_signature;
    signature.replace(signature.find(from), from.size(), to);
    return error_of(kernel_text("Y[i] = X[i]", k_xy, "n = 4") + signature).message;
  };
  EXPECT_THAT(with(", equals = \"n\"", ""), HasSubstr("names 'lda', which is neither an argument nor a size"));
  EXPECT_THAT(with("equals = \"n\"", "equals = \"X\""), HasSubstr("'X' is not known here"));
  EXPECT_THAT(with("\"float *\"", "\"double *\""), HasSubstr("cannot stand for an array of f32"));
  EXPECT_THAT(with("\"float *\"", "\"real *\""), HasSubstr("cannot stand for an array of f32"));
  EXPECT_THAT(with("{ name = \"n\", type = \"int\" },", ""), HasSubstr("[signature] has no parameter 'n'"));
  EXPECT_THAT(with("name = \"lda\"", "name = \"n\""), HasSubstr("has the parameter 'n' twice"));
  EXPECT_THAT(with("parameters = [", "returns = \"float\"\nresult = \"Y\"\nparameters = ["), HasSubstr("one element"));
}

TEST(KernelFile, ShapesAndWork)
{
  const Kernel kernel = shipped("attention-scores");
  const Sizes sizes{{"b", 2}, {"s", 3}, {"t", 5}, {"d", 7}};
  EXPECT_EQ(*shape_of(kernel.arguments[1], sizes), (std::vector<std::int64_t>{2, 5, 7}));
  EXPECT_EQ(*elements_of(kernel.arguments[2], sizes), 30);
  const auto work = work_of(kernel, sizes);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->flops, 30 * (2 * 7 + 1)); // the scaling is one more
  EXPECT_EQ(work->compulsory_bytes, 4 * (42 + 70 + 30));
  EXPECT_FALSE(work_of(kernel, Sizes{{"b", 2}}));
}

// An implementation multiplies the finished sum: counted in each term, a plain product would pass the device's roof.
TEST(KernelFile, AFactorWithoutTheSummedIndexCountsOnce)
{
  const Kernel kernel =
    kernel_of("Y[i < m] = sum(j < n, alpha * A[i, j] * X[j])",
              "A = { type = \"f32\", shape = [\"m\", \"n\"] }\nX = { type = \"f32\", shape = [\"n\"] }\n"
              "alpha = { type = \"f32\" }\nY = { type = \"f32\", shape = [\"m\"], role = \"output\" }",
              "m = 10, n = 100");
  const auto work = work_of(kernel, kernel.timed.front());
  ASSERT_TRUE(work) << work.error().text();
  EXPECT_EQ(work->flops, 10 * (2 * 100 + 1));
  EXPECT_EQ(work->plain_flops, 10 * 3 * 100);
}

// A compiler keeps a difference that a term names twice. Counted twice, distances passed the device's roof.
TEST(KernelFile, WhatATermNamesTwiceCountsOnceAlsoInTwoStatements)
{
  const Kernel kernel = kernel_of("D[i,j] = sum(k < d, (X[i,k] - Y[j,k]) * (X[i,k] - Y[j,k])); "
                                  "E[i,j] = sum(k < d, abs(X[i,k] - Y[j,k]))",
                                  "X = { type = \"f32\", shape = [\"n\", \"d\"] }\n"
                                  "Y = { type = \"f32\", shape = [\"m\", \"d\"] }\n"
                                  "D = { type = \"f32\", shape = [\"n\", \"m\"], role = \"output\" }\n"
                                  "E = { type = \"f32\", shape = [\"n\", \"m\"], role = \"output\" }",
                                  "n = 3, m = 5, d = 7");
  const auto work = work_of(kernel, kernel.timed.front());
  ASSERT_TRUE(work) << work.error().text();
  EXPECT_EQ(work->flops, 15 * 7 * (3 + 2)); // difference, product, sum; magnitude, sum
  EXPECT_EQ(work->plain_flops, 15 * 7 * (4 + 3));
}

// Half of the elements keep what they hold. Counted for all of them, a triangle would pass the device's roof.
TEST(KernelFile, WhatAConditionOnIndicesLeavesOutIsNotCounted)
{
  const auto flops = [](const std::string& expression) {
    const Kernel kernel = kernel_of(expression,
                                    "A = { type = \"f32\", shape = [\"n\", \"k\"] }\n"
                                    "C = { type = \"f32\", shape = [\"n\", \"n\"], role = \"inout\" }",
                                    "n = 200, k = 50");
    return work_of(kernel, kernel.timed.front())->flops;
  };
  const double all = 200. * 200 * 2 * 50;
  EXPECT_NEAR(flops("C[i, j] = select(j <= i, sum(p, A[i, p] * A[j, p]), C[i, j])"), all / 2, all / 30);
  EXPECT_NEAR(flops("C[i, j] = sum(p, A[i, p] * A[j, p]) where j < 50 && i < 100"), all / 8, all / 30);
  EXPECT_NEAR(flops("C[i, j] = sum(p, A[i, p] * A[j, p] where p % 2 == 0)"), all / 2, all / 30);
}

// Counted for every element, the norm of a row made honest code faster than the machine: it was refused.
TEST(KernelFile, ASumThatElementsHaveInCommonCountsOnce)
{
  const Kernel kernel = kernel_of("Y[i, j] = X[i, j] / sqrt(sum(k, X[i, k] * X[i, k]))",
                                  "X = { type = \"f32\", shape = [\"n\", \"d\"] }\n"
                                  "Y = { type = \"f32\", shape = [\"n\", \"d\"], role = \"output\" }",
                                  "n = 10, d = 100");
  const auto work = work_of(kernel, kernel.timed.front());
  ASSERT_TRUE(work) << work.error().text();
  EXPECT_DOUBLE_EQ(work->flops, 10 * 100 * 2 + 10 * 200);
  EXPECT_EQ(work->plain_flops, 10 * 100 * (2 + 200));
}

} // namespace
} // namespace hone::kernel
