// Rows in the order in which they lie in memory; the edges apart, so that the inner loop has no branch and no division by
// what stays the same.
void step(const Mesh& mesh, const Plate& plate, const Config& config, const Field& field, Field& new_field, double dt)
{
  const int nx = mesh.nx, ny = mesh.ny;
  const double along_x = 1 / (mesh.dx * mesh.dx), along_y = 1 / (mesh.dy * mesh.dy);
  const auto at_edge = [&](int i, int j) {
    const double here = field(i, j), k = plate.conductivity(i, j);
    double balance = plate.source(i, j);
    balance += i > 0 ? between(k, plate.conductivity(i - 1, j)) * (field(i - 1, j) - here) * along_x
                     : edge_flux(config.west, here, k, mesh.dx / 2) / mesh.dx;
    balance += i < nx - 1 ? between(k, plate.conductivity(i + 1, j)) * (field(i + 1, j) - here) * along_x
                          : edge_flux(config.east, here, k, mesh.dx / 2) / mesh.dx;
    balance += j > 0 ? between(k, plate.conductivity(i, j - 1)) * (field(i, j - 1) - here) * along_y
                     : edge_flux(config.south, here, k, mesh.dy / 2) / mesh.dy;
    balance += j < ny - 1 ? between(k, plate.conductivity(i, j + 1)) * (field(i, j + 1) - here) * along_y
                          : edge_flux(config.north, here, k, mesh.dy / 2) / mesh.dy;
    new_field(i, j) = here + dt * balance / plate.heat_capacity(i, j);
  };
  for (int i = 0; i < nx; ++i) {
    at_edge(i, 0);
    at_edge(i, ny - 1);
  }
  for (int j = 1; j < ny - 1; ++j) {
    at_edge(0, j);
    at_edge(nx - 1, j);
    const std::size_t row = static_cast<std::size_t>(j) * static_cast<std::size_t>(nx);
    const double* __restrict t = field.data() + row;
    const double* __restrict k = plate.conductivity.data() + row;
    const double* __restrict source = plate.source.data() + row;
    const double* __restrict capacity = plate.heat_capacity.data() + row;
    double* __restrict out = new_field.data() + row;
#pragma GCC ivdep
    for (int i = 1; i < nx - 1; ++i) {
      const double here = t[i], c = k[i];
      const double west = c * k[i - 1] / (c + k[i - 1]), east = c * k[i + 1] / (c + k[i + 1]);
      const double south = c * k[i - nx] / (c + k[i - nx]), north = c * k[i + nx] / (c + k[i + nx]);
      const double flow_x = west * (t[i - 1] - here) + east * (t[i + 1] - here);
      const double flow_y = south * (t[i - nx] - here) + north * (t[i + nx] - here);
      out[i] = here + dt * (source[i] + 2 * (along_x * flow_x + along_y * flow_y)) / capacity[i];
    }
  }
}
