// Calls: mathematical functions by name, functions of the same file by running them in place.
#include "import/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::import {

namespace {

constexpr std::size_t k_deepest_calls = 16;

struct KnownFunction {
  std::string_view c; // without the f of float and the l of long double
  std::size_t arguments;
  std::string_view ours;
};

constexpr std::array<KnownFunction, 17> k_known{{{"exp", 1, "exp"},
                                                 {"log", 1, "log"},
                                                 {"log1p", 1, "log1p"},
                                                 {"sqrt", 1, "sqrt"},
                                                 {"tanh", 1, "tanh"},
                                                 {"erf", 1, "erf"},
                                                 {"sin", 1, "sin"},
                                                 {"cos", 1, "cos"},
                                                 {"pow", 2, "pow"},
                                                 {"fabs", 1, "abs"},
                                                 {"abs", 1, "abs"},
                                                 {"labs", 1, "abs"},
                                                 {"floor", 1, "floor"},
                                                 {"fmax", 2, "max"},
                                                 {"fmin", 2, "min"},
                                                 {"max", 2, "max"},
                                                 {"min", 2, "min"}}};

std::string plain_name(std::string name)
{
  if (name.starts_with("__builtin_")) {
    name.erase(0, 10);
  }
  return name;
}

bool is_called(const std::string& name, std::string_view base)
{
  return name == base || (name.starts_with(base) && name.size() == base.size() + 1 && name.back() == 'f');
}

Result<void> refuse_memory(const CNode& node)
{
  constexpr std::array<std::string_view, 4> k_memory{"malloc", "calloc", "free", "aligned_alloc"};
  if (std::ranges::find(k_memory, node.text) == k_memory.end()) {
    return {};
  }
  return fail(fmt::format("the function calls '{}', and a kernel allocates nothing", node.text),
              "use a local array, such as double t[n], or one more argument", node.place);
}

} // namespace

Result<CValue> Interpreter::call(const CNode& node)
{
  if (const CFunction* function = m_file.find(node.declaration)) {
    return inlined(*function, node);
  }
  HONE_CHECK(refuse_memory(node));
  std::vector<kernel::ExprPtr> args;
  for (const CNodePtr& argument : node.children) {
    HONE_TRY(const CValue value, evaluate(*argument));
    if (!value.number) {
      args.clear();
      break;
    }
    args.push_back(is_condition(*value.number)
                     ? choice(value.number, kernel::make_number(1, true), kernel::make_number(0, true))
                     : value.number);
  }
  return mathematical(node, std::move(args));
}

Result<CValue> Interpreter::mathematical(const CNode& node, std::vector<kernel::ExprPtr> args)
{
  const std::string name = plain_name(node.text);
  if (node.children.empty() && (is_called(name, "inf") || is_called(name, "huge_val"))) {
    return CValue{kernel::make_number(std::numeric_limits<double>::infinity()), {}, {}, {}};
  }
  HONE_CHECK(note_arithmetic(node.type, node.place));
  if (args.size() == 3 && is_called(name, "fma")) {
    return CValue{arithmetic("+", arithmetic("*", args[0], args[1]), args[2]), {}, {}, {}};
  }
  if (args.size() == 1 && is_called(name, "ceil")) {
    return CValue{negated(make_call("floor", {negated(args[0])})), {}, {}, {}};
  }
  if (args.size() == 1 && is_called(name, "exp2")) {
    return CValue{make_call("pow", {kernel::make_number(2), args[0]}), {}, {}, {}};
  }
  for (const KnownFunction& known : k_known) {
    if (is_called(name, known.c) && args.size() == known.arguments) {
      return CValue{make_call(std::string(known.ours), std::move(args)), {}, {}, {}};
    }
  }
  return fail(
    fmt::format("the function calls '{}', which is not in this file and no mathematical function that is known",
                node.text),
    fmt::format("put the definition of '{}' into the file, or write out what it computes", node.text), node.place);
}

Result<CValue> Interpreter::inlined(const CFunction& function, const CNode& node)
{
  if (std::ranges::find(m_calls, function.declaration) != m_calls.end() || m_calls.size() > k_deepest_calls) {
    return fail(fmt::format("'{}' calls itself", function.name), "write the recursion as loops", node.place);
  }
  if (node.children.size() != function.parameters.size()) {
    return fail(fmt::format("'{}' is called with {} arguments", function.name, node.children.size()), {}, node.place);
  }
  std::vector<CValue> values;
  for (const CNodePtr& argument : node.children) {
    HONE_TRY(CValue value, evaluate(*argument));
    values.push_back(std::move(value));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const CParameter& parameter = function.parameters[i];
    m_scalars[parameter.declaration] = std::move(values[i]);
    m_names[parameter.declaration] = parameter.name;
    m_types[parameter.declaration] = parameter.type;
  }
  m_calls.push_back(function.declaration);
  const std::size_t frames = std::exchange(m_call_frames, m_frames.size());
  m_returned.reset();
  Result<void> run = this->run(*function.body, true);
  m_call_frames = frames;
  m_calls.pop_back();
  HONE_CHECK(std::move(run));
  CValue out = m_returned.value_or(CValue{make_load("@undefined", {}, kernel::DataType::f64), {}, {}, {}});
  m_returned.reset();
  return out;
}

} // namespace hone::import
