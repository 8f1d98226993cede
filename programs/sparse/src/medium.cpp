#include "medium.h"

#include <algorithm>
#include <cmath>

RandomStream::RandomStream(std::uint64_t seed) : m_state(seed ^ 0x9e3779b97f4a7c15ULL) {}

double RandomStream::uniform()
{
  m_state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = m_state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0);
}

int RandomStream::below(int bound)
{
  return std::min(static_cast<int>(uniform() * bound), bound - 1);
}

namespace {

// Diffusivities of the layers, spread evenly in their logarithms between 1 and the contrast, in an order of the seed.
std::vector<double> layer_values(const Options& options, RandomStream& random)
{
  std::vector<double> values;
  for (int n = 0; n < options.layers; ++n) {
    const double place = options.layers > 1 ? static_cast<double>(n) / (options.layers - 1) : 0;
    values.push_back(std::pow(options.contrast, place));
  }
  for (int n = options.layers - 1; n > 0; --n) {
    std::swap(values[static_cast<std::size_t>(n)], values[static_cast<std::size_t>(random.below(n + 1))]);
  }
  return values;
}

// The layer of a cell: layers are tilted and wavy.
int layer_of(const Box& box, int layers, double tilt, double wave, int x, int y, int z)
{
  const double h = box.spacing();
  const double height = (z + 0.5) * h + tilt * ((x + 0.5) * h - 0.5) + wave * std::sin(6.283185307179586 * (y + 0.5) * h);
  return std::clamp(static_cast<int>(height * layers), 0, layers - 1);
}

} // namespace

Medium make_medium(const Box& box, const Options& options)
{
  RandomStream random(options.seed);
  const std::vector<double> values = layer_values(options, random);
  const double tilt = 0.4 * (random.uniform() - 0.5);
  const double wave = 0.1 * random.uniform();
  Medium medium;
  medium.horizontal.resize(static_cast<std::size_t>(box.size()));
  medium.vertical.resize(static_cast<std::size_t>(box.size()));
  for (int z = 0; z < box.cells; ++z) {
    for (int y = 0; y < box.cells; ++y) {
      for (int x = 0; x < box.cells; ++x) {
        const int layer = layer_of(box, options.layers, tilt, wave, x, y, z);
        // A little heterogeneity within each layer.
        const double here = values[static_cast<std::size_t>(layer)] * (0.8 + 0.4 * random.uniform());
        const auto cell = static_cast<std::size_t>(box.index(x, y, z));
        medium.horizontal[cell] = here;
        medium.vertical[cell] = here / options.anisotropy;
      }
    }
  }
  double total = 0;
  for (int n = 0; n < options.wells; ++n) {
    Well well;
    well.cell = box.index(random.below(box.cells), random.below(box.cells), random.below(box.cells));
    well.rate = random.uniform() - 0.5;
    total += well.rate;
    medium.wells.push_back(well);
  }
  for (Well& well : medium.wells) {
    well.rate -= total / options.wells; // what goes in comes out
  }
  return medium;
}
