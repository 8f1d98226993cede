#include "grid.h"

#include <utility>

namespace heat {

Field::Field(int nx, int ny, double value)
  : m_nx(nx), m_ny(ny), m_values(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny), value)
{
}

void Field::swap(Field& other)
{
  std::swap(m_nx, other.m_nx);
  std::swap(m_ny, other.m_ny);
  m_values.swap(other.m_values);
}

Mesh make_mesh(int nx, int ny, double length, double width)
{
  Mesh mesh;
  mesh.nx = nx;
  mesh.ny = ny;
  mesh.dx = length / nx;
  mesh.dy = width / ny;
  return mesh;
}

} // namespace heat
