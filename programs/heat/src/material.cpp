#include "material.h"

#include <algorithm>
#include <cmath>

namespace heat {

namespace {

constexpr Material k_base{"steel", 50.2, 7850, 490};
constexpr Material k_inclusions[] = {
  {"copper", 385, 8960, 385},
  {"aluminium", 205, 2700, 897},
  {"brass", 109, 8500, 380},
  {"glass", 0.96, 2500, 840},
  {"lead", 34.7, 11340, 129},
};

// A small generator of our own, so that a seed means the same plate everywhere.
class Generator {
public:
  explicit Generator(std::uint64_t seed) : m_state(seed * 2862933555777941757ULL + 3037000493ULL) {}
  double uniform()
  {
    m_state ^= m_state << 13;
    m_state ^= m_state >> 7;
    m_state ^= m_state << 17;
    return static_cast<double>(m_state >> 11) * (1.0 / 9007199254740992.0);
  }

private:
  std::uint64_t m_state;
};

void fill_circle(const Mesh& mesh, Plate& plate, double x, double y, double radius, const Material& material)
{
  for (int j = 0; j < mesh.ny; ++j) {
    for (int i = 0; i < mesh.nx; ++i) {
      const double dx = mesh.x(i) - x, dy = mesh.y(j) - y;
      if (dx * dx + dy * dy <= radius * radius) {
        plate.conductivity(i, j) = material.conductivity;
        plate.heat_capacity(i, j) = material.density * material.capacity;
      }
    }
  }
}

void add_source(const Mesh& mesh, Plate& plate, double x, double y, double radius, double power)
{
  for (int j = 0; j < mesh.ny; ++j) {
    for (int i = 0; i < mesh.nx; ++i) {
      const double dx = (mesh.x(i) - x) / radius, dy = (mesh.y(j) - y) / radius;
      plate.source(i, j) += power * std::exp(-(dx * dx + dy * dy));
    }
  }
}

} // namespace

Plate make_plate(const Mesh& mesh, const Config& config)
{
  Plate plate;
  plate.conductivity = Field(mesh.nx, mesh.ny, k_base.conductivity);
  plate.heat_capacity = Field(mesh.nx, mesh.ny, k_base.density * k_base.capacity);
  plate.source = Field(mesh.nx, mesh.ny, 0);
  Generator random(config.seed);
  const double smaller = std::min(config.length, config.width);
  for (int n = 0; n < config.inclusions; ++n) {
    const double x = config.length * random.uniform();
    const double y = config.width * random.uniform();
    const double radius = smaller * (0.03 + 0.09 * random.uniform());
    const auto kind = static_cast<std::size_t>(random.uniform() * std::size(k_inclusions));
    fill_circle(mesh, plate, x, y, radius, k_inclusions[std::min(kind, std::size(k_inclusions) - 1)]);
  }
  const double x = config.length * (0.3 + 0.4 * random.uniform());
  const double y = config.width * (0.3 + 0.4 * random.uniform());
  add_source(mesh, plate, x, y, config.source_radius, config.source);
  return plate;
}

double stable_step(const Mesh& mesh, const Plate& plate)
{
  double fastest = 0;
  for (std::size_t n = 0; n < plate.conductivity.size(); ++n) {
    fastest = std::max(fastest, plate.conductivity.data()[n] / plate.heat_capacity.data()[n]);
  }
  return 0.5 / (fastest * (1 / (mesh.dx * mesh.dx) + 1 / (mesh.dy * mesh.dy)));
}

} // namespace heat
