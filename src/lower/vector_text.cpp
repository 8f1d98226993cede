#include "lower/vector_text.h"

#include "lower/binding.h"
#include "lower/lanes.h"
#include "lower/number_facts.h"
#include "lower/rowwise_program.h"
#include "lower/window_condition.h"
#include "lower/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace hone::lower {

namespace {

bool is_logical(const kernel::Expr& expression)
{
  return expression.name == "&&" || expression.name == "||";
}

// Worth a name ahead of the loop: more than a name, a number, or an element.
bool takes_work(const kernel::Expr& expression)
{
  return kernel::any_part(expression, [](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::call || part.kind == kernel::ExprKind::select
           || (part.kind == kernel::ExprKind::binary && kernel::is_float(part.type));
  });
}

// How far apart neighbouring columns of a load lie; 0 where that is no fixed number.
std::int64_t stride_of(const kernel::Expr& load)
{
  const bool elsewhere = std::any_of(load.args.begin(), load.args.end() - 1,
                                     [](const kernel::ExprPtr& subscript) { return varies(*subscript); });
  const bool gathered = kernel::any_part(*load.args.back(), [](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::index && part.name != k_column && varies(part);
  });
  return elsewhere || gathered ? 0 : coefficient_of(*load.args.back(), k_column).value_or(0);
}

// The suffix of the function that loads elements of a narrower type as f32; "" for those that have none.
std::string widening_of(kernel::DataType stored, kernel::DataType compute)
{
  static const std::map<kernel::DataType, std::string> k_suffixes = {
    {kernel::DataType::f16, "_f16"}, {kernel::DataType::bf16, "_bf16"}, {kernel::DataType::i8, "_i8"},
    {kernel::DataType::u8, "_u8"},   {kernel::DataType::i16, "_i16"},   {kernel::DataType::u16, "_u16"}};
  const auto found = k_suffixes.find(stored);
  return compute == kernel::DataType::f32 && found != k_suffixes.end() ? found->second : "";
}

} // namespace

struct VectorText::Piece {
  std::string text;
  int level = k_primary;
  bool vector = true;

  std::string inside(int loosest) const { return bracketed(text, level, loosest); }
};

bool varies(const kernel::Expr& expression)
{
  return kernel::any_part(expression, [](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::index
           && (part.name == k_column || part.name.starts_with("value ") || part.name.starts_with("running "));
  });
}

std::string VectorText::load(const std::string& tensor, const std::string& at, const std::string& suffix) const
{
  const std::string address = at == "0" ? tensor : tensor + " + " + at;
  return m_count.empty() ? fmt::format("hone_load{}({})", suffix, address)
                         : fmt::format("hone_load_part{}({}, {})", suffix, address, m_count);
}

std::string VectorText::load_strided(const std::string& tensor, const std::string& at, std::int64_t stride) const
{
  const std::string address = at == "0" ? tensor : tensor + " + " + at;
  return m_count.empty() ? fmt::format("hone_load_strided({}, {})", address, stride)
                         : fmt::format("hone_load_strided_part({}, {}, {})", address, stride, m_count);
}

std::string VectorText::store(const std::string& tensor, const std::string& at, const std::string& value,
                              const std::string& suffix) const
{
  return m_count.empty() ? fmt::format("hone_store{}({} + {}, {});", suffix, tensor, at, value)
                         : fmt::format("hone_store_part{}({} + {}, {}, {});", suffix, tensor, at, value, m_count);
}

void VectorText::count_uses(const kernel::Expr& expression)
{
  if (++m_uses[&expression] > 1) {
    return;
  }
  for (const kernel::ExprPtr& argument : expression.args) {
    count_uses(*argument);
  }
}

Result<std::string> VectorText::value(const kernel::Expr& expression, ProgramBlock& before)
{
  count_uses(expression);
  return lanes_of(expression, before);
}

// A vector in any case: a number goes to all lanes.
Result<std::string> VectorText::lanes_of(const kernel::Expr& expression, ProgramBlock& before)
{
  HONE_TRY(const Piece piece, write(expression, before));
  return piece.vector ? piece.inside(k_choice - 1) : fmt::format("hone_broadcast({})", piece.text);
}

Result<VectorText::Piece> VectorText::write(const kernel::Expr& expression, ProgramBlock& before)
{
  if (varies(expression)) {
    if (const auto named = m_named.find(&expression); named != m_named.end()) {
      return Piece{named->second, k_primary};
    }
    HONE_TRY(Piece piece, write_varying(expression, before));
    const bool leaf = expression.kind == kernel::ExprKind::load || expression.kind == kernel::ExprKind::index;
    if (m_uses[&expression] > 1 && !leaf && kernel::is_float(expression.type)) {
      const std::string name = fresh("part");
      before.push_back(statement(fmt::format("const {} {} = {};", vector_type(m_compute), name, piece.text)));
      m_named[&expression] = name;
      return Piece{name, k_primary};
    }
    return piece;
  }
  const bool condition = expression.type == kernel::DataType::boolean;
  ProgramBlock none;
  HONE_TRY(std::string text, condition ? m_scalar.integer_text(expression) : m_scalar.value(expression, none));
  if (!none.empty()) {
    return fail("a value that is computed step by step", k_leave_out, expression.place);
  }
  if (!condition && takes_work(expression) && !m_maybe) {
    return Piece{hoist(text), k_primary, false};
  }
  const bool simple = text.find_first_of(" ?") == std::string::npos;
  return Piece{text, simple ? k_primary : k_choice, false};
}

