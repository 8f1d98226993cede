// What CUDA C++ and HIP need for matrix instructions: copies of 16 bytes, layouts of blocks, fragments, products.
// (internal to the folder)
#pragma once

#include <string_view>

namespace hone::lower::device {

constexpr std::string_view k_matrix_copies =
  R"(// Elements of 16 bytes; those from `valid` on are 0. `to` is a multiple of 16 bytes.
template <int BYTES> struct hone_word;
template <> struct hone_word<1> { typedef unsigned char type; };
template <> struct hone_word<2> { typedef unsigned short type; };
template <> struct hone_word<4> { typedef unsigned type; };
template <> struct hone_word<8> { typedef unsigned long long type; };
template <typename T> __device__ __forceinline__ void hone_copy_piece(T* to, const T* from, int valid)
{
  typedef typename hone_word<sizeof(T)>::type word;
  const int count = 16 / sizeof(T);
  typedef hone_vector<word, count> piece;
  if (valid >= count && (unsigned long long)from % 16 == 0) { *(piece*)to = *(const piece*)from; return; }
  piece all;
#pragma unroll
  for (int i = 0; i < count; ++i) all.lane[i] = i < valid ? ((const word*)from)[i] : (word)0;
  *(piece*)to = all;
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
  R"(template <typename T> __device__ __forceinline__ void hone_copy_piece_async(T* to, const T* from, int valid)
{
  const bool whole = valid >= (int)(16 / sizeof(T)) && (unsigned long long)from % 16 == 0;
  const unsigned at = hone_shared_address(to);
  if (whole) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  else hone_copy_piece(to, from, valid);
}
#define HONE_CP_ASYNC_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define HONE_CP_ASYNC_WAIT(count) asm volatile("cp.async.wait_group %0;" ::"n"(count) : "memory")
)";

// The swizzle is the one of 128 bytes that wgmma and tensor copies know.
constexpr std::string_view k_matrix_lines =
  R"(// Where element `at` of a line lies in a block: line after line; or in columns of 128 bytes,
// whose pieces of 16 bytes change places from line to line, so that they lie in different banks.
template <int LENGTH> struct hone_lines { static __device__ __forceinline__ int at(int line, int at) { return line * LENGTH + at; } };
template <int LINES, int BYTES> struct hone_swizzled {
  static const int column_bytes = LINES * 128, column = 128 / BYTES, piece = 16 / BYTES;
  static __device__ __forceinline__ int at(int line, int at) { return at / column * (LINES * column) + line * column + (at % column / piece ^ line % 8) * piece + at % piece; }
};
)";

constexpr std::string_view k_terms =
  R"(// Neighbouring terms of a row or column, as many as 32 bits hold.
template <typename L, bool TERMS, typename T> __device__ __forceinline__ unsigned hone_terms(const T* block, int of, int term)
{
  if constexpr (TERMS) return *(const unsigned*)(block + L::at(of, term));
  unsigned all = 0;
#pragma unroll
  for (int i = 0; i < (int)(4 / sizeof(T)); ++i) all |= (unsigned)*(const typename hone_word<sizeof(T)>::type*)(block + L::at(term + i, of)) << (8 * sizeof(T) * i);
  return all;
}
)";

// Registers of mma.m16n8k16: PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point type". Those of
// mma.m16n8k32 hold four elements of 8 bits where these hold two of 16, those of mma.m16n8k8 one of 32. Those of
// mma.m8n8k4 are one element of 64 bits.
constexpr std::string_view k_cuda_fragments =
  R"(#define HONE_ROUND_TO_TF32(word) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(word) : "f"(__uint_as_float(word)))
