// What CUDA C++ and HIP need for matrix instructions: copies of 16 bytes, layouts of blocks, fragments, products.
// (internal to the folder)
#pragma once

#include <string_view>

namespace hone::lower::device {

constexpr std::string_view k_matrix_copies =
  R"(// Eight elements of 16 bits; those from `valid` on are 0. `to` is a multiple of 16 bytes.
template <typename T> __device__ __forceinline__ void hone_copy_8(T* to, const T* from, int valid)
{
  typedef hone_vector<unsigned short, 8> eight;
  if (valid >= 8 && (unsigned long long)from % 16 == 0) { *(eight*)to = *(const eight*)from; return; }
  eight all;
#pragma unroll
  for (int i = 0; i < 8; ++i) all.lane[i] = i < valid ? ((const unsigned short*)from)[i] : (unsigned short)0;
  *(eight*)to = all;
}
)";

constexpr std::string_view k_shared_address =
  R"(__device__ __forceinline__ unsigned hone_shared_address(const void* at)
{
  unsigned long long out;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(out) : "l"(at));
  return (unsigned)out;
}
)";

constexpr std::string_view k_async_copies =
  R"(template <typename T> __device__ __forceinline__ void hone_copy_8_async(T* to, const T* from, int valid)
{
  const bool whole = valid >= 8 && (unsigned long long)from % 16 == 0;
  const unsigned at = hone_shared_address(to);
  if (whole) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  else hone_copy_8(to, from, valid);
}
#define HONE_CP_ASYNC_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define HONE_CP_ASYNC_WAIT(count) asm volatile("cp.async.wait_group %0;" ::"n"(count) : "memory")
)";

// The swizzle is the one of 128 bytes that wgmma and tensor copies know.
constexpr std::string_view k_matrix_lines =
  R"(// Where element `at` of a line lies in a block: line after line; or in columns of 64 elements,
// whose pieces of eight change places from line to line, so that they lie in different banks.
template <int LENGTH> struct hone_lines { static __device__ __forceinline__ int at(int line, int at) { return line * LENGTH + at; } };
template <int LINES> struct hone_swizzled { static const int column_bytes = LINES * 128; static __device__ __forceinline__ int at(int line, int at) { return at / 64 * (LINES * 64) + line * 64 + (at % 64 / 8 ^ line % 8) * 8 + at % 8; } };
)";

// Registers of mma.m16n8k16: PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point type".
constexpr std::string_view k_cuda_fragments =
  R"(// Two neighbouring terms of a row or column.
template <typename L, bool TERMS, typename T> __device__ __forceinline__ unsigned hone_two_terms(const T* block, int of, int term)
{
  if constexpr (TERMS) return *(const unsigned*)(block + L::at(of, term));
  else return *(const unsigned short*)(block + L::at(term, of)) | (unsigned)*(const unsigned short*)(block + L::at(term + 1, of)) << 16;
}
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_fragment_rows(unsigned (&a)[4], const T* block, int row, int term)
{
  const int item = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = hone_two_terms<L, TERMS>(block, row + item / 4 + i % 2 * 8, term + item % 4 * 2 + i / 2 * 8);
}
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_fragment_columns(unsigned (&b)[2], const T* block, int column, int term)
{
  const int item = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 2; ++i) b[i] = hone_two_terms<L, TERMS>(block, column + item / 4, term + item % 4 * 2 + i * 8);
}
)";

constexpr std::string_view k_matrix_loads =
  R"(#define HONE_LDMATRIX_4(trans, a, at) asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at) : "memory")
#define HONE_LDMATRIX_2(trans, b, at) asm volatile("ldmatrix.sync.aligned.m8n8.x2" trans ".shared.b16 {%0, %1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(at) : "memory")
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_ldmatrix_rows(unsigned (&a)[4], const T* block, int row, int term)
{
  const int item = threadIdx.x % 32, half = item / 8 % 2 * 8, other = item / 16 * 8;
  const int place = TERMS ? L::at(row + item % 16, term + other) : L::at(term + other + item % 8, row + half);
  const unsigned at = hone_shared_address(block + place);
  if constexpr (TERMS) HONE_LDMATRIX_4("", a, at);
  else HONE_LDMATRIX_4(".trans", a, at);
}
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_ldmatrix_columns(unsigned (&b)[2], const T* block, int column, int term)
{
  const int item = threadIdx.x % 32, half = item / 8 % 2 * 8;
  const int place = TERMS ? L::at(column + item % 8, term + half) : L::at(term + half + item % 8, column);
  const unsigned at = hone_shared_address(block + place);
  if constexpr (TERMS) HONE_LDMATRIX_2("", b, at);
  else HONE_LDMATRIX_2(".trans", b, at);
}
)";

// wgmma: the descriptors of PTX ISA, "Shared memory matrix layout", with the swizzle of 128 bytes.
constexpr std::string_view k_warp_group =
  R"(// A block from row or column `of` and a term on. Its bytes begin at a multiple of 1024.
template <typename L, bool TERMS, typename T> __device__ __forceinline__ unsigned long long hone_descriptor(const T* block, int of, int term)
{
  const unsigned at = hone_shared_address(block + (TERMS ? L::at(of, term) : L::at(term, of)));
  const unsigned leading = TERMS ? 16 : L::column_bytes;
  return (at & 0x3ffff) >> 4 | (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
}
#define HONE_FENCE_ASYNC_PROXY() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define HONE_WGMMA_FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define HONE_WGMMA_COMMIT_AND_WAIT() asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory")
)";

