#include "backend/cpu/told_assembly.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace hone::cpu {
namespace {

using namespace std::literals;

// They differ from call to call and from machine to machine; or leave the process; or hold state that nobody looks at;
// or touch memory in ways of their own, for which no compiler uses them.
constexpr std::array k_refused{
  "rdtsc"sv,    "rdtscp"sv, "rdpid"sv,  "rdpmc"sv,  "cpuid"sv,    "rdrand"sv,   "rdseed"sv,   "syscall"sv,
  "sysenter"sv, "int"sv,    "int3"sv,   "xgetbv"sv, "rdfsbase"sv, "rdgsbase"sv, "wrfsbase"sv, "wrgsbase"sv,
  "rdpkru"sv,   "wrpkru"sv, "xbegin"sv, "xend"sv,   "xtest"sv,    "umonitor"sv, "umwait"sv,   "tpause"sv,
  "vmcall"sv,   "lret"sv,   "iret"sv,   "iretq"sv,  "lcall"sv,    "ljmp"sv,     "fnstenv"sv,  "fstenv"sv,
  "fnsave"sv,   "fsave"sv,  "fldenv"sv, "frstor"sv, "fxsave"sv,   "fxsave64"sv, "fxrstor"sv,  "fxrstor64"sv,
  "sldt"sv,     "smsw"sv,   "sgdt"sv,   "sidt"sv,   "verr"sv,     "verw"sv,     "str"sv,      "enter"sv,
  "arpl"sv,     "cmps"sv,   "cmpsb"sv,  "cmpsw"sv,  "cmpsl"sv,    "cmpsq"sv};
constexpr std::array k_refused_beginnings{"xsave"sv, "xrstor"sv, "enqcmd"sv, "movdir"sv, "vmfunc"sv,
                                          "enter"sv, "scas"sv,   "lsl"sv,    "lar"sv};

// They touch memory without naming it.
constexpr std::array k_silent{"movs"sv, "stos"sv,   "lods"sv,    "scas"sv,    "cmps"sv,
                              "xlat"sv, "clzero"sv, "maskmov"sv, "vmaskmov"sv};
constexpr std::array k_silent_endings{""sv, "b"sv, "w"sv, "l"sv, "q"sv, "dqu"sv};

// In code they may be instructions.
constexpr std::array k_data{".byte"sv,    ".2byte"sv,   ".4byte"sv, ".8byte"sv,  ".word"sv,  ".short"sv, ".hword"sv,
                            ".long"sv,    ".int"sv,     ".quad"sv,  ".octa"sv,   ".ascii"sv, ".fill"sv,  ".float"sv,
                            ".single"sv,  ".double"sv,  ".value"sv, ".zero"sv,   ".skip"sv,  ".space"sv, ".tfloat"sv,
                            ".uleb128"sv, ".sleb128"sv, ".asciz"sv, ".base64"sv, ".org"sv,   ".insn"sv};
constexpr std::array k_data_beginnings{".string"sv, ".dc"sv, ".ds"sv};
// They make instructions out of other text, take it for another language, or leave it to the linker; no compiler writes
// them.
constexpr std::array k_making{".macro"sv,    ".rept"sv,          ".irp"sv,          ".irpc"sv,       ".include"sv,
                              ".reloc"sv,    ".incbin"sv,        ".intel_syntax"sv, ".altmacro"sv,   ".code32"sv,
                              ".code16"sv,   ".code16gcc"sv,     ".pushsection"sv,  ".popsection"sv, ".subsection"sv,
                              ".previous"sv, ".intel_mnemonic"sv};

std::string_view without_space(std::string_view text)
{
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

std::string in_small_letters(std::string_view text)
{
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

// The word at the beginning, which it takes away.
std::string_view take_word(std::string_view& text)
{
  text = without_space(text);
  const auto ends = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  const auto end = std::ranges::find_if(text, ends);
  const std::string_view word(text.begin(), end);
  text.remove_prefix(word.size());
  text = without_space(text);
  return word;
}

template <class List> bool holds(const List& list, std::string_view word)
{
  return std::ranges::find(list, word) != list.end();
}

bool is_prefix(std::string_view word)
{
  constexpr std::array k_prefixes{"lock"sv, "rep"sv, "repe"sv,   "repz"sv,   "repne"sv,    "repnz"sv,   "notrack"sv,
                                  "bnd"sv,  "cs"sv,  "data16"sv, "addr32"sv, "data32"sv,   "addr16"sv,  "ds"sv,
                                  "es"sv,   "fs"sv,  "gs"sv,     "ss"sv,     "xacquire"sv, "xrelease"sv};
  return holds(k_prefixes, word) || word.starts_with("rex") || word.starts_with("{");
}

bool touches_silently(std::string_view mnemonic)
{
  return std::ranges::any_of(k_silent, [&](std::string_view silent) {
    return mnemonic.starts_with(silent) && holds(k_silent_endings, mnemonic.substr(silent.size()));
  });
}

bool is_refused(std::string_view mnemonic)
{
  return holds(k_refused, mnemonic) || std::ranges::any_of(k_refused_beginnings, [&](std::string_view word) {
           return mnemonic.starts_with(word);
         });
}

bool is_jump(std::string_view mnemonic)
{
  return mnemonic.starts_with("j") || mnemonic.starts_with("call") || mnemonic.starts_with("loop");
}

// Operands that name memory: in brackets, by a segment, or by a bare address, which jumps have as well.
bool names_memory(std::string_view mnemonic, std::string_view operands)
{
  if (operands.find('(') != std::string_view::npos || operands.contains("%fs:") || operands.contains("%gs:")) {
    return true;
  }
  if (is_jump(mnemonic) || mnemonic.starts_with("ret")) {
    return operands.starts_with("*") && !operands.starts_with("*%");
  }
  while (!operands.empty()) { // neither a register nor a number
    const std::size_t comma = std::min(operands.find(','), operands.size());
    const std::string_view operand = without_space(operands.substr(0, comma));
    if (!operand.empty() && operand.front() != '%' && operand.front() != '$' && operand.front() != '{') {
      return true;
    }
    operands.remove_prefix(std::min(comma + 1, operands.size()));
  }
  return false;
}

// What follows `.section`: flags decide, or where there are none, what the assembler knows of the name.
bool may_hold_code(std::string_view section)
{
  const std::size_t end = section.find(',');
  const std::string_view name = without_space(section.substr(0, end));
  if (end == std::string_view::npos) {
    constexpr std::array k_of_data{".rodata"sv, ".data"sv, ".bss"sv, ".tdata"sv, ".tbss"sv, ".comment"sv};
    return !std::ranges::any_of(k_of_data, [&](std::string_view known) {
      return name == known || (name.starts_with(known) && name[known.size()] == '.');
    });
  }
  std::string_view flags = without_space(section.substr(end + 1));
  if (!flags.starts_with('"')) {
    return true;
  }
  flags = flags.substr(1, flags.find('"', 1) - 1);
  constexpr std::string_view k_harmless = "awMSGTeRo"; // not x; nor numbers, which may say the same
  return name.starts_with(".text") || flags.find_first_not_of(k_harmless) != std::string_view::npos;
}

// Whether the stack pointer may be elsewhere afterwards, by anything but a push, a pop or a call.
bool moves_the_stack(std::string_view mnemonic, std::string_view operands)
{
  if (mnemonic.starts_with("leave")) {
    return true;
  }
  if (mnemonic.starts_with("push") || mnemonic.starts_with("cmp") || mnemonic.starts_with("test")) {
    return false;
  }
  const std::string small = in_small_letters(operands);
  const bool exchanges = mnemonic.starts_with("x") || mnemonic.starts_with("cmpxchg");
  const std::size_t last = exchanges ? 0 : small.rfind(',') + 1; // npos + 1 is 0
  for (const std::string_view name : {"%rsp"sv, "%esp"sv, "%sp"sv}) {
    const std::size_t at = small.find(name, last);
    if (at != std::string::npos && (at == 0 || small[at - 1] != '(')
        && without_space(std::string_view(small).substr(last, at - last)).empty()) {
      return true;
    }
    if (exchanges && small.contains(name)) {
      return true;
    }
  }
  return false;
}

// What no compiler writes, and what the assembler may read otherwise than is done here. "" where there is none.
std::string strange_in(std::string_view line)
{
  if (line.contains("/*") || line.contains("*/")) {
    return "comments within assembly text";
  }
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7f) {
      return "control characters within assembly text";
    }
    if (c == '\\' && quoted) {
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == '#') {
      break;
    } else if (!quoted && c == '\'') {
      return "a character's number within assembly text";
    }
  }
  return quoted ? "a string that does not end in its line" : "";
}

// Strings are for directives; what stands between their marks is no statement.
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

class Teller {
public:
  // "" or what is wrong with it.
  std::string take(std::string_view statement)
  {
    const std::string_view whole = without_space(statement);
    statement = take_labels(whole);
    if (statement.size() != whole.size() && !m_prefixes.empty()) {
      return k_parted;
    }
    if (statement.empty()) {
      return {};
    }
    if (statement.front() == '.' && !m_prefixes.empty()) {
      return k_parted;
    }
    return statement.front() == '.' ? take_directive(statement) : take_instruction(statement);
  }

