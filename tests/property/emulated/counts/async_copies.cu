// 16 bytes of each item to shared memory by cp.async, SPREAD words apart, and back.
typedef unsigned Words __attribute__((ext_vector_type(4)));
template <int SPREAD> static __device__ __forceinline__ void copy(const Words* x, Words* y)
{
  __shared__ __align__(16) unsigned held[128 * SPREAD];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  const unsigned to = (unsigned)(unsigned long long)(__attribute__((address_space(3))) void*)&held[t * SPREAD];
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + i) : "memory"); // count: begin
  asm volatile("cp.async.commit_group;" ::: "memory");                                       // count: commit
  asm volatile("cp.async.wait_group 0;" ::: "memory");                                       // count: wait
  unsigned v0, v1, v2, v3;
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(v0), "=r"(v1), "=r"(v2), "=r"(v3) : "r"(to) : "memory"); // count: take
  y[i] = Words{v0, v1, v2, v3}; // count: store
}

extern "C" __global__ void dense(const Words* x, Words* y)
{
  copy<4>(x, y);
}

extern "C" __global__ void spread(const Words* x, Words* y)
{
  copy<8>(x, y);
}
