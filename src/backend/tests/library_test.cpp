#include "backend/library/gemm_mapping.h"
#include "backend/library/installed_libraries.h"
#include "backend/library/library.h"
#include "backend/library/library_request.h"
#include "util/util.h"

#include <gmock/gmock.h>

namespace hone::backend {
namespace {

using testing::HasSubstr;

struct Tensor {
  std::string name;
  std::string shape; // "\"m\", \"k\""
};

kernel::Kernel kernel_from(const std::string& expression, const std::vector<Tensor>& inputs, const Tensor& output,
                           const std::string& sizes, const std::string& type = "f32")
{
  std::string text = "[kernel]\nname = \"example\"\n[compute]\nexpr = \"" + expression + "\"\n[arguments]\n";
  for (const Tensor& tensor : inputs) {
    text += tensor.name + " = { type = \"" + type + "\", shape = [" + tensor.shape + "] }\n";
  }
  text += output.name + " = { type = \"" + type + "\", shape = [" + output.shape + "], role = \"output\" }\n";
  text += "[sizes]\ntimed = [ { " + sizes + " } ]\n";
  auto kernel = kernel::parse_kernel(text, "kernel.toml");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? *kernel : kernel::Kernel{};
}

kernel::Kernel matmul(const std::string& type = "f32")
{
  return kernel_from("C[m,n] = sum(k, A[m,k] * B[k,n])", {{"A", "'m', 'k'"}, {"B", "'k', 'n'"}}, {"C", "'m', 'n'"},
                     "m = 5, n = 6, k = 7", type);
}

TEST(GemmMapping, OfAPlainProduct)
{
  const kernel::Kernel kernel = matmul();
  const auto call = gemm_call_for(kernel, kernel.timed.front());
  ASSERT_TRUE(call);
  GemmCall expected;
  expected.m = 5;
  expected.n = 6;
  expected.k = 7;
  expected.a = 0;
  expected.b = 1;
  expected.c = 2;
  expected.lda = 7;
  expected.ldb = 6;
  expected.ldc = 6;
  EXPECT_EQ(to_text(*call), to_text(expected));
}

TEST(GemmMapping, OfTransposedOperands)
{
  const kernel::Kernel kernel = kernel_from("C[m,n] = sum(k, A[k,m] * B[n,k])", {{"A", "'k', 'm'"}, {"B", "'n', 'k'"}},
                                            {"C", "'m', 'n'"}, "m = 5, n = 6, k = 7");
  const auto call = gemm_call_for(kernel, kernel.timed.front());
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->transpose_a);
  EXPECT_TRUE(call->transpose_b);
  EXPECT_EQ(call->lda, 5);
  EXPECT_EQ(call->ldb, 7);
}

TEST(GemmMapping, OfScaledScoresInABatch)
{
  const kernel::Kernel kernel = kernel_from("S[b,h,i,j] = sum(d, Q[b,h,i,d] * K[b,h,j,d]) * 0.125",
                                            {{"Q", "'b', 'h', 'm', 'd'"}, {"K", "'b', 'h', 'n', 'd'"}},
                                            {"S", "'b', 'h', 'm', 'n'"}, "b = 2, h = 3, m = 5, n = 6, d = 7");
  const auto call = gemm_call_for(kernel, kernel.timed.front());
  ASSERT_TRUE(call);
  EXPECT_EQ(call->batch, 6);
  EXPECT_EQ(call->batch_stride_a, 35);
  EXPECT_EQ(call->batch_stride_b, 42);
  EXPECT_EQ(call->batch_stride_c, 30);
  EXPECT_FALSE(call->transpose_a);
  EXPECT_TRUE(call->transpose_b);
  EXPECT_EQ(call->alpha, 0.125);
}

TEST(GemmMapping, OfBiasAndRelu)
{
  const kernel::Kernel kernel =
    kernel_from("C[m,n] = max(sum(k, A[m,k] * B[k,n]) + bias[n], 0)",
                {{"A", "'m', 'k'"}, {"B", "'k', 'n'"}, {"bias", "'n'"}}, {"C", "'m', 'n'"}, "m = 5, n = 6, k = 7");
  const auto call = gemm_call_for(kernel, kernel.timed.front());
  ASSERT_TRUE(call);
  EXPECT_EQ(call->bias, 2);
  EXPECT_EQ(call->activation, Activation::relu);
}

TEST(GemmMapping, OfBiasAndGelu)
{
  const kernel::Kernel kernel =
    kernel_from("C[m,n] = gelu(sum(k, A[m,k] * B[k,n]) + bias[n])",
                {{"A", "'m', 'k'"}, {"B", "'k', 'n'"}, {"bias", "'n'"}}, {"C", "'m', 'n'"}, "m = 5, n = 6, k = 7");
  const auto call = gemm_call_for(kernel, kernel.timed.front());
  ASSERT_TRUE(call);
  EXPECT_EQ(call->bias, 2);
  EXPECT_EQ(call->activation, Activation::gelu);
}

TEST(GemmMapping, IsNothingForOtherKernels)
{
  const kernel::Kernel rows =
    kernel_from("C[m,n] = sum(k, A[m,k] * B[k,n]) + bias[m]", {{"A", "'m', 'k'"}, {"B", "'k', 'n'"}, {"bias", "'m'"}},
                {"C", "'m', 'n'"}, "m = 5, n = 6, k = 7");
  EXPECT_FALSE(gemm_call_for(rows, rows.timed.front()));
  const kernel::Kernel squared =
    kernel_from("C[m,n] = exp(sum(k, A[m,k] * B[k,n]))", {{"A", "'m', 'k'"}, {"B", "'k', 'n'"}}, {"C", "'m', 'n'"},
                "m = 5, n = 6, k = 7");
  EXPECT_FALSE(gemm_call_for(squared, squared.timed.front()));
  const kernel::Kernel map = kernel_from("Y[i] = X[i] * 2", {{"X", "'n'"}}, {"Y", "'n'"}, "n = 8");
  EXPECT_FALSE(gemm_call_for(map, map.timed.front()));
}

kernel::Kernel narrow(const std::string& a, const std::string& b, const std::string& c, const std::string& expression)
{
  auto kernel = kernel::parse_kernel(
    "[kernel]\nname = \"example\"\n[compute]\nexpr = \"" + expression + "\"\n[arguments]\nA = { type = \"" + a
      + "\", shape = [\"m\", \"k\"] }\nB = { type = \"" + b + "\", shape = [\"k\", \"n\"] }\nC = { type = \"" + c
      + "\", shape = [\"m\", \"n\"], role = \"output\" }\n[sizes]\ntimed = [ { m = 5, n = 6, k = 7 } ]\n",
    "kernel.toml");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? *kernel : kernel::Kernel{};
}

TEST(GemmMapping, OfNarrowOperands)
{
  const auto types = [](const kernel::Kernel& kernel) -> std::optional<GemmTypes> {
    const auto call = gemm_call_for(kernel, kernel.timed.front());
    return call ? std::optional(call->types) : std::nullopt;
  };
  const std::string plain = "C[m,n] = sum(k, A[m,k] * B[k,n])";
  EXPECT_EQ(types(narrow("i8", "i8", "i32", plain)), GemmTypes::i8_i8_i32);
  EXPECT_EQ(types(narrow("u8", "i8", "i32", plain)), GemmTypes::u8_i8_i32);
  EXPECT_EQ(types(narrow("i8", "u8", "i32", plain)), std::nullopt);
  EXPECT_EQ(types(narrow("bf16", "bf16", "f32", plain)), GemmTypes::bf16_bf16_f32);
  EXPECT_EQ(types(narrow("bf16", "bf16", "bf16", plain)), GemmTypes::bf16);
  EXPECT_EQ(types(narrow("bf16", "bf16", "f32", plain + " * 0.5")), std::nullopt);
  const kernel::Kernel bytes = narrow("i8", "i8", "i32", plain);
  for (const LibraryBaseline& baseline : library_baselines(*gemm_call_for(bytes, bytes.timed.front()), "cpu")) {
    EXPECT_TRUE(baseline.name.starts_with("onednn")) << baseline.name;
  }
}

TEST(LibraryRequest, SurvivesItsText)
{
  LibraryRequest request{"libx.so.1", "cblas", "NAME=value", {}};
  request.call.m = 12;
  request.call.alpha = 1.0 / 3;
  request.call.activation = Activation::gelu;
  request.call.types = GemmTypes::bf16;
  const auto again = library_request_from_text(to_text(request));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, request);
  EXPECT_FALSE(library_request_from_text("libx.so.1\ncblas\n\n1 2 3\n"));
}

