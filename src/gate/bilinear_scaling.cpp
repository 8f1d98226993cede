#include "gate/bilinear_scaling.h"

#include "util/random.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace hone::gate {
namespace {

// Factors along one axis; 2^e with a sign, so that products with them are exact.
using Factors = std::map<std::string, std::vector<double>>;

std::vector<double> draw_factors(std::int64_t count, Random& random)
{
  constexpr int k_largest_exponent = 6; // far enough apart that what one row's rounding leaves shows in another
  std::vector<double> factors(static_cast<std::size_t>(count));
  for (double& factor : factors) {
    const int exponent = static_cast<int>(random.below(2 * k_largest_exponent + 1)) - k_largest_exponent;
    factor = std::ldexp(random.below(2) == 0 ? 1.0 : -1.0, exponent);
  }
  return factors;
}

std::vector<double> inverted(std::vector<double> factors)
{
  for (double& factor : factors) {
    factor = 1 / factor;
  }
  return factors;
}

// The product of an element's factors in all axes but the last, row by row.
std::vector<double> row_factors(const std::vector<std::int64_t>& shape,
                                const std::vector<const std::vector<double>*>& axes)
{
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
    rows *= shape[axis];
  }
  std::vector<double> factors(static_cast<std::size_t>(rows), 1.0);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t left = r;
    for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
      if (axes[axis] != nullptr) {
        factors[static_cast<std::size_t>(r)] *= (*axes[axis])[static_cast<std::size_t>(left % shape[axis])];
      }
      left /= shape[axis];
    }
  }
  return factors;
}

// Each element times its factors, or times their magnitudes; `to` may be where they are. In loops that the compiler
// makes vectors of.
template <class T>
void scale_values(const T* values, T* to, const std::vector<std::int64_t>& shape,
                  const std::vector<const std::vector<double>*>& axes, bool magnitude)
{
  const auto row = static_cast<std::size_t>(shape.back());
  std::vector<T> within(row, T(1));
  if (axes.back() != nullptr) {
    std::ranges::transform(*axes.back(), within.begin(), [](double factor) { return static_cast<T>(factor); });
  }
  if (magnitude) {
    std::ranges::transform(within, within.begin(), [](T factor) { return std::fabs(factor); });
  }
  for (const double factor : row_factors(shape, axes)) {
    const T outer = static_cast<T>(magnitude ? std::fabs(factor) : factor);
    for (std::size_t i = 0; i < row; ++i) {
      to[i] = values[i] * (outer * within[i]);
    }
    values += row;
    to += row;
  }
}

std::vector<const std::vector<double>*> along(const std::vector<std::string>& indices, const Factors& factors)
{
  std::vector<const std::vector<double>*> axes;
  for (const std::string& index : indices) {
    const auto found = factors.find(index);
    axes.push_back(found == factors.end() ? nullptr : &found->second);
  }
  return axes;
}

} // namespace

std::optional<BilinearScaling> BilinearScaling::of(const kernel::Kernel& kernel)
{
  // Scaled bounds would be too tight, where they are those of a norm or of a tolerance.
  auto form = kernel::has_derived_bounds(kernel) ? inputs::bilinear_form(kernel) : std::nullopt;
  return form ? std::optional(BilinearScaling(kernel, std::move(*form))) : std::nullopt;
}

Result<ExpectedOutputs> BilinearScaling::apply(Arena& arena, std::size_t set, const kernel::ReferenceOutput& base,
                                               std::uint64_t seed) const
{
  Random random(seed);
  Factors for_a;
  Factors for_b;
  Factors for_out;
  const auto draw = [&](const inputs::BilinearForm::Tensor& tensor, const std::vector<std::string>& names,
                        Factors& first, Factors& second, bool invert) -> Result<void> {
    HONE_TRY(const std::vector<std::int64_t> shape,
             kernel::shape_of(m_kernel->arguments[tensor.argument], arena.sizes()));
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const std::string& name = tensor.indices[axis];
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        first[name] = draw_factors(shape[axis], random);
        second[name] = invert ? inverted(first[name]) : first[name];
      }
    }
    return {};
  };
  HONE_CHECK(draw(m_form.a, m_form.free_a, for_a, for_out, false));
  HONE_CHECK(draw(m_form.a, m_form.summed, for_a, for_b, true));
  HONE_CHECK(draw(m_form.b, m_form.free_b, for_b, for_out, false));

  const auto scale_input = [&](const inputs::BilinearForm::Tensor& tensor, const Factors& factors) -> Result<void> {
    const kernel::Argument& argument = m_kernel->arguments[tensor.argument];
    HONE_TRY(const std::vector<std::int64_t> shape, kernel::shape_of(argument, arena.sizes()));
    std::byte* bytes = arena.tensor(set, tensor.argument).data();
    const auto axes = along(tensor.indices, factors);
    if (argument.type == kernel::DataType::f32) {
      scale_values(reinterpret_cast<float*>(bytes), reinterpret_cast<float*>(bytes), shape, axes, false);
    } else {
      scale_values(reinterpret_cast<double*>(bytes), reinterpret_cast<double*>(bytes), shape, axes, false);
    }
    return {};
  };
  HONE_CHECK(scale_input(m_form.a, for_a));
  HONE_CHECK(scale_input(m_form.b, for_b));

  HONE_TRY(const std::vector<std::int64_t> out_shape,
           kernel::shape_of(m_kernel->arguments[m_form.out.argument], arena.sizes()));
  kernel::ReferenceOutput scaled{LargeVector<double>(base.values.size()), LargeVector<double>(base.bounds.size())};
  const auto axes = along(m_form.out.indices, for_out);
  scale_values(base.values.data(), scaled.values.data(), out_shape, axes, false);
  scale_values(base.bounds.data(), scaled.bounds.data(), out_shape, axes, true);
  Expected expected; // nothing is overwritten: such a kernel has no inout
  expected.outputs.push_back(std::move(scaled));
  return std::make_shared<const Expected>(std::move(expected));
}

} // namespace hone::gate