  std::string text() && { return std::move(m_text); }

private:
  std::string_view take_labels(std::string_view statement)
  {
    const auto is_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
    };
    while (true) {
      const std::size_t colon = statement.find(':');
      const std::string_view name = without_space(statement.substr(0, std::min(colon, statement.size())));
      if (colon == std::string_view::npos || name.empty() || !std::ranges::all_of(name, is_name)) {
        return statement;
      }
      m_text.append(name).append(":\n");
      statement = without_space(statement.substr(colon + 1));
    }
  }

  std::string take_directive(std::string_view statement)
  {
    std::string_view rest = statement;
    const std::string word = in_small_letters(take_word(rest));
    if (word == ".text" || word == ".data" || word == ".bss" || word == ".section") {
      m_code = word == ".text" || (word == ".section" && may_hold_code(rest));
    }
    const bool data = holds(k_data, word)
                      || std::ranges::any_of(k_data_beginnings, [&](auto begin) { return word.starts_with(begin); });
    if (m_code && data) {
      return "data within code, as which instructions may be written: " + word;
    }
    if (holds(k_making, word)) {
      return "assembly text that makes other text, or leaves the usual syntax: " + word;
    }
    if (m_code && (word.starts_with(".p2align") || word.starts_with(".balign") || word == ".align")) {
      const std::size_t comma = rest.find(',');
      const std::string_view fill = comma == std::string_view::npos ? "" : without_space(rest.substr(comma + 1));
      if (!fill.empty() && fill.front() != ',') {
        return "code that is filled up with bytes of its own: " + word;
      }
    }
    m_text.append("\t").append(statement).append("\n");
    return {};
  }

