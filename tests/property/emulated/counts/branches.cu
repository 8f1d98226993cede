// Lanes, or warps, that go two ways by their parity.
extern "C" __global__ void of_lanes(float* y)
{
  float v = 1;
  if (threadIdx.x & 1) {                           // count: branch
    asm volatile("add.f32 %0, %0, 0f40000000;" : "+f"(v)); // count: odd
  } else {
    asm volatile("mul.f32 %0, %0, 0f40400000;" : "+f"(v)); // count: even
  }
  y[blockIdx.x * 128 + threadIdx.x] = v; // count: store
}

extern "C" __global__ void of_warps(float* y)
{
  float v = 1;
  if (threadIdx.x & 32) {                          // count: branch
    asm volatile("add.f32 %0, %0, 0f40000000;" : "+f"(v)); // count: odd
  } else {
    asm volatile("mul.f32 %0, %0, 0f40400000;" : "+f"(v)); // count: even
  }
  y[blockIdx.x * 128 + threadIdx.x] = v; // count: store
}
