// The command line.
#ifndef SPARSE_OPTIONS_H
#define SPARSE_OPTIONS_H

#include <string>

struct Options {
  int cells = 16;           // along each side of the box
  int layers = 1;           // of the medium, from bottom to top
  double contrast = 1;      // of the largest diffusivity to the smallest
  double anisotropy = 4;    // of the horizontal diffusivity to the vertical one
  unsigned long seed = 1;   // of the layers and of the wells
  int wells = 6;            // point sources and sinks
  double tolerance = 1e-8;  // of the residual, relative to the first one
  int most_iterations = 5000;
  double relaxation = 1.2;  // of the symmetric Gauss-Seidel sweeps
  std::string preconditioner = "ssor"; // none, jacobi or ssor
  int probe = 0;            // values printed along the middle line
  bool quiet = false;
};

// Throws std::invalid_argument, which says what is wrong.
Options parse_options(int count, char** words);
const char* usage_text();

#endif
