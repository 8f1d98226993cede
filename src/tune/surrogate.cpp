#include "tune/surrogate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hone::tune {

namespace {

// Inverse length scales that are tried: from "nearly without influence" to "neighbours say little".
constexpr std::array k_inverse_lengths{0.1, 0.3, 0.7, 1.5, 3.0, 6.0};
constexpr double k_first_inverse_length = 0.7;
constexpr int k_sweeps = 2;
constexpr double k_least_noise = 1e-4; // of the standardised values: keeps the factorisation sound
constexpr double k_least_scale = 1e-3;

} // namespace

void Surrogate::fit(std::vector<Input> inputs, std::vector<double> values, std::vector<double> variances)
{
  condition(std::move(inputs), std::move(values), std::move(variances));
  double best = factorise();
  for (int sweep = 0; sweep < k_sweeps; ++sweep) {
    for (double& length : m_inverse_lengths) {
      double chosen = length;
      for (const double candidate : k_inverse_lengths) {
        length = candidate;
        if (const double likelihood = factorise(); likelihood > best) {
          best = likelihood;
          chosen = candidate;
        }
      }
      length = chosen;
    }
  }
  factorise();
}

void Surrogate::condition(std::vector<Input> inputs, std::vector<double> values, std::vector<double> variances)
{
  m_inputs = std::move(inputs);
  m_values = std::move(values);
  m_variances = std::move(variances);
  m_inverse_lengths.resize(m_inputs.empty() ? 0 : m_inputs.front().size(), k_first_inverse_length);
  standardise();
  factorise();
}

void Surrogate::standardise()
{
  double sum = 0, squares = 0;
  for (const double value : m_values) {
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, m_values.size()));
  m_mean = sum / count;
  m_scale = std::max(k_least_scale, std::sqrt(std::max(0.0, squares / count - m_mean * m_mean)));
}

// Matern 5/2: smooth, but not so smooth that a cliff bends everything around it.
double Surrogate::kernel(const Input& a, const Input& b) const
{
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = (a[i] - b[i]) * m_inverse_lengths[i];
    squares += apart * apart;
  }
  const double distance = std::sqrt(5 * squares);
  return (1 + distance + distance * distance / 3) * std::exp(-distance);
}

double Surrogate::factorise()
{
  const std::size_t n = m_inputs.size();
  m_factor.assign(n * n, 0);
  m_weights.assign(n, 0);
  double log_determinant = 0, fit = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double value = (m_values[i] - m_mean) / m_scale;
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = kernel(m_inputs[i], m_inputs[j]);
      sum += i == j ? k_least_noise + m_variances[i] / (m_scale * m_scale) : 0;
      for (std::size_t k = 0; k < j; ++k) {
        sum -= m_factor[i * n + k] * m_factor[j * n + k];
      }
      m_factor[i * n + j] = i == j ? std::sqrt(std::max(sum, k_least_noise)) : sum / m_factor[j * n + j];
    }
    for (std::size_t k = 0; k < i; ++k) {
      value -= m_factor[i * n + k] * m_weights[k];
    }
    m_weights[i] = value / m_factor[i * n + i];
    fit += m_weights[i] * m_weights[i];
    log_determinant += std::log(m_factor[i * n + i]);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) {
      m_weights[i] -= m_factor[k * n + i] * m_weights[k];
    }
    m_weights[i] /= m_factor[i * n + i];
  }
  return n == 0 ? -std::numeric_limits<double>::infinity() : -fit / 2 - log_determinant;
}

Surrogate::Estimate Surrogate::at(const Input& input) const
{
  const std::size_t n = m_inputs.size();
  std::vector<double> covariance(n);
  double mean = 0, explained = 0;
  for (std::size_t i = 0; i < n; ++i) {
    covariance[i] = kernel(input, m_inputs[i]);
    mean += covariance[i] * m_weights[i];
    for (std::size_t k = 0; k < i; ++k) {
      covariance[i] -= m_factor[i * n + k] * covariance[k];
    }
    covariance[i] /= m_factor[i * n + i];
    explained += covariance[i] * covariance[i];
  }
  return {m_mean + m_scale * mean, m_scale * std::sqrt(std::max(1e-12, 1 - explained))};
}

} // namespace hone::tune
