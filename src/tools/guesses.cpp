#include "tools/guesses.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace hone::tools {
namespace {

// One name for all widths: "%eax" and "%al" are a, "%r9d" is r9, "%ymm3" is v3.
std::string whole_register(std::string_view name)
{
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits != std::string_view::npos) {
    std::size_t end = digits;
    while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) {
      ++end;
    }
    return (name.contains("mm") ? "v" : "r") + std::string(name.substr(digits, end - digits));
  }
  if (name.size() == 3) { // rax, eax
    name.remove_prefix(1);
  }
  std::string kept(name);
  if (kept.ends_with('x') || kept.ends_with('l') || kept.ends_with('h')) {
    kept.pop_back();
  }
  return kept;
}

struct Operands {
  std::vector<std::string> values; // registers that are operands, in order
  bool memory = false;             // one operand lies in memory
  bool writes_register = false;    // the last one is a register
};

Operands operands_of(const Instruction& one)
{
  Operands out;
  int depth = 0;
  const std::string& text = one.operands;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    out.memory = out.memory || (text[i] == '(' && !text.substr(i).starts_with("(%rsp"));
    if (text[i] == '%' && depth == 0) {
      std::size_t end = i + 1;
      while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) {
        ++end;
      }
      out.values.push_back(whole_register(std::string_view(text).substr(i + 1, end - i - 1)));
      out.writes_register = end == text.size();
    }
  }
  return out;
}

bool asks(const Instruction& one)
{
  return one.opcode.starts_with("cmp") || one.opcode.starts_with("test") || one.opcode.contains("comis");
}

// Registers that hold data which the loop loads, or what it computes of them.
std::set<std::string> data_registers(const Function& function, const Loop& loop)
{
  std::set<std::string> data;
  for (int pass = 0; pass < 2; ++pass) {
    for (const std::size_t i : loop.instructions) {
      const Instruction& one = function.instructions[i];
      const Operands operands = operands_of(one);
      if (!operands.writes_register || one.opcode.starts_with("lea") || asks(one)) {
        continue;
      }
      const bool from_data =
        std::ranges::any_of(operands.values, [&](const std::string& name) { return data.contains(name); });
      if (operands.memory || from_data) {
        data.insert(operands.values.back());
      }
    }
  }
  return data;
}

} // namespace

int data_branches(const Function& function, const Loop& loop)
{
  const std::set<std::size_t> inside(loop.instructions.begin(), loop.instructions.end());
  const std::set<std::string> data = data_registers(function, loop);
  int branches = 0;
  const Instruction* asked = nullptr;
  for (const std::size_t i : loop.instructions) {
    const Instruction& one = function.instructions[i];
    if (asks(one)) {
      asked = &one;
    }
    const bool within = one.jumps_to && inside.contains(*one.jumps_to) && inside.contains(i + 1);
    if (!one.opcode.starts_with('j') || one.opcode == "jmp" || !within || asked == nullptr) {
      continue;
    }
    const Operands operands = operands_of(*asked);
    const bool of_data = operands.memory || std::ranges::any_of(operands.values, [&](const std::string& name) {
                           return data.contains(name);
                         });
    branches += of_data ? 1 : 0;
  }
  return branches;
}

} // namespace hone::tools
