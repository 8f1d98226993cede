// What a loaded kernel answers: names, shapes, hash.
#include "kernel/definition.h"

#include "kernel/definition_text.h"
#include "kernel/range_check.h"
#include "kernel/size_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::kernel {

namespace {

std::vector<NamedValue> named_values(const Sizes& sizes)
{
  std::vector<NamedValue> out;
  for (const auto& [name, value] : sizes) {
    out.push_back({name, value});
  }
  return out;
}

Result<std::vector<std::int64_t>> evaluate_shape(const std::vector<ExprPtr>& shape, const std::string& tensor,
                                                 const Sizes& sizes)
{
  const std::vector<NamedValue> values = named_values(sizes);
  std::vector<std::int64_t> out;
  std::int64_t elements = 1;
  constexpr std::int64_t k_most_elements = std::int64_t{1} << 40;
  for (const ExprPtr& entry : shape) {
    HONE_TRY(const std::int64_t extent, evaluate_integer(*entry, values));
    if (extent < 1) {
      return fail(fmt::format("dimension {} of '{}' is {} for {}; expected at least 1", out.size() + 1, tensor, extent,
                              to_text(sizes)),
                  "choose other sizes", entry->place);
    }
    if (extent > k_most_elements / elements) {
      return fail(fmt::format("'{}' has more than 2^40 elements for {}", tensor, to_text(sizes)),
                  "choose smaller sizes", entry->place);
    }
    elements *= extent;
    out.push_back(extent);
  }
  return out;
}

std::vector<std::size_t> positions_where(const std::vector<Argument>& arguments, bool wanted(Role))
{
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (wanted(arguments[i].role)) {
      out.push_back(i);
    }
  }
  return out;
}

std::string canonical_ranges(const std::vector<IndexRange>& ranges)
{
  std::string out;
  for (const IndexRange& range : ranges) {
    out += fmt::format(" {}:{}..{}", range.name, range.lower ? to_text(*range.lower) : "0", to_text(*range.upper));
  }
  return out;
}

} // namespace

std::string to_text(const Sizes& sizes)
{
  std::string out;
  for (const auto& [name, value] : sizes) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
  }
  return out;
}

std::string_view name_of(Role role)
{
  constexpr std::array<std::string_view, 5> names{"input", "output", "inout", "scalar", "weight"};
  return names[static_cast<std::size_t>(role)];
}

std::string_view name_of(MatrixForm form)
{
  constexpr std::array<std::string_view, 3> names{"any", "dominant", "positive definite"};
  return names[static_cast<std::size_t>(form)];
}

