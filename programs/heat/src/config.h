// The run's settings, read from a text file of NAME = VALUE lines.
#ifndef HEAT_CONFIG_H
#define HEAT_CONFIG_H

#include "boundary.h"

#include <string>

namespace heat {

struct Config {
  int nx = 64, ny = 64;       // cells
  double length = 0.2;        // of the plate along x, in metres
  double width = 0.2;         // along y
  int steps = 100;
  double safety = 0.4;        // part of the largest stable time step that is taken
  double initial = 293.15;    // temperature in kelvin
  unsigned long seed = 1;     // of the inclusions
  int inclusions = 0;         // circles of other materials
  double source = 4.0e6;      // heat source in watts per cubic metre
  double source_radius = 0.02;
  int report = 0;             // steps between two reports; 0: none
  int checkpoint_every = 0;   // steps between two checkpoints; 0: at the end only
  std::string checkpoint;     // file; empty: none
  std::string restart;        // file to begin from; empty: none
  Boundary west, east, south, north;
};

// Throws std::runtime_error, which names the line.
Config read_config(const std::string& path);

// Checks what belongs together; throws std::runtime_error.
void check_config(const Config& config);

} // namespace heat

#endif
