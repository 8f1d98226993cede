#include "stats.h"

#include <algorithm>
#include <cmath>

namespace heat {

Stats stats_of(const Mesh& mesh, const Plate& plate, const Field& field)
{
  Stats stats;
  stats.lowest = stats.highest = field(0, 0);
  double sum = 0, energy = 0, lost = 0; // Kahan: what the sum of energies lost
  for (int j = 0; j < mesh.ny; ++j) {
    for (int i = 0; i < mesh.nx; ++i) {
      const double here = field(i, j);
      sum += here;
      stats.lowest = std::min(stats.lowest, here);
      stats.highest = std::max(stats.highest, here);
      const double term = here * plate.heat_capacity(i, j) * mesh.dx * mesh.dy - lost;
      const double next = energy + term;
      lost = (next - energy) - term;
      energy = next;
    }
  }
  stats.mean = sum / (static_cast<double>(mesh.nx) * mesh.ny);
  stats.energy = energy;
  return stats;
}

void print_stats(std::FILE* out, int step, double seconds, const Stats& stats)
{
  std::fprintf(out, "step %6d  t = %12.6f s  low %14.9f  high %14.9f  mean %14.9f  energy %.12e\n", step, seconds,
               stats.lowest, stats.highest, stats.mean, stats.energy);
}

void print_profile(std::FILE* out, const Field& field)
{
  constexpr int k_places = 8;
  std::fprintf(out, "profile");
  for (int n = 0; n < k_places; ++n) {
    const int i = n * (field.nx() - 1) / (k_places - 1);
    std::fprintf(out, " %14.9f", field(i, field.ny() / 2));
  }
  std::fprintf(out, "\n");
}

} // namespace heat
