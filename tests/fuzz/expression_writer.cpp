#include "expression_writer.h"

#include <fmt/format.h>

namespace hone {

namespace {

// f64 is a kernel of its own kind (it widens the accumulation), so it is left to the shipped kernels and unit tests.
constexpr const char* k_inputs = R"(A = { type = "f32", shape = ["m", "n"] }
B = { type = "f32", shape = ["n", "k"] }
V = { type = "f32", shape = ["n"] }
U = { type = "f32", shape = ["m"] }
P = { type = "f32", shape = ["k"], domain = [0.5, 2.0] }
H = { type = "f16", shape = ["m", "n"] }
G = { type = "bf16", shape = ["n"] }
I = { type = "i32", shape = ["m"], domain = [0, "n - 1"] }
L = { type = "i64", shape = ["m"], domain = [0, "k"] }
J = { type = "i8", shape = ["n"] }
C = { type = "u8", shape = ["k"] }
M = { type = "bool", shape = ["m", "n"] }
s = { type = "f32" }
)";

// Every argument must be used: one statement sees to that.
constexpr const char* k_all_used =
  "Z[i] = sum(j, A[i,j] * V[j] + H[i,j] where M[i,j]) + sum(q, B[I[i],q] * P[q] where q < L[i]) + U[i] * s "
  "+ sum(j, G[j]) * f32(J[0] + C[0])";

} // namespace

// A subscript that stays inside: an open index over the extent, a gather, or the first element.
std::string ExpressionWriter::subscript(const std::string& extent)
{
  std::vector<std::string> choices;
  for (const Index& index : m_open) {
    if (index.extent == extent) {
      choices.push_back(index.name);
      choices.push_back(index.name);
      choices.push_back(fmt::format("{} - 1 - {}", extent, index.name));
      choices.push_back(fmt::format("{} / 2", index.name));
      choices.push_back(fmt::format("max({} - 1, 0)", index.name));
      choices.push_back(fmt::format("min({}, 1) * {}", index.name, index.name));
    }
    if (extent == "n" && index.extent == "m") {
      choices.push_back(fmt::format("I[{}]", index.name));
    }
  }
  return choices.empty() ? "0" : one_of(choices);
}

std::string ExpressionWriter::number_leaf()
{
  switch (pick(11)) {
  case 0:
    return fmt::format("{}", 0.25 * static_cast<double>(pick(13)) - 1.5);
  case 1:
    return "s";
  case 2:
    return fmt::format("V[{}]", subscript("n"));
  case 3:
    return fmt::format("U[{}]", subscript("m"));
  case 4:
    return fmt::format("P[{}]", subscript("k"));
  case 5:
    return fmt::format("H[{},{}]", subscript("m"), subscript("n"));
  case 6:
    return fmt::format("G[{}]", subscript("n"));
  case 7:
    return fmt::format("f32({})", integer(1));
  case 8:
    return fmt::format("B[{},{}]", subscript("n"), subscript("k"));
  default:
    return fmt::format("A[{},{}]", subscript("m"), subscript("n"));
  }
}

// A read one place to the left or right, with a condition that keeps it inside.
std::string ExpressionWriter::guarded_neighbour()
{
  for (const Index& index : m_open) {
    if (index.extent == "n") {
      return chance(50) ? fmt::format("select({0} >= 1, V[{0} - 1], 0.5)", index.name)
                        : fmt::format("select({0} + 1 < n, V[{0} + 1], -1)", index.name);
    }
  }
  return number_leaf();
}

std::string ExpressionWriter::function(int depth)
{
  static const std::vector<std::string> k_one = {"exp(tanh({}))",
                                                 "exp(-abs({}))",
                                                 "log(abs({}) + 0.5)",
                                                 "log1p(abs({}))",
                                                 "sqrt(abs({}))",
                                                 "rsqrt(abs({}) + 0.5)",
                                                 "tanh({})",
                                                 "erf({})",
                                                 "sin({})",
                                                 "cos({})",
                                                 "pow(abs({}) + 0.5, 1.5)",
                                                 "abs({})",
                                                 "floor({})",
                                                 "sign({})",
                                                 "-({})",
                                                 "f16({})",
                                                 "bf16({})",
                                                 "relu({})",
                                                 "gelu({})",
                                                 "silu({})",
                                                 "sigmoid({})",
                                                 "softplus({})",
                                                 "mish({})",
                                                 "hardswish({})",
                                                 "square({})",
                                                 "softsign({})",
                                                 "exp({})",
                                                 "clamp({}, -1, 1)"};
  std::string text = one_of(k_one);
  return text.replace(text.find("{}"), 2, number(depth - 1));
}

