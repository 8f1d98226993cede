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

// Functions that the language lacks, in terms of those that it has; null for any other.
kernel::ExprPtr written_out(const std::string& name, const std::vector<kernel::ExprPtr>& args)
{
  const auto real = [](double value) { return kernel::make_number(value); };
  const auto call = [](const char* function, const kernel::ExprPtr& x) { return make_call(function, {x}); };
  const auto is = [&](std::string_view base, std::size_t count) {
    return args.size() == count && is_called(name, base);
  };
  if (is("exp2", 1)) {
    return make_call("pow", {real(2), args[0]});
  }
  if (is("expm1", 1)) {
    return arithmetic("-", call("exp", args[0]), real(1));
  }
  if (is("log2", 1) || is("log10", 1)) {
    return arithmetic("/", call("log", args[0]), real(is("log2", 1) ? 0.6931471805599453 : 2.302585092994046));
  }
  if (is("tan", 1)) {
    return arithmetic("/", call("sin", args[0]), call("cos", args[0]));
  }
  if (is("sinh", 1) || is("cosh", 1)) {
    return arithmetic("*", real(0.5),
                      arithmetic(is("sinh", 1) ? "-" : "+", call("exp", args[0]), call("exp", negated(args[0]))));
  }
  if (is("round", 1)) { // halves away from zero
    return arithmetic("*", call("sign", args[0]), call("floor", arithmetic("+", call("abs", args[0]), real(0.5))));
  }
  if (is("trunc", 1)) {
    return arithmetic("*", call("sign", args[0]), call("floor", call("abs", args[0])));
  }
  if (is("hypot", 2)) {
    return call("sqrt", arithmetic("+", arithmetic("*", args[0], args[0]), arithmetic("*", args[1], args[1])));
  }
  if (is("fdim", 2)) {
    return make_call("max", {arithmetic("-", args[0], args[1]), real(0)});
  }
  if (args.size() == 1 && (name == "isnan" || name == "__isnan" || name == "__isnanf")) {
    return compared("!=", args[0], args[0]);
  }
  return nullptr;
}

CNodePtr made(CKind kind, std::string text, std::vector<CNodePtr> children, const CNode& like)
{
  auto out = std::make_shared<CNode>();
  out->kind = kind;
  out->text = std::move(text);
  out->children = std::move(children);
  out->type = like.type;
  out->place = like.place;
  return out;
}

CNodePtr without_casts(const CNodePtr& node)
{
  return node->kind == CKind::cast ? without_casts(node->children[0]) : node;
}

} // namespace

bool is_memory_call(const CNode& node)
{
  constexpr std::array<std::string_view, 3> k_calls{"memset", "memcpy", "memmove"};
  return node.kind == CKind::call && node.children.size() == 3
         && std::ranges::find(k_calls, plain_name(node.text)) != k_calls.end();
}

// memset(x, 0, bytes) and memcpy(x, y, bytes) are loops over elements.
Result<void> Interpreter::set_memory(const CNode& node)
{
  const bool sets = plain_name(node.text) == "memset";
  const CNodePtr target = without_casts(node.children[0]);
  HONE_TRY(const CValue to, evaluate(*target));
  if (to.number) {
    return fail(fmt::format("'{}' is given a number", node.text), {}, node.place);
  }
  const CType& type = m_arrays.at(to.array).type;
  HONE_TRY(const kernel::ExprPtr bytes, number(*node.children[2]));
  const auto size = static_cast<std::int64_t>(type.data ? kernel::size_of(*type.data) : 0);
  const Division count = size == 0 ? Division{} : divide(polynomial_of(*bytes), Polynomial::constant(size));
  if (size == 0 || !count.remainder.terms.empty()) {
    return fail(fmt::format("the bytes that '{}' writes are no whole number of elements of '{}'", node.text,
                            written_name(to.array)),
                fmt::format("write n * sizeof({})", type.element), node.place);
  }
  HONE_TRY(const CValue value, evaluate(*without_casts(node.children[1])));
  if (sets && !(value.number && is_literal(*value.number, 0))) {
    return fail("memset() writes other bytes than 0", "assign the elements in a loop", node.place);
  }
  if (!sets && (value.number || m_arrays.at(value.array).type.element != type.element)) {
    return fail(fmt::format("'{}' copies between arrays of different types", node.text), "copy in a loop", node.place);
  }
  const CNodePtr index = made(CKind::name, "i", {}, node);
  index->declaration = fmt::format("{}@{}:{}", node.text, node.place.line, node.place.column);
  index->type.kind = CType::Kind::integer;
  const auto element = [&](const CNodePtr& base) {
    const CNodePtr out = made(CKind::subscript, "", {base, index}, node);
    out->type = type;
    out->type.extents.clear();
    return out;
  };
  const CNodePtr zero = made(CKind::number, "", {}, node);
  zero->whole = true;
  const CNodePtr body =
    made(CKind::binary, "=", {element(target), sets ? zero : element(without_casts(node.children[1]))}, node);
  Header header;
  header.declaration = index->declaration;
  header.name = "i";
  header.lower = kernel::make_number(0, true);
  header.upper = expression_of(count.quotient);
  header.body = body.get();
  const std::map<std::string, CValue> outside = m_scalars;
  return run_loop(header, outside, node.place);
}

Result<CValue> Interpreter::call(const CNode& node)
{
  if (const CFunction* function = m_file->find(node.declaration)) {
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
  if (const kernel::ExprPtr written = written_out(name, args)) {
    return CValue{written, {}, {}, {}};
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
