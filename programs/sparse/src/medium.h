// The box, its cells, and what they are made of.
#ifndef SPARSE_MEDIUM_H
#define SPARSE_MEDIUM_H

#include "options.h"

#include <cstdint>
#include <vector>

// Cells of a cube, x fastest.
struct Box {
  int cells = 0;
  int index(int x, int y, int z) const { return (z * cells + y) * cells + x; }
  int size() const { return cells * cells * cells; }
  double spacing() const { return 1.0 / cells; }
};

struct Well {
  int cell = 0;
  double rate = 0; // positive: a source
};

struct Medium {
  std::vector<double> horizontal; // diffusivity of each cell
  std::vector<double> vertical;
  std::vector<Well> wells;
};

// Numbers that are the same everywhere for a seed.
class RandomStream {
public:
  explicit RandomStream(std::uint64_t seed);
  double uniform(); // in [0, 1)
  int below(int bound);

private:
  std::uint64_t m_state;
};

Medium make_medium(const Box& box, const Options& options);

#endif
