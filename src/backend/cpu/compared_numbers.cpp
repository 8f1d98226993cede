#include "backend/cpu/compared_numbers.h"

#include "backend/cpu/assembly_text.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>

namespace hone::backend::cpu {
namespace {

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
  if (comma == std::string_view::npos || trimmed(operands.substr(comma + 1)) == "%rsp") {
    return std::nullopt;
  }
  if (mnemonic.starts_with("lea")) { // of one register, which is no frame's, with a number to be taken away
    const std::string_view source = operands.substr(0, comma);
    const std::size_t bracket = std::min(source.find('('), source.size());
    const std::string_view base = source.substr(bracket);
    const bool is_plain = base.ends_with(')') && base != "(%rsp)" && base != "(%rbp)";
    const auto value = whole_number(source.substr(0, bracket));
    return is_plain && value && *value < 0 ? value : std::nullopt;
  }
  const std::string_view first = trimmed(operands.substr(0, comma));
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
    std::string_view operands = trimmed(take_line(assembly));
    const std::string mnemonic = to_lower(take_word(operands));
    if (const auto value = compared_by(mnemonic, operands)) {
      found.insert(std::llabs(*value));
    }
  }
  return {found.begin(), found.end()};
}

} // namespace hone::backend::cpu
