#include "lower/device/split_sums.h"

#include "lower/candidate_text.h"
#include "lower/device/reductions.h"
#include "lower/expression_text.h"

#include <algorithm>

namespace hone::lower::device {

namespace {

// The index of parts must differ from all that the kernel names.
std::string free_index(const kernel::Statement& source, std::string name)
{
  const auto taken = [&](const kernel::IndexRange& range) { return range.name == name; };
  while (std::ranges::any_of(source.indices, taken) || kernel::names_anywhere(*source.value, name)) {
    name += "_";
  }
  return name;
}

bool is_splittable(const kernel::Statement& source, const std::vector<const kernel::Expr*>& reductions)
{
  if (kernel::is_ordered(source) || source.guard || source.indices.empty() || reductions.size() != 1) {
    return false;
  }
  const kernel::Expr& sum = *reductions.front();
  return sum.op == kernel::ReduceOp::sum && kernel::is_float(sum.type) && !sum.ranges.front().lower
         && !std::ranges::any_of(source.indices, [&](const kernel::IndexRange& range) {
              return kernel::names_anywhere(*sum.ranges.front().upper, range.name);
            });
}

kernel::ExprPtr replaced(const kernel::ExprPtr& value, const std::string& text, const kernel::ExprPtr& by)
{
  if (!value) {
    return value;
  }
  if (value->kind == kernel::ExprKind::reduce && kernel::to_text(*value) == text) {
    return by;
  }
  auto out = std::make_shared<kernel::Expr>(*value);
  for (kernel::ExprPtr& part : out->args) {
    part = replaced(part, text, by);
  }
  return out;
}

} // namespace

SplitKernel split_sums(const kernel::Kernel& kernel, const std::string& parts)
{
  SplitKernel out{kernel, {}};
  out.kernel.program.statements.clear();
  const kernel::ExprPtr count = kernel::make_extent(parts);
  for (const kernel::Statement& source : kernel.program.statements) {
    const std::vector<const kernel::Expr*> reductions = outermost_reductions(*source.value);
    if (!is_splittable(source, reductions)) {
      out.kernel.program.statements.push_back(source);
      continue;
    }
    const kernel::Expr& sum = *reductions.front();
    const std::string part = free_index(source, "part");
    const kernel::DataType type = compute_type(kernel, source);

    kernel::Statement first = source;
    first.target = free_tensor_name(out.kernel, "parts_of_" + source.target);
    first.intermediate = true;
    first.type = type;
    first.indices.insert(first.indices.begin(), {part, nullptr, count, source.place});
    auto one = std::make_shared<kernel::Expr>(sum);
    const kernel::ExprPtr terms = sum.ranges.front().upper, index = kernel::make_index(part);
    const auto end = [&](const kernel::ExprPtr& number) {
      return kernel::make_binary("/", kernel::make_binary("*", terms, number), count);
    };
    one->ranges.front().lower = end(index);
    one->ranges.front().upper = end(kernel::make_binary("+", index, kernel::make_number(1, true)));
    first.value = one;

    kernel::Statement second = source;
    auto load = std::make_shared<kernel::Expr>();
    load->kind = kernel::ExprKind::load;
    load->name = first.target;
    load->type = type;
    for (const kernel::IndexRange& range : first.indices) {
      load->args.push_back(kernel::make_index(range.name));
    }
    auto all = std::make_shared<kernel::Expr>();
    all->kind = kernel::ExprKind::reduce;
    all->op = kernel::ReduceOp::sum;
    all->type = sum.type;
    all->ranges = {first.indices.front()};
    all->args = {load};
    second.value = replaced(source.value, kernel::to_text(sum), all);

    out.parts.insert(first.target);
    out.kernel.program.statements.push_back(std::move(first));
    out.kernel.program.statements.push_back(std::move(second));
  }
  return out;
}

} // namespace hone::lower::device
