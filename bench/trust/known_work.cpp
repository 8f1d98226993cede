#include "known_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hone {

namespace {

constexpr const char* k_toml = R"TOML([kernel]
name = "chain"
summary = "a chain of dependent work for the trust bench"
[compute]
expr = "B[i] = 2 * A[i]"
[arguments]
A = { type = "f32", shape = ["n"] }
B = { type = "f32", shape = ["n"], role = "output" }
[sizes]
timed = [{ n = 16 }]
also = "timed"
)TOML";

// Zero times the chain's end is added to every element, so that it must be computed and changes nothing.
constexpr const char* k_device = R"(#include "hone.h"
#include "macros.h"

extern "C" void chain(const hone_group*, const float* A, float* B, int64_t n)
{
  float x = A[0];
  for (int64_t unit = 0; unit < UNITS; ++unit) {
    x = x * 0.5f + 0.25f;
  }
  for (int64_t i = 0; i < n; ++i) {
    B[i] = 2 * A[i] + 0 * x;
  }
}
)";

constexpr double k_units_per_second = 3.7e9 / 4;
constexpr double k_round_units = 2'000; // of which small shares are whole numbers

std::string launch_text(const std::set<std::int64_t>& values, std::int64_t normal)
{
  std::string list;
  for (const std::int64_t value : values) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", value);
  }
  return fmt::format(R"([tuning]
UNITS = {{ values = [{}], default = {} }}

[[launch]]
kernel = "chain"
grid = [1]
block = [1]
args = ["A", "B", "n"]
)",
                     list, normal);
}

} // namespace

std::int64_t KnownWork::units_with(double percent) const
{
  return std::llround(static_cast<double>(units) * (1 + percent / 100));
}

record::Contender KnownWork::contender(std::int64_t count) const
{
  return {candidate, {{"UNITS", count}}, {}, {}};
}

Result<std::vector<KnownWork>> known_work(const std::vector<double>& percent)
{
  HONE_TRY(kernel::Kernel kernel, kernel::parse_kernel(k_toml, "chain"));
  const auto shared = std::make_shared<const kernel::Kernel>(std::move(kernel));
  std::vector<KnownWork> all;
  for (const auto& [name, call_s] :
       {std::pair{"chain-2us", 2e-6}, {"chain-50us", 50e-6}, {"chain-1ms", 1e-3}, {"chain-20ms", 20e-3}}) {
    KnownWork work;
    work.name = name;
    work.call_s = call_s;
    work.kernel = shared;
    work.units = std::llround(k_round_units * std::max(1.0, std::round(call_s * k_units_per_second / k_round_units)));
    std::set<std::int64_t> values{work.units};
    for (const double more : percent) {
      values.insert(work.units_with(more));
    }
    HONE_TRY(work.candidate, kernel::make_candidate(*shared, {{"device.cpp", k_device},
                                                              {"macros.h", "#pragma once\n"},
                                                              {"launch.toml", launch_text(values, work.units)}}));
    all.push_back(std::move(work));
  }
  return all;
}

} // namespace hone
