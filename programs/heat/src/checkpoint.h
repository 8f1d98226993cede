// A field in a text file, to look at or to go on from.
#ifndef HEAT_CHECKPOINT_H
#define HEAT_CHECKPOINT_H

#include "grid.h"

#include <string>

namespace heat {

struct Checkpoint {
  int step = 0;
  double seconds = 0;
  Field field;
};

// Written beside the old one and then put in its place. Both throw std::runtime_error.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);
Checkpoint read_checkpoint(const std::string& path, int nx, int ny);

} // namespace heat

#endif
