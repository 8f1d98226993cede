#include "kernel/domain_inference.h"

#include "kernel/expression_types.h"

#include <algorithm>
#include <cmath>

namespace hone::kernel {

namespace {

ExprPtr smaller(const ExprPtr& a, const ExprPtr& b)
{
  if (to_text(*a) == to_text(*b)) {
    return a;
  }
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::call;
  out->name = "min";
  out->type = DataType::i64;
  out->args = {a, b};
  return out;
}

class DomainInference {
public:
  explicit DomainInference(Kernel& kernel) : m_kernel(kernel) {}

  void run()
  {
    for (const Statement& statement : m_kernel.program.statements) {
      if (statement.guard) {
        visit(*statement.guard);
        m_conditions.push_back(statement.guard.get());
      }
      visit(*statement.value);
      for (std::size_t i = 0; i < statement.subscripts.size(); ++i) {
        limit_to(*statement.subscripts[i], make_binary("-", statement.extents[i], make_number(1, true)));
        visit(*statement.subscripts[i]);
      }
      m_conditions.clear();
    }
  }

private:
  // The input that a plain load reads and whose domain is ours to choose; else null.
  Argument* open_input(const Expr& expression)
  {
    const auto found = std::ranges::find(m_kernel.arguments, expression.name, &Argument::name);
    const bool readable = expression.kind == ExprKind::load && found != m_kernel.arguments.end()
                          && found->role != Role::output && !found->domain_given;
    // A condition on the input is there because the input takes other values, too.
    const bool guarded =
      std::ranges::any_of(m_conditions, [&](const Expr* condition) { return mentions(*condition, expression.name); });
    return readable && !guarded ? &*found : nullptr;
  }

  static bool mentions(const Expr& expression, const std::string& tensor)
  {
    return any_part(expression, [&](const Expr& part) { return part.kind == ExprKind::load && part.name == tensor; });
  }

  void narrow(Argument& argument, double low, double high)
  {
    argument.domain.low = std::max(argument.domain.low, low);
    argument.domain.high = std::min(argument.domain.high, high);
  }

  void limit_to(const Expr& load, const ExprPtr& highest)
  {
    if (Argument* argument = open_input(load); argument != nullptr && is_integer(argument->type)) {
      argument->domain.low = 0;
      argument->highest = argument->highest ? smaller(argument->highest, highest) : highest;
    }
  }

  // The extents that an index subscripts, standing plain, anywhere below.
  void collect_extents(const Expr& expression, const std::string& index, ExprPtr& out) const
  {
    if (expression.kind == ExprKind::load) {
      const std::vector<ExprPtr> shape = shape_of_tensor(m_kernel, expression.name);
      for (std::size_t i = 0; i < expression.args.size() && i < shape.size(); ++i) {
        const Expr& subscript = *expression.args[i];
        if (subscript.kind == ExprKind::index && subscript.name == index) {
          out = out ? smaller(out, shape[i]) : shape[i];
        }
      }
    }
    for (const ExprPtr& arg : expression.args) {
      collect_extents(*arg, index, out);
    }
  }

  void limit_bound(const Expr& reduce, const IndexRange& range)
  {
    ExprPtr extent;
    for (const ExprPtr& arg : reduce.args) {
      collect_extents(*arg, range.name, extent);
    }
    if (!extent) {
      return;
    }
    if (range.lower) {
      limit_to(*range.lower, extent);
    }
    if (range.upper->kind == ExprKind::binary && range.upper->name == "+") { // k <= last[b]
      limit_to(*range.upper->args[0], make_binary("-", extent, make_number(1, true)));
    } else {
      limit_to(*range.upper, extent);
    }
  }

  void visit_function(const Expr& call)
  {
    Argument* argument = open_input(*call.args[0]);
    if (argument == nullptr || !is_float(argument->type)) {
      return;
    }
    const bool fraction = call.name == "pow" && call.args[1]->kind == ExprKind::number
                          && std::floor(call.args[1]->number) != call.args[1]->number;
    if (call.name == "log" || call.name == "rsqrt") {
      narrow(*argument, smallest_normal(argument->type), 1e300);
    } else if (call.name == "sqrt" || fraction) {
      narrow(*argument, 0, 1e300);
    } else if (call.name == "log1p") {
      narrow(*argument, -0.5, 1e300);
    }
  }

  void visit(const Expr& expression)
  {
    if (expression.kind == ExprKind::call) {
      visit_function(expression);
    }
    if (expression.kind == ExprKind::load) {
      const std::vector<ExprPtr> shape = shape_of_tensor(m_kernel, expression.name);
      for (std::size_t i = 0; i < expression.args.size() && i < shape.size(); ++i) {
        limit_to(*expression.args[i], make_binary("-", shape[i], make_number(1, true)));
      }
    }
    if (expression.kind == ExprKind::reduce) {
      for (const IndexRange& range : expression.ranges) {
        limit_bound(expression, range);
      }
      Argument* factor = open_input(*expression.args[0]);
      if (expression.op == ReduceOp::prod && factor != nullptr && is_float(factor->type)) {
        narrow(*factor, 0.5, 2);
      }
    }
    visit_parts(expression);
  }

  void visit_parts(const Expr& expression)
  {
    const std::size_t conditions = m_conditions.size();
    const bool guarded_reduction = expression.kind == ExprKind::reduce && expression.args.size() > 1;
    if (guarded_reduction) {
      m_conditions.push_back(expression.args[1].get());
    }
    for (std::size_t i = 0; i < expression.args.size(); ++i) {
      visit(*expression.args[i]);
      const bool decides =
        i == 0 && (expression.kind == ExprKind::select || expression.name == "&&" || expression.name == "||");
      if (decides) {
        m_conditions.push_back(expression.args[0].get());
      }
    }
    m_conditions.resize(conditions);
  }

  Kernel& m_kernel;
  std::vector<const Expr*> m_conditions; // around the place being visited
};

} // namespace

void infer_domains(Kernel& kernel)
{
  DomainInference(kernel).run();
}

} // namespace hone::kernel