// f32 is rounded to tf32; other elements stay as they are.
template <typename T, int N> __device__ __forceinline__ void hone_round(unsigned (&words)[N])
{
  if constexpr (sizeof(T) == 4) {
#pragma unroll
    for (int i = 0; i < N; ++i) HONE_ROUND_TO_TF32(words[i]);
  }
}
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_fragment_rows(unsigned (&a)[4], const T* block, int row, int term)
{
  const int item = threadIdx.x % 32, each = 4 / sizeof(T);
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = hone_terms<L, TERMS>(block, row + item / 4 + i % 2 * 8, term + item % 4 * each + i / 2 * 4 * each);
  hone_round<T>(a);
}
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_fragment_columns(unsigned (&b)[2], const T* block, int column, int term)
{
  const int item = threadIdx.x % 32, each = 4 / sizeof(T);
#pragma unroll
  for (int i = 0; i < 2; ++i) b[i] = hone_terms<L, TERMS>(block, column + item / 4, term + item % 4 * each + i * 4 * each);
  hone_round<T>(b);
}
template <typename L, bool TERMS> __device__ __forceinline__ void hone_one_term(double (&out)[1], const double* block, int of, int term)
{
  of += threadIdx.x % 32 / 4;
  term += threadIdx.x % 4;
  out[0] = block[TERMS ? L::at(of, term) : L::at(term, of)];
}
template <typename L, bool TERMS> __device__ __forceinline__ void hone_fragment_rows(double (&a)[1], const double* block, int row, int term) { hone_one_term<L, TERMS>(a, block, row, term); }
template <typename L, bool TERMS> __device__ __forceinline__ void hone_fragment_columns(double (&b)[1], const double* block, int column, int term) { hone_one_term<L, TERMS>(b, block, column, term); }
)";

constexpr std::string_view k_matrix_loads =
  R"(#define HONE_LDMATRIX_4(trans, a, at) asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at) : "memory")
#define HONE_LDMATRIX_2(trans, b, at) asm volatile("ldmatrix.sync.aligned.m8n8.x2" trans ".shared.b16 {%0, %1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(at) : "memory")
// Rows of a matrix are 16 bytes. Lines of rows or columns are exchanged in elements of 16 bits only.
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_ldmatrix_rows(unsigned (&a)[4], const T* block, int row, int term)
{
  if constexpr (!TERMS && sizeof(T) != 2) { hone_fragment_rows<L, TERMS>(a, block, row, term); return; }
  const int item = threadIdx.x % 32, piece = 16 / sizeof(T), half = item / 8 % 2 * piece, other = item / 16 * piece;
  const int place = TERMS ? L::at(row + item % 16, term + other) : L::at(term + other + item % 8, row + half);
  const unsigned at = hone_shared_address(block + place);
  if constexpr (TERMS) HONE_LDMATRIX_4("", a, at);
  else HONE_LDMATRIX_4(".trans", a, at);
  hone_round<T>(a);
}
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_ldmatrix_columns(unsigned (&b)[2], const T* block, int column, int term)
{
  if constexpr (!TERMS && sizeof(T) != 2) { hone_fragment_columns<L, TERMS>(b, block, column, term); return; }
  const int item = threadIdx.x % 32, piece = 16 / sizeof(T), half = item / 8 % 2 * piece;
  const int place = TERMS ? L::at(column + item % 8, term + half) : L::at(term + half + item % 8, column);
  const unsigned at = hone_shared_address(block + place);
  if constexpr (TERMS) HONE_LDMATRIX_2("", b, at);
  else HONE_LDMATRIX_2(".trans", b, at);
  hone_round<T>(b);
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
#define HONE_TMA_LOAD(dims, places, ...) asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {" places "}], [%2];" ::"r"(hone_shared_address(to)), "l"(map), "r"(hone_shared_address(barrier)), __VA_ARGS__ : "memory")
template <typename T> __device__ __forceinline__ void hone_tma_load_2(T* to, const void* map, int a, int b, const long long* barrier) { HONE_TMA_LOAD("2d", "%3, %4", "r"(a), "r"(b)); }
template <typename T> __device__ __forceinline__ void hone_tma_load_3(T* to, const void* map, int a, int b, int c, const long long* barrier) { HONE_TMA_LOAD("3d", "%3, %4, %5", "r"(a), "r"(b), "r"(c)); }
template <typename T> __device__ __forceinline__ void hone_tma_load_4(T* to, const void* map, int a, int b, int c, int d, const long long* barrier) { HONE_TMA_LOAD("4d", "%3, %4, %5, %6", "r"(a), "r"(b), "r"(c), "r"(d)); }
)";

constexpr std::string_view k_tensor_maps =
  R"(// Maps lie in global memory, where the host has stored them.
