// 16 x 8 results of a product over k = 64: one warp, operands in shared memory whose rows are STRIDE halves apart.
typedef unsigned Words __attribute__((ext_vector_type(4)));
static __device__ __forceinline__ unsigned shared_address(const void* p) { return (unsigned)(unsigned long long)(__attribute__((address_space(3))) const void*)p; }
// 16 bytes at once: clang splits what is stored to an array of halves.
#define STAGE(to, from) \
  const Words v = *(const Words*)&from[c * 8]; \
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(&to[c / 8 * STRIDE + c % 8 * 8])), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory")
template <int STRIDE> static __device__ __forceinline__ void product(const __half* A, const __half* B, float* C)
{
  __shared__ __align__(16) __half a[16 * STRIDE], b[8 * STRIDE];
  const int lane = threadIdx.x;
#pragma unroll 1
  for (int c = lane; c < 16 * 8; c += 32) {
    STAGE(a, A); // count: stage_a
  }
#pragma unroll 1
  for (int c = lane; c < 8 * 8; c += 32) {
    STAGE(b, B); // count: stage_b
  }
  __syncthreads();
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
#pragma unroll 1
  for (int k = 0; k < 64; k += 16) {
    const unsigned pa = shared_address(&a[lane % 16 * STRIDE + k + lane / 16 * 8]), pb = shared_address(&b[lane % 8 * STRIDE + k + lane / 8 % 2 * 8]);
    unsigned a0, a1, a2, a3, b0, b1;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3) : "r"(pa)); // count: load_a
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(b0), "=r"(b1) : "r"(pb)); // count: load_b
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1)); // count: multiply
  }
  float* const c = C + lane / 4 * 8 + lane % 4 * 2;
  c[0] = c0;
  c[1] = c1;
  c[64] = c2;
  c[65] = c3;
}

extern "C" __global__ void plain(const __half* A, const __half* B, float* C)
{
  product<64>(A, B, C);
}

extern "C" __global__ void padded(const __half* A, const __half* B, float* C)
{
  product<72>(A, B, C);
}
