#include "step.h"

#include <cmath>

namespace heat {

namespace {

// Heat flows through half of each cell, one after the other: the conductivity between them is the harmonic mean.
double between(double a, double b)
{
  return 2 * a * b / (a + b);
}

} // namespace

void step(const Mesh& mesh, const Plate& plate, const Config& config, const Field& field, Field& new_field, double dt)
{
  for (int i = 0; i < mesh.nx; ++i) {
    for (int j = 0; j < mesh.ny; ++j) {
      const double here = field(i, j);
      const double k = plate.conductivity(i, j);
      double balance = plate.source(i, j);
      if (i > 0) {
        balance += between(k, plate.conductivity(i - 1, j)) * (field(i - 1, j) - here) / std::pow(mesh.dx, 2);
      } else {
        balance += edge_flux(config.west, here, k, mesh.dx / 2) / mesh.dx;
      }
      if (i < mesh.nx - 1) {
        balance += between(k, plate.conductivity(i + 1, j)) * (field(i + 1, j) - here) / std::pow(mesh.dx, 2);
      } else {
        balance += edge_flux(config.east, here, k, mesh.dx / 2) / mesh.dx;
      }
      if (j > 0) {
        balance += between(k, plate.conductivity(i, j - 1)) * (field(i, j - 1) - here) / std::pow(mesh.dy, 2);
      } else {
        balance += edge_flux(config.south, here, k, mesh.dy / 2) / mesh.dy;
      }
      if (j < mesh.ny - 1) {
        balance += between(k, plate.conductivity(i, j + 1)) * (field(i, j + 1) - here) / std::pow(mesh.dy, 2);
      } else {
        balance += edge_flux(config.north, here, k, mesh.dy / 2) / mesh.dy;
      }
      new_field(i, j) = here + dt * balance / plate.heat_capacity(i, j);
    }
  }
}

} // namespace heat
