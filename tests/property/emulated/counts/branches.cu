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

// In each of eight steps every second lane, in turns; then all of them.
extern "C" __global__ void of_steps(float* y)
{
  float v = 1;
#pragma unroll 1
  for (unsigned i = 0; i < 8; ++i) {
    if ((threadIdx.x + i) & 1) {                             // count: branch
      asm volatile("add.f32 %0, %0, 0f40000000;" : "+f"(v)); // count: odd
    }
    asm volatile("mul.f32 %0, %0, 0f40400000;" : "+f"(v)); // count: all
  }
  y[blockIdx.x * 128 + threadIdx.x] = v; // count: store
}

// Lane i takes 1 + i % 4 steps, and sums in every second one of them.
extern "C" __global__ void of_lengths(float* y)
{
  float v = 1;
#pragma unroll 1
  for (unsigned i = 0; i <= threadIdx.x % 4; ++i) {          // count: loop
    if (i & 1) {
      asm volatile("add.f32 %0, %0, 0f40000000;" : "+f"(v)); // count: odd
    }
    asm volatile("mul.f32 %0, %0, 0f40400000;" : "+f"(v)); // count: all
  }
  y[blockIdx.x * 128 + threadIdx.x] = v; // count: store
}