Result<VectorText::Piece> VectorText::write_varying(const kernel::Expr& expression, ProgramBlock& before)
{
  switch (expression.kind) {
  case kernel::ExprKind::load:
    return write_load(expression, before);
  case kernel::ExprKind::index:
    if (expression.name == k_column) {
      return fail("the column's number is part of the formula", k_leave_out, expression.place);
    }
    if (!m_scalar.indices.contains(expression.name)) {
      return fail("a running reduction up to the column before has no vector form", k_leave_out, expression.place);
    }
    return Piece{m_scalar.indices.at(expression.name), k_primary};
  case kernel::ExprKind::unary: {
    HONE_TRY(const Piece operand, write(*expression.args[0], before));
    return Piece{(expression.name == "!" ? "~" : expression.name) + operand.inside(k_primary), k_unary};
  }
  case kernel::ExprKind::binary:
    return write_binary(expression, before);
  case kernel::ExprKind::call:
    return write_call(expression, before);
  case kernel::ExprKind::select:
    return write_select(expression, before);
  case kernel::ExprKind::cast:
    if (expression.type == m_compute
        && (expression.args[0]->type == m_compute || is_exact_in_float(m_kernel, *expression.args[0]))) {
      return write(*expression.args[0], before);
    }
    return write_byte(expression, before);
  default:
    return fail("a part of the formula has no vector form", k_leave_out, expression.place);
  }
}

// A byte of what is known to fit in one: computed as a number, and converted where it is stored.
Result<VectorText::Piece> VectorText::write_byte(const kernel::Expr& expression, ProgramBlock& before)
{
  const kernel::Expr& of = *expression.args[0];
  const NumberRange range = range_of(of);
  const bool fits = expression.type == kernel::DataType::u8   ? range.low >= 0 && range.high <= 255
                    : expression.type == kernel::DataType::i8 ? range.low >= -128 && range.high <= 127
                                                              : false;
  if (!fits || m_compute != kernel::DataType::f32 || (range.low < 0 && !is_whole_number(of))) {
    return fail("a conversion between types has no vector form", k_leave_out, expression.place);
  }
  HONE_TRY(Piece piece, write(of, before));
  return is_whole_number(of) ? piece : Piece{fmt::format("hone_floor({})", piece.text), k_primary};
}

Result<VectorText::Piece> VectorText::write_load(const kernel::Expr& expression, ProgramBlock& before)
{
  const std::string& name = expression.name;
  const kernel::DataType stored = stored_type(m_kernel, expression);
  const bool mask = stored == kernel::DataType::boolean && m_compute == kernel::DataType::f32;
  const std::string widening = mask ? "_u8" : widening_of(stored, m_compute);
  if (stored != m_compute && widening.empty()) {
    return fail(fmt::format("{} is {} and computed in {}", name, kernel::name_of(stored), kernel::name_of(m_compute)),
                k_leave_out, expression.place);
  }
  const std::int64_t stride = stride_of(expression);
  if (stride != 1 && (!widening.empty() || stride < 1 || stride > widest_stride)) {
    return fail(fmt::format("neighbouring columns of {} are not neighbours in memory", name), k_leave_out,
                expression.place);
  }
  const bool plain = std::ranges::all_of(
    expression.args, [](const kernel::ExprPtr& subscript) { return subscript->kind == kernel::ExprKind::index; });
  if (m_maybe && !plain) {
    return fail(fmt::format("{} may only be read where a condition holds", name), k_leave_out, expression.place);
  }
  HONE_TRY(const std::string at, m_scalar.position(expression));
  std::string& variable = m_loaded[name + "[" + at];
  if (variable.empty()) {
    variable = fresh(name + "_here");
    const std::string from = mask ? "(const uint8_t*)" + name : name;
    const std::string text = stride == 1 ? load(from, at, widening) : load_strided(from, at, stride);
    before.push_back(statement(fmt::format("const {} {} = {};", vector_type(m_compute), variable, text)));
  }
  return mask ? Piece{variable + " != 0.0f", k_comparison} : Piece{variable, k_primary};
}