  std::string take_instruction(std::string_view statement)
  {
    if (statement.contains('"')) {
      return "a name in quotation marks within an instruction";
    }
    std::string_view operands = statement;
    std::string mnemonic = in_small_letters(take_word(operands));
    while (is_prefix(mnemonic) && !operands.empty()) {
      mnemonic = in_small_letters(take_word(operands));
    }
    if (is_prefix(mnemonic)) { // a statement of its own, which belongs to the next
      m_prefixes.append(statement).append(" ");
      return {};
    }
    const bool compares_strings = mnemonic == "cmpsd" && !operands.contains("%xmm");
    if (is_refused(mnemonic) || compares_strings) {
      return "the instruction " + mnemonic
             + ": kernels have no use for the time, the processor's name, the system or the state of others";
    }
    if (is_jump(mnemonic) && !operands.starts_with("*") && operands.find_first_of("+-") != std::string_view::npos) {
      return "a jump to somewhere beside a label, where an instruction may hide in another: " + std::string(statement);
    }
    const bool harmless =
      mnemonic.starts_with("lea") || mnemonic.starts_with("nop") || mnemonic.starts_with("prefetch");
    if ((!harmless && (touches_silently(mnemonic) || names_memory(mnemonic, operands)))
        || moves_the_stack(mnemonic, operands)) {
      // Neither changes a flag; the first lies as far behind the call's return as the distance says.
      m_text += "\tleaq -128(%rsp), %rsp\n\tcall *hone_tell@GOTPCREL(%rip)\n\t{disp32} leaq 128(%rsp), %rsp\n";
    }
    m_text.append("\t").append(std::exchange(m_prefixes, {})).append(statement).append("\n");
    return {};
  }

  static constexpr const char* k_parted = "a prefix that is parted from its instruction, and may be jumped over";

  std::string m_text;
  std::string m_prefixes;
  bool m_code = true;
};

} // namespace

std::expected<std::string, std::string> with_accesses_told(std::string_view assembly)
{
  static_assert(k_red_zone == 128 && k_teller == "hone_tell");
  Teller teller;
  while (!assembly.empty()) {
    const std::size_t end = std::min(assembly.find('\n'), assembly.size());
    const std::string_view line = assembly.substr(0, end);
    assembly.remove_prefix(std::min(end + 1, assembly.size()));
    if (std::string trouble = strange_in(line); !trouble.empty()) {
      return std::unexpected(std::move(trouble));
    }
    const std::vector<std::string_view> statements = statements_of(line);
    for (const std::string_view statement : statements) {
      if (std::string trouble = teller.take(statement); !trouble.empty()) {
        return std::unexpected(std::move(trouble));
      }
    }
  }
  return std::move(teller).text();
}

} // namespace hone::cpu