std::string ExpressionWriter::reduction(int depth)
{
  static const std::vector<std::string> k_ops = {"sum", "sum", "sum", "max", "min", "prod"};
  static const std::vector<std::string> k_extents = {"m", "n", "k"};
  const std::string extent = one_of(k_extents);
  const std::string name = fmt::format("q{}", m_names++);
  std::string range = fmt::format("{} < {}", name, extent);
  for (const Index& index : m_open) {
    if (index.extent == extent && chance(30)) {
      range = fmt::format("{} <= {}", name, index.name);
    } else if (extent == "k" && index.extent == "m" && chance(30)) {
      range = fmt::format("{} < L[{}]", name, index.name);
    }
  }
  std::string op = one_of(k_ops);
  m_open.push_back({name, extent});
  std::string body = number(depth - 1);
  const std::string guard = chance(25) ? " where " + condition(1) : "";
  m_open.pop_back();
  if (op == "prod") {
    body = fmt::format("1 + 0.25 * tanh({})", body);
  }
  return fmt::format("{}({}, {}{})", op, range, body, guard);
}

std::string ExpressionWriter::number(int depth)
{
  if (depth <= 0) {
    return number_leaf();
  }
  switch (pick(10)) {
  case 0:
    return number_leaf();
  case 1:
    return fmt::format("({} + {})", number(depth - 1), number(depth - 1));
  case 2:
    return fmt::format("({} - {})", number(depth - 1), number(depth - 1));
  case 3:
    return fmt::format("{} * {}", number(0), number(depth - 1));
  case 4:
    return chance(92) ? fmt::format("({}) / (abs({}) + 1)", number(depth - 1), number(depth - 1))
                      : fmt::format("({}) / ({})", number(depth - 1), number(depth - 1));
  case 5:
    return fmt::format("{}({}, {})", chance(50) ? "max" : "min", number(depth - 1), number(depth - 1));
  case 6:
    return fmt::format("select({}, {}, {})", condition(depth - 1), number(depth - 1), number(depth - 1));
  case 7:
    return reduction(depth);
  case 8:
    return chance(30) ? guarded_neighbour() : function(depth);
  default:
    return function(depth);
  }
}

std::string ExpressionWriter::integer(int depth)
{
  if (depth <= 0) {
    switch (pick(5)) {
    case 0:
      return fmt::format("{}", static_cast<int>(pick(7)) - 3);
    case 1:
      return fmt::format("J[{}]", subscript("n"));
    case 2:
      return fmt::format("C[{}]", subscript("k"));
    case 3:
      return fmt::format("I[{}]", subscript("m"));
    default:
      return m_open.empty() ? "(n - 1)" : one_of(m_open).name; // max(n, ...) would bind n
    }
  }
  switch (pick(9)) {
  case 0:
    return fmt::format("({} + {})", integer(depth - 1), integer(depth - 1));
  case 1:
    return fmt::format("({} - {})", integer(depth - 1), integer(depth - 1));
  case 2:
    return fmt::format("{} * {}", integer(0), integer(0));
  case 3:
    return fmt::format("({}) {} {}", integer(depth - 1), chance(50) ? "/" : "%", 2 + pick(5));
  case 4:
    return fmt::format("{}({}, {})", chance(50) ? "max" : "min", integer(depth - 1), integer(depth - 1));
  case 5:
    return fmt::format("{}({})", chance(50) ? "abs" : "sign", integer(depth - 1));
  case 6:
    return fmt::format("select({}, {}, {})", condition(depth - 1), integer(depth - 1), integer(depth - 1));
  case 7: {
    const std::string name = fmt::format("q{}", m_names++);
    const std::string op = one_of<std::string>({"sum", "max", "min", "argmax", "argmin"});
    m_open.push_back({name, "n"});
    const bool position = op.starts_with("arg");
    const std::string body = position && chance(60) ? number_leaf() : integer(0);
    m_open.pop_back();
    return fmt::format("{}({} < n, {})", op, name, body);
  }
  default:
    return fmt::format("i32(clamp({}, -100, 100))", number_leaf());
  }
}

