// Sparse matrices by rows, and vectors.
#ifndef SPARSE_MATRIX_H
#define SPARSE_MATRIX_H

#include <cstddef>
#include <vector>

using Vector = std::vector<double>;

// Entries in any order, the same place more than once: they are added.
class Triplets {
public:
  explicit Triplets(int rows) : m_rows(rows) {}
  void add(int row, int column, double value);
  int rows() const { return m_rows; }

  struct Entry {
    int row, column;
    double value;
  };
  const std::vector<Entry>& entries() const { return m_entries; }

private:
  int m_rows;
  std::vector<Entry> m_entries;
};

// Compressed rows; the columns of a row ascend.
struct SparseMatrix {
  int rows = 0;
  std::vector<int> row_begin; // rows + 1 places in `column` and `value`
  std::vector<int> column;
  std::vector<double> value;

  double diagonal(int row) const; // 0 where it is not stored
};

SparseMatrix compress(const Triplets& triplets);
void multiply(const SparseMatrix& matrix, const Vector& x, Vector& y); // y = A x
double largest_asymmetry(const SparseMatrix& matrix);

double dot(const Vector& a, const Vector& b);
void add_scaled(Vector& y, double factor, const Vector& x); // y += factor * x
double norm(const Vector& a);

#endif