// mbarrier objects, and boxes of tensors by maps (PTX ISA, "Asynchronous copy", "mbarrier").
constexpr std::string_view k_pipeline =
  R"(__device__ __forceinline__ void hone_mbarrier_init(const long long* barrier, int arrivals)
{
  const unsigned at = hone_shared_address(barrier);
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(arrivals) : "memory");
}
#define HONE_FENCE_MBARRIER_INIT() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
__device__ __forceinline__ void hone_mbarrier_arrive(const long long* barrier)
{
  const unsigned at = hone_shared_address(barrier);
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
}
__device__ __forceinline__ void hone_mbarrier_expect_tx(const long long* barrier, int bytes)
{
  const unsigned at = hone_shared_address(barrier);
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
}
#define HONE_TRY_WAIT(done, at, parity) asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(at), "r"(parity) : "memory")
__device__ __forceinline__ void hone_mbarrier_wait(const long long* barrier, int parity)
{
  const unsigned at = hone_shared_address(barrier);
  unsigned done = 0;
  while (!done) HONE_TRY_WAIT(done, at, parity);
}
// Maps lie in global memory, where the host has stored them.
#define HONE_FENCE_TENSORMAP(map) asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory")
#define HONE_TMA_LOAD(dims, places, ...) asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {" places "}], [%2];" ::"r"(hone_shared_address(to)), "l"(map), "r"(hone_shared_address(barrier)), __VA_ARGS__ : "memory")
template <typename T> __device__ __forceinline__ void hone_tma_load_2(T* to, const void* map, int a, int b, const long long* barrier) { HONE_TMA_LOAD("2d", "%3, %4", "r"(a), "r"(b)); }
template <typename T> __device__ __forceinline__ void hone_tma_load_3(T* to, const void* map, int a, int b, int c, const long long* barrier) { HONE_TMA_LOAD("3d", "%3, %4, %5", "r"(a), "r"(b), "r"(c)); }
template <typename T> __device__ __forceinline__ void hone_tma_load_4(T* to, const void* map, int a, int b, int c, int d, const long long* barrier) { HONE_TMA_LOAD("4d", "%3, %4, %5, %6", "r"(a), "r"(b), "r"(c), "r"(d)); }
)";

// hone_wgmma_f16<ROWS, COLUMNS>(d, e, a, b) and of bf16: d and e are an item's two rows, the number of their
// vectors is that of eight columns of the instruction. ROWS, COLUMNS: lines of the block hold rows, columns.
std::string_view warp_group_products();

constexpr std::string_view k_cuda_products =
  R"(#define HONE_MMA(name, types) __device__ __forceinline__ void name(hone_vector<float, 2>& d, hone_vector<float, 2>& e, const unsigned (&a)[4], const unsigned (&b)[2]) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." types ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(d.lane[0]), "+f"(d.lane[1]), "+f"(e.lane[0]), "+f"(e.lane[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
HONE_MMA(hone_mma_f16, "f16.f16")
HONE_MMA(hone_mma_bf16, "bf16.bf16")
)";

// Registers of V_MFMA_F32_16X16X16: an item has four neighbouring terms of a row or column.
constexpr std::string_view k_hip_fragments =
  R"(template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_four_terms(unsigned (&out)[2], const T* block, int of, int term)
{
  const int item = threadIdx.x % 64;
  of += item % 16;
  term += item / 16 * 4;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if constexpr (TERMS) out[i] = *(const unsigned*)(block + L::at(of, term + 2 * i));
    else out[i] = *(const unsigned short*)(block + L::at(term + 2 * i, of)) | (unsigned)*(const unsigned short*)(block + L::at(term + 2 * i + 1, of)) << 16;
  }
}
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_fragment_rows(unsigned (&a)[2], const T* block, int row, int term) { hone_four_terms<L, TERMS>(a, block, row, term); }
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_fragment_columns(unsigned (&b)[2], const T* block, int column, int term) { hone_four_terms<L, TERMS>(b, block, column, term); }
)";

constexpr std::string_view k_hip_products =
  R"(typedef float hone_float4 __attribute__((ext_vector_type(4)));
typedef unsigned hone_words2 __attribute__((ext_vector_type(2)));
typedef _Float16 hone_f16x4 __attribute__((ext_vector_type(4)));
typedef short hone_bf16x4 __attribute__((ext_vector_type(4)));
#define HONE_MMA(name, type, instruction) __device__ __forceinline__ void name(float& d0, float& d1, float& d2, float& d3, const unsigned (&a)[2], const unsigned (&b)[2]) { const hone_words2 x = {a[0], a[1]}, y = {b[0], b[1]}; hone_float4 d = {d0, d1, d2, d3}; d = instruction(__builtin_bit_cast(type, x), __builtin_bit_cast(type, y), d, 0, 0, 0); d0 = d.x; d1 = d.y; d2 = d.z; d3 = d.w; }
HONE_MMA(hone_mma_f16, hone_f16x4, __builtin_amdgcn_mfma_f32_16x16x16f16)
HONE_MMA(hone_mma_bf16, hone_bf16x4, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k)
)";

} // namespace hone::lower::device
