#include "import/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>

namespace hone::import {

namespace {

constexpr int k_deepest_values = 32; // of variables that are made of variables

bool is_type(const CNode& node, std::string_view name)
{
  return node.type.element == name || node.type.spelling == name;
}

bool is_float_call(const CNode& node, std::string_view name)
{
  return node.kind == CKind::call && (node.text == name || node.text == std::string(name) + "f")
         && node.children.size() == 1;
}

// What the host function computes, in terms of the kernel's parameters.
class HostValues {
public:
  HostValues(const CFile& file, const CFunction& kernel, const CFunction& host, const CNode& call)
    : m_file(file), m_kernel(kernel), m_host(host), m_call(call)
  {
  }

  Result<KernelLaunch> launch()
  {
    KernelLaunch out;
    out.place = m_call.place;
    const std::vector<CNodePtr>& configuration = m_call.launch->children;
    HONE_TRY(out.grid, dimensions(*configuration[0], "grid"));
    HONE_TRY(out.block, dimensions(*configuration[1], "block"));
    if (configuration.size() > 2 && !is_default(*configuration[2])) {
      HONE_TRY(const CNodePtr shared, resolved(*configuration[2], 0));
      out.shared = is_integer_node(*shared, 0) ? nullptr : shared;
    }
    out.further = m_further;
    out.units = m_units;
    return out;
  }

private:
  // An argument that was left out.
  static bool is_default(const CNode& node)
  {
    const CNode& bare = without_casts(node);
    return bare.kind == CKind::other && bare.children.empty();
  }

  std::string_view written(const CNode& node) const
  {
    return node.begin < node.end && node.end <= m_file.text.size()
             ? std::string_view(m_file.text).substr(node.begin, node.end - node.begin)
             : std::string_view();
  }

  // The name of a macro that stands for a whole expression.
  std::string_view macro(const CNode& node) const
  {
    const std::string_view text = written(node);
    const bool word = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0
                      && std::ranges::all_of(text, [](char letter) {
                           return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
                         });
    return word && without_casts(node).kind != CKind::name ? text : std::string_view();
  }

  // N, when the kernel is called with N: its parameter.
  const CParameter* passed(const CNode& node) const
  {
    const CNode& bare = without_casts(node);
    for (std::size_t i = 0; i < m_call.children.size() && i < m_kernel.parameters.size(); ++i) {
      const CNode& argument = without_casts(*m_call.children[i]);
      if (!is_integer(m_kernel.parameters[i])) {
        continue;
      }
      const std::string_view name = macro(*m_call.children[i]);
      const bool same_macro = !name.empty() && name == macro(node);
      const bool same_variable = !argument.declaration.empty() && argument.declaration == bare.declaration;
      const bool computed = argument.kind == CKind::binary && same_tree(argument, bare);
      if (same_macro || same_variable || computed) {
        return &m_kernel.parameters[i];
      }
    }
    return nullptr;
  }

  static CNodePtr parameter_node(const CParameter& parameter, const CNode& like)
  {
    CNodePtr out = make_node(CKind::name, parameter.name, {}, like);
    out->declaration = parameter.declaration;
    out->type = parameter.type;
    return out;
  }

  Result<std::array<CNodePtr, 3>> dimensions(const CNode& node, const std::string& what)
  {
    std::array<CNodePtr, 3> out{make_integer(1, node), make_integer(1, node), make_integer(1, node)};
    const CNode& bare = without_casts(node);
    if (bare.kind == CKind::name && (is_type(bare, "dim3") || is_type(bare, "uint3"))) {
      HONE_CHECK(variable_dimensions(bare, what, out));
      return out;
    }
    if (bare.kind == CKind::list || (bare.kind == CKind::call && bare.text == "dim3")) {
      if (bare.children.size() == 1 && is_type(without_casts(*bare.children[0]), "dim3")) {
        return dimensions(*bare.children[0], what);
      }
      for (std::size_t i = 0; i < bare.children.size() && i < 3; ++i) {
        if (!is_default(*bare.children[i])) {
          HONE_TRY(out[i], resolved(*bare.children[i], 0));
        }
      }
      return out;
    }
    HONE_TRY(out[0], resolved(node, 0));
    return out;
  }

