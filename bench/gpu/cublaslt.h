// Products by cuBLASLt, opened at run time, with all algorithms that it offers.
#pragma once

#include "driver.h"
#include "launch_lists.h"

#include <array>
#include <string>
#include <vector>

namespace hone::gpu_bench {

class CublasLt {
public:
  // "" when it could be opened.
  std::string open(const std::string& file);
  std::string version() const { return m_version; }
  // C = A B, row-major, of one type, sums in f32 (no tf32). How many algorithms there are.
  std::string prepare(Type type, long long m, long long n, long long k, Address a, Address b, Address c,
                      Address workspace, std::size_t workspace_bytes);
  std::size_t algorithms() const { return m_found.size(); }
  std::string run(std::size_t algorithm) const;

private:
  struct Algorithm { // cublasLtMatmulHeuristicResult_t
    std::array<std::uint64_t, 8> words{};
    std::size_t workspace_bytes = 0;
    int state = 0;
    float waves = 0;
    std::array<int, 4> reserved{};
  };
  static_assert(sizeof(Algorithm) == 96);

  int (*m_create)(Handle*) = nullptr;
  int (*m_make_product)(Handle*, int, int) = nullptr;
  int (*m_make_layout)(Handle*, int, std::uint64_t, std::uint64_t, std::int64_t) = nullptr;
  int (*m_make_preference)(Handle*) = nullptr;
  int (*m_set_preference)(Handle, int, const void*, std::size_t) = nullptr;
  int (*m_heuristics)(Handle, Handle, Handle, Handle, Handle, Handle, Handle, int, Algorithm*, int*) = nullptr;
  int (*m_product)(Handle, Handle, const void*, const void*, Handle, const void*, Handle, const void*, const void*,
                   Handle, void*, Handle, const void*, void*, std::size_t, Handle) = nullptr;

  std::string m_version;
  Handle m_handle = nullptr, m_operation = nullptr, m_a_layout = nullptr, m_b_layout = nullptr, m_c_layout = nullptr;
  Address m_a = 0, m_b = 0, m_c = 0, m_workspace = 0;
  std::size_t m_workspace_bytes = 0;
  std::vector<Algorithm> m_found;
};

} // namespace hone::gpu_bench
