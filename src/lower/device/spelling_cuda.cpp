// CUDA C++ and HIP: one language but for the names of bf16.
#include "lower/device/cuda_matrix.h"
#include "lower/device/spelling.h"
#include "lower/dialect.h"

#include <fmt/format.h>

#include <map>

namespace hone::lower::device {

namespace {

std::string cuda_type(kernel::DataType type)
{
  return type_text(type, cuda_dialect());
}

std::string hip_type(kernel::DataType type)
{
  return type_text(type, hip_dialect());
}

std::string cuda_unroll(const std::string& count)
{
  return count.empty() ? "#pragma unroll" : "#pragma unroll " + count;
}

std::string cuda_head(const Function& function, const std::string& parameters)
{
  return fmt::format("extern \"C\" __global__ void __launch_bounds__(({}) * ({}) * ({})) {}({})", function.items[0],
                     function.items[1], function.items[2], function.name, parameters);
}

// Tensors of a launch do not overlap.
std::string parameter_text(const Parameter& parameter, const std::string& type)
{
  return parameter.tensor
           ? fmt::format("{}{}* __restrict__ {}", parameter.written ? "" : "const ", type, parameter.name)
         : parameter.map ? "const void* __restrict__ " + parameter.name
                         : "long long " + parameter.name;
}

std::string cuda_parameter(const Parameter& parameter)
{
  return parameter_text(parameter, cuda_type(parameter.type));
}

std::string hip_parameter(const Parameter& parameter)
{
  return parameter_text(parameter, hip_type(parameter.type));
}

std::string cuda_load(kernel::DataType stored, const std::string& array, const std::string& position)
{
  switch (stored) {
  case kernel::DataType::f16:
    return fmt::format("__half2float({}[{}])", array, position);
  case kernel::DataType::bf16:
    return fmt::format("__bfloat162float({}[{}])", array, position);
  default:
    return "";
  }
}

std::string cuda_store(kernel::DataType stored, const std::string& array, const std::string& position,
                       const std::string& value)
{
  switch (stored) {
  case kernel::DataType::f16:
    return fmt::format("{}[{}] = __float2half({})", array, position, value);
  case kernel::DataType::bf16:
    return fmt::format("{}[{}] = __float2bfloat16({})", array, position, value);
  default:
    return "";
  }
}

std::string cuda_function(const std::string& name, kernel::DataType type)
{
  if (!kernel::is_float(type)) {
    return "";
  }
  static const std::map<std::string, std::string> k_names = {{"max", "fmax"},
                                                             {"min", "fmin"},
                                                             {"abs", "fabs"},
                                                             {"rounded to f16", "HONE_ROUNDED_TO_F16"},
                                                             {"rounded to bf16", "HONE_ROUNDED_TO_BF16"}};
  const auto found = k_names.find(name);
  return found == k_names.end() ? "" : found->second;
}

constexpr std::string_view k_cuda_vectors =
  R"(// Vectors of any number of lanes; one lane is a number. A load of 16 bytes needs an aligned place.
template <typename T, int N> struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) hone_vector { T lane[N]; };
template <typename T, int N> struct hone_lanes { typedef hone_vector<T, N> type; };
template <typename T> struct hone_lanes<T, 1> { typedef T type; };
#define HONE_VECTOR(type, lanes) hone_lanes_of<type, lanes>
template <typename T, int N> using hone_lanes_of = typename hone_lanes<T, N>::type;
#define HONE_EACH_LANE _Pragma("unroll") for (int i = 0; i < N; ++i)
#define HONE_OPERATOR(op) template <typename T, int N> __device__ __forceinline__ hone_vector<T, N> operator op(hone_vector<T, N> a, const hone_vector<T, N>& b) { HONE_EACH_LANE a.lane[i] = a.lane[i] op b.lane[i]; return a; } template <typename T, int N> __device__ __forceinline__ hone_vector<T, N> operator op(hone_vector<T, N> a, T b) { HONE_EACH_LANE a.lane[i] = a.lane[i] op b; return a; } template <typename T, int N> __device__ __forceinline__ hone_vector<T, N> operator op(T a, hone_vector<T, N> b) { HONE_EACH_LANE b.lane[i] = a op b.lane[i]; return b; }
HONE_OPERATOR(+)
HONE_OPERATOR(-)
HONE_OPERATOR(*)
HONE_OPERATOR(/)
template <typename T, int N> __device__ __forceinline__ hone_vector<T, N> operator-(hone_vector<T, N> a) { HONE_EACH_LANE a.lane[i] = -a.lane[i]; return a; }
template <typename T, int N> __device__ __forceinline__ void operator+=(hone_vector<T, N>& a, const hone_vector<T, N>& b) { a = a + b; }
#define HONE_LANEWISE(name) template <typename T, int N> __device__ __forceinline__ hone_vector<T, N> name(hone_vector<T, N> a) { HONE_EACH_LANE a.lane[i] = name(a.lane[i]); return a; }
#define HONE_LANEWISE_2(name) template <typename T, int N> __device__ __forceinline__ hone_vector<T, N> name(hone_vector<T, N> a, const hone_vector<T, N>& b) { HONE_EACH_LANE a.lane[i] = name(a.lane[i], b.lane[i]); return a; }
HONE_LANEWISE(exp)
HONE_LANEWISE(log)
HONE_LANEWISE(log1p)
HONE_LANEWISE(sqrt)
HONE_LANEWISE(tanh)
HONE_LANEWISE(erf)
HONE_LANEWISE(sin)
HONE_LANEWISE(cos)
HONE_LANEWISE(fabs)
HONE_LANEWISE(floor)
HONE_LANEWISE_2(pow)
HONE_LANEWISE_2(fmax)
HONE_LANEWISE_2(fmin)
template <typename T, int N> struct hone_memory {
  typedef typename hone_lanes<T, N>::type vector;
  static __device__ __forceinline__ bool aligned(const T* at) { return (unsigned long long)at % alignof(vector) == 0; }
  static __device__ __forceinline__ vector load(const T* at) { if (aligned(at)) return *(const vector*)at; vector out; HONE_EACH_LANE out.lane[i] = at[i]; return out; }
  static __device__ __forceinline__ void store(T* at, const vector& value) { if (aligned(at)) { *(vector*)at = value; return; } HONE_EACH_LANE at[i] = value.lane[i]; }
  static __device__ __forceinline__ vector gather(const T* at, long long step) { vector out; HONE_EACH_LANE out.lane[i] = at[i * step]; return out; }
  static __device__ __forceinline__ vector spread(T value) { vector out; HONE_EACH_LANE out.lane[i] = value; return out; }
  static __device__ __forceinline__ T one(const vector& value, int i) { return value.lane[i]; }
  template <typename M> static __device__ __forceinline__ vector choose(const M& mask, vector yes, const vector& no) { HONE_EACH_LANE yes.lane[i] = mask.lane[i] ? yes.lane[i] : no.lane[i]; return yes; }
};
template <typename T> struct hone_memory<T, 1> {
  static __device__ __forceinline__ T load(const T* at) { return *at; }
  static __device__ __forceinline__ void store(T* at, T value) { *at = value; }
  static __device__ __forceinline__ T gather(const T* at, long long) { return *at; }
  static __device__ __forceinline__ T spread(T value) { return value; }
  static __device__ __forceinline__ T one(T value, int) { return value; }
  static __device__ __forceinline__ T choose(int mask, T yes, T no) { return mask ? yes : no; }
};
#define HONE_LOAD(type, lanes, array, at) hone_memory<type, lanes>::load((array) + (at))
#define HONE_STORE(type, lanes, array, at, value) hone_memory<type, lanes>::store((array) + (at), value)
#define HONE_GATHER(type, lanes, array, at, step) hone_memory<type, lanes>::gather((array) + (at), step)
#define HONE_EVERY_SECOND(type, lanes, array, at) HONE_GATHER(type, lanes, array, at, 2)
#define HONE_SPREAD(type, lanes, value) hone_memory<type, lanes>::spread(value)
#define HONE_LANE(type, lanes, vector, number) hone_memory<type, lanes>::one(vector, number)
#define HONE_CHOOSE(type, lanes, mask, yes, no) hone_memory<type, lanes>::choose(mask, yes, no)
)";

