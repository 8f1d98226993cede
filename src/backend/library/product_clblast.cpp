// CLBlast: kernels in OpenCL C that it tunes for a device, on the OpenCL device that runs on this CPU.
#include "backend/library/product.h"
#include "backend/opencl/runner/device.h"
#include "backend/opencl/runner/private_folder.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sstream>
#include <string>
#include <vector>

namespace hone::backend::runner {
namespace {

// From clblast_c.h.
enum { k_clblast_row_major = 101, k_clblast_no_transpose = 111, k_clblast_transpose = 112, k_clblast_single = 32 };
template <class Scalar>
using ClblastGemm = int (*)(int, int, int, std::size_t, std::size_t, std::size_t, Scalar, ClHandle, std::size_t,
                            std::size_t, ClHandle, std::size_t, std::size_t, Scalar, ClHandle, std::size_t, std::size_t,
                            ClHandle*, ClHandle*);
using ClblastOverride = int (*)(ClHandle, const char*, int, std::size_t, const char**, const std::size_t*);

struct Wrapped {
  const void* memory;
  ClHandle buffer;
};

Device g_device;
std::vector<Wrapped> g_wrapped;
ClblastGemm<float> g_clblast_sgemm = nullptr;
ClblastGemm<double> g_clblast_dgemm = nullptr;

// Each operand's memory becomes a buffer once: the driver of a CPU works in place.
ClHandle buffer_of(const void* memory, std::size_t bytes)
{
  for (const Wrapped& one : g_wrapped) {
    if (one.memory == memory) {
      return one.buffer;
    }
  }
  ClInt code = k_cl_success;
  const ClHandle buffer = g_device.api().create_buffer(g_device.context(), k_cl_mem_read_write | k_cl_mem_use_host_ptr,
                                                       bytes, const_cast<void*>(memory), &code);
  g_wrapped.push_back({memory, buffer});
  return buffer;
}

template <class Scalar>
void multiply_on_device(ClblastGemm<Scalar> gemm, const GemmCall& call, const ProductOperands& operands)
{
  const auto bytes = [&](std::int64_t rows, std::int64_t row, std::int64_t stride) {
    return std::size_t((call.batch - 1) * stride + rows * row) * sizeof(Scalar);
  };
  const ClHandle a = buffer_of(operands.a, bytes(call.transpose_a ? call.k : call.m, call.lda, call.batch_stride_a));
  const ClHandle b = buffer_of(operands.b, bytes(call.transpose_b ? call.n : call.k, call.ldb, call.batch_stride_b));
  const ClHandle c = buffer_of(operands.c, bytes(call.m, call.ldc, call.batch_stride_c));
  ClHandle queue = g_device.queue();
  for (std::int64_t i = 0; i < call.batch; ++i) {
    const int code =
      gemm(k_clblast_row_major, call.transpose_a ? k_clblast_transpose : k_clblast_no_transpose,
           call.transpose_b ? k_clblast_transpose : k_clblast_no_transpose, std::size_t(call.m), std::size_t(call.n),
           std::size_t(call.k), Scalar(call.alpha), a, std::size_t(i * call.batch_stride_a), std::size_t(call.lda), b,
           std::size_t(i * call.batch_stride_b), std::size_t(call.ldb), Scalar(0), c,
           std::size_t(i * call.batch_stride_c), std::size_t(call.ldc), &queue, nullptr);
    if (code != 0) {
      std::fprintf(stderr, "CLBlast answered %d\n", code);
      std::abort(); // a wrong result is found anyway; this names the reason
    }
  }
  g_device.api().finish(queue);
}

void product(const GemmCall& call, const ProductOperands& operands)
{
  if (call.types == GemmTypes::f64) {
    multiply_on_device(g_clblast_dgemm, call, operands);
  } else {
    multiply_on_device(g_clblast_sgemm, call, operands);
  }
  apply_epilogue(call, operands);
}

// "KWG=32,MWG=64": what its tuner found for f32. All products are done by the kernel that was tuned.
const char* take_tuned(void* library, const char* parameters)
{
  const auto set = reinterpret_cast<ClblastOverride>(dlsym(library, "CLBlastOverrideParameters"));
  if (set == nullptr) {
    return "the library has no CLBlastOverrideParameters";
  }
  std::vector<std::string> names;
  std::vector<std::size_t> values;
  std::istringstream words(parameters);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos && word.substr(0, equals) != "PRECISION") {
      names.push_back(word.substr(0, equals));
      values.push_back(std::strtoull(word.c_str() + equals + 1, nullptr, 10));
    }
  }
  std::vector<const char*> pointers;
  for (const std::string& name : names) {
    pointers.push_back(name.c_str());
  }
  const char* least = "XGEMM_MIN_INDIRECT_SIZE";
  const std::size_t one = 1;
  const bool done = set(g_device.device(), "Xgemm", k_clblast_single, names.size(), pointers.data(), values.data()) == 0
                    && set(g_device.device(), "GemmRoutine", k_clblast_single, 1, &least, &one) == 0;
  return done ? nullptr : "CLBlast does not take the tuned parameters";
}

} // namespace

OpenedProduct open_clblast(void* library)
{
  g_clblast_sgemm = reinterpret_cast<ClblastGemm<float>>(dlsym(library, "CLBlastSgemm"));
  g_clblast_dgemm = reinterpret_cast<ClblastGemm<double>>(dlsym(library, "CLBlastDgemm"));
  if (g_clblast_sgemm == nullptr || g_clblast_dgemm == nullptr) {
    return {nullptr, "the library has no CLBlastSgemm and CLBlastDgemm"};
  }
  const char* const folder = make_private_folder();
  if (folder == nullptr) {
    return {nullptr, "no temporary folder could be made under /tmp"};
  }
  set_driver_environment(folder);
  static std::string trouble;
  if (const Trouble failure = g_device.open(k_opencl_loader)) {
    trouble = failure.text;
    return {nullptr, trouble.c_str()};
  }
  if (const char* parameters = std::getenv("HONE_CLBLAST_PARAMETERS")) {
    if (const char* failure = take_tuned(library, parameters)) {
      return {nullptr, failure};
    }
  }
  return {product, nullptr};
}

} // namespace hone::backend::runner
