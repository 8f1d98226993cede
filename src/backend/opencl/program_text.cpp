#include "backend/opencl/program_text.h"

#include "backend/source_words.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace hone::backend {
namespace {

// Words through which text of other files, or instructions of the machine, would get into the program.
std::string forbidden_word(const std::string& code)
{
  static constexpr std::string_view k_forbidden[] = {
    "include",         "include_next", "import", "embed",   "incbin",        "asm",
    "__asm",           "__asm__",      "pragma", "_Pragma", "__has_include", "__has_include_next",
    "__include_macros"};
  const auto words = words_of(code);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool extension =
      words[i] == "pragma" && i + 2 < words.size() && (words[i + 1] == "OPENCL" || words[i + 1] == "unroll");
    if (!extension && std::ranges::find(k_forbidden, words[i]) != std::end(k_forbidden)) {
      return words[i];
    }
  }
  return code.find("??") == std::string::npos ? "" : "??"; // trigraphs could spell any of them
}

std::expected<std::string, LoadFailure> checked_file(const std::string& name, const std::string& source)
{
  const std::string text = without_joints(source);
  const std::string word = forbidden_word(visible_code(text));
  if (!word.empty()) {
    return std::unexpected(LoadFailure{
      LoadFailure::Kind::compile,
      fmt::format("{} uses `{}`: only `#include \"macros.h\"` and plain OpenCL C are allowed", name, word)});
  }
  return fmt::format("#line 1 \"{}\"\n{}\n", name, text);
}

// Assembly written with pasted tokens meets these: macros are looked for again after pasting, and nobody can undefine
// them without writing the word.
constexpr std::string_view k_no_assembly = "#define asm hone_assembly_is_not_allowed\n"
                                           "#define __asm hone_assembly_is_not_allowed\n"
                                           "#define __asm__ hone_assembly_is_not_allowed\n";

// PoCL puts the severity first ("error: device.cl:3:7: use of ..."), counts at the end and names itself.
std::string translated_line(const std::string& line)
{
  static const std::regex severity_first("^(error|warning): ([^ :]+:[0-9]+:[0-9]+): (.*)");
  static const std::regex noise("^[0-9]+ (error|warning)s?( and [0-9]+ errors?)? generated\\.$|"
                                "^Device .* failed to build the program$");
  return std::regex_replace(std::regex_replace(line, noise, ""), severity_first, "$2: $1: $3");
}

} // namespace

std::expected<std::string, LoadFailure> opencl_program_text(const BuildInput& input)
{
  std::string program(k_no_assembly);
  program += macros_of(input);
  for (const char* name : {"macros.h", "device.cl"}) {
    const auto file = input.candidate.files.find(name);
    if (file == input.candidate.files.end()) {
      continue; // macros.h may be missing; a candidate without device.cl was refused when it was read
    }
    auto checked = checked_file(name, file->second);
    if (!checked) {
      return checked;
    }
    program += *checked;
  }
  return program;
}

std::string translate_opencl_log(std::string_view log)
{
  static const std::regex temporary_file("[^ \t\n:'\"]*/?tempfile[-_][A-Za-z0-9_]+(\\.cl)?");
  std::string text;
  for (const std::string& line : split(std::regex_replace(std::string(log), temporary_file, "device.cl"), '\n')) {
    if (const std::string translated = translated_line(line); !translated.empty()) {
      text += translated + '\n';
    }
  }
  return text;
}

} // namespace hone::backend