std::string_view name_of(ReferenceKind kind)
{
  constexpr std::array<std::string_view, 3> names{"expression", "reference.cpp", "first candidate"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_written(Role role)
{
  return role == Role::output || role == Role::inout;
}

std::vector<ExprPtr> shape_of_tensor(const Kernel& kernel, std::string_view name)
{
  if (const Argument* argument = kernel.find_argument(name)) {
    return argument->shape;
  }
  std::vector<ExprPtr> shape;
  const auto statement = std::ranges::find(kernel.program.statements, name, &Statement::target);
  if (statement != kernel.program.statements.end()) {
    shape = extents_of(*statement);
  }
  return shape;
}

const Argument* Kernel::find_argument(std::string_view wanted) const
{
  const auto found = std::ranges::find(arguments, wanted, &Argument::name);
  return found == arguments.end() ? nullptr : &*found;
}

std::vector<std::size_t> Kernel::inputs() const
{
  return positions_where(arguments,
                         [](Role role) { return role == Role::input || role == Role::inout || role == Role::weight; });
}

std::vector<std::size_t> Kernel::outputs() const
{
  return positions_where(arguments, is_written);
}

Result<std::vector<std::int64_t>> shape_of(const Argument& argument, const Sizes& sizes)
{
  return evaluate_shape(argument.shape, argument.name, sizes);
}

Result<std::vector<std::int64_t>> shape_of(const Statement& statement, const Sizes& sizes)
{
  return evaluate_shape(extents_of(statement), statement.target, sizes);
}

Result<Domain> domain_of(const Argument& argument, const Sizes& sizes)
{
  Domain out = argument.domain;
  const std::vector<NamedValue> values = named_values(sizes);
  if (argument.lowest) {
    HONE_TRY(const std::int64_t low, evaluate_integer(*argument.lowest, values));
    out.low = static_cast<double>(low);
  }
  if (argument.highest) {
    HONE_TRY(const std::int64_t high, evaluate_integer(*argument.highest, values));
    out.high = static_cast<double>(high);
  }
  if (out.low > out.high) {
    return fail(fmt::format("the domain of '{}' is empty for {}", argument.name, to_text(sizes)),
                "choose other sizes, or another domain", argument.place);
  }
  const double largest = largest_value(argument.type);
  const double least = lowest_value(argument.type);
  if (argument.rising && (out.high > largest || out.low < least)) {
    return fail(fmt::format("'{}' rises from {} to {}, which {} does not hold ({})", argument.name, out.low, out.high,
                            name_of(argument.type), to_text(sizes)),
                "give it a wider type, or choose smaller sizes", argument.place);
  }
  return out;
}

Result<void> check_sizes(const Kernel& kernel, const Sizes& sizes)
{
  HONE_CHECK(check_size_conditions(kernel, sizes));
  for (const Argument& argument : kernel.arguments) {
    HONE_CHECK(shape_of(argument, sizes));
    HONE_CHECK(domain_of(argument, sizes));
  }
  std::vector<Error> errors = check_ranges(kernel.arguments, kernel.program, sizes);
  if (!errors.empty()) {
    return std::unexpected(std::move(errors.front()));
  }
  return {};
}

Result<std::int64_t> elements_of(const Argument& argument, const Sizes& sizes)
{
  HONE_TRY(const std::vector<std::int64_t> shape, shape_of(argument, sizes));
  std::int64_t out = 1;
  for (const std::int64_t extent : shape) {
    out *= extent;
  }
  return out;
}

std::string canonical_text(const Kernel& kernel)
{
  std::string out = fmt::format("hone kernel 1\nname {}\n", kernel.name);
  for (const Argument& argument : kernel.arguments) {
    out += fmt::format("argument {} {} {} [{}, {}]", argument.name, name_of(argument.type), name_of(argument.role),
                       argument.lowest ? to_text(*argument.lowest) : fmt::format("{}", argument.domain.low),
                       argument.highest ? to_text(*argument.highest) : fmt::format("{}", argument.domain.high));
    for (const ExprPtr& entry : argument.shape) {
      out += fmt::format(" [{}]", to_text(*entry));
    }
    out += argument.matrix == MatrixForm::any ? "" : fmt::format(" {}", name_of(argument.matrix));
    out += argument.rising ? " rising\n" : "\n";
  }
  for (const ExprPtr& condition : kernel.size_conditions) {
    out += fmt::format("where {}\n", to_text(*condition));
  }
  for (const std::string& symbol : kernel.symbols) {
    out += fmt::format("size {}\n", symbol);
  }
  for (const Statement& statement : kernel.program.statements) {
    for (const SerialLoop& loop : statement.loops) {
      out += fmt::format("loop {}{}\n", loop.number, canonical_ranges({loop.range}));
    }
    out += fmt::format("statement {}{} of {}\n", to_text(statement), canonical_ranges(statement.indices),
                       name_of(statement.type));
  }
  if (kernel.reference != ReferenceKind::expression) {
    out += fmt::format("reference {} within {} + {} of the value\n{}\n", name_of(kernel.reference),
                       kernel.accuracy.tolerance.absolute, kernel.accuracy.tolerance.relative, kernel.reference_code);
  }
  // Only what departs from the default: kernels without it keep the hashes that they had before it existed.
  const bool expression = kernel.reference == ReferenceKind::expression;
  if (kernel.accuracy.bounds != BoundClass::elementwise || kernel.accuracy.may_leave_elements()
      || (expression && kernel.accuracy.tolerance.is_given())) {
    out += fmt::format("accuracy {}\n", accuracy_text(kernel));
  }
  for (const Sizes& sizes : kernel.timed) {
    out += fmt::format("timed {}\n", to_text(sizes));
  }
  if (!kernel.weights.empty()) {
    out += fmt::format("weights {}\n", fmt::join(kernel.weights, " "));
  }
  out += fmt::format("also {}\naccumulate {}\n", kernel.also == AlsoSizes::any ? "any" : "timed",
                     name_of(kernel.accumulate));
  return out;
}

} // namespace hone::kernel
