#include "backend/cpu/compared_numbers.h"

#include "backend/cpu/assembly_text.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>

namespace hone::cpu {
namespace {

bool is_stack_pointer(std::string_view operand)
{
  return operand == "%rsp" || operand == "%rbp";
}

std::optional<std::int64_t> whole_number(std::string_view text)
{
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// The number of an instruction; none where it says nothing about what is compared.
std::optional<std::int64_t> compared_by(std::string_view mnemonic, std::string_view operands)
{
  const std::size_t comma = operands.find(',');
  if (comma == std::string_view::npos || is_stack_pointer(without_space(operands.substr(comma + 1)))) {
    return std::nullopt;
  }
  if (mnemonic.starts_with("lea")) { // of one register, with a number to be taken away
    const std::size_t bracket = operands.find('(');
    const std::string_view base = operands.substr(bracket == std::string_view::npos ? comma : bracket, 6);
    const auto value = whole_number(operands.substr(0, bracket));
    return value && *value < 0 && base.ends_with(')') && !is_stack_pointer(base.substr(1, 4)) ? value : std::nullopt;
  }
  const std::string_view first = without_space(operands.substr(0, comma));
  if (!first.starts_with('$')) {
    return std::nullopt;
  }
  const auto value = whole_number(first.substr(1));
  const bool compares = mnemonic.starts_with("cmp") || mnemonic.starts_with("sub") || mnemonic.starts_with("xor")
                        || mnemonic.starts_with("mov");
  const bool takes_away = mnemonic.starts_with("add") && value && *value < 0;
  return compares || takes_away ? value : std::nullopt;
}

} // namespace

std::vector<std::int64_t> compared_numbers(std::string_view assembly)
{
  std::set<std::int64_t> found;
  while (!assembly.empty()) {
    std::string_view operands = without_space(take_line(assembly));
    const std::string mnemonic = in_small_letters(take_word(operands));
    if (const auto value = compared_by(mnemonic, operands)) {
      found.insert(std::llabs(*value));
    }
  }
  return {found.begin(), found.end()};
}

} // namespace hone::cpu
