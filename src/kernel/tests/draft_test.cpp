#include "test_data.h"

#include <gmock/gmock.h>

namespace hone::kernel {
namespace {

using testing::HasSubstr;

Kernel drafted(const NewKernel& request)
{
  const auto toml = draft_kernel_toml(request);
  EXPECT_TRUE(toml) << toml.error().text();
  auto kernel = parse_kernel(toml.value_or(""), "draft");
  EXPECT_TRUE(kernel) << toml.value_or("") << kernel.error().text();
  return kernel ? std::move(*kernel) : Kernel{};
}

TEST(Draft, FromTheExpressionAlone)
{
  NewKernel request;
  request.name = "scores";
  request.expression = "S[b,i,j] = sum(d, Q[b,i,d]*K[b,j,d]) * 0.125";
  const Kernel kernel = drafted(request);
  ASSERT_EQ(kernel.arguments.size(), 3u);
  EXPECT_EQ(kernel.arguments[0].name, "Q");
  EXPECT_EQ(kernel.arguments[2].role, Role::output);
  EXPECT_EQ(to_text(*kernel.arguments[1].shape[1]), "j");
  EXPECT_EQ(classify(kernel), KernelClass::contraction);
  EXPECT_EQ(kernel.timed.front().at("b"), 4);
  EXPECT_EQ(kernel.timed.front().at("d"), 512);
  EXPECT_LE(work_of(kernel, kernel.timed.front())->flops, 1.2e9);
}

TEST(Draft, SizesAndTypesAsWished)
{
  NewKernel request;
  request.name = "product";
  request.expression = "C[m,n] = sum(k, A[m,k] * B[k,n])";
  request.sizes = {{"m", 100}};
  request.types = {{"A", "f64"}, {"B", "f64"}, {"C", "f64"}};
  const Kernel kernel = drafted(request);
  EXPECT_EQ(kernel.timed.front(), (Sizes{{"m", 100}, {"n", 512}, {"k", 512}}));
  EXPECT_EQ(kernel.accumulate, DataType::f64);
}

TEST(Draft, StatementsWindowsAndScalars)
{
  NewKernel request;
  request.name = "softmax";
  request.expression =
    "top[i] = max(j, X[i,j])\ne[i,j] = exp(X[i,j] - top[i])\nY[i,j] = e[i,j] / sum(k, e[i,k]) * alpha";
  // `k` reads what was computed for j, and so runs over the same extent.
  EXPECT_EQ(drafted(request).symbols, (std::vector<std::string>{"i", "j"}));

  request.expression =
    "top[i] = max(j, X[i,j])\ne[i,j] = exp(X[i,j] - top[i])\nt[i] = sum(j, e[i,j])\nY[i,j] = e[i,j] / t[i] * alpha";
  const Kernel kernel = drafted(request);
  EXPECT_EQ(kernel.find_argument("alpha")->role, Role::scalar);
  EXPECT_EQ(kernel.timed.front().at("i"), 1024);
  EXPECT_EQ(kernel.outputs().size(), 1u);

  NewKernel window;
  window.name = "sum3";
  window.expression = "Y[i] = sum(r < 3, W[r]) * X[i]";
  EXPECT_EQ(to_text(*drafted(window).find_argument("W")->shape[0]), "3");
}

// Two names for one extent are a Gram matrix, or a square one; refused, they could not be stated in one line.
TEST(Draft, ATensorReadWithTwoIndicesHasOneExtentForBoth)
{
  NewKernel request;
  request.name = "gram";
  request.expression = "C[i,j] = sum(k, X[k,i] * X[k,j]) * s[j]";
  const Kernel gram = drafted(request);
  ASSERT_EQ(gram.arguments.size(), 3U);
  EXPECT_EQ(gram.symbols, (std::vector<std::string>{"k", "i"}));
  EXPECT_EQ(to_text(*gram.arguments[1].shape[0]), "i");
  EXPECT_EQ(to_text(*gram.find_argument("C")->shape[1]), "i");
  EXPECT_EQ(classify(gram), KernelClass::contraction);

  request.expression = "Y[i,j] = X[i,j] - X[j,i]";
  EXPECT_EQ(drafted(request).symbols, std::vector<std::string>{"i"});
  request.expression = "Y[i] = X[i,0] + sum(j < 3, X[i,j])";
  EXPECT_FALSE(draft_kernel_toml(request)); // 0 says nothing of an extent
}

TEST(Draft, WindowsAndGathers)
{
  NewKernel request;
  request.name = "x";
  request.expression = "O[y,x] = sum(r < 3, s < 2, I[y + r, s + x] * W[r,s])";
  const Kernel window = drafted(request);
  EXPECT_EQ(to_text(*window.arguments[0].shape[0]), "y + 2");
  EXPECT_EQ(to_text(*window.arguments[0].shape[1]), "x + 1");
  request.expression = "Y[i,j] = Table[I[i],j]";
  const Kernel gather = drafted(request);
  ASSERT_EQ(gather.arguments.size(), 3u);
  EXPECT_EQ(gather.arguments[0].name, "I");
  EXPECT_EQ(gather.arguments[0].type, DataType::i32);
  EXPECT_EQ(to_text(*gather.arguments[1].shape[0]), "table_rows");
}

TEST(Draft, Mistakes)
{
  const auto error_of = [](const NewKernel& request) {
    const auto toml = draft_kernel_toml(request);
    EXPECT_FALSE(toml);
    return toml ? Error{} : toml.error();
  };
  NewKernel request;
  request.name = "x";
  request.expression = "Y[i] = X[i + 1]";
  EXPECT_EQ(error_of(request).place.column, 12);
  request.expression = "Y[i] = X[i";
  EXPECT_EQ(error_of(request).place.column, 11);
  request.expression = "Y[i] = X[i]";
  request.types = {{"Z", "f32"}};
  EXPECT_THAT(error_of(request).message, HasSubstr("no argument 'Z'"));
  request.types = {{"X", "f33"}};
  EXPECT_THAT(error_of(request).message, HasSubstr("'f33'"));
  request.types.clear();
  request.sizes = {{"j", 3}};
  EXPECT_THAT(error_of(request).message, HasSubstr("no size 'j'"));
}

} // namespace
} // namespace hone::kernel
