// What is printed.
#ifndef SPARSE_REPORT_H
#define SPARSE_REPORT_H

#include "medium.h"
#include "solver.h"

#include <cstdio>

void print_problem(std::FILE* out, const Box& box, const Medium& medium, const SparseMatrix& matrix);
void print_solution(std::FILE* out, const Box& box, const Medium& medium, const Solution& solution, int probe);

#endif
