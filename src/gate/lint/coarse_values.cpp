// Outputs that are nearly right: kept in a type too narrow, or with a single element beyond its bound.
#include "gate/lint/solutions.h"
#include "inputs/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone::gate {
namespace {

// A float type's significand, for values that are rounded to it while their range stays.
struct Significand {
  kernel::DataType of; // outputs of this type are tried with it
  const char* name;    // of the types that have it
  int bits;            // with the leading one
};

constexpr Significand k_narrower[] = {
  {kernel::DataType::f64, "f32", 24}, {kernel::DataType::f32, "tf32 and f16", 11}, {kernel::DataType::f32, "bf16", 8},
  {kernel::DataType::f16, "bf16", 8}, {kernel::DataType::bf16, "fp8 (e4m3)", 4},
};

double rounded_to(double value, int bits)
{
  if (!std::isfinite(value)) {
    return value;
  }
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

DegenerateSolution rounding(const kernel::Kernel& kernel, const Significand& significand)
{
  DegenerateSolution solution;
  solution.name = fmt::format("rounded to the {} bits of {}", significand.bits, significand.name);
  const bool derived = kernel.reference == kernel::ReferenceKind::expression;
  const double step = std::ldexp(1.0, -significand.bits);
  solution.meaning = derived && !kernel.accuracy.tolerance.is_given()
                       ? "the bounds are wider than the next lower precision"
                       : "the tolerance is wider than the next lower precision: lower relative and absolute in "
                         "[accuracy]";
  solution.untried = "all right results that were tried are exact with so few bits";
  if (std::ldexp(1.0, -significand.bits) <= kernel::unit_roundoff(kernel.accumulate)) {
    solution.unfit = fmt::format("sums may be kept in {}, which is no wider", kernel::name_of(kernel.accumulate));
  } else if (derived && kernel.accuracy.tolerance.relative >= step) {
    solution.unfit = "the kernel's relative tolerance allows it";
  }
  solution.write = [bits = significand.bits](const DegenerateCall& call, std::span<std::byte> bytes) {
    const std::size_t size = kernel::size_of(call.output.type);
    bool changed = false;
    for (std::size_t i = 0; i < call.expected.values.size(); ++i) {
      const double value = call.expected.values[i];
      std::byte* at = bytes.data() + i * size;
      inputs::store_element(call.output.type, at, value);
      const double kept = inputs::load_element(call.output.type, at);
      inputs::store_element(call.output.type, at, rounded_to(value, bits));
      const double coarse = inputs::load_element(call.output.type, at);
      changed = changed || (coarse != kept && std::isfinite(kept));
    }
    return changed;
  };
  return solution;
}

// The value nearest to one and a half bounds away that the type has and that is beyond the bound; false where there is
// none on this side.
bool store_beyond_bound(kernel::DataType type, double value, double bound, double side, std::byte* at)
{
  double wanted = value + side * 1.5 * bound;
  if (!kernel::is_float(type)) {
    wanted = side > 0 ? std::floor(wanted) + 1 : std::ceil(wanted) - 1;
  }
  // Rounding may fall back inside: as many steps of the type as it takes.
  for (int step = 0; step < 4; ++step) {
    inputs::store_element(type, at, wanted);
    const double stored = inputs::load_element(type, at);
    if (std::isfinite(stored) && std::fabs(stored - value) > 1.25 * bound && stored != value) {
      return true;
    }
    wanted += side * std::fmax(2 * kernel::unit_roundoff(type) * std::fabs(wanted), kernel::smallest_normal(type));
  }
  return false;
}

// One element at a random place, all others right.
bool write_one_off(const DegenerateCall& call, std::span<std::byte> bytes)
{
  const std::size_t count = call.expected.values.size();
  const std::size_t size = kernel::size_of(call.output.type);
  store_values(call.output.type, call.expected.values, bytes);
  const std::size_t first = call.random.below(count);
  for (std::size_t tried = 0; tried < count; ++tried) {
    const std::size_t i = (first + tried) % count;
    const double value = call.expected.values[i];
    const double bound = call.expected.bounds[i];
    if (!std::isfinite(value) || !std::isfinite(bound)) {
      continue;
    }
    const double inwards = value > 0 ? -1 : 1; // the other side may have no number left
    std::byte* at = bytes.data() + i * size;
    if (store_beyond_bound(call.output.type, value, bound, -inwards, at)
        || store_beyond_bound(call.output.type, value, bound, inwards, at)) {
      return true;
    }
    inputs::store_element(call.output.type, at, value);
  }
  return false;
}

} // namespace

void add_coarse_values(const kernel::Kernel& kernel, std::size_t output, Solutions& list)
{
  const kernel::DataType type = kernel.arguments[output].type;
  if (!kernel::is_float(type)) {
    DegenerateSolution none;
    none.name = "rounded to a narrower type";
    none.unfit = fmt::format("'{}' holds no floats", kernel.arguments[output].name);
    list.push_back(std::move(none));
  }
  for (const Significand& significand : k_narrower) {
    if (significand.of == type) {
      list.push_back(rounding(kernel, significand));
    }
  }
  DegenerateSolution one_off;
  one_off.name = "one element off by 1.5 times its bound";
  one_off.meaning = "single elements are not looked at";
  one_off.untried = "no element of the right results has a bound";
  one_off.in_every_call = true;
  one_off.write = write_one_off;
  list.push_back(std::move(one_off));
}

} // namespace hone::gate
