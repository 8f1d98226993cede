#include "cublaslt.h"

#include <dlfcn.h>

namespace hone::gpu_bench {

namespace {

// Of library_types.h, cublas_api.h and cublasLt.h.
enum : int { k_f32 = 0, k_f16 = 2, k_bf16 = 14, k_compute_f32 = 68, k_preference_workspace = 1 };
constexpr int k_most_algorithms = 256;

template <class Function> bool find(void* library, const char* name, Function& function)
{
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

std::string CublasLt::open(const std::string& file)
{
  void* library = nullptr;
  for (const std::string& name : {file, std::string("libcublasLt.so.13"), std::string("libcublasLt.so.12"),
                                  std::string("libcublasLt.so"), std::string("/usr/local/cuda/lib64/libcublasLt.so")}) {
    if (!name.empty() && library == nullptr) {
      library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
  }
  if (library == nullptr) {
    return "cuBLASLt cannot be opened";
  }
  std::size_t (*number)() = nullptr;
  if (!find(library, "cublasLtCreate", m_create) || !find(library, "cublasLtMatmulDescCreate", m_make_product)
      || !find(library, "cublasLtMatrixLayoutCreate", m_make_layout)
      || !find(library, "cublasLtMatmulPreferenceCreate", m_make_preference)
      || !find(library, "cublasLtMatmulPreferenceSetAttribute", m_set_preference)
      || !find(library, "cublasLtMatmulAlgoGetHeuristic", m_heuristics) || !find(library, "cublasLtMatmul", m_product)
      || !find(library, "cublasLtGetVersion", number)) {
    return "cuBLASLt lacks functions";
  }
  m_version = std::to_string(number());
  const int code = m_create(&m_handle);
  return code == 0 ? "" : "cublasLtCreate: status " + std::to_string(code);
}

// The library thinks in columns: the transposed product, C' = B' A', needs no transposition.
std::string CublasLt::prepare(Type type, long long m, long long n, long long k, Address a, Address b, Address c,
                              Address workspace, std::size_t workspace_bytes)
{
  m_a = a;
  m_b = b;
  m_c = c;
  m_workspace = workspace;
  m_workspace_bytes = workspace_bytes;
  const int number = type == Type::f16 ? k_f16 : type == Type::bf16 ? k_bf16 : k_f32;
  const auto rows = static_cast<std::uint64_t>(m), columns = static_cast<std::uint64_t>(n),
             terms = static_cast<std::uint64_t>(k);
  Handle preference = nullptr;
  int code = m_make_product(&m_operation, k_compute_f32, k_f32);
  code = code == 0 ? m_make_layout(&m_b_layout, number, columns, terms, n) : code;
  code = code == 0 ? m_make_layout(&m_a_layout, number, terms, rows, k) : code;
  code = code == 0 ? m_make_layout(&m_c_layout, number, columns, rows, n) : code;
  code = code == 0 ? m_make_preference(&preference) : code;
  code =
    code == 0 ? m_set_preference(preference, k_preference_workspace, &workspace_bytes, sizeof workspace_bytes) : code;
  if (code != 0) {
    return "cuBLASLt: status " + std::to_string(code);
  }
  m_found.assign(k_most_algorithms, {});
  int found = 0;
  code = m_heuristics(m_handle, m_operation, m_b_layout, m_a_layout, m_c_layout, m_c_layout, preference,
                      k_most_algorithms, m_found.data(), &found);
  m_found.resize(code == 0 ? static_cast<std::size_t>(found) : 0);
  std::erase_if(m_found, [](const Algorithm& one) { return one.state != 0; });
  return m_found.empty() ? "cuBLASLt offers nothing: status " + std::to_string(code) : "";
}

std::string CublasLt::run(std::size_t algorithm) const
{
  const float one = 1, zero = 0;
  const auto at = [](Address address) { return reinterpret_cast<void*>(address); };
  const int code =
    m_product(m_handle, m_operation, &one, at(m_b), m_b_layout, at(m_a), m_a_layout, &zero, at(m_c), m_c_layout,
              at(m_c), m_c_layout, m_found[algorithm].words.data(), at(m_workspace), m_workspace_bytes, nullptr);
  return code == 0 ? "" : "cublasLtMatmul: status " + std::to_string(code);
}

} // namespace hone::gpu_bench
