#include "lower/device/spelling.h"
#include "lower/dialect.h"

#include <fmt/format.h>

#include <map>

namespace hone::lower::device {

namespace {

std::string opencl_type(kernel::DataType type)
{
  return type_text(type, opencl_dialect());
}

std::string opencl_unroll(const std::string& count)
{
  return count.empty() ? "#pragma unroll" : "#pragma unroll " + count;
}

std::string opencl_head(const Function& function, const std::string& parameters)
{
  return fmt::format("__kernel void {}({})", function.name, parameters);
}

std::string opencl_parameter(const Parameter& parameter)
{
  return parameter.tensor ? fmt::format("__global {}{}* {}", parameter.written ? "" : "const ",
                                        opencl_type(parameter.type), parameter.name)
                          : "long " + parameter.name;
}

std::string opencl_load(kernel::DataType stored, const std::string& array, const std::string& position)
{
  switch (stored) {
  case kernel::DataType::f16:
    return fmt::format("vload_half({}, {})", position, array);
  case kernel::DataType::bf16:
    return fmt::format("hone_to_float({}[{}])", array, position);
  default:
    return "";
  }
}

std::string opencl_store(kernel::DataType stored, const std::string& array, const std::string& position,
                         const std::string& value)
{
  switch (stored) {
  case kernel::DataType::f16:
    return fmt::format("vstore_half({}, {}, {})", value, position, array);
  case kernel::DataType::bf16:
    return fmt::format("{}[{}] = hone_to_bf16({})", array, position, value);
  default:
    return "";
  }
}

std::string opencl_function(const std::string& name, kernel::DataType type)
{
  if (!kernel::is_float(type)) {
    return "";
  }
  static const std::map<std::string, std::string> k_names = {{"max", "fmax"},
                                                             {"min", "fmin"},
                                                             {"abs", "fabs"},
                                                             {"rounded to f16", "hone_rounded_to_half"},
                                                             {"rounded to bf16", "HONE_ROUNDED_TO_BF16"}};
  const auto found = k_names.find(name);
  return found == k_names.end() ? "" : found->second;
}

constexpr std::string_view k_opencl_vectors = R"(// Vectors of 1, 2, 4, 8 or 16 lanes; one lane is a number.
#define HONE_JOIN_(a, b) a##b
#define HONE_JOIN(a, b) HONE_JOIN_(a, b)
#define HONE_VECTOR(type, lanes) HONE_JOIN(type, HONE_JOIN(HONE_LANES_, lanes))
#define HONE_LANES_1
#define HONE_LANES_2 2
#define HONE_LANES_4 4
#define HONE_LANES_8 8
#define HONE_LANES_16 16
#define HONE_LOAD(type, lanes, array, at) HONE_JOIN(HONE_LOAD_, lanes)(array, at)
#define HONE_LOAD_1(array, at) (array)[at]
#define HONE_LOAD_2(array, at) vload2(0, (array) + (at))
#define HONE_LOAD_4(array, at) vload4(0, (array) + (at))
#define HONE_LOAD_8(array, at) vload8(0, (array) + (at))
#define HONE_LOAD_16(array, at) vload16(0, (array) + (at))
#define HONE_STORE(type, lanes, array, at, value) HONE_JOIN(HONE_STORE_, lanes)(array, at, value)
#define HONE_STORE_1(array, at, value) (array)[at] = (value)
#define HONE_STORE_2(array, at, value) vstore2(value, 0, (array) + (at))
#define HONE_STORE_4(array, at, value) vstore4(value, 0, (array) + (at))
#define HONE_STORE_8(array, at, value) vstore8(value, 0, (array) + (at))
#define HONE_STORE_16(array, at, value) vstore16(value, 0, (array) + (at))
#define HONE_AT(array, at, step, lane) (array)[(at) + lane * (step)]
#define HONE_GATHER(type, lanes, array, at, step) HONE_JOIN(HONE_GATHER_, lanes)(type, array, at, step)
#define HONE_GATHER_1(type, array, at, step) (array)[at]
#define HONE_GATHER_2(type, array, at, step) (HONE_VECTOR(type, 2))(HONE_AT(array, at, step, 0), HONE_AT(array, at, step, 1))
#define HONE_GATHER_4(type, array, at, step) (HONE_VECTOR(type, 4))(HONE_AT(array, at, step, 0), HONE_AT(array, at, step, 1), HONE_AT(array, at, step, 2), HONE_AT(array, at, step, 3))
#define HONE_GATHER_8(type, array, at, step) (HONE_VECTOR(type, 8))(HONE_AT(array, at, step, 0), HONE_AT(array, at, step, 1), HONE_AT(array, at, step, 2), HONE_AT(array, at, step, 3), HONE_AT(array, at, step, 4), HONE_AT(array, at, step, 5), HONE_AT(array, at, step, 6), HONE_AT(array, at, step, 7))
#define HONE_GATHER_16(type, array, at, step) (HONE_VECTOR(type, 16))(HONE_AT(array, at, step, 0), HONE_AT(array, at, step, 1), HONE_AT(array, at, step, 2), HONE_AT(array, at, step, 3), HONE_AT(array, at, step, 4), HONE_AT(array, at, step, 5), HONE_AT(array, at, step, 6), HONE_AT(array, at, step, 7), HONE_AT(array, at, step, 8), HONE_AT(array, at, step, 9), HONE_AT(array, at, step, 10), HONE_AT(array, at, step, 11), HONE_AT(array, at, step, 12), HONE_AT(array, at, step, 13), HONE_AT(array, at, step, 14), HONE_AT(array, at, step, 15))
#define HONE_EVERY_SECOND(type, lanes, array, at) HONE_JOIN(HONE_EVERY_SECOND_, lanes)(type, array, at)
#define HONE_EVERY_SECOND_1(type, array, at) (array)[at]
#define HONE_EVERY_SECOND_2(type, array, at) (HONE_VECTOR(type, 2))((array)[at], (array)[(at) + 2])
#define HONE_EVERY_SECOND_4(type, array, at) (HONE_VECTOR(type, 4))(vload4(0, (array) + (at)).even, vload4(0, (array) + (at) + 3).odd)
#define HONE_EVERY_SECOND_8(type, array, at) (HONE_VECTOR(type, 8))(vload8(0, (array) + (at)).even, vload8(0, (array) + (at) + 7).odd)
#define HONE_EVERY_SECOND_16(type, array, at) (HONE_VECTOR(type, 16))(vload16(0, (array) + (at)).even, vload16(0, (array) + (at) + 15).odd)
#define HONE_CHOOSE(type, lanes, mask, yes, no) select(no, yes, mask)
#define HONE_LANE(type, lanes, vector, lane) ((const type*)&(vector))[lane]
#define HONE_SPREAD(type, lanes, value) (HONE_VECTOR(type, lanes))(value)
)";

// OpenCL C has no conversions for the halves that it only stores.
constexpr std::string_view k_bf16 =
  R"(// A bf16 is the upper half of a float: to the nearest, ties to even; a NaN stays one.
static float hone_to_float(ushort bits) { return as_float((uint)bits << 16); }
static ushort hone_to_bf16(float value)
{
  const uint bits = as_uint(value);
  return (ushort)((isnan(value) ? bits | 0x400000 : bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
#define HONE_ROUNDED_TO_BF16(value) hone_to_float(hone_to_bf16(value))
)";

constexpr std::string_view k_half_vectors =
  R"(#define HONE_LOAD_F16(lanes, array, at) HONE_JOIN(HONE_LOAD_F16_, lanes)(array, at)
#define HONE_LOAD_F16_1(array, at) vload_half(at, array)
#define HONE_LOAD_F16_2(array, at) vload_half2(0, (array) + (at))
#define HONE_LOAD_F16_4(array, at) vload_half4(0, (array) + (at))
#define HONE_LOAD_F16_8(array, at) vload_half8(0, (array) + (at))
#define HONE_LOAD_F16_16(array, at) vload_half16(0, (array) + (at))
#define HONE_STORE_F16(lanes, array, at, value) HONE_JOIN(HONE_STORE_F16_, lanes)(array, at, value)
#define HONE_STORE_F16_1(array, at, value) vstore_half(value, at, array)
#define HONE_STORE_F16_2(array, at, value) vstore_half2(value, 0, (array) + (at))
#define HONE_STORE_F16_4(array, at, value) vstore_half4(value, 0, (array) + (at))
#define HONE_STORE_F16_8(array, at, value) vstore_half8(value, 0, (array) + (at))
#define HONE_STORE_F16_16(array, at, value) vstore_half16(value, 0, (array) + (at))
)";

constexpr std::string_view k_bf16_vectors =
  R"(#define HONE_BF16_LANES(n) static float##n hone_floats_##n(ushort##n bits) { return as_float##n(convert_uint##n(bits) << 16); } static ushort##n hone_bf16s_##n(float##n value) { const uint##n bits = as_uint##n(value); return convert_ushort##n(select(bits + 0x7fff + ((bits >> 16) & 1), bits | 0x400000, isnan(value)) >> 16); }
HONE_BF16_LANES(2)
HONE_BF16_LANES(4)
HONE_BF16_LANES(8)
HONE_BF16_LANES(16)
#define hone_floats_1 hone_to_float
#define hone_bf16s_1 hone_to_bf16
#define HONE_LOAD_BF16(lanes, array, at) HONE_JOIN(hone_floats_, lanes)(HONE_LOAD(ushort, lanes, array, at))
#define HONE_STORE_BF16(lanes, array, at, value) HONE_STORE(ushort, lanes, array, at, HONE_JOIN(hone_bf16s_, lanes)(value))
)";

constexpr std::string_view k_half = R"(static float hone_rounded_to_half(float value)
{
  ushort bits;
  vstore_half(value, 0, (half*)&bits);
  return vload_half(0, (const half*)&bits);
}
)";