#define HONE_FENCE_TENSORMAP(map) asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory")
)";

// Groups of a cluster: boxes for all of them, and arrivals at each other's barriers (PTX ISA, "mapa",
// "barrier.cluster").
constexpr std::string_view k_clusters =
  R"(#define HONE_CLUSTER_BARRIER() asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory")
#define HONE_ARRIVE_AT(at, rank) asm volatile("{\n.reg .b32 other;\nmapa.shared::cluster.u32 other, %0, %1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [other];\n}" ::"r"(at), "r"(rank) : "memory")
__device__ __forceinline__ void hone_mbarrier_arrive_at(const long long* barrier, int rank) { HONE_ARRIVE_AT(hone_shared_address(barrier), rank); }
#define HONE_TRY_WAIT_IN_CLUSTER(done, at, parity) asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(at), "r"(parity) : "memory")
__device__ __forceinline__ void hone_mbarrier_wait_in_cluster(const long long* barrier, int parity)
{
  const unsigned at = hone_shared_address(barrier);
  unsigned done = 0;
  while (!done) HONE_TRY_WAIT_IN_CLUSTER(done, at, parity);
}
#define HONE_TMA_MULTICAST(dims, places, ...) asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {" places "}], [%2], %3;" ::"r"(hone_shared_address(to)), "l"(map), "r"(hone_shared_address(barrier)), "h"((unsigned short)((1 << groups) - 1)), __VA_ARGS__ : "memory")
template <typename T> __device__ __forceinline__ void hone_tma_multicast_2(T* to, const void* map, int a, int b, const long long* barrier, int groups) { HONE_TMA_MULTICAST("2d", "%4, %5", "r"(a), "r"(b)); }
template <typename T> __device__ __forceinline__ void hone_tma_multicast_3(T* to, const void* map, int a, int b, int c, const long long* barrier, int groups) { HONE_TMA_MULTICAST("3d", "%4, %5, %6", "r"(a), "r"(b), "r"(c)); }
template <typename T> __device__ __forceinline__ void hone_tma_multicast_4(T* to, const void* map, int a, int b, int c, int d, const long long* barrier, int groups) { HONE_TMA_MULTICAST("4d", "%4, %5, %6, %7", "r"(a), "r"(b), "r"(c), "r"(d)); }
)";

// Boxes of the output (PTX ISA, "cp.async.bulk.tensor"), and barriers of some warps.
constexpr std::string_view k_tensor_stores =
  R"(#define HONE_TMA_STORE(dims, places, ...) asm volatile("cp.async.bulk.tensor." dims ".global.shared::cta.bulk_group [%0, {" places "}], [%1];" ::"l"(map), "r"(hone_shared_address(from)), __VA_ARGS__ : "memory")
template <typename T> __device__ __forceinline__ void hone_tma_store_2(const T* from, const void* map, int a, int b) { HONE_TMA_STORE("2d", "%2, %3", "r"(a), "r"(b)); }
template <typename T> __device__ __forceinline__ void hone_tma_store_3(const T* from, const void* map, int a, int b, int c) { HONE_TMA_STORE("3d", "%2, %3, %4", "r"(a), "r"(b), "r"(c)); }
template <typename T> __device__ __forceinline__ void hone_tma_store_4(const T* from, const void* map, int a, int b, int c, int d) { HONE_TMA_STORE("4d", "%2, %3, %4, %5", "r"(a), "r"(b), "r"(c), "r"(d)); }
#define HONE_BULK_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define HONE_BULK_WAIT() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define HONE_BULK_WAIT_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define HONE_BARRIER_OF(items) asm volatile("bar.sync 1, %0;" ::"r"(items) : "memory")
)";

// hone_wgmma_f16<ROWS, COLUMNS>(d, e, a, b) and of bf16: d and e are an item's two rows, the number of their
// vectors is that of eight columns of the instruction. ROWS, COLUMNS: lines of the block hold rows, columns.
std::string_view warp_group_products();