std::string ExpressionWriter::condition(int depth)
{
  static const std::vector<std::string> k_comparisons = {"<", "<=", ">", ">=", "==", "!="};
  if (depth > 0 && chance(30)) {
    return fmt::format("({} {} {})", condition(depth - 1), chance(50) ? "&&" : "||", condition(depth - 1));
  }
  switch (pick(4)) {
  case 0:
    return fmt::format("{} {} {}", number(depth - 1), one_of<std::string>({"<", "<=", ">", ">="}), number_leaf());
  case 1:
    return fmt::format("M[{},{}]", subscript("m"), subscript("n"));
  case 2:
    return fmt::format("!M[{},{}]", subscript("m"), subscript("n"));
  default:
    return fmt::format("{} {} {}", integer(0), one_of(k_comparisons), integer(0));
  }
}

std::string ExpressionWriter::statement(std::size_t position)
{
  static const std::vector<std::vector<Index>> k_shapes = {
    {{"i", "m"}, {"j", "n"}}, {{"i", "m"}}, {{"j", "n"}}, {{"i", "m"}, {"j", "n"}, {"l", "k"}}, {}};
  static const std::vector<std::string> k_floats = {"f32", "f32", "f32", "f16", "bf16"};
  static const std::vector<std::string> k_integers = {"i64", "i32", "i8", "u8"};
  m_open = one_of(k_shapes);
  std::string target = fmt::format("O{}", position);
  std::string shape;
  std::string indices;
  std::string ranges; // an intermediate has no shape of its own that would say where they run
  for (const Index& index : m_open) {
    ranges += fmt::format("{}{} < {}", ranges.empty() ? "" : ", ", index.name, index.extent);
    shape += fmt::format("{}\"{}\"", shape.empty() ? "" : ", ", index.extent);
    indices += (indices.empty() ? "" : ",") + index.name;
  }
  const std::string left = indices.empty() ? target : fmt::format("{}[{}]", target, indices);
  const auto declare = [&](const std::string& type) {
    m_arguments += fmt::format("{} = {{ type = \"{}\", shape = [{}], role = \"output\" }}\n", target, type, shape);
  };
  const std::uint64_t kind = m_random.below(10);
  std::string out;
  if (kind < 7) {
    declare(one_of(k_floats));
    out = number(3);
  } else if (kind < 9) {
    declare(one_of(k_integers));
    out = integer(2);
  } else {
    declare("bool");
    out = condition(2);
  }
  const std::string guard = chance(15) ? " where " + condition(1) : "";
  if (kind < 7 && !indices.empty() && chance(20)) { // through an intermediate
    return fmt::format("T{0}[{1}] = {2}{3}\n{4} = T{0}[{5}] * 0.5", position, ranges, out, guard, left, indices);
  }
  return fmt::format("{} = {}{}", left, out, guard);
}

std::string ExpressionWriter::kernel_toml(std::size_t count)
{
  m_arguments.clear();
  std::string statements;
  for (std::size_t i = 0; i < count; ++i) {
    statements += statement(i) + "\n";
  }
  m_arguments += "Z = { type = \"f32\", shape = [\"m\"], role = \"output\" }\n";
  return fmt::format("[kernel]\nname = \"fuzz\"\n[compute]\nexpr = \"\"\"\n{}{}\n\"\"\"\n[arguments]\n{}{}[sizes]\n"
                     "timed = [ {{ m = 5, n = 7, k = 3 }} ]\n",
                     statements, k_all_used, k_inputs, m_arguments);
}

} // namespace hone
