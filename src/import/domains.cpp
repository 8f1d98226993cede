#include "import/domains.h"

#include "import/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::import {

namespace {

constexpr std::int64_t k_plain = 1000; // where arithmetic is all that is known
constexpr std::int64_t k_label = 100;  // where it is compared with data
constexpr std::int64_t k_power = 100;  // as an exponent

bool is_scalar(const kernel::Expr& node, const std::string& name)
{
  return node.kind == kernel::ExprKind::load && node.name == name && node.args.empty();
}

const kernel::Expr& without_conversions(const kernel::Expr& node)
{
  return node.kind == kernel::ExprKind::cast ? without_conversions(*node.args[0]) : node;
}

// What an integer type holds, of float values that are converted to it: the rest is undefined in C.
ForeignDomain converted_to(kernel::DataType type)
{
  switch (type) {
  case kernel::DataType::u8:
    return {"0", "255"};
  case kernel::DataType::i8:
    return {"-128", "127"};
  case kernel::DataType::u16:
    return {"0", "65535"};
  case kernel::DataType::i16:
    return {"-32768", "32767"};
  case kernel::DataType::u32:
    return {"0", "1e9"};
  default:
    return {"-1e9", "1e9"};
  }
}

// Floating-point arguments that are converted as they are.
void note_conversions(const kernel::Expr& node, std::map<std::string, ForeignDomain>& out)
{
  if (node.kind == kernel::ExprKind::cast && !kernel::is_float(node.type)) {
    const kernel::Expr& value = *node.args[0];
    if (value.kind == kernel::ExprKind::load && kernel::is_float(value.type)) {
      out.try_emplace(value.name, converted_to(node.type));
    }
  }
  for (const kernel::ExprPtr& arg : node.args) {
    note_conversions(*arg, out);
  }
}

bool is_comparison(const kernel::Expr& node)
{
  return node.kind == kernel::ExprKind::binary && node.type == kernel::DataType::boolean && node.name != "&&"
         && node.name != "||";
}

// How one scalar is used.
class Uses {
public:
  Uses(const std::string& name, const Survey& survey, const std::map<std::string, ForeignDomain>& arrays)
    : m_name(name), m_survey(survey), m_arrays(arrays)
  {
  }

  void visit(const kernel::Expr& node)
  {
    if (is_comparison(node)) {
      for (const std::size_t side : {0, 1}) {
        if (is_scalar(without_conversions(*node.args[side]), m_name)) {
          compared_with(without_conversions(*node.args[1 - side]));
        } else {
          visit(*node.args[side]);
        }
      }
      return;
    }
    const bool divides = node.kind == kernel::ExprKind::binary && (node.name == "/" || node.name == "%");
    m_divides = m_divides || (divides && is_scalar(without_conversions(*node.args[1]), m_name));
    const bool power = node.kind == kernel::ExprKind::call && node.name == "pow";
    m_is_power = m_is_power || (power && is_scalar(without_conversions(*node.args[1]), m_name));
    m_arithmetic = m_arithmetic || is_scalar(node, m_name);
    for (const kernel::ExprPtr& arg : node.args) {
      visit(*arg);
    }
  }

  ForeignDomain domain(bool is_unsigned) const
  {
    std::int64_t low = m_low;
    std::int64_t high = m_high;
    if (m_divides || m_is_power) {
      low = 1;
      high = m_is_power ? k_power : k_plain;
    } else if (m_arithmetic || (!m_compares_data && m_upper.empty() && m_low > m_high)) {
      low = -k_plain;
      high = k_plain;
    } else if (m_compares_data) {
      low = std::min<std::int64_t>(low, -k_label);
      high = std::max<std::int64_t>(high, k_label);
    } else if (!m_upper.empty()) {
      return {is_unsigned ? "0" : "-1", m_upper};
    }
    return {std::to_string(is_unsigned ? std::max<std::int64_t>(low, 0) : low), std::to_string(high)};
  }

private:
  void compared_with(const kernel::Expr& other)
  {
    if (other.kind == kernel::ExprKind::number) {
      const auto value = static_cast<std::int64_t>(std::llround(other.number));
      m_low = std::min(m_low, value - 1);
      m_high = std::max(m_high, value + 1);
      return;
    }
    const kernel::ExprPtr last = extreme_of(std::make_shared<kernel::Expr>(other), m_survey.ranges, true);
    const auto array = other.kind == kernel::ExprKind::load ? m_arrays.find(other.name) : m_arrays.end();
    if (array != m_arrays.end()) {
      m_upper = array->second.high;
    } else if (last && only_sizes(*last)) {
      m_upper = kernel::to_text(*last);
    } else {
      m_compares_data = true;
    }
    visit(other);
  }

  const std::string& m_name;
  const Survey& m_survey;
  const std::map<std::string, ForeignDomain>& m_arrays;
  std::int64_t m_low = 1; // low > high: compared with no number
  std::int64_t m_high = 0;
  std::string m_upper;
  bool m_compares_data = false;
  bool m_arithmetic = false;
  bool m_divides = false;
  bool m_is_power = false;
};

} // namespace

std::map<std::string, ForeignDomain> domains_from_use(const CFunction& function, const Semantics& semantics,
                                                      const Survey& survey,
                                                      const std::map<std::string, kernel::ExprPtr>& indexed)
{
  std::map<std::string, ForeignDomain> out;
  for (const auto& [name, extent] : indexed) {
    out[name] = {"0", kernel::to_text(*arithmetic("-", extent, kernel::make_number(1, true)))};
  }
  const std::map<std::string, ForeignDomain> arrays = out;
  for (const CParameter& parameter : function.parameters) {
    std::map<std::string, ForeignDomain> converted;
    for (const DraftStatement& statement : semantics.statements) {
      note_conversions(*statement.value, converted);
    }
    if (converted.contains(parameter.name)) {
      out[parameter.name] = converted[parameter.name];
    }
    if (!survey.integers.contains(parameter.name)) {
      continue;
    }
    Uses uses(parameter.name, survey, arrays);
    for (const DraftStatement& statement : semantics.statements) {
      uses.visit(*statement.value);
      if (statement.guard) {
        uses.visit(*statement.guard);
      }
    }
    out[parameter.name] = uses.domain(parameter.type.is_unsigned);
  }
  return out;
}

} // namespace hone::import
