// Copies, and what their addresses cost.
typedef float Four __attribute__((ext_vector_type(4)));

extern "C" __global__ void coalesced(const float* x, float* y)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[i]; // count: load
  y[i] = v;             // count: store
}

extern "C" __global__ void strided(const float* x, float* y, long long stride)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[i * stride]; // count: load
  y[i] = v;                      // count: store
}

extern "C" __global__ void in_fours(const Four* x, Four* y)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Four v = x[i]; // count: load
  y[i] = v;            // count: store
}

extern "C" __global__ void gather(const float* x, float* y, const int* permutation)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int from = permutation[i]; // count: index
  const float v = x[from];         // count: load
  y[i] = v;                        // count: store
}
