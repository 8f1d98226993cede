#include "lower/packed_windows.h"

#include <fmt/format.h>

namespace hone::lower {

ProgramNode PackedWindows::declaration() const
{
  return statement(fmt::format("{0}* const {1} = ({0}*)group->shared;", m_code->number(), name));
}

Result<const WindowLoad*> load_to_pack(const WindowView& view)
{
  const std::string hint = "leave this step out, or write it by hand";
  if (view.loads.size() != 1 || view.loads.front().by_channel) {
    return fail("several tensors lie along the columns", hint);
  }
  const WindowLoad& load = view.loads.front();
  if (neutral_element(view, load.node).empty()) {
    return fail(fmt::format("no value of {} outside its border would change nothing", load.load->name), hint,
                load.load->place);
  }
  return &load;
}

std::string neutral_element(const WindowView& view, const std::string& node)
{
  const auto is_node = [&](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::index && part.name == node;
  };
  const kernel::Expr* body = view.body.get();
  if (view.op != kernel::ReduceOp::sum) {
    return !is_node(*body) ? "" : view.op == kernel::ReduceOp::max ? "-INFINITY" : "INFINITY";
  }
  while (body->kind == kernel::ExprKind::binary && body->name == "*") {
    if (is_node(*body->args[0]) || is_node(*body->args[1])) {
      return "0";
    }
    body = body->args[0].get();
  }
  return is_node(*body) ? "0" : "";
}

} // namespace hone::lower
