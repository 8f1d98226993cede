// A Gaussian process over tuning points: what the points measured so far say about the others. (internal to the tune
// room)
#pragma once

#include <cstddef>
#include <vector>

namespace hone::tune {

class Surrogate {
public:
  using Input = std::vector<double>; // one number per dimension, each about 0 .. 1

  struct Estimate {
    double mean = 0;
    double deviation = 0;
  };

  // `variances`: of the values' noise, one each. Keeps the length scales found before as a beginning.
  void fit(std::vector<Input> inputs, std::vector<double> values, std::vector<double> variances);
  // The same with the length scales as they are: cheap.
  void condition(std::vector<Input> inputs, std::vector<double> values, std::vector<double> variances);
  Estimate at(const Input& input) const;

private:
  double kernel(const Input& a, const Input& b) const;
  double factorise(); // log marginal likelihood
  void standardise();

  std::vector<Input> m_inputs;
  std::vector<double> m_values, m_variances; // as given
  double m_mean = 0, m_scale = 1;
  std::vector<double> m_inverse_lengths; // per dimension
  std::vector<double> m_factor;          // lower triangle of the Cholesky factor, row by row in a square
  std::vector<double> m_weights;         // covariance^-1 * standardised values
};

} // namespace hone::tune
