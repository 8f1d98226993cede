#include "tools/listing.h"

#include "tools/instruction_mix.h"
#include "tools/loops.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace hone::tools {
namespace {

using backend::ListingSyntax;

struct Syntax {
  std::string_view comment; // to the end of the line
  std::string_view label;   // beginning of labels within functions
};

Syntax syntax_of(ListingSyntax syntax)
{
  switch (syntax) {
  case ListingSyntax::x86:
    return {"#", ".L"};
  case ListingSyntax::ptx:
    return {"//", "$L"};
  case ListingSyntax::amdgcn:
    return {";", ".L"};
  }
  return {};
}

int number_in(std::string_view text)
{
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::vector<std::string_view> words_of(std::string_view text)
{
  std::vector<std::string_view> words;
  while (!(text = trim(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

// A function while it is read: labels and jumps by name.
struct Reading {
  Function function;
  std::map<std::string, std::size_t, std::less<>> labels;
  std::vector<std::pair<std::size_t, std::string>> jumps; // instruction, label
  std::vector<bool> falls_through;
};

class Reader {
public:
  explicit Reader(ListingSyntax syntax) : m_kind(syntax), m_syntax(syntax_of(syntax)) {}

  void read(std::string_view line)
  {
    line = trim(line.substr(0, line.find(m_syntax.comment)));
    if (line.empty()) {
      return;
    }
    if (const std::size_t colon = line.find(':'); colon != std::string_view::npos && is_name(line.substr(0, colon))) {
      begin_label(line.substr(0, colon));
      read(line.substr(colon + 1));
    } else if (m_kind == ListingSyntax::ptx && (line.contains(".entry ") || line.contains(".func "))) {
      begin_ptx_function(line);
    } else if (line.starts_with('.')) {
      read_directive(line);
    } else if (m_open && line != "{" && line != "}" && line != ")" && line != "(") {
      read_instruction(line);
    }
  }

  Listing finish()
  {
    end_function();
    for (Function& function : m_functions) {
      for (Instruction& one : function.instructions) {
        one.file = one.file.empty() ? "" : m_files[number_in(one.file)];
      }
    }
    return {m_kind, std::move(m_functions)};
  }

private:
  static bool is_name(std::string_view text)
  {
    return !text.empty() && text.find_first_of(" \t\",()[]") == std::string_view::npos;
  }

  void begin_label(std::string_view name)
  {
    if (name.starts_with(m_syntax.label)) {
      m_reading.labels.emplace(name, m_reading.function.instructions.size());
    } else if (m_kind != ListingSyntax::ptx) {
      end_function();
      m_reading.function.name = name;
      m_open = true;
    }
  }

  void begin_ptx_function(std::string_view line)
  {
    end_function();
    std::string_view rest = line.substr(line.find(line.contains(".entry ") ? ".entry " : ".func ") + 6);
    if (rest.starts_with(" ")) {
      rest.remove_prefix(1);
    }
    m_reading.function.name = trim(rest.substr(0, rest.find('(')));
    m_open = true;
  }

  void read_directive(std::string_view line)
  {
    const std::vector<std::string_view> words = words_of(line);
    if (words[0] == ".file" && words.size() > 2) {
      const std::string_view name = words.back();
      m_files[number_in(words[1])] =
        name.size() > 2 && name.front() == '"' ? fs::path(name.substr(1, name.size() - 2)).filename().string() : "";
    } else if (words[0] == ".loc" && words.size() > 2) {
      m_file = number_in(words[1]);
      m_line = number_in(words[2]);
    } else if (words[0] == ".section" && line.contains(".debug")) {
      end_function();
    }
  }

  void read_instruction(std::string_view line)
  {
    if (line.ends_with(';')) {
      line = trim(line.substr(0, line.size() - 1));
    }
    bool conditional = false;
    if (m_kind == ListingSyntax::ptx && line.starts_with('@')) { // a predicate
      conditional = true;
      line = trim(line.substr(std::min(line.find_first_of(" \t"), line.size())));
    }
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    Instruction instruction{std::string(line.substr(0, end)), std::string(trim(line.substr(end))), {}, 0};
    if (m_line > 0) {
      instruction.file = std::to_string(m_file); // its name may follow behind the code
      instruction.line = m_line;
    }
    const std::size_t place = m_reading.function.instructions.size();
    const bool branch = class_of(instruction, m_kind) == InstructionClass::branch;
    if (branch) {
      const std::vector<std::string_view> words = words_of(instruction.operands);
      if (!words.empty() && words.back().starts_with(m_syntax.label)) {
        m_reading.jumps.emplace_back(place, words.back());
      }
    }
    m_reading.falls_through.push_back(!(branch && !conditional && always_jumps(instruction.opcode)));
    m_reading.function.instructions.push_back(std::move(instruction));
  }

  static bool always_jumps(std::string_view opcode)
  {
    return opcode == "jmp" || opcode == "ret" || opcode == "bra" || opcode == "bra.uni" || opcode == "exit"
           || opcode == "s_branch" || opcode == "s_endpgm" || opcode == "trap" || opcode == "ud2";
  }

  void mark_frame_pointer(Function& function) const
  {
    const bool sets_one =
      m_kind == ListingSyntax::x86 && std::ranges::any_of(function.instructions, [](const Instruction& one) {
        return one.opcode == "movq" && one.operands == "%rsp, %rbp";
      });
    for (Instruction& one : function.instructions) {
      one.has_frame_pointer = sets_one;
    }
  }

  void end_function()
  {
    if (m_open && !m_reading.function.instructions.empty()) {
      std::vector<Successors> successors(m_reading.function.instructions.size());
      for (std::size_t i = 0; i < successors.size(); ++i) {
        successors[i].falls_through = m_reading.falls_through[i];
      }
      for (const auto& [place, label] : m_reading.jumps) {
        if (const auto found = m_reading.labels.find(label); found != m_reading.labels.end()) {
          successors[place].jumps_to = found->second;
          m_reading.function.instructions[place].jumps_to = found->second;
        }
      }
      m_reading.function.loops = natural_loops(successors);
      mark_frame_pointer(m_reading.function);
      m_functions.push_back(std::move(m_reading.function));
    }
    m_reading = {};
    m_open = false;
    m_line = 0;
  }

  ListingSyntax m_kind;
  Syntax m_syntax;
  std::map<int, std::string> m_files;
  int m_file = 0, m_line = 0;
  bool m_open = false;
  Reading m_reading;
  std::vector<Function> m_functions;
};

InstructionMix mix_of(const Function& function, const Loop& loop, ListingSyntax syntax)
{
  InstructionMix mix;
  mix.add(function, loop, syntax);
  return mix;
}

} // namespace

Listing parse_listing(std::string_view text, ListingSyntax syntax)
{
  Reader reader(syntax);
  for (const std::string& line : split(text, '\n')) {
    reader.read(line);
  }
  return reader.finish();
}

HotLoop hot_loop(const Listing& listing)
{
  HotLoop best;
  // Beside a loop in vectors stands the same one element by element, for what is left and for arguments that overlap.
  std::tuple<bool, int, int, int, std::size_t> most{};
  for (const Function& function : listing.functions) {
    for (const Loop& loop : function.loops) {
      const InstructionMix mix = mix_of(function, loop, listing.syntax);
      const int arithmetic = mix.arithmetic_with_calls();
      const std::tuple<bool, int, int, int, std::size_t> weight{arithmetic > 0, loop.depth, arithmetic,
                                                                mix.vector_bytes, loop.instructions.size()};
      if (loop.innermost && weight > most) {
        most = weight;
        best = {&function, &loop};
      }
    }
  }
  return best;
}

std::string lines_of(const Function& function, const Loop& loop)
{
  std::map<std::string, std::pair<int, int>> ranges; // by file
  std::map<std::string, std::size_t> counts;
  for (const std::size_t i : loop.instructions) {
    const Instruction& one = function.instructions[i];
    if (one.line > 0) {
      auto& [low, high] = ranges.try_emplace(one.file, one.line, one.line).first->second;
      low = std::min(low, one.line);
      high = std::max(high, one.line);
      ++counts[one.file];
    }
  }
  if (counts.empty()) {
    return "";
  }
  const std::string& file = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
  const auto [low, high] = ranges[file];
  return low == high ? fmt::format("{}:{}", file, low) : fmt::format("{}:{}-{}", file, low, high);
}

std::string text_of(const Function& function, const Loop& loop)
{
  std::string text;
  for (const std::size_t i : loop.instructions) {
    text += fmt::format("{} {}\n", function.instructions[i].opcode, function.instructions[i].operands);
  }
  return text;
}

} // namespace hone::tools
