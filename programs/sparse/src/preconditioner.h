// Approximate inverses.
#ifndef SPARSE_PRECONDITIONER_H
#define SPARSE_PRECONDITIONER_H

#include "matrix.h"
#include "options.h"

#include <memory>

class Preconditioner {
public:
  virtual ~Preconditioner() = default;
  virtual void apply(const Vector& residual, Vector& correction) const = 0;
};

class Identity final : public Preconditioner {
public:
  void apply(const Vector& residual, Vector& correction) const override;
};

class Jacobi final : public Preconditioner {
public:
  explicit Jacobi(const SparseMatrix& matrix);
  void apply(const Vector& residual, Vector& correction) const override;

private:
  Vector m_inverse;
};

// One forward and one backward sweep of Gauss-Seidel with relaxation; symmetric, as conjugate gradients need it.
class SymmetricGaussSeidel final : public Preconditioner {
public:
  SymmetricGaussSeidel(const SparseMatrix& matrix, double relaxation);
  void apply(const Vector& residual, Vector& correction) const override;

private:
  const SparseMatrix& m_matrix;
  double m_relaxation;
  Vector m_diagonal;
};

// Throws std::invalid_argument for a name that is not known.
std::unique_ptr<Preconditioner> make_preconditioner(const SparseMatrix& matrix, const Options& options);

#endif