// A library whose file was deleted would be measured as one that fails; a line cut short would name a wrong file.
TEST(InstalledLibraries, AreThoseWhoseFilesAreThere)
{
  const auto folder = TemporaryFolder::create("installed-libraries");
  ASSERT_TRUE(folder);
  EXPECT_TRUE(installed_libraries(folder->path()).empty()) << "no list";
  std::error_code error;
  fs::create_directories(folder->path() / "mkl", error);
  ASSERT_TRUE(write_file(folder->path() / "mkl" / "libmkl_rt.so.3", ""));
  ASSERT_TRUE(write_file(folder->path() / "libraries.txt",
                         "onednn-3 3.2 onednn-3/libdnnl.so.3.2\nmkl 2026.2.0 mkl/libmkl_rt.so.3\nmkl 2026.2.0\n\n"));
  const std::vector<InstalledLibrary> found = installed_libraries(folder->path());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "mkl");
  EXPECT_EQ(found[0].version, "2026.2.0");
  EXPECT_EQ(found[0].file, folder->path() / "mkl" / "libmkl_rt.so.3");
}

TEST(LibraryModule, CarriesTheWholeRequest)
{
  const kernel::Kernel kernel = matmul();
  const auto loaded = library_module(kernel, kernel.timed.front(), "openblas", "OPENBLAS_CORETYPE=Haswell");
  ASSERT_TRUE(loaded) << loaded.error().text();
  const auto request = library_request_from_text(loaded->module.build_options);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->environment, "OPENBLAS_CORETYPE=Haswell");
  EXPECT_EQ(request->call.k, 7);
  ASSERT_EQ(loaded->plan.launches.size(), 1U);
  EXPECT_EQ(loaded->plan.launches.front().args.size(), 3U);
}

TEST(LibraryModule, SaysWhatIsUnknown)
{
  const kernel::Kernel kernel = matmul();
  const auto unknown = library_module(kernel, kernel.timed.front(), "openblas", "fastest");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("fastest"));
  const auto no_f64 = library_module(matmul("f64"), kernel.timed.front(), "onednn", "dnnl_sgemm");
  EXPECT_FALSE(no_f64);
}

} // namespace
} // namespace hone::backend