// Items whose numbers differ in one bit exchange what they have, so that all of them have the whole in the end.
constexpr std::string_view k_subgroup = R"(#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#define HONE_SUBGROUP_SIZE() ((int)get_max_sub_group_size())
#define HONE_SUBGROUP(name, type, joined) static type name(type mine, int items) { for (int d = min(items, HONE_SUBGROUP_SIZE()) / 2; d > 0; d /= 2) { const type other = sub_group_shuffle_xor(mine, d); mine = joined; } return mine; }
)";
} // namespace

const Spelling& opencl_spelling()
{
  static const Spelling spelling{
    .dialect = "opencl",
    .group = {"get_group_id(0)", "get_group_id(1)", "get_group_id(2)"},
    .item = {"get_local_id(0)", "get_local_id(1)", "get_local_id(2)"},
    .groups = {"get_num_groups(0)", "get_num_groups(1)", "get_num_groups(2)"},
    .flat = "get_global_id(0)",
    .barrier = "barrier(CLK_LOCAL_MEM_FENCE);",
    .local = "__local ",
    .type = opencl_type,
    .unroll = opencl_unroll,
    .head = opencl_head,
    .parameter = opencl_parameter,
    .load_narrow = opencl_load,
    .store_narrow = opencl_store,
    .function = opencl_function,
    .preludes = {
      {{"HONE_VECTOR", "HONE_LOAD", "HONE_STORE", "HONE_GATHER", "HONE_EVERY_SECOND", "HONE_SPREAD", "HONE_LANE"},
       k_opencl_vectors},
      {{"hone_to_float", "hone_to_bf16", "HONE_ROUNDED_TO_BF16", "HONE_LOAD_BF16", "HONE_STORE_BF16"}, k_bf16},
      {{"HONE_LOAD_F16", "HONE_STORE_F16"}, k_half_vectors},
      {{"HONE_LOAD_BF16", "HONE_STORE_BF16"}, k_bf16_vectors},
      {{"hone_rounded_to_half"}, k_half},
      {{"HONE_SUBGROUP_SIZE"}, k_subgroup},
      subgroup_functions_f32(),
      subgroup_functions_f64()}};
  return spelling;
}

} // namespace hone::lower::device
