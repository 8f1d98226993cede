#include "kernel/contraction_tables.h"

#include <map>

namespace hone::kernel {

namespace {

// Flat distance between neighbours along each index of a row-major tensor.
using Strides = std::map<std::string, std::int64_t>;

Strides strides_of(const std::vector<std::string>& indices, const std::vector<std::int64_t>& shape)
{
  Strides out;
  std::int64_t stride = 1;
  for (std::size_t i = indices.size(); i-- > 0;) {
    out[indices[i]] = stride;
    stride *= shape[i];
  }
  return out;
}

Result<Strides> strides_of(const Kernel& kernel, const Expr& load, const Sizes& sizes)
{
  HONE_TRY(const std::vector<std::int64_t> shape, shape_of(*kernel.find_argument(load.name), sizes));
  std::vector<std::string> indices;
  for (const ExprPtr& subscript : load.args) {
    indices.push_back(subscript->name);
  }
  return strides_of(indices, shape);
}

Result<ContractionTables::Offsets> offsets(const std::vector<IndexRange>& ranges, const Strides& strides,
                                           const Sizes& sizes)
{
  std::vector<NamedValue> values;
  for (const auto& [name, value] : sizes) {
    values.push_back({name, value});
  }
  ContractionTables::Offsets out{0};
  for (const IndexRange& range : ranges) {
    HONE_TRY(const std::int64_t extent, evaluate_integer(*range.upper, values));
    const std::int64_t stride = strides.at(range.name);
    ContractionTables::Offsets next(out.size() * static_cast<std::size_t>(extent));
    std::int64_t* to = next.data();
    for (const std::int64_t base : out) {
      for (std::int64_t i = 0; i < extent; ++i) {
        to[i] = base + i * stride;
      }
      to += extent;
    }
    out = std::move(next);
  }
  return out;
}

} // namespace

Result<ContractionTables> ContractionTables::of(const Kernel& kernel, const Contraction& contraction,
                                                const Sizes& sizes)
{
  const Statement& statement = kernel.program.statements[contraction.statement];
  std::vector<std::string> indices;
  for (const IndexRange& range : statement.indices) {
    indices.push_back(range.name);
  }
  HONE_TRY(const std::vector<std::int64_t> out_shape, shape_of(statement, sizes));
  const Strides target = strides_of(indices, out_shape);
  HONE_TRY(const Strides a, strides_of(kernel, *contraction.a, sizes));
  HONE_TRY(const Strides b, strides_of(kernel, *contraction.b, sizes));

  ContractionTables out;
  HONE_TRY(out.a_batch, offsets(contraction.batch, a, sizes));
  HONE_TRY(out.a_m, offsets(contraction.m, a, sizes));
  HONE_TRY(out.a_k, offsets(contraction.k, a, sizes));
  HONE_TRY(out.b_batch, offsets(contraction.batch, b, sizes));
  HONE_TRY(out.b_n, offsets(contraction.n, b, sizes));
  HONE_TRY(out.b_k, offsets(contraction.k, b, sizes));
  HONE_TRY(out.out_batch, offsets(contraction.batch, target, sizes));
  HONE_TRY(out.out_m, offsets(contraction.m, target, sizes));
  HONE_TRY(out.out_n, offsets(contraction.n, target, sizes));
  return out;
}

} // namespace hone::kernel
