#include "backend/cpu/watch/instrumentation.h"

#include "backend/cpu/assembly_text.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace hone::backend::cpu {
namespace {

using namespace std::literals;

// Mnemonics of instructions with implicit memory operands.
constexpr std::array k_implicit{"movs"sv, "stos"sv, "lods"sv, "xlat"sv, "clzero"sv, "maskmov"sv, "vmaskmov"sv};
constexpr std::array k_implicit_suffixes{""sv, "b"sv, "w"sv, "l"sv, "q"sv, "dqu"sv};

bool accesses_memory_implicitly(std::string_view mnemonic)
{
  return std::ranges::any_of(k_implicit, [&](std::string_view silent) {
    return mnemonic.starts_with(silent) && holds(k_implicit_suffixes, mnemonic.substr(silent.size()));
  });
}

bool is_jump(std::string_view mnemonic)
{
  return mnemonic.starts_with("j") || mnemonic.starts_with("call") || mnemonic.starts_with("loop");
}

// The target comes from a register, memory or the stack.
bool is_indirect_jump(std::string_view mnemonic, std::string_view operands)
{
  return mnemonic.starts_with("ret") || (is_jump(mnemonic) && operands.starts_with("*"));
}

// Memory operands: in brackets, with a segment, or a bare address, which direct jumps have as well.
bool names_memory(std::string_view mnemonic, std::string_view operands)
{
  if (operands.find('(') != std::string_view::npos || operands.contains("%fs:") || operands.contains("%gs:")) {
    return true;
  }
  if (is_jump(mnemonic) || mnemonic.starts_with("ret")) {
    return false;
  }
  while (!operands.empty()) { // neither a register nor a number
    const std::size_t comma = std::min(operands.find(','), operands.size());
    const std::string_view operand = trimmed(operands.substr(0, comma));
    if (!operand.empty() && operand.front() != '%' && operand.front() != '$' && operand.front() != '{') {
      return true;
    }
    operands.remove_prefix(std::min(comma + 1, operands.size()));
  }
  return false;
}

// Whether it may change the stack pointer; not for push, pop and call.
bool moves_the_stack(std::string_view mnemonic, std::string_view operands)
{
  if (mnemonic.starts_with("leave")) {
    return true;
  }
  if (mnemonic.starts_with("push") || mnemonic.starts_with("cmp") || mnemonic.starts_with("test")) {
    return false;
  }
  const std::string small = to_lower(operands);
  const bool exchanges = mnemonic.starts_with("x") || mnemonic.starts_with("cmpxchg");
  const std::size_t last = exchanges ? 0 : small.rfind(',') + 1; // npos + 1 is 0
  for (const std::string_view name : {"%rsp"sv, "%esp"sv, "%sp"sv}) {
    const std::size_t at = small.find(name, last);
    if (at != std::string::npos && (at == 0 || small[at - 1] != '(')
        && trimmed(std::string_view(small).substr(last, at - last)).empty()) {
      return true;
    }
    if (exchanges && small.contains(name)) {
      return true;
    }
  }
  return false;
}

// Of a symbol.
bool is_assignment(std::string_view statement)
{
  take_word(statement);
  return statement.starts_with("=");
}

// Quoted strings, which directives have, do not separate statements.
std::vector<std::string_view> statements_of(std::string_view line)
{
  std::vector<std::string_view> statements;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\' && quoted) {
      ++at;
    } else if (line[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && (line[at] == ';' || line[at] == '#')) {
      statements.push_back(line.substr(begin, at - begin));
      begin = at + 1;
      if (line[at] == '#') {
        return statements;
      }
    }
  }
  statements.push_back(line.substr(begin));
  return statements;
}

class Instrumenter {
public:
  void take(std::string_view statement)
  {
    for (const std::string_view label : take_labels(statement)) {
      m_text.append(label).append(":\n");
    }
    if (statement.empty()) {
      return;
    }
    if (statement.front() == '.' || is_assignment(statement)) {
      m_text.append("\t").append(statement).append("\n");
    } else {
      take_instruction(statement);
    }
  }

  std::string text() && { return std::move(m_text); }

private:
  void take_instruction(std::string_view statement)
  {
    std::string_view operands = statement;
    std::string mnemonic = to_lower(take_word(operands));
    while (is_prefix(mnemonic) && !operands.empty()) {
      mnemonic = to_lower(take_word(operands));
    }
    if (is_prefix(mnemonic)) { // a statement of its own, which belongs to the next
      m_prefixes.append(statement).append(" ");
      return;
    }
    const bool accesses_nothing =
      mnemonic.starts_with("lea") || mnemonic.starts_with("nop") || mnemonic.starts_with("prefetch");
    if ((!accesses_nothing && (accesses_memory_implicitly(mnemonic) || names_memory(mnemonic, operands)))
        || moves_the_stack(mnemonic, operands) || is_indirect_jump(mnemonic, operands)) {
      // lea changes no flag; the second one is k_callback_distance bytes long.
      m_text +=
        "\tleaq -128(%rsp), %rsp\n\tcall *hone_access_callback@GOTPCREL(%rip)\n\t{disp32} leaq 128(%rsp), %rsp\n";
    }
    m_text.append("\t").append(std::exchange(m_prefixes, {})).append(statement).append("\n");
  }

  std::string m_text;
  std::string m_prefixes;
};

} // namespace

std::string instrumented_assembly(std::string_view assembly)
{
  static_assert(k_red_zone == 128 && k_callback_symbol == "hone_access_callback");
  Instrumenter instrumenter;
  while (!assembly.empty()) {
    for (const std::string_view statement : statements_of(take_line(assembly))) {
      instrumenter.take(statement);
    }
  }
  return std::move(instrumenter).text();
}

} // namespace hone::backend::cpu
