#include "kernel/stage.h"

#include "kernel/kernel_class.h"
#include "kernel/window_class.h"

#include <algorithm>
#include <functional>

namespace hone::kernel {

namespace {

bool loads(const Statement& statement, const std::string& tensor)
{
  const auto is_it = [&](const Expr& part) { return part.kind == ExprKind::load && part.name == tensor; };
  return any_part(*statement.value, is_it) || (statement.guard && any_part(*statement.guard, is_it));
}

double flops_of(const Kernel& stage, const Sizes& sizes)
{
  const auto work = work_of(stage, sizes);
  return work ? work->plain_flops : 0;
}

bool has_rows_and_columns(const Kernel& stage)
{
  const auto contraction = as_contraction(stage);
  return contraction && !contraction->m.empty() && !contraction->n.empty() && contraction->k.size() == 1;
}

// Of a program with several: those of the kind, the one with the most operations first; none where the others have more
// operations than these together.
std::vector<std::size_t> leading_stages(const Kernel& kernel, const std::function<bool(const Kernel&)>& is_one)
{
  const std::vector<Statement>& all = kernel.program.statements;
  if (all.size() < 2 || is_ordered(kernel.program) || kernel.timed.empty()) {
    return {};
  }
  std::vector<std::pair<double, std::size_t>> found;
  double ours = 0, others = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Kernel stage = stage_of(kernel, i);
    const double flops = flops_of(stage, kernel.timed.front());
    const bool fits = is_one(stage);
    (fits ? ours : others) += flops;
    if (fits) {
      found.emplace_back(-flops, i);
    }
  }
  if (ours < others) {
    return {};
  }
  std::ranges::sort(found);
  std::vector<std::size_t> out;
  for (const auto& [flops, statement] : found) {
    out.push_back(statement);
  }
  return out;
}

} // namespace

Kernel stage_of(const Kernel& kernel, std::size_t statement)
{
  const Statement& source = kernel.program.statements[statement];
  Kernel out;
  out.name = kernel.name + "_" + source.target;
  out.summary = kernel.summary;
  out.symbols = kernel.symbols;
  out.timed = kernel.timed;
  out.also = kernel.also;
  out.size_conditions = kernel.size_conditions;
  out.accumulate = kernel.accumulate;
  out.accuracy = kernel.accuracy;
  out.program.statements = {source};
  out.program.statements.front().intermediate = false;
  for (const Argument& argument : kernel.arguments) {
    const bool written = argument.name == source.target;
    if (!written && !loads(source, argument.name)) {
      continue;
    }
    out.arguments.push_back(argument);
    if (is_written(argument.role)) {
      out.arguments.back().role = written && !loads(source, argument.name) ? Role::output : Role::inout;
    }
  }
  for (std::size_t i = 0; i < kernel.program.statements.size(); ++i) {
    const Statement& other = kernel.program.statements[i];
    const bool written = i == statement;
    if (!other.intermediate || (!written && !loads(source, other.target))) {
      continue;
    }
    Argument argument;
    argument.name = other.target;
    argument.type = other.type;
    argument.role = written ? Role::output : Role::inout;
    argument.shape = extents_of(other);
    out.arguments.push_back(std::move(argument));
  }
  return out;
}

std::vector<std::size_t> product_stages(const Kernel& kernel)
{
  return leading_stages(kernel, has_rows_and_columns);
}

std::vector<std::size_t> window_stages(const Kernel& kernel)
{
  return leading_stages(kernel, [](const Kernel& stage) { return window_class(stage) == KernelClass::convolution; });
}

} // namespace hone::kernel
