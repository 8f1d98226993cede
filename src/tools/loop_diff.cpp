#include "tools/loop_diff.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hone::tools {
namespace {

constexpr std::size_t k_longest_diffed = 1500; // instructions; the table of subsequences grows with the square

bool is_operand_word(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// "%ymm12" and "%f3" lose their numbers; the general registers of x86, whose names have no order, become "%r".
std::string register_shape(std::string_view name)
{
  const std::size_t digits = name.find_first_of("0123456789");
  const std::string_view letters = name.substr(0, digits);
  const bool vector = letters.ends_with("mm") || letters == "k";
  const bool x86_general = digits == std::string_view::npos || letters == "r";
  return fmt::format("%{}", x86_general && !vector ? "r" : letters);
}

struct LoopCode {
  std::vector<const Instruction*> list;
  std::vector<std::string> shapes;
};

LoopCode code_of(const HotLoop& hot)
{
  LoopCode out;
  for (std::size_t i = 0; hot.loop != nullptr && i < hot.loop->instructions.size() && i < k_longest_diffed; ++i) {
    out.list.push_back(&hot.function->instructions[hot.loop->instructions[i]]);
    out.shapes.push_back(shape_of(*out.list.back()));
  }
  return out;
}

} // namespace

std::string shape_of(const Instruction& instruction)
{
  const std::string& text = instruction.operands;
  std::string shape = instruction.opcode + " ";
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && is_operand_word(text[end])) {
      ++end;
    }
    const std::string_view word = std::string_view(text).substr(i, end - i);
    const bool vector_of_amd = (word[0] == 'v' || word[0] == 's') && word.size() > 1 && std::isdigit(word[1]) != 0;
    if (word[0] == '%' && word.size() > 1) {
      shape += register_shape(word.substr(1));
      i = end;
    } else if (vector_of_amd && (i == 0 || !is_operand_word(text[i - 1]))) {
      shape += word[0];
      i = end;
    } else if (word.starts_with(".L") || word.starts_with("$L")) {
      shape += ".L";
      i = end;
    } else {
      shape += text[i++];
    }
  }
  return std::string(trim(shape));
}

std::vector<DiffLine> diff_of(const HotLoop& first, const HotLoop& second)
{
  const LoopCode a = code_of(first), b = code_of(second);
  const std::size_t rows = a.list.size(), columns = b.list.size();
  // longest[i][j]: of what follows i and j.
  std::vector<std::vector<int>> longest(rows + 1, std::vector<int>(columns + 1));
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      longest[i][j] =
        a.shapes[i] == b.shapes[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  std::vector<DiffLine> lines;
  const auto add = [&](char side, const Instruction& one) {
    lines.push_back({side, std::string(trim(one.opcode + " " + one.operands))});
  };
  for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
    if (i < rows && j < columns && a.shapes[i] == b.shapes[j]) {
      add(' ', *a.list[i++]);
      ++j;
    } else if (j == columns || (i < rows && longest[i + 1][j] >= longest[i][j + 1])) {
      add('-', *a.list[i++]);
    } else {
      add('+', *b.list[j++]);
    }
  }
  return lines;
}

} // namespace hone::tools