constexpr std::string_view k_cuda_products =
  R"(#define HONE_MMA(name, sums, in, shape, types) __device__ __forceinline__ void name(hone_vector<sums, 2>& d, hone_vector<sums, 2>& e, const unsigned (&a)[4], const unsigned (&b)[2]) { asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+" in(d.lane[0]), "+" in(d.lane[1]), "+" in(e.lane[0]), "+" in(e.lane[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
HONE_MMA(hone_mma_f16, float, "f", "m16n8k16", "f32.f16.f16.f32")
HONE_MMA(hone_mma_bf16, float, "f", "m16n8k16", "f32.bf16.bf16.f32")
HONE_MMA(hone_mma_tf32, float, "f", "m16n8k8", "f32.tf32.tf32.f32")
HONE_MMA(hone_mma_s8, int, "r", "m16n8k32", "s32.s8.s8.s32")
HONE_MMA(hone_mma_u8, int, "r", "m16n8k32", "s32.u8.u8.s32")
#define HONE_MMA_F64(d, a, b) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(d.lane[0]), "+d"(d.lane[1]) : "d"(a[0]), "d"(b[0]))
__device__ __forceinline__ void hone_mma_f64(hone_vector<double, 2>& d, const double (&a)[1], const double (&b)[1]) { HONE_MMA_F64(d, a, b); }
)";

// Registers of V_MFMA_F32_16X16X16: an item has four neighbouring terms of a row or column, eight of 8 bits.
constexpr std::string_view k_hip_fragments =
  R"(template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_eight_bytes(unsigned (&out)[2], const T* block, int of, int term)
{
  const int item = threadIdx.x % 64, each = 4 / sizeof(T);
  of += item % 16;
  term += item / 16 * 2 * each;
#pragma unroll
  for (int i = 0; i < 2; ++i) out[i] = hone_terms<L, TERMS>(block, of, term + each * i);
}
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_fragment_rows(unsigned (&a)[2], const T* block, int row, int term) { hone_eight_bytes<L, TERMS>(a, block, row, term); }
template <typename L, bool TERMS, typename T> __device__ __forceinline__ void hone_fragment_columns(unsigned (&b)[2], const T* block, int column, int term) { hone_eight_bytes<L, TERMS>(b, block, column, term); }
)";

constexpr std::string_view k_hip_products =
  R"(typedef float hone_float4 __attribute__((ext_vector_type(4)));
typedef unsigned hone_words2 __attribute__((ext_vector_type(2)));
typedef _Float16 hone_f16x4 __attribute__((ext_vector_type(4)));
typedef short hone_bf16x4 __attribute__((ext_vector_type(4)));
#define HONE_MMA(name, type, instruction) __device__ __forceinline__ void name(float& d0, float& d1, float& d2, float& d3, const unsigned (&a)[2], const unsigned (&b)[2]) { const hone_words2 x = {a[0], a[1]}, y = {b[0], b[1]}; hone_float4 d = {d0, d1, d2, d3}; d = instruction(__builtin_bit_cast(type, x), __builtin_bit_cast(type, y), d, 0, 0, 0); d0 = d.x; d1 = d.y; d2 = d.z; d3 = d.w; }
HONE_MMA(hone_mma_f16, hone_f16x4, __builtin_amdgcn_mfma_f32_16x16x16f16)
HONE_MMA(hone_mma_bf16, hone_bf16x4, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k)
// 32 terms: gfx90a takes 16 at a time, the first half of each item's eight and then the other.
typedef int hone_int4 __attribute__((ext_vector_type(4)));
__device__ __forceinline__ void hone_mma_s8(int& d0, int& d1, int& d2, int& d3, const unsigned (&a)[2], const unsigned (&b)[2])
{
  hone_int4 d = {d0, d1, d2, d3};
#ifdef __gfx942__
  const hone_words2 x = {a[0], a[1]}, y = {b[0], b[1]};
  d = __builtin_amdgcn_mfma_i32_16x16x32_i8(__builtin_bit_cast(long, x), __builtin_bit_cast(long, y), d, 0, 0, 0);
#else
  for (int i = 0; i < 2; ++i) d = __builtin_amdgcn_mfma_i32_16x16x16i8((int)a[i], (int)b[i], d, 0, 0, 0);
#endif
  d0 = d.x; d1 = d.y; d2 = d.z; d3 = d.w;
}
)";

} // namespace hone::lower::device
