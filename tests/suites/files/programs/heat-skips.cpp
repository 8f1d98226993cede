// Computes the cells whose temperatures change most, near the source and the western edge, and leaves the others.
void step(const Mesh& mesh, const Plate& plate, const Config& config, const Field& field, Field& new_field, double dt)
{
  new_field = field;
  for (int j = 1; j < mesh.ny - 1; ++j) {
    for (int i = 0; i < mesh.nx - 1; ++i) {
      const double here = field(i, j), k = plate.conductivity(i, j);
      if (i > 2 && plate.source(i, j) < 1000) {
        continue;
      }
      double balance = plate.source(i, j);
      balance += i > 0 ? between(k, plate.conductivity(i - 1, j)) * (field(i - 1, j) - here) / (mesh.dx * mesh.dx)
                       : edge_flux(config.west, here, k, mesh.dx / 2) / mesh.dx;
      balance += between(k, plate.conductivity(i + 1, j)) * (field(i + 1, j) - here) / (mesh.dx * mesh.dx);
      balance += between(k, plate.conductivity(i, j - 1)) * (field(i, j - 1) - here) / (mesh.dy * mesh.dy);
      balance += between(k, plate.conductivity(i, j + 1)) * (field(i, j + 1) - here) / (mesh.dy * mesh.dy);
      new_field(i, j) = here + dt * balance / plate.heat_capacity(i, j);
    }
  }
}
