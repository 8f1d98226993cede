#include <cmath>
#include <cstddef>

// Softmax of every row.
void softmax(const float* x, float* y, std::size_t rows, std::size_t cols)
{
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float top = in[0];
    for (std::size_t c = 1; c < cols; ++c) {
      if (in[c] > top) {
        top = in[c];
      }
    }
    float total = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      out[c] = std::exp(in[c] - top);
      total += out[c];
    }
    for (std::size_t c = 0; c < cols; ++c) {
      out[c] /= total;
    }
  }
}