  // dim3 grid(...), perhaps with grid.y = ... later.
  Result<void> variable_dimensions(const CNode& name, const std::string& what, std::array<CNodePtr, 3>& out)
  {
    const CNode* const variable = variable_of(name.declaration);
    if (variable == nullptr) {
      return unknown(name);
    }
    if (!variable->children.empty() && !is_default(*variable->children[0])) {
      HONE_TRY(out, dimensions(*variable->children[0], what));
    }
    for (std::size_t axis = 0; axis < k_axes.size(); ++axis) {
      const std::string declaration = fmt::format("{}.{}", name.declaration, k_axes[axis]);
      if (const CNode* const value = assigned_to(declaration)) {
        HONE_TRY(out[axis], resolved(*value, 0));
      }
    }
    return {};
  }

  const CNode* variable_of(const std::string& declaration) const
  {
    const CNode* out = nullptr;
    visit_nodes(*m_host.body, [&](const CNode& node) {
      out = node.kind == CKind::variable && node.declaration == declaration ? &node : out;
    });
    for (const CTopLevel& one : m_file.others) {
      out = one.declaration == declaration && one.variable ? one.variable.get() : out;
    }
    return out;
  }

  // The value of the only assignment.
  const CNode* assigned_to(const std::string& declaration) const
  {
    const CNode* out = nullptr;
    visit_nodes(*m_host.body, [&](const CNode& node) {
      if (node.kind == CKind::binary && node.text == "="
          && without_casts(*node.children[0]).declaration == declaration) {
        out = node.children[1].get();
      }
    });
    return out;
  }

  bool changes(const std::string& declaration) const
  {
    bool out = false;
    visit_nodes(*m_host.body, [&](const CNode& node) {
      out = out || (changes_its_operand(node) && without_casts(*node.children[0]).declaration == declaration);
    });
    return out;
  }

  std::unexpected<Error> unknown(const CNode& node) const
  {
    return fail(fmt::format("how many threads are launched is not known: '{}' is no constant, no argument of '{}' and "
                            "no parameter of '{}'",
                            written(node).empty() ? node.text : std::string(written(node)), m_kernel.name, m_host.name),
                fmt::format("write the launch in a function of its own, such as void run(int n, ...) {{ {}<<<(n + 255) "
                            "/ 256, 256>>>(n, ...); }}",
                            m_kernel.name),
                node.place);
  }

  Result<CNodePtr> resolved(const CNode& node, int depth)
  {
    if (const CParameter* const parameter = passed(node)) {
      return parameter_node(*parameter, node);
    }
    const CNode& bare = without_casts(node);
    if (const CParameter* const parameter = passed(bare)) {
      return parameter_node(*parameter, node);
    }
    if (depth > k_deepest_values) {
      return unknown(bare);
    }
    switch (bare.kind) {
    case CKind::number:
      if (std::floor(bare.number) != bare.number) {
        return unknown(bare);
      }
      return make_integer(static_cast<std::int64_t>(bare.number), bare);
    case CKind::name:
      return value_of(bare, depth + 1);
    case CKind::call:
      return call(bare, depth + 1);
    case CKind::binary:
      return binary(bare, depth + 1);
    case CKind::conditional: {
      std::vector<CNodePtr> parts;
      for (const CNodePtr& child : bare.children) {
        HONE_TRY(const CNodePtr part, resolved(*child, depth + 1));
        parts.push_back(part);
      }
      return make_node(CKind::conditional, bare.text, parts, bare);
    }
    default:
      return unknown(bare);
    }
  }

  Result<CNodePtr> value_of(const CNode& name, int depth)
  {
    if (const auto known = m_inlined.find(name.declaration); known != m_inlined.end()) {
      return known->second;
    }
    if (is_unit_count(name)) {
      std::string text = name.text;
      std::ranges::replace(text, '.', '_');
      if (std::ranges::find(m_units, text) == m_units.end()) {
        m_units.push_back(text);
      }
      CNodePtr out = make_node(CKind::name, text, {}, name);
      out->declaration = name.declaration;
      return out;
    }
    const std::size_t dot = name.text.rfind('.');
    if (dot != std::string::npos && name.text.back() >= 'x' && dot + 2 == name.text.size()) { // block.x
      CNode whole = name;
      whole.text = name.text.substr(0, dot);
      whole.declaration = name.declaration.substr(0, name.declaration.rfind('.'));
      std::array<CNodePtr, 3> all{make_integer(1, name), make_integer(1, name), make_integer(1, name)};
      HONE_CHECK(variable_dimensions(whole, "block", all));
      return all[static_cast<std::size_t>(name.text.back() - 'x')];
    }
    const CNode* const variable = variable_of(name.declaration);
    const bool changed = changes(name.declaration);
    if (variable != nullptr && !variable->children.empty() && !changed) {
      return resolved(*variable->children[0], depth);
    }
    if (const CNode* const value = assigned_to(name.declaration);
        variable != nullptr && value != nullptr && variable->children.empty()) {
      return resolved(*value, depth);
    }
    const auto parameter = std::ranges::find(m_host.parameters, name.declaration, &CParameter::declaration);
    if (parameter == m_host.parameters.end() || !is_integer(*parameter) || changed) {
      return unknown(name);
    }
    if (std::ranges::find(m_further, parameter->declaration, &CParameter::declaration) == m_further.end()) {
      m_further.push_back(*parameter);
    }
    return parameter_node(*parameter, name);
  }

  // cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0)
  bool is_unit_count(const CNode& name) const
  {
    bool out = name.text.ends_with(".multiProcessorCount");
    visit_nodes(*m_host.body, [&](const CNode& node) {
      if (node.kind != CKind::call || !node.text.ends_with("DeviceGetAttribute") || node.children.size() < 2) {
        return;
      }
      const CNode& address = without_casts(*node.children[0]);
      out = out
            || (address.kind == CKind::unary && without_casts(*address.children[0]).declaration == name.declaration
                && std::string_view(written(*node.children[1])).ends_with("ultiProcessorCount"));
    });
    return out;
  }

  // Helpers of the host that are templates are known by their names.
  static bool rounds_up(const CNode& node)
  {
    std::string name;
    for (const char letter : node.text) {
      if (letter != '_') {
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      }
    }
    constexpr std::array<std::string_view, 8> k_names{"ceildiv", "divceil",  "cdiv",  "divup",
                                                      "idivup",  "divideup", "updiv", "divroundup"};
    return node.children.size() == 2 && std::ranges::find(k_names, name) != k_names.end();
  }

  Result<CNodePtr> rounded_up(const CNode& above, const CNode& below, const CNode& like, int depth)
  {
    HONE_TRY(const CNodePtr dividend, resolved(above, depth));
    HONE_TRY(const CNodePtr divisor, resolved(below, depth));
    const bool number = divisor->kind == CKind::number;
    const CNodePtr rest = number ? make_integer(static_cast<std::int64_t>(divisor->number) - 1, like) : divisor;
    CNodePtr sum = make_node(CKind::binary, "+", {dividend, rest}, like);
    sum = number ? sum : make_node(CKind::binary, "-", {sum, make_integer(1, like)}, like);
    return make_node(CKind::binary, "/", {sum, divisor}, like);
  }

  Result<CNodePtr> call(const CNode& node, int depth)
  {
    if (is_float_call(node, "ceil")) { // ceil(n / 256.0)
      const CNode& inside = without_casts(*node.children[0]);
      if (inside.kind == CKind::binary && inside.text == "/") {
        return rounded_up(*inside.children[0], *inside.children[1], node, depth);
      }
      return resolved(inside, depth);
    }
    if ((node.text == "min" || node.text == "max") && node.children.size() == 2) {
      HONE_TRY(const CNodePtr left, resolved(*node.children[0], depth));
      HONE_TRY(const CNodePtr right, resolved(*node.children[1], depth));
      return make_node(CKind::call, node.text, {left, right}, node);
    }
    const CFunction* const function = m_file.find(node.declaration);
    const bool simple = function != nullptr && function->body && function->body->children.size() == 1
                        && function->body->children[0]->kind == CKind::return_
                        && function->parameters.size() == node.children.size();
    if (!simple && rounds_up(node)) {
      return rounded_up(*node.children[0], *node.children[1], node, depth);
    }
    if (!simple) {
      return unknown(node);
    }
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      HONE_TRY(const CNodePtr value, resolved(*node.children[i], depth));
      m_inlined[function->parameters[i].declaration] = value;
    }
    return resolved(*function->body->children[0]->children[0], depth);
  }

