#include "backend/cpu/link_map.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>
#include <vector>

namespace hone::backend::cpu {

namespace {

struct Contribution {
  std::string section; // ".bss._ZL7counter"
  std::string file;    // "kernel.o" or "/.../libc.a(printf.lo)"
};

struct LinkMap {
  struct Reference {
    std::string from;   // the file that asked
    std::string symbol; // what it asked for
  };
  std::map<std::string, Reference> members; // archive member -> why it was taken
  std::vector<Contribution> writable;
};

std::vector<std::string> words_of(const std::string& line)
{
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(std::move(word));
  }
  return words;
}

bool is_writable(std::string_view section)
{
  constexpr std::array<std::string_view, 9> prefixes = {
    ".data", ".bss", ".tdata", ".tbss", "COMMON", ".init_array", ".fini_array", ".preinit_array", ".ctors"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [section](std::string_view prefix) { return section.starts_with(prefix); });
}

// "libc.a(puts.lo)\n      kernel.o (puts)": the map breaks a line after a long first word.
void read_members(const std::vector<std::string>& lines, std::size_t end, LinkMap& map)
{
  std::vector<std::string> words;
  for (std::size_t i = 1; i < end; ++i) {
    for (std::string& word : words_of(lines[i])) {
      words.push_back(std::move(word));
    }
    if (words.size() >= 3) {
      map.members[words[0]] = {words[1], std::string(trim(words[2]))};
      words.clear();
    }
  }
}

// " .bss.name  0xaddress  0xsize  file", broken after a long first word likewise.
void read_contributions(const std::vector<std::string>& lines, std::size_t begin, LinkMap& map)
{
  for (std::size_t i = begin; i < lines.size(); ++i) {
    if (!lines[i].starts_with(" .") && !lines[i].starts_with(" COMMON")) {
      continue;
    }
    std::vector<std::string> words = words_of(lines[i]);
    if (words.size() == 1 && i + 1 < lines.size()) {
      const std::vector<std::string> more = words_of(lines[i + 1]);
      words.insert(words.end(), more.begin(), more.end());
    }
    if (words.size() >= 4 && is_writable(words[0]) && words[2] != "0x0") {
      map.writable.push_back({words[0], words[3]});
    }
  }
}

LinkMap read_map(std::string_view text)
{
  const std::vector<std::string> lines = split(text, '\n');
  const auto line_with = [&lines](std::string_view start) {
    const auto at =
      std::find_if(lines.begin(), lines.end(), [start](const std::string& line) { return line.starts_with(start); });
    return static_cast<std::size_t>(at - lines.begin());
  };
  LinkMap map;
  if (line_with("Archive member included") == 0) {
    read_members(lines, std::min(line_with("Discarded input"), line_with("Memory Configuration")), map);
  }
  read_contributions(lines, line_with("Linker script and memory map"), map);
  return map;
}

// Texts from the map may hold anything that fits into a symbol's name.
std::string printable(std::string_view text)
{
  constexpr std::size_t longest = 80;
  std::string safe;
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '_' || c == '.' || c == '$') {
      safe += c;
    }
  }
  return safe;
}

// The function of the C library that the candidate itself called, from a member that came along with it.
std::string called_function(const LinkMap& map, const std::string& member, std::string_view object)
{
  std::string at = member;
  for (std::size_t step = 0; step <= map.members.size(); ++step) {
    const auto reason = map.members.find(at);
    if (reason == map.members.end()) {
      return {};
    }
    if (reason->second.from == object) {
      std::string symbol = reason->second.symbol;
      std::erase_if(symbol, [](char c) { return c == '(' || c == ')'; });
      return symbol;
    }
    at = reason->second.from;
  }
  return {};
}

std::string explain_call(std::string_view function)
{
  const auto is_any = [function](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), function) != names.end();
  };
  std::string advice = "kernels have only their arguments";
  if (is_any({"printf", "puts", "putchar", "fprintf", "fputs", "fputc", "fwrite", "vprintf", "perror", "putc"})) {
    advice = "kernels cannot print";
  } else if (is_any({"malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign"})) {
    advice = "kernels cannot allocate; declare a scratch buffer in launch.toml";
  } else if (function.starts_with("pthread") || function.starts_with("sem_") || function.starts_with("thrd")) {
    advice = "kernels cannot start or join threads; the grid in launch.toml says what runs in parallel";
  }
  return fmt::format("calls {}, which needs writable state; {}", printable(function), advice);
}

// What follows the section's own prefix names the variable, as -fdata-sections makes it.
std::string explain_own(std::string_view section)
{
  if (section.starts_with(".data.rel.ro")) {
    std::string_view name = section.substr(std::string_view(".data.rel.ro").size());
    if (name.starts_with(".local")) {
      name.remove_prefix(std::string_view(".local").size());
    }
    const std::string plain = printable(plain_name(name.empty() ? name : name.substr(1)));
    return fmt::format("{} holds addresses, which are not known before loading; use offsets or a switch instead",
                       plain.empty() ? "a constant table" : plain);
  }
  if (section.starts_with(".init_array") || section.starts_with(".ctors") || section.starts_with(".preinit_array")
      || section.starts_with(".fini_array")) {
    return "keeps state between calls: something is constructed before the first call";
  }
  const std::size_t dot = section.find('.', 1);
  const std::string name = dot == std::string_view::npos ? "" : printable(plain_name(section.substr(dot + 1)));
  return fmt::format("keeps state between calls: {}",
                     name.empty() ? fmt::format("data in section {}", printable(section)) : name);
}

} // namespace

std::string plain_name(std::string_view symbol)
{
  if (!symbol.starts_with("_Z")) {
    return std::string(symbol);
  }
  // The last length-prefixed identifier of the mangled name is the variable's own.
  std::string last;
  for (std::size_t i = 0; i < symbol.size();) {
    std::size_t length = 0;
    const std::size_t digits = i;
    for (; i < symbol.size() && std::isdigit(static_cast<unsigned char>(symbol[i])) != 0 && length < symbol.size();
         ++i) {
      length = length * 10 + static_cast<std::size_t>(symbol[i] - '0');
    }
    if (i == digits) {
      ++i;
    } else if (length > 0 && length <= symbol.size() - i) {
      last = std::string(symbol.substr(i, length));
      i += length;
    }
  }
  return last.empty() ? std::string(symbol) : last;
}

std::string explain_writable(std::string_view text, std::string_view object)
{
  const LinkMap map = read_map(text);
  for (const Contribution& part : map.writable) {
    if (part.file == object) {
      return explain_own(part.section);
    }
  }
  for (const Contribution& part : map.writable) {
    if (const std::string function = called_function(map, part.file, object); !function.empty()) {
      return explain_call(function);
    }
  }
  return {};
}

} // namespace hone::backend::cpu
