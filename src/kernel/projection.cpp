// Checks a whole bilinear output at the cost of three passes over the matrices.
#include "kernel/contraction_tables.h"
#include "kernel/reference.h"
#include "util/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hone::kernel {

namespace {

// The element types whose matrices are read here.
bool is_readable(DataType type)
{
  return type == DataType::f32 || type == DataType::f64;
}

// A matrix somewhere in memory: element (r, c) lies at rows[r] + columns[c].
template <class T> struct MatrixView {
  const T* data;
  std::span<const std::int64_t> rows;
  std::span<const std::int64_t> columns;
};

bool is_contiguous(std::span<const std::int64_t> offsets)
{
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] != static_cast<std::int64_t>(i)) {
      return false;
    }
  }
  return true;
}

// M x and (M o M) x2: the product, and its squares for the size of what rounding may do.
struct Products {
  std::vector<double> linear;
  std::vector<double> squares;
};

// Several chains side by side: without leave to reorder a sum, this is what lets the compiler use vectors.
constexpr std::size_t k_chains = 8;

template <class T>
[[gnu::always_inline]] inline void add_row(const T* row, std::size_t count, std::span<const double> x,
                                           std::span<const double> x2, double& linear, double& squares)
{
  std::array<double, k_chains> sums{};
  std::array<double, k_chains> square_sums{};
  const std::size_t whole = count / k_chains * k_chains;
  for (std::size_t c = 0; c < whole; c += k_chains) {
    for (std::size_t lane = 0; lane < k_chains; ++lane) {
      const auto value = static_cast<double>(row[c + lane]);
      sums[lane] += value * x[c + lane];
      square_sums[lane] += value * value * x2[c + lane];
    }
  }
  for (std::size_t c = whole; c < count; ++c) {
    const auto value = static_cast<double>(row[c]);
    sums[c - whole] += value * x[c];
    square_sums[c - whole] += value * value * x2[c];
  }
  for (std::size_t lane = 0; lane < k_chains; ++lane) {
    linear += sums[lane];
    squares += square_sums[lane];
  }
}

template <class T>
[[gnu::always_inline]] inline Products multiply_rows(const MatrixView<T>& matrix, std::span<const double> x,
                                                     std::span<const double> x2)
{
  const std::size_t rows = matrix.rows.size();
  const std::size_t columns = matrix.columns.size();
  Products out{std::vector<double>(rows), std::vector<double>(rows)};
  if (is_contiguous(matrix.columns)) {
    for (std::size_t r = 0; r < rows; ++r) {
      add_row(matrix.data + matrix.rows[r], columns, x, x2, out.linear[r], out.squares[r]);
    }
    return out;
  }
  // Columns apart in memory: walk along the rows, which usually are neighbours then.
  const bool neighbours = is_contiguous(matrix.rows);
  for (std::size_t c = 0; c < columns; ++c) {
    const T* column = matrix.data + matrix.columns[c];
    for (std::size_t r = 0; r < rows; ++r) {
      const auto value = static_cast<double>(column[neighbours ? static_cast<std::int64_t>(r) : matrix.rows[r]]);
      out.linear[r] += value * x[c];
      out.squares[r] += value * value * x2[c];
    }
  }
  return out;
}

// The same loops with wider registers.
template <class T>
__attribute__((target("avx2,fma"))) Products multiply_avx2(const MatrixView<T>& matrix, std::span<const double> x,
                                                           std::span<const double> x2)
{
  return multiply_rows(matrix, x, x2);
}

template <class T> Products multiply(const MatrixView<T>& matrix, std::span<const double> x, std::span<const double> x2)
{
  const bool wide = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return wide ? multiply_avx2(matrix, x, x2) : multiply_rows(matrix, x, x2);
}

Products multiply(DataType type, const std::byte* data, std::int64_t base, std::span<const std::int64_t> rows,
                  std::span<const std::int64_t> columns, std::span<const double> x, std::span<const double> x2)
{
  if (type == DataType::f64) {
    return multiply(MatrixView<double>{reinterpret_cast<const double*>(data) + base, rows, columns}, x, x2);
  }
  return multiply(MatrixView<float>{reinterpret_cast<const float*>(data) + base, rows, columns}, x, x2);
}

// The constant that the epilogue multiplies the sum with: the epilogue at hole = 1.
Result<double> factor_of(const Expr& epilogue, const Sizes& sizes)
{
  switch (epilogue.kind) {
  case ExprKind::hole:
    return 1.0;
  case ExprKind::number:
    return epilogue.number;
  case ExprKind::extent: {
    const auto found = sizes.find(epilogue.name);
    return found == sizes.end() ? Result<double>(fail(fmt::format("the size '{}' has no value", epilogue.name)))
                                : Result<double>(static_cast<double>(found->second));
  }
  default:
    break;
  }
  std::vector<double> args;
  for (const ExprPtr& arg : epilogue.args) {
    HONE_TRY(const double value, factor_of(*arg, sizes));
    args.push_back(value);
  }
  if (epilogue.kind == ExprKind::unary) {
    return -args[0];
  }
  if (epilogue.kind == ExprKind::binary) {
    const bool integer = !is_float(epilogue.type);
    if (epilogue.name == "/") {
      return integer ? std::trunc(args[0] / args[1]) : args[0] / args[1];
    }
    return epilogue.name == "*" ? args[0] * args[1] : epilogue.name == "+" ? args[0] + args[1] : args[0] - args[1];
  }
  if (epilogue.kind == ExprKind::call && epilogue.name == "sqrt") {
    return std::sqrt(args[0]);
  }
  if (epilogue.kind == ExprKind::call && epilogue.name == "rsqrt") {
    return 1 / std::sqrt(args[0]);
  }
  return fail(fmt::format("'{}' is no constant factor", to_text(epilogue)));
}