constexpr std::string_view k_cuda_half_vectors =
  R"(template <int N> __device__ __forceinline__ hone_lanes_of<float, N> hone_load_half(const __half* at)
{
  if constexpr (N == 1) return __half2float(*at); else { const hone_vector<__half, N> in = hone_memory<__half, N>::load(at); hone_vector<float, N> out; HONE_EACH_LANE out.lane[i] = __half2float(in.lane[i]); return out; }
}
template <int N> __device__ __forceinline__ void hone_store_half(__half* at, const hone_lanes_of<float, N>& value)
{
  if constexpr (N == 1) *at = __float2half(value); else { hone_vector<__half, N> out; HONE_EACH_LANE out.lane[i] = __float2half(value.lane[i]); hone_memory<__half, N>::store(at, out); }
}
#define HONE_LOAD_F16(lanes, array, at) hone_load_half<lanes>((array) + (at))
#define HONE_STORE_F16(lanes, array, at, value) hone_store_half<lanes>((array) + (at), value)
)";

// The type is the pointer's, as the two languages name it differently.
constexpr std::string_view k_cuda_bf16_vectors =
  R"(template <int N, typename B> __device__ __forceinline__ hone_lanes_of<float, N> hone_load_bf16(const B* at)
{
  if constexpr (N == 1) return __bfloat162float(*at); else { const hone_vector<B, N> in = hone_memory<B, N>::load(at); hone_vector<float, N> out; HONE_EACH_LANE out.lane[i] = __bfloat162float(in.lane[i]); return out; }
}
template <int N, typename B> __device__ __forceinline__ void hone_store_bf16(B* at, const hone_lanes_of<float, N>& value)
{
  if constexpr (N == 1) *at = __float2bfloat16(value); else { hone_vector<B, N> out; HONE_EACH_LANE out.lane[i] = __float2bfloat16(value.lane[i]); hone_memory<B, N>::store(at, out); }
}
#define HONE_LOAD_BF16(lanes, array, at) hone_load_bf16<lanes>((array) + (at))
#define HONE_STORE_BF16(lanes, array, at, value) hone_store_bf16<lanes>((array) + (at), value)
)";

