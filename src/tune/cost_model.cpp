#include "tune/cost_model.h"

#include <algorithm>

namespace hone::tune {

namespace {

constexpr double k_registers = 32;      // vectors, on machines with vectors of 64 bytes; half as many else
constexpr double k_sums_in_flight = 8;  // that hide the latency of a fused multiply-add on two ports
constexpr double k_spill = 0.5;         // cost of a tile for each share of the registers that it is too large by
constexpr double k_beyond_cache = 0.15; // of a working set twice its cache
constexpr double k_element_bytes = 4;

struct Facts {
  double vector_bytes = 32, l1 = 32 << 10, l2 = 1 << 20;
};

double fact(const kernel::PlanScope& facts, std::string_view name, double otherwise)
{
  const auto found = facts.find(name);
  return found == facts.end() || found->second <= 0 ? otherwise : static_cast<double>(found->second);
}

double value(const kernel::TuningPoint& point, const char* name, double otherwise)
{
  const auto found = point.find(name);
  return found == point.end() ? otherwise : static_cast<double>(found->second);
}

double beyond(double bytes, double cache)
{
  return k_beyond_cache * std::clamp(bytes / cache - 1, 0.0, 3.0);
}

double tile_cost(const kernel::TuningPoint& point, const Facts& facts)
{
  const double rows = value(point, "REG_M", 1), vectors = value(point, "VECTORS", value(point, "REG_N", 1));
  const double sums = rows * vectors;
  const double registers = facts.vector_bytes >= 64 ? k_registers : k_registers / 2;
  double cost = (rows + vectors) / sums;              // loads for each multiply-add
  cost += std::max(0.0, k_sums_in_flight / sums - 1); // waits for the sum before
  cost += k_spill * std::max(0.0, (sums + vectors + 1) / registers - 1);
  const double depth = value(point, "TILE_K", 0), columns = value(point, "TILE_N", 0),
               height = value(point, "TILE_M", 0);
  const double strip = vectors * facts.vector_bytes; // bytes of a row of B that a tile reads
  cost += beyond(depth * (strip + rows * k_element_bytes), facts.l1);
  cost += beyond(depth * std::max(columns, height) * k_element_bytes, facts.l2);
  return cost;
}

} // namespace

CostModel tile_cost_model(const kernel::TuningSpace& space, const kernel::PlanScope& device_facts)
{
  const auto has = [&](std::string_view name) {
    return std::ranges::find(space.parameters, name, &kernel::TuningParameter::name) != space.parameters.end();
  };
  if (!has("REG_M")) {
    return {};
  }
  const Facts usual;
  const Facts facts{fact(device_facts, "device.vector_bytes", usual.vector_bytes),
                    fact(device_facts, "device.l1", usual.l1), fact(device_facts, "device.l2", usual.l2)};
  return [facts](const kernel::TuningPoint& point) { return tile_cost(point, facts); };
}

} // namespace hone::tune
