#include "assembly.h"

namespace {

constexpr double k_bottom = 1.0, k_top = 0.0; // fixed values

double harmonic_mean(double a, double b)
{
  return 2 * a * b / (a + b);
}

// The flow between two cells, per difference of their values.
void add_face(Triplets& triplets, int a, int b, double transmissibility)
{
  triplets.add(a, a, transmissibility);
  triplets.add(b, b, transmissibility);
  triplets.add(a, b, -transmissibility);
  triplets.add(b, a, -transmissibility);
}

void add_horizontal_faces(const Box& box, const Medium& medium, Triplets& triplets)
{
  const double h = box.spacing();
  for (int z = 0; z < box.cells; ++z) {
    for (int y = 0; y < box.cells; ++y) {
      for (int x = 0; x < box.cells; ++x) {
        const int here = box.index(x, y, z);
        const double k = medium.horizontal[static_cast<std::size_t>(here)];
        if (x + 1 < box.cells) {
          const int next = box.index(x + 1, y, z);
          add_face(triplets, here, next, h * harmonic_mean(k, medium.horizontal[static_cast<std::size_t>(next)]));
        }
        if (y + 1 < box.cells) {
          const int next = box.index(x, y + 1, z);
          add_face(triplets, here, next, h * harmonic_mean(k, medium.horizontal[static_cast<std::size_t>(next)]));
        }
      }
    }
  }
}

void add_vertical_faces(const Box& box, const Medium& medium, Triplets& triplets, Vector& right_side)
{
  const double h = box.spacing();
  for (int y = 0; y < box.cells; ++y) {
    for (int x = 0; x < box.cells; ++x) {
      for (int z = 0; z + 1 < box.cells; ++z) {
        const int here = box.index(x, y, z), above = box.index(x, y, z + 1);
        add_face(triplets, here, above,
                 h * harmonic_mean(medium.vertical[static_cast<std::size_t>(here)],
                                   medium.vertical[static_cast<std::size_t>(above)]));
      }
      // Half a cell from the middle of the outermost cells to the fixed values.
      const int bottom = box.index(x, y, 0), top = box.index(x, y, box.cells - 1);
      const double to_bottom = 2 * h * medium.vertical[static_cast<std::size_t>(bottom)];
      const double to_top = 2 * h * medium.vertical[static_cast<std::size_t>(top)];
      triplets.add(bottom, bottom, to_bottom);
      triplets.add(top, top, to_top);
      right_side[static_cast<std::size_t>(bottom)] += to_bottom * k_bottom;
      right_side[static_cast<std::size_t>(top)] += to_top * k_top;
    }
  }
}

} // namespace

LinearSystem assemble(const Box& box, const Medium& medium)
{
  LinearSystem system;
  system.right_side.assign(static_cast<std::size_t>(box.size()), 0);
  Triplets triplets(box.size());
  add_horizontal_faces(box, medium, triplets);
  add_vertical_faces(box, medium, triplets, system.right_side);
  for (const Well& well : medium.wells) {
    system.right_side[static_cast<std::size_t>(well.cell)] += well.rate;
  }
  system.matrix = compress(triplets);
  return system;
}
