// How often each of 64 keys comes, 1024 keys to a block of 256.
extern "C" __global__ void histogram(const int* keys, unsigned* counts, long long one)
{
  __shared__ unsigned bins[64];
  const unsigned first = (unsigned)(unsigned long long)(__attribute__((address_space(3))) void*)bins;
  const int t = threadIdx.x;
  if (t < 64) {
    bins[t] = 0; // count: zero
  }
  __syncthreads();
#pragma unroll 1
  for (int i = t; i < 1024; i += 256) {
    const int key = keys[i];                                                                          // count: key
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(first + 4 * key), "r"((unsigned)one) : "memory"); // count: update
  }
  __syncthreads();
  if (t < 64) {
    const unsigned sum = bins[t];                                                    // count: sum
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counts + t), "r"(sum) : "memory"); // count: out
  }
}
