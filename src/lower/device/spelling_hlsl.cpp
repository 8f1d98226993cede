#include "lower/device/spelling.h"

#include <fmt/format.h>

#include <map>

namespace hone::lower::device {

namespace {

// Places and sizes have 32 bits: the language of shaders knows no wider integers everywhere.
std::string hlsl_type(kernel::DataType type)
{
  return type_text(type, hlsl_dialect());
}

std::string hlsl_unroll(const std::string& count)
{
  return count.empty() ? "[unroll]" : fmt::format("[unroll({})]", count);
}

std::string hlsl_head(const Function& function, const std::string&)
{
  return fmt::format("[numthreads({}, {}, {})] void {}(uint3 hone_group : SV_GroupID, "
                     "uint3 hone_item : SV_GroupThreadID, uint3 hone_place : SV_DispatchThreadID)",
                     function.items[0], function.items[1], function.items[2], function.name);
}

std::string hlsl_function(const std::string& name, kernel::DataType type)
{
  static const std::map<std::string, std::string> k_names = {
    {"erf", "hone_erf"}, {"log1p", "hone_log1p"}, {"tanh", "hone_tanh"}};
  const auto found = k_names.find(name);
  return found == k_names.end() || !kernel::is_float(type) ? "" : found->second;
}

constexpr std::string_view k_hlsl_vectors = R"(// Vectors of 1, 2 or 4 lanes; one lane is a number.
#define HONE_JOIN_(a, b) a##b
#define HONE_JOIN(a, b) HONE_JOIN_(a, b)
#define HONE_VECTOR(type, lanes) HONE_JOIN(HONE_VECTOR_, lanes)(type)
#define HONE_VECTOR_1(type) type
#define HONE_VECTOR_2(type) HONE_JOIN(type, 2)
#define HONE_VECTOR_4(type) HONE_JOIN(type, 4)
#define HONE_GATHER(type, lanes, array, at, step) HONE_JOIN(HONE_GATHER_, lanes)(type, array, (at), (step))
#define HONE_GATHER_1(type, array, at, step) array[at]
#define HONE_GATHER_2(type, array, at, step) HONE_JOIN(type, 2)(array[at], array[at + step])
#define HONE_GATHER_4(type, array, at, step) HONE_JOIN(type, 4)(array[at], array[at + step], array[at + 2 * step], array[at + 3 * step])
#define HONE_EVERY_SECOND(type, lanes, array, at) HONE_GATHER(type, lanes, array, at, 2)
#define HONE_LOAD(type, lanes, array, at) HONE_GATHER(type, lanes, array, at, 1)
#define HONE_STORE(type, lanes, array, at, value) HONE_JOIN(HONE_STORE_, lanes)(array, (at), (value))
#define HONE_STORE_1(array, at, value) array[at] = value
#define HONE_STORE_2(array, at, value) { array[at] = value.x; array[at + 1] = value.y; }
#define HONE_STORE_4(array, at, value) { array[at] = value.x; array[at + 1] = value.y; array[at + 2] = value.z; array[at + 3] = value.w; }
#define HONE_CHOOSE(type, lanes, mask, yes, no) ((mask) != 0 ? (yes) : (no))
#define HONE_LANE(type, lanes, value, lane) HONE_JOIN(HONE_LANE_, lanes)((value), (lane))
#define HONE_LANE_1(value, lane) value
#define HONE_LANE_2(value, lane) (lane == 0 ? value.x : value.y)
#define HONE_LANE_4(value, lane) (lane == 0 ? value.x : lane == 1 ? value.y : lane == 2 ? value.z : value.w)
#define HONE_SPREAD(type, lanes, value) ((HONE_VECTOR(type, lanes))(value))
)";

constexpr std::string_view k_hlsl_infinity = "#define INFINITY asfloat(0x7f800000)\n";

// Of one lane; HONE_LANES_OF makes the same for vectors.
constexpr std::string_view k_hlsl_functions =
  R"(// Functions that the language lacks, or has too roughly near 0. For vectors they go lane by lane.
#define HONE_FOR_LANES(name) float2 name(float2 x) { return float2(name(x.x), name(x.y)); } float4 name(float4 x) { return float4(name(x.x), name(x.y), name(x.z), name(x.w)); }
// 1 - e^-y for y from 0 on.
float hone_one_minus_exp(float y)
{
  const float series = y * (1.0f - y * (0.5f - y * (0.166666667f - y * (0.0416666667f - y * (0.00833333333f - y * (0.00138888889f - y * (0.000198412698f - y * 0.0000248015873f)))))));
  return y < 0.5f ? series : 1.0f - exp(-y);
}
float hone_with_sign(float size, float from) { return asfloat(asuint(size) | (asuint(from) & 0x80000000u)); }
float hone_tanh(float x)
{
  const float t = hone_one_minus_exp(2.0f * min(abs(x), 20.0f));
  return isnan(x) ? x : hone_with_sign(t / (2.0f - t), x);
}
float hone_log1p(float x)
{
  const float u = 1.0f + x;
  return u == 1.0f || isinf(x) ? x : log(u) * (x / (u - 1.0f));
}
// With y = -log(1 - erf x) = x H(x), H a fit of weighted error 4e-9.
float hone_erf(float x)
{
  const float inside = min(abs(x), 4.0f);
  float h = inside * -9.25275257e-6f + 0.000117613861f;
  h = h * inside - 0.000632756464f;
  h = h * inside + 0.00166691621f;
  h = h * inside - 0.000160320656f;
  h = h * inside - 0.0191530896f;
  h = h * inside + 0.102777837f;
  h = h * inside + 0.636619381f;
  h = h * inside + 1.12837917f;
  return isnan(x) ? x : hone_with_sign(hone_one_minus_exp(h * inside), x);
}
HONE_FOR_LANES(hone_tanh)
HONE_FOR_LANES(hone_log1p)
HONE_FOR_LANES(hone_erf)
)";

