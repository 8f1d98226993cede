// What is reported of a field.
#ifndef HEAT_STATS_H
#define HEAT_STATS_H

#include "grid.h"
#include "material.h"

#include <cstdio>

namespace heat {

struct Stats {
  double lowest = 0, highest = 0, mean = 0; // kelvin
  double energy = 0;                        // joules per metre of thickness, above 0 K
};

Stats stats_of(const Mesh& mesh, const Plate& plate, const Field& field);
void print_stats(std::FILE* out, int step, double seconds, const Stats& stats);

// Temperatures along the middle row, at eight places.
void print_profile(std::FILE* out, const Field& field);

} // namespace heat

#endif
