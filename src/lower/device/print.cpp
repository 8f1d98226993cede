#include "lower/device/print.h"

#include "lower/binding.h"
#include "util/text.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace hone::lower::device {

namespace {

// Floats that are computed with as f32.
bool is_narrow(kernel::DataType type)
{
  return type == kernel::DataType::f16 || type == kernel::DataType::bf16;
}

std::string_view narrow_name(kernel::DataType type)
{
  return type == kernel::DataType::f16 ? "F16" : "BF16";
}

class Printer {
public:
  explicit Printer(const Spelling& spelling) : m_spelling(spelling) {}

  std::string value(const Value& value, int loosest) const
  {
    const auto [text, level] = written(*value);
    return bracketed(text, level, loosest);
  }

  ProgramBlock block(const Block& nodes) const
  {
    ProgramBlock out;
    for (const Node& node : nodes) {
      add(node, out);
    }
    return out;
  }

private:
  using Text = std::pair<std::string, int>; // and how tightly it binds

  std::string type(const Type& type) const
  {
    const std::string element = m_spelling.type(type.element);
    return type.lanes.empty() ? element : fmt::format("HONE_VECTOR({}, {})", element, type.lanes);
  }

  static std::string literal(const ValueNode& node)
  {
    if (!kernel::is_float(node.type.element)) {
      return fmt::format("{}", static_cast<std::int64_t>(node.number));
    }
    if (std::isinf(node.number)) {
      return node.number > 0 ? "INFINITY" : "-INFINITY";
    }
    const bool wide = node.type.element == kernel::DataType::f64;
    std::string text = wide ? fmt::format("{}", node.number) : fmt::format("{}", static_cast<float>(node.number));
    if (text.find_first_of(".en") == std::string::npos) {
      text += ".0";
    }
    return wide ? text : text + "f";
  }

  Text written(const ValueNode& node) const
  {
    switch (node.kind) {
    case ValueKind::number: {
      const std::string text = literal(node);
      const std::string spread =
        node.type.lanes.empty()
          ? text
          : fmt::format("HONE_SPREAD({}, {}, {})", m_spelling.type(node.type.element), node.type.lanes, text);
      return {spread, spread.starts_with('-') ? k_unary : k_primary};
    }
    case ValueKind::name:
      return {node.text + subscripts(node.args), k_primary};
    case ValueKind::group_id:
    case ValueKind::flat_id:
    case ValueKind::item_id:
    case ValueKind::groups:
      return coordinate(node, m_spelling.type(node.type.element));
    case ValueKind::unary:
      return {node.text + value(node.args[0], k_primary), k_unary};
    case ValueKind::binary: {
      const int level = level_of(node.text);
      return {fmt::format("{} {} {}", value(node.args[0], level), node.text, value(node.args[1], level - 1)), level};
    }
    case ValueKind::call:
      return {call(node), k_primary};
    case ValueKind::select:
      if (!node.args[0]->type.lanes.empty()) {
        return {fmt::format("HONE_CHOOSE({}, {}, {}, {}, {})", m_spelling.type(node.type.element), node.type.lanes,
                            value(node.args[0], k_choice), value(node.args[1], k_choice),
                            value(node.args[2], k_choice)),
                k_primary};
      }
      return {fmt::format("{} ? {} : {}", value(node.args[0], k_or), value(node.args[1], k_or),
                          value(node.args[2], k_choice)),
              k_choice};
    case ValueKind::cast:
      return cast(node);
    case ValueKind::load:
      return load(node);
    case ValueKind::gather:
      if (is_number(node.args[1], 2)) {
        return {fmt::format("HONE_EVERY_SECOND({}, {}, {}, {})", m_spelling.type(node.type.element), node.type.lanes,
                            node.text, value(node.args[0], k_choice)),
                k_primary};
      }
      return {fmt::format("HONE_GATHER({}, {}, {}, {}, {})", m_spelling.type(node.type.element), node.type.lanes,
                          node.text, value(node.args[0], k_choice), value(node.args[1], k_choice)),
              k_primary};
    case ValueKind::address:
      return {fmt::format("&{}[{}]", node.text, value(node.args[0], k_choice)), k_unary};
    case ValueKind::lane:
      return {fmt::format("HONE_LANE({}, {}, {}, {})", m_spelling.type(node.type.element), node.args[0]->type.lanes,
                          value(node.args[0], k_choice), value(node.args[1], k_choice)),
              k_primary};
    }
    return {"", k_primary};
  }

