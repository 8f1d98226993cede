// Finite volumes on the box: a flow between each two neighbours, fixed values at the bottom and the top.
#ifndef SPARSE_ASSEMBLY_H
#define SPARSE_ASSEMBLY_H

#include "matrix.h"
#include "medium.h"

struct LinearSystem {
  SparseMatrix matrix;
  Vector right_side;
};

LinearSystem assemble(const Box& box, const Medium& medium);

#endif