// Items whose numbers differ in one bit exchange what they have, so that all of them have the whole in the end.
constexpr std::string_view k_hlsl_subgroup = R"(#define HONE_SUBGROUP_SIZE() ((int)WaveGetLaneCount())
#define HONE_SUBGROUP(name, joined) float name(float mine, int items) { for (int d = min(items, HONE_SUBGROUP_SIZE()) / 2; d > 0; d /= 2) { const float other = WaveReadLaneAt(mine, WaveGetLaneIndex() ^ (uint)d); mine = joined; } return mine; }
HONE_SUBGROUP(hone_subgroup_sum_f32, mine + other)
HONE_SUBGROUP(hone_subgroup_product_f32, mine * other)
HONE_SUBGROUP(hone_subgroup_maximum_f32, max(mine, other))
HONE_SUBGROUP(hone_subgroup_minimum_f32, min(mine, other))
)";

} // namespace

const Spelling& hlsl_spelling()
{
  static const Spelling spelling{.dialect = "hlsl",
                                 .group = {"hone_group.x", "hone_group.y", "hone_group.z"},
                                 .item = {"hone_item.x", "hone_item.y", "hone_item.z"},
                                 .groups = {"", "", ""},
                                 .flat = "hone_place.x",
                                 .barrier = "GroupMemoryBarrierWithGroupSync();",
                                 .local = "groupshared ",
                                 .local_outside = true,
                                 .has_parameters = false,
                                 .type = hlsl_type,
                                 .unroll = hlsl_unroll,
                                 .head = hlsl_head,
                                 .parameter = nullptr,
                                 .load_narrow = nullptr,
                                 .store_narrow = nullptr,
                                 .function = hlsl_function,
                                 .preludes = {{{"HONE_VECTOR", "HONE_LOAD", "HONE_STORE", "HONE_GATHER",
                                                "HONE_EVERY_SECOND", "HONE_SPREAD", "HONE_LANE"},
                                               k_hlsl_vectors},
                                              {{"INFINITY"}, k_hlsl_infinity},
                                              {{"hone_erf", "hone_log1p", "hone_tanh"}, k_hlsl_functions},
                                              {{"HONE_SUBGROUP_SIZE"}, k_hlsl_subgroup}}};
  return spelling;
}

} // namespace hone::lower::device