  std::string subscripts(const std::vector<Value>& positions) const
  {
    std::string out;
    for (const Value& position : positions) {
      out += fmt::format("[{}]", value(position, k_choice));
    }
    return out;
  }

  std::string call(const ValueNode& node) const
  {
    std::vector<std::string> arguments;
    for (const Value& argument : node.args) {
      // A literal has a type of its own, and languages choose among functions by type.
      const bool whole = argument->kind == ValueKind::number && !kernel::is_float(argument->type.element);
      arguments.push_back(whole ? fmt::format("({}){}", m_spelling.type(node.type.element), value(argument, k_primary))
                                : value(argument, k_choice));
    }
    const std::string other = m_spelling.function(node.text, node.type.element);
    return fmt::format("{}({})", other.empty() ? node.text : other, join(arguments, ", "));
  }

  // Languages have them in types of their own.
  Text coordinate(const ValueNode& node, const std::string& type) const
  {
    const auto axis = static_cast<std::size_t>(node.axis);
    const std::string_view text = node.kind == ValueKind::flat_id    ? m_spelling.flat
                                  : node.kind == ValueKind::group_id ? m_spelling.group[axis]
                                  : node.kind == ValueKind::item_id  ? m_spelling.item[axis]
                                                                     : m_spelling.groups[axis];
    return {fmt::format("({}){}", type, text), k_unary};
  }

  Text cast(const ValueNode& node) const
  {
    const Value& from = node.args[0];
    if (from->kind == ValueKind::group_id || from->kind == ValueKind::item_id) {
      return coordinate(*from, type(node.type));
    }
    if (!node.type.lanes.empty() && from->type.lanes.empty()) {
      return {fmt::format("HONE_SPREAD({}, {}, {})", m_spelling.type(node.type.element), node.type.lanes,
                          value(from, k_choice)),
              k_primary};
    }
    return {fmt::format("({}){}", type(node.type), value(from, k_primary)), k_unary};
  }

  Text load(const ValueNode& node) const
  {
    const std::string position = value(node.args[0], k_choice);
    if (!node.type.lanes.empty() && is_narrow(node.stored) && node.scope == Scope::global) {
      return {fmt::format("HONE_LOAD_{}({}, {}, {})", narrow_name(node.stored), node.type.lanes, node.text, position),
              k_primary};
    }
    if (!node.type.lanes.empty()) {
      return {fmt::format("HONE_LOAD({}, {}, {}, {})", m_spelling.type(node.type.element), node.type.lanes, node.text,
                          position),
              k_primary};
    }
    if (m_spelling.load_narrow != nullptr) {
      if (const std::string narrow = m_spelling.load_narrow(node.stored, node.text, position); !narrow.empty()) {
        return {narrow, k_primary};
      }
    }
    const std::string text = fmt::format("{}[{}]", node.text, position);
    return node.stored == node.type.element
             ? Text{text, k_primary}
             : Text{fmt::format("({}){}", m_spelling.type(node.type.element), text), k_unary};
  }

