// Forgets what flows through the eastern edge.
void step(const Mesh& mesh, const Plate& plate, const Config& config, const Field& field, Field& new_field, double dt)
{
  for (int j = 0; j < mesh.ny; ++j) {
    for (int i = 0; i < mesh.nx; ++i) {
      const double here = field(i, j), k = plate.conductivity(i, j);
      double balance = plate.source(i, j);
      balance += i > 0 ? between(k, plate.conductivity(i - 1, j)) * (field(i - 1, j) - here) / (mesh.dx * mesh.dx)
                       : edge_flux(config.west, here, k, mesh.dx / 2) / mesh.dx;
      if (i < mesh.nx - 1) {
        balance += between(k, plate.conductivity(i + 1, j)) * (field(i + 1, j) - here) / (mesh.dx * mesh.dx);
      }
      balance += j > 0 ? between(k, plate.conductivity(i, j - 1)) * (field(i, j - 1) - here) / (mesh.dy * mesh.dy)
                       : edge_flux(config.south, here, k, mesh.dy / 2) / mesh.dy;
      balance += j < mesh.ny - 1 ? between(k, plate.conductivity(i, j + 1)) * (field(i, j + 1) - here) / (mesh.dy * mesh.dy)
                                 : edge_flux(config.north, here, k, mesh.dy / 2) / mesh.dy;
      new_field(i, j) = here + dt * balance / plate.heat_capacity(i, j);
    }
  }
}