struct Projection {
  const Kernel& kernel;
  const Contraction& contraction;
  ContractionTables tables;
  std::span<const std::byte* const> arguments;
  double factor = 1;

  std::size_t position(const std::string& name) const
  {
    return static_cast<std::size_t>(kernel.find_argument(name) - kernel.arguments.data());
  }

  Products product(const std::string& tensor, std::int64_t base, std::span<const std::int64_t> rows,
                   std::span<const std::int64_t> columns, std::span<const double> x, std::span<const double> x2) const
  {
    const std::size_t at = position(tensor);
    return multiply(kernel.arguments[at].type, arguments[at], base, rows, columns, x, x2);
  }

  // Compares the rows of one batch. The threshold is six standard deviations of what rounding does to a row's
  // projection; docs/correctness.md derives it.
  Result<void> check_batch(std::size_t batch, Random& random, ProjectionOutcome& outcome) const
  {
    const Statement& statement = kernel.program.statements[contraction.statement];
    std::vector<double> signs(tables.out_n.size());
    std::ranges::generate(signs, [&] { return (random.next() & 1) != 0 ? 1.0 : -1.0; });
    const std::vector<double> ones(signs.size(), 1.0);
    const Products b = product(contraction.b->name, tables.b_batch[batch], tables.b_k, tables.b_n, signs, ones);
    const Products expected =
      product(contraction.a->name, tables.a_batch[batch], tables.a_m, tables.a_k, b.linear, b.squares);
    const Products actual = product(statement.target, tables.out_batch[batch], tables.out_m, tables.out_n, signs, ones);

    const double terms = static_cast<double>(tables.a_k.size());
    const double columns = static_cast<double>(tables.out_n.size());
    const double accumulate = unit_roundoff(kernel.accumulate);
    const double store = unit_roundoff(statement.type);
    const double own = unit_roundoff(DataType::f64);
    constexpr double k_sigmas = 6;
    constexpr double k_chain = 0.25; // standard deviation of a chain of additions: k_chain * u * sqrt(K) * sum |ab|
    for (std::size_t row = 0; row < expected.linear.size(); ++row) {
      const double spread = std::abs(factor) * std::sqrt(expected.squares[row]);
      const double size = std::sqrt(actual.squares[row]);
      const double honest = k_chain * accumulate * terms * spread + accumulate * spread + (store + accumulate) * size;
      const double ours = k_chain * own * (terms + columns) * spread;
      const double threshold = k_sigmas * (honest + ours) + 0x1p-126 * terms * columns;
      const double wanted = factor * expected.linear[row];
      if (!std::isfinite(wanted) || !std::isfinite(spread)) {
        return fail("the inputs of a projection check must be finite, with finite products");
      }
      const double residual = std::abs(actual.linear[row] - wanted) / threshold;
      // Written so that NaN is a failure.
      if (!(residual <= outcome.worst)) {
        outcome.worst = std::isnan(residual) ? HUGE_VAL : residual;
        if (outcome.worst > 1) {
          outcome.where = fmt::format("batch {}, row {}", batch, row);
        }
      }
    }
    return {};
  }
};

} // namespace

bool supports_freivalds(const Kernel& kernel)
{
  const auto contraction = as_contraction(kernel);
  // A threshold is what rounding does to sums of products: it knows of no other algorithm and of no tolerance.
  if (!contraction || !contraction->linear || !has_derived_bounds(kernel)) {
    return false;
  }
  const Argument* target = kernel.find_argument(kernel.program.statements[contraction->statement].target);
  if (target->name == contraction->a->name || target->name == contraction->b->name) {
    return false; // the operand is gone once the output is there
  }
  Sizes ones;
  for (const std::string& symbol : kernel.symbols) {
    ones[symbol] = 1;
  }
  return is_readable(contraction->a->type) && is_readable(contraction->b->type) && is_readable(target->type)
         && factor_of(*contraction->epilogue, ones).has_value();
}

Result<ProjectionOutcome> check_freivalds(const Kernel& kernel, const Sizes& sizes,
                                          std::span<const std::byte* const> arguments, std::uint64_t seed)
{
  if (!supports_freivalds(kernel)) {
    return fail(fmt::format("the output of '{}' is not bilinear: there is no projection to check", kernel.name));
  }
  if (arguments.size() != kernel.arguments.size()) {
    return fail(fmt::format("the projection takes {} pointers; {} given", kernel.arguments.size(), arguments.size()));
  }
  const Contraction contraction = *as_contraction(kernel);
  HONE_TRY(const double factor, factor_of(*contraction.epilogue, sizes));
  HONE_TRY(ContractionTables tables, ContractionTables::of(kernel, contraction, sizes));
  const std::size_t batches = tables.a_batch.size();
  const Projection projection{kernel, contraction, std::move(tables), arguments, factor};
  Random random(seed);
  ProjectionOutcome out;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    HONE_CHECK(projection.check_batch(batch, random, out));
  }
  out.passed = out.worst <= 1;
  return out;
}

} // namespace hone::kernel