constexpr std::string_view k_infinity = R"(#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
)";

constexpr std::string_view k_rounded_half = "#define HONE_ROUNDED_TO_F16(value) __half2float(__float2half(value))\n";
constexpr std::string_view k_rounded_bf16 =
  "#define HONE_ROUNDED_TO_BF16(value) __bfloat162float(__float2bfloat16(value))\n";

// Items whose numbers differ in one bit exchange what they have, so that all of them have the whole in the end.
constexpr std::string_view k_cuda_subgroup = R"(#define HONE_SUBGROUP_SIZE() 32
#define HONE_EXCHANGED(value, distance) __shfl_xor_sync(0xffffffffu, value, distance)
)";
constexpr std::string_view k_hip_subgroup = R"(#define HONE_SUBGROUP_SIZE() ((int)warpSize)
#define HONE_EXCHANGED(value, distance) __shfl_xor(value, distance)
)";
constexpr std::string_view k_cuda_subgroup_function =
  R"(#define HONE_SUBGROUP(name, type, joined) static __device__ __forceinline__ type name(type mine, int items) { for (int d = min(items, HONE_SUBGROUP_SIZE()) / 2; d > 0; d /= 2) { const type other = HONE_EXCHANGED(mine, d); mine = joined; } return mine; }
)";
Spelling spelling_in(std::string_view dialect)
{
  const bool hip = dialect == "hip";
  return {.dialect = dialect,
          .group = {"blockIdx.x", "blockIdx.y", "blockIdx.z"},
          .item = {"threadIdx.x", "threadIdx.y", "threadIdx.z"},
          .groups = {"gridDim.x", "gridDim.y", "gridDim.z"},
          .flat = "(blockIdx.x * (long long)blockDim.x + threadIdx.x)",
          .barrier = "__syncthreads();",
          .local = "__shared__ __align__(16) ",
          .sized_at_launch = "extern __shared__ __align__(1024) unsigned char hone_local[]",
          .type = hip ? hip_type : cuda_type,
          .unroll = cuda_unroll,
          .head = cuda_head,
          .parameter = hip ? hip_parameter : cuda_parameter,
          .load_narrow = cuda_load,
          .store_narrow = cuda_store,
          .function = cuda_function,
          .preludes = {{{"HONE_VECTOR", "HONE_LOAD", "HONE_STORE", "HONE_GATHER", "HONE_EVERY_SECOND", "HONE_SPREAD",
                         "HONE_LANE", "hone_copy_piece"},
                        k_cuda_vectors},
                       {{"HONE_LOAD_F16", "HONE_STORE_F16"}, k_cuda_half_vectors},
                       {{"HONE_LOAD_BF16", "HONE_STORE_BF16"}, k_cuda_bf16_vectors},
                       {{"INFINITY"}, k_infinity},
                       {{"HONE_ROUNDED_TO_F16"}, k_rounded_half},
                       {{"HONE_ROUNDED_TO_BF16"}, k_rounded_bf16},
                       {{"HONE_SUBGROUP_SIZE"}, hip ? k_hip_subgroup : k_cuda_subgroup},
                       {{"HONE_SUBGROUP_SIZE"}, k_cuda_subgroup_function},
                       {{"hone_copy_piece"}, k_matrix_copies},
                       {{"hone_copy_piece_async", "hone_ldmatrix_rows", "hone_ldmatrix_columns", "hone_descriptor"},
                        k_shared_address},
                       {{"hone_copy_piece_async", "HONE_CP_ASYNC_COMMIT"}, k_async_copies},
                       {{"hone_lines", "hone_swizzled"}, k_matrix_lines},
                       {{"hone_fragment_rows", "hone_ldmatrix_rows"}, k_terms},
                       {{"hone_fragment_rows", "hone_ldmatrix_rows"}, hip ? k_hip_fragments : k_cuda_fragments},
                       {{"hone_ldmatrix_rows"}, k_matrix_loads},
                       {{"hone_descriptor"}, k_warp_group},
                       {{"hone_mbarrier_init"}, k_pipeline},
                       {{"HONE_FENCE_TENSORMAP"}, k_tensor_maps},
                       {{"HONE_CLUSTER_BARRIER"}, k_clusters},
                       {{"HONE_BULK_COMMIT"}, k_tensor_stores},
                       {{"hone_wgmma_"}, warp_group_products()},
                       {{"hone_mma_"}, hip ? k_hip_products : k_cuda_products},
                       subgroup_functions_f32(),
                       subgroup_functions_f64()}};
}

} // namespace

const Spelling& cuda_spelling()
{
  static const Spelling spelling = spelling_in("cuda");
  return spelling;
}

const Spelling& hip_spelling()
{
  static const Spelling spelling = spelling_in("hip");
  return spelling;
}

} // namespace hone::lower::device