  Result<CNodePtr> binary(const CNode& node, int depth)
  {
    HONE_TRY(const CNodePtr left, resolved(*node.children[0], depth));
    HONE_TRY(const CNodePtr right, resolved(*node.children[1], depth));
    const bool numbers = left->kind == CKind::number && right->kind == CKind::number;
    const auto a = static_cast<std::int64_t>(left->number);
    const auto b = static_cast<std::int64_t>(right->number);
    const std::string& op = node.text;
    if (right->kind == CKind::number && (op == "<<" || op == ">>") && b >= 0 && b < 62) {
      const CNodePtr power = make_integer(std::int64_t{1} << b, node);
      return left->kind == CKind::number ? make_integer(op == "<<" ? a << b : a >> b, node)
                                         : make_node(CKind::binary, op == "<<" ? "*" : "/", {left, power}, node);
    }
    if (numbers && (op == "+" || op == "-" || op == "*")) {
      return make_integer(op == "+" ? a + b : op == "-" ? a - b : a * b, node);
    }
    if (numbers && b != 0 && (op == "/" || op == "%")) {
      return make_integer(op == "/" ? a / b : a % b, node);
    }
    constexpr std::array<std::string_view, 13> k_operators{"+",  "-",  "*",  "/",  "%",  "<", ">",
                                                           "<=", ">=", "==", "!=", "&&", "||"};
    if (std::ranges::find(k_operators, op) == k_operators.end()) {
      return unknown(node);
    }
    return make_node(CKind::binary, op, {left, right}, node);
  }

  const CFile& m_file;
  const CFunction& m_kernel;
  const CFunction& m_host;
  const CNode& m_call;
  std::vector<CParameter> m_further;
  std::vector<std::string> m_units;
  std::map<std::string, CNodePtr> m_inlined; // parameters of the host's helpers
};

} // namespace

CNodePtr make_node(CKind kind, std::string text, std::vector<CNodePtr> children, const CNode& like)
{
  auto out = std::make_shared<CNode>();
  out->kind = kind;
  out->text = std::move(text);
  out->children = std::move(children);
  out->place = like.place;
  out->type.kind = CType::Kind::integer;
  out->type.data = kernel::DataType::i32;
  out->type.element = "int";
  out->type.spelling = "int";
  return out;
}

CNodePtr make_integer(std::int64_t value, const CNode& like)
{
  CNodePtr out = make_node(CKind::number, std::to_string(value), {}, like);
  out->number = static_cast<double>(value);
  out->whole = true;
  return out;
}

bool is_integer_node(const CNode& node, std::int64_t value)
{
  const CNode& bare = without_casts(node);
  return bare.kind == CKind::number && bare.number == static_cast<double>(value);
}

bool same_tree(const CNode& a, const CNode& b)
{
  const CNode& left = without_casts(a);
  const CNode& right = without_casts(b);
  if (left.kind != right.kind || left.children.size() != right.children.size()) {
    return false;
  }
  if (left.kind == CKind::number) {
    return left.number == right.number;
  }
  return left.text == right.text && left.declaration == right.declaration
         && std::ranges::equal(left.children, right.children,
                               [](const CNodePtr& x, const CNodePtr& y) { return same_tree(*x, *y); });
}

Result<KernelLaunch> launch_of(const CFile& file, const CFunction& kernel)
{
  const CNode* from_kernel = nullptr;
  for (const CFunction& host : file.functions) {
    const CNode* call = nullptr;
    if (host.body) {
      visit_nodes(*host.body, [&](const CNode& node) {
        const bool launches = node.kind == CKind::call && node.launch && node.declaration == kernel.declaration
                              && node.launch->children.size() >= 2;
        call = call == nullptr && launches ? &node : call;
      });
    }
    if (call != nullptr && !host.device) {
      return HostValues(file, kernel, host, *call).launch();
    }
    from_kernel = call != nullptr ? call : from_kernel;
  }
  if (from_kernel != nullptr) {
    return fail(fmt::format("'{}' is launched by a kernel, and a kernel of Hone launches nothing", kernel.name),
                "launch it from a function of the host", from_kernel->place);
  }
  if (!file.host_errors.empty()) { // the launch may be lost in what the front end did not understand
    Error error = file.host_errors.front();
    error.message = fmt::format("the launch of '{}' cannot be read: {}", kernel.name, error.message);
    return std::unexpected(error);
  }
  return fail(fmt::format("the file does not launch '{}'", kernel.name),
              fmt::format("add a function with the launch, such as void run(int n, ...) {{ {}<<<(n + 255) / 256, "
                          "256>>>(n, ...); }}",
                          kernel.name),
              kernel.place);
}

} // namespace hone::import
