// A field of doubles on nx * ny cells, row by row along x.
#ifndef HEAT_GRID_H
#define HEAT_GRID_H

#include <cstddef>
#include <vector>

namespace heat {

class Field {
public:
  Field() = default;
  Field(int nx, int ny, double value = 0);

  int nx() const { return m_nx; }
  int ny() const { return m_ny; }
  double& operator()(int i, int j) { return m_values[index(i, j)]; }
  double operator()(int i, int j) const { return m_values[index(i, j)]; }
  double* data() { return m_values.data(); }
  const double* data() const { return m_values.data(); }
  std::size_t size() const { return m_values.size(); }
  void swap(Field& other);

private:
  std::size_t index(int i, int j) const
  {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(m_nx) + static_cast<std::size_t>(i);
  }
  int m_nx = 0, m_ny = 0;
  std::vector<double> m_values;
};

// Cell sizes and where the cells lie.
struct Mesh {
  int nx = 0, ny = 0;
  double dx = 0, dy = 0; // metres
  double x(int i) const { return (i + 0.5) * dx; }
  double y(int j) const { return (j + 0.5) * dy; }
};

Mesh make_mesh(int nx, int ny, double length, double width);

} // namespace heat

#endif