  void add(const Node& node, ProgramBlock& out) const
  {
    switch (node.kind) {
    case Node::Kind::comment:
      out.push_back(lower::comment(node.text));
      break;
    case Node::Kind::define:
      out.push_back(statement(fmt::format("{}{} {} = {};", node.constant ? "const " : "", type(node.type), node.text,
                                          value(node.values[0], k_choice))));
      break;
    case Node::Kind::array:
      out.push_back(statement(fmt::format("{} {}{};", type(node.type), node.text, subscripts(node.values))));
      break;
    case Node::Kind::assign:
      out.push_back(assignment(node));
      break;
    case Node::Kind::store:
      out.push_back(statement(stored(node)));
      break;
    case Node::Kind::loop:
      if (node.axis == Axis::unrolled || !node.unroll.empty()) {
        out.push_back(statement(m_spelling.unroll(node.axis == Axis::unrolled ? "" : node.unroll)));
      }
      out.push_back(lower::loop(type(node.type), node.text, value(node.values[0], k_choice),
                                value(node.values[1], k_addition), value(node.values[2], k_choice), block(node.body)));
      break;
    case Node::Kind::repeat:
      out.push_back(braced(fmt::format("while ({})", value(node.values[0], k_choice)), block(node.body)));
      break;
    case Node::Kind::guard:
      out.push_back(lower::guard(value(node.values[0], k_choice), block(node.body)));
      if (!node.otherwise.empty()) {
        out.push_back(braced("else", block(node.otherwise)));
      }
      break;
    case Node::Kind::call: {
      std::vector<std::string> arguments;
      for (const Value& argument : node.values) {
        arguments.push_back(value(argument, k_choice));
      }
      out.push_back(statement(fmt::format("{}({});", node.text, join(arguments, ", "))));
      break;
    }
    case Node::Kind::barrier:
      out.push_back(statement(std::string(m_spelling.barrier)));
      break;
    case Node::Kind::leave:
      out.push_back(statement("return;"));
      break;
    }
  }

  // "x += y" where it is one.
  ProgramNode assignment(const Node& node) const
  {
    const std::string place = value(node.values[0], k_choice);
    const ValueNode& what = *node.values[1];
    if (what.kind == ValueKind::binary && what.text == "+" && value(what.args[0], k_choice) == place) {
      return statement(fmt::format("{} += {};", place, value(what.args[1], k_choice)));
    }
    return statement(fmt::format("{} = {};", place, value(node.values[1], k_choice)));
  }

  std::string stored(const Node& node) const
  {
    const std::string position = value(node.values[0], k_choice);
    if (node.copies) {
      const ValueNode& from = *node.values[1];
      return fmt::format("{}[{}] = {}[{}];", node.text, position, from.text, value(from.args[0], k_choice));
    }
    const std::string what = value(node.values[1], k_choice);
    if (!node.type.lanes.empty() && is_narrow(node.stored)) {
      return fmt::format("HONE_STORE_{}({}, {}, {}, {});", narrow_name(node.stored), node.type.lanes, node.text,
                         position, what);
    }
    if (!node.type.lanes.empty()) {
      return fmt::format("HONE_STORE({}, {}, {}, {}, {});", m_spelling.type(node.type.element), node.type.lanes,
                         node.text, position, what);
    }
    const std::string narrow =
      m_spelling.store_narrow == nullptr ? "" : m_spelling.store_narrow(node.stored, node.text, position, what);
    return narrow.empty() ? fmt::format("{}[{}] = {};", node.text, position, what) : narrow + ";";
  }

  const Spelling& m_spelling;
};

} // namespace

std::string print(const Value& value, const Spelling& spelling, int loosest)
{
  return Printer(spelling).value(value, loosest);
}

ProgramBlock print(const Function& function, const Spelling& spelling)
{
  const Printer printer(spelling);
  std::vector<std::string> parameters;
  for (const Parameter& parameter : function.parameters) {
    if (spelling.has_parameters) {
      parameters.push_back(spelling.parameter(parameter));
    }
  }
  ProgramBlock locals;
  if (function.sized_at_launch) {
    locals.push_back(statement(fmt::format("{};", spelling.sized_at_launch)));
  }
  std::string before = "0";
  for (const LocalArray& local : function.locals) {
    if (function.sized_at_launch) {
      const std::string type = spelling.type(local.type);
      locals.push_back(statement(fmt::format("{0}* const {1} = ({0}*)(hone_local + {2});", type, local.name, before)));
      const std::string bytes = fmt::format("{} * {}", local.elements, kernel::size_of(local.type));
      before = before == "0" ? bytes : before + " + " + bytes;
      continue;
    }
    locals.push_back(
      statement(fmt::format("{}{} {}[{}];", spelling.local, spelling.type(local.type), local.name, local.elements)));
  }
  ProgramBlock out = {blank_line()};
  if (spelling.local_outside) {
    append(out, std::move(locals));
    locals.clear();
  }
  if (!function.purpose.empty()) {
    out.push_back(lower::comment(function.purpose));
  }
  append(locals, printer.block(function.body));
  out.push_back(lower::function(spelling.head(function, join(parameters, ", ")), std::move(locals)));
  return out;
}

} // namespace hone::lower::device