Result<VectorText::Piece> VectorText::write_binary(const kernel::Expr& expression, ProgramBlock& before)
{
  const kernel::Expr& left = *expression.args[0];
  const kernel::Expr& right = *expression.args[1];
  if (is_division(expression) && !kernel::is_float(expression.type) && varies(left)
      && is_exact_in_float(m_kernel, expression)) {
    return write_whole_division(expression, before);
  }
  if (expression.name == "%") {
    return fail("a remainder has no vector form", k_leave_out, expression.place);
  }
  const bool logical = is_logical(expression);
  if (logical && (!varies(left) || !varies(right))) {
    return fail("a condition on columns is joined with one on the row", k_leave_out, expression.place);
  }
  const auto is_number = [&](const kernel::Expr& operand) {
    return kernel::is_float(operand.type) || !varies(operand) || is_exact_in_float(m_kernel, operand);
  };
  const bool whole = !kernel::is_float(expression.type) && expression.type != kernel::DataType::boolean;
  const bool numbers = is_number(left) && is_number(right) && (!whole || is_exact_in_float(m_kernel, expression));
  if (!logical && !numbers) {
    return fail("integers have no vector form", k_leave_out, expression.place);
  }
  const int level = level_of(expression.name);
  HONE_TRY(const Piece a, write(left, before));
  const bool outside = m_maybe;
  m_maybe = m_maybe || logical;
  HONE_TRY(const Piece b, write(right, before));
  m_maybe = outside;
  // Conditions on vectors have all bits of a lane or none, and C has neither && nor || for them.
  const std::string name = logical ? expression.name.substr(1) : expression.name;
  const int loosest = logical ? k_primary : level;
  return Piece{fmt::format("{} {} {}", a.inside(loosest), name, b.inside(logical ? k_primary : level - 1)),
               logical ? k_choice - 1 : level};
}

// Of numbers that are not negative, by a power of two: exact in floating point.
Result<VectorText::Piece> VectorText::write_whole_division(const kernel::Expr& expression, ProgramBlock& before)
{
  HONE_TRY(const Piece of, write(*expression.args[0], before));
  const double by = power_of_two(*expression.args[1]);
  const char* suffix = m_compute == kernel::DataType::f64 ? "" : "f";
  const std::string quotient =
    fmt::format("hone_floor({} * {}{})", of.inside(k_product), 1 / by, by == 1 ? std::string(".0") + suffix : suffix);
  return expression.name == "/"
           ? Piece{quotient, k_primary}
           : Piece{fmt::format("{} - {}.0{} * {}", of.inside(k_addition), by, suffix, quotient), k_addition};
}

Result<VectorText::Piece> VectorText::write_call(const kernel::Expr& expression, ProgramBlock& before)
{
  static const std::set<std::string> k_known = {"exp", "log", "log1p", "tanh", "erf", "sqrt", "abs", "floor", "sign"};
  const std::string& name = expression.name;
  if (name == "max" || name == "min") {
    return write_extremum(expression, before);
  }
  if (!k_known.contains(name) && name != "rsqrt") {
    return fail(name + " has no vector form", k_leave_out, expression.place);
  }
  HONE_TRY(const Piece argument, write(*expression.args[0], before));
  if (name == "rsqrt") {
    const char* one = m_compute == kernel::DataType::f64 ? "1.0" : "1.0f";
    return Piece{fmt::format("{} / hone_sqrt({})", one, argument.text), k_product};
  }
  return Piece{fmt::format("hone_{}({})", name, argument.text), k_primary};
}

// Of a NaN and a number the number is taken. hone_max(a, b) does that where b cannot be NaN.
Result<VectorText::Piece> VectorText::write_extremum(const kernel::Expr& expression, ProgramBlock& before)
{
  std::vector<std::string> vectors;
  std::string numbers;
  for (const kernel::ExprPtr& argument : expression.args) {
    if (argument->kind == kernel::ExprKind::number && numbers.empty()) {
      HONE_TRY(const Piece piece, write(*argument, before));
      numbers = piece.text;
      continue;
    }
    HONE_TRY(std::string text, lanes_of(*argument, before));
    vectors.push_back(std::move(text));
  }
  std::string text = vectors.front();
  for (std::size_t i = 1; i < vectors.size(); ++i) {
    text = fmt::format("hone_number_{}({}, {})", expression.name, text, vectors[i]);
  }
  if (!numbers.empty()) {
    text = fmt::format("hone_{}({}, {})", expression.name, text, numbers);
  }
  return Piece{text, k_primary};
}

Result<VectorText::Piece> VectorText::write_select(const kernel::Expr& expression, ProgramBlock& before)
{
  if (!kernel::is_float(expression.type)) {
    return fail("a choice between integers has no vector form", k_leave_out, expression.place);
  }
  HONE_TRY(const Piece condition, write(*expression.args[0], before));
  const bool outside = m_maybe;
  m_maybe = true;
  HONE_TRY(const std::string yes, lanes_of(*expression.args[1], before));
  HONE_TRY(const std::string no, lanes_of(*expression.args[2], before));
  m_maybe = outside;
  if (condition.vector) {
    return Piece{fmt::format("hone_select({}, {}, {})", condition.text, yes, no), k_primary};
  }
  return Piece{fmt::format("{} ? {} : {}", condition.inside(k_comparison), yes, no), k_choice};
}

} // namespace hone::lower
