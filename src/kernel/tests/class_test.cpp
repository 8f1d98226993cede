#include "test_data.h"

#include <fmt/format.h>

#include <map>

namespace hone::kernel {
namespace {

std::string names(const std::vector<IndexRange>& ranges)
{
  std::string out;
  for (const IndexRange& range : ranges) {
    out += range.name;
  }
  return out;
}

TEST(KernelClass, OfTheShippedKernels)
{
  const std::map<std::string, KernelClass> others{{"argmax", KernelClass::general},
                                                  {"attention", KernelClass::general},
                                                  {"avg-pool", KernelClass::pooling},
                                                  {"conv2d", KernelClass::convolution},
                                                  {"conv2d-bias-relu", KernelClass::convolution},
                                                  {"conv2d-depthwise", KernelClass::convolution},
                                                  {"cross-entropy", KernelClass::general},
                                                  {"conv2d-transposed", KernelClass::general},
                                                  {"embedding", KernelClass::map},
                                                  {"cumulative-sum", KernelClass::general},
                                                  {"gelu", KernelClass::map},
                                                  {"frobenius-norm", KernelClass::general},
                                                  {"layer-norm", KernelClass::row_reduction},
                                                  {"max-pool", KernelClass::pooling},
                                                  {"rms-norm", KernelClass::row_reduction},
                                                  {"softmax", KernelClass::row_reduction}};
  for (const char* name : k_shipped) {
    const auto found = others.find(name);
    EXPECT_EQ(classify(shipped(name)), found == others.end() ? KernelClass::contraction : found->second) << name;
  }
}

TEST(KernelClass, KnowsARowVectorByTheSizes)
{
  const auto product = as_contraction(shipped("matmul"));
  ASSERT_TRUE(product);
  EXPECT_TRUE(has_one_row(*product, {{"m", 1}, {"n", 64}, {"k", 64}}));
  EXPECT_FALSE(has_one_row(*product, {{"m", 2}, {"n", 1}, {"k", 1}}));
  EXPECT_FALSE(has_one_row(*product, {{"n", 64}, {"k", 64}}));
}

TEST(KernelClass, SortsTheIndicesOfAContraction)
{
  const auto scores = as_contraction(shipped("attention-scores"));
  ASSERT_TRUE(scores);
  EXPECT_EQ(names(scores->batch), "b");
  EXPECT_EQ(names(scores->m), "i");
  EXPECT_EQ(names(scores->n), "j");
  EXPECT_EQ(names(scores->k), "d");
  EXPECT_EQ(scores->a->name, "Q");
  EXPECT_TRUE(scores->linear);
  EXPECT_EQ(to_text(*scores->epilogue), "<sum> * 0.125");

  const auto relu = as_contraction(shipped("matmul-bias-relu"));
  ASSERT_TRUE(relu);
  EXPECT_FALSE(relu->linear);
  EXPECT_EQ(to_text(*relu->epilogue), "max(<sum> + bias[n], 0)");

  const auto plain = as_contraction(shipped("matmul-ta"));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->epilogue->kind, ExprKind::hole);
  EXPECT_EQ(to_text(*plain->a), "A[k, m]");
}

constexpr const char* k_sizes = "m = 8, n = 8, k = 8";

// Tiles of doubles hold sums of products of bytes exactly, and those of wider integers not.
TEST(KernelClass, OnlyBytesOfIntegersAreContractions)
{
  const auto kernel = [](const char* type) {
    return kernel_of("C[m,n] = sum(k, A[m,k] * B[k,n])",
                     fmt::format("A = {{ type = \"{0}\", shape = [\"m\", \"k\"] }}\n"
                                 "B = {{ type = \"{0}\", shape = [\"k\", \"n\"] }}\n"
                                 "C = {{ type = \"{1}\", shape = [\"m\", \"n\"], role = \"output\" }}",
                                 type, std::string(type) == "i64" ? "i64" : "i32"),
                     k_sizes);
  };
  EXPECT_TRUE(as_contraction(kernel("i8")));
  EXPECT_FALSE(as_contraction(kernel("i32")));
  EXPECT_FALSE(as_contraction(kernel("i64")));
}

TEST(KernelClass, TheLoadWithTheLastOutputIndexIsB)
{
  const auto swapped = as_contraction(kernel_of("C[m,n] = sum(k, B[k,n] * A[m,k])", k_matrices, k_sizes));
  ASSERT_TRUE(swapped);
  EXPECT_EQ(swapped->a->name, "A");
  EXPECT_EQ(swapped->b->name, "B");
}

// Inside the sum as people write it, the factor would hide the product from all that is made for products.
TEST(KernelClass, AFactorOfAllTermsStandsOutsideOfTheSum)
{
  const std::string scalars = std::string(k_matrices) + "\nalpha = { type = \"f32\" }\nbeta = { type = \"f32\" }";
  const auto scaled =
    as_contraction(kernel_of("C[m,n] = sum(k, alpha * A[m,k] * beta * B[k,n]) + alpha", scalars, k_sizes));
  ASSERT_TRUE(scaled);
  EXPECT_EQ(scaled->a->name, "A");
  EXPECT_EQ(scaled->b->name, "B");
  EXPECT_EQ(to_text(*scaled->epilogue), "alpha * beta * <sum> + alpha");
  EXPECT_FALSE(scaled->linear);
  EXPECT_FALSE(as_contraction(kernel_of("C[m,n] = sum(k, A[m,k] * B[k,n] * A[m,0])", k_matrices, k_sizes)));
}

// Elements that `where` leaves out are 0: a choice at the end, as long as the sum exists for them too.
TEST(KernelClass, AGuardedProductChoosesAtTheEnd)
{
  const auto guarded = as_contraction(kernel_of("C[m,n] = sum(k, A[m,k] * B[k,n]) where n <= m", k_matrices, k_sizes));
  ASSERT_TRUE(guarded);
  EXPECT_EQ(guarded->epilogue->kind, ExprKind::select);
  EXPECT_FALSE(guarded->linear);
  const Kernel beyond = kernel_of("C[m < 2 * s,n] = sum(k, A[m,k] * B[k,n]) where m < s",
                                  "A = { type = \"f32\", shape = [\"s\", \"k\"] }\n"
                                  "B = { type = \"f32\", shape = [\"k\", \"n\"] }\n"
                                  "C = { type = \"f32\", shape = [\"2 * s\", \"n\"] }",
                                  "s = 8, n = 8, k = 8");
  EXPECT_FALSE(as_contraction(beyond)); // A has no such rows
}

TEST(KernelClass, SeveralIndicesMaySortAlike)
{
  const Kernel kernel = kernel_of("C[a,x,b] = sum(p, q, A[a,p,q,x] * B[q,p,b]) / 2",
                                  "A = { type = \"f32\", shape = [\"a\", \"p\", \"q\", \"x\"] }\n"
                                  "B = { type = \"f32\", shape = [\"q\", \"p\", \"b\"] }\n"
                                  "C = { type = \"f32\", shape = [\"a\", \"x\", \"b\"] }",
                                  "a = 2, x = 3, b = 4, p = 5, q = 6");
  const auto contraction = as_contraction(kernel);
  ASSERT_TRUE(contraction);
  EXPECT_EQ(names(contraction->m), "ax");
  EXPECT_EQ(names(contraction->n), "b");
  EXPECT_EQ(names(contraction->k), "pq");
  EXPECT_TRUE(contraction->linear);
}

TEST(KernelClass, TransposedB)
{
  const auto transposed = [](const char* name) { return is_b_transposed(*as_contraction(shipped(name))); };
  EXPECT_TRUE(transposed("matmul-tb"));
  EXPECT_TRUE(transposed("attention-scores"));
  EXPECT_FALSE(transposed("matmul"));
  EXPECT_FALSE(transposed("matmul-ta"));
}

// A window adds an index of the output to one of the reduction.
TEST(KernelClass, Windows)
{
  const std::string arguments = "X = { type = \"f32\", shape = [\"m\", \"n\"] }\n"
                                "Y = { type = \"f32\", shape = [\"m\", \"n\"], role = \"output\" }\n";
  const auto class_of = [&](const std::string& expression) {
    return classify(kernel_of(expression, arguments, "m = 8, n = 8"));
  };
  EXPECT_EQ(class_of("Y[i,j] = max(s < 3, X[i,j + s] where j + s < n)"), KernelClass::pooling);
  EXPECT_EQ(class_of("Y[i,j] = sum(s < 3, X[i,j + s] * X[i,j] where j + s < n)"), KernelClass::convolution);
  EXPECT_EQ(class_of("Y[i,j] = sum(s < 3, X[i,(j + s) / 2] where j + s < n)"), KernelClass::general);
  EXPECT_EQ(class_of("Y[i,j] = prod(s < 3, X[i,j + s] where j + s < n)"), KernelClass::general);
}

TEST(KernelClass, OtherClasses)
{
  EXPECT_EQ(classify(kernel_of("C[m,n] = A[m,0] + B[0,n]", k_matrices, k_sizes)), KernelClass::map);
  // A triangular sum, a guarded one and a sum of sums are not the canonical product.
  for (const char* expr : {"C[m,n] = sum(k <= m, A[m,k] * B[k,n])", "C[m,n] = sum(k, A[m,k] * B[k,n] where k != m)",
                           "C[m,n] = sum(k, A[m,k] + B[k,n])", "C[m,n] = sum(k, A[m,k] * A[m,k]) + B[0,n]"}) {
    EXPECT_FALSE(as_contraction(kernel_of(expr, k_matrices, k_sizes))) << expr;
    EXPECT_FALSE(supports_freivalds(kernel_of(expr, k_matrices, k_sizes))) << expr;
  }
  EXPECT_EQ(classify(kernel_of("C[m,n] = sum(k, A[k,m]) + B[0,n]",
                               "A = { type = \"f32\", shape = [\"k\", \"m\"] }\n"
                               "B = { type = \"f32\", shape = [\"k\", \"n\"] }\n"
                               "C = { type = \"f32\", shape = [\"m\", \"n\"] }",
                               k_sizes)),
            KernelClass::general);
}

} // namespace
} // namespace hone::kernel
