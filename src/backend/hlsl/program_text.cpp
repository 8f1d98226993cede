#include "backend/hlsl/program_text.h"

#include "backend/source_words.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace hone::backend {
namespace {

// Words through which text of other files would get into the program.
constexpr std::string_view k_forbidden_in_hlsl[] = {"include", "import", "pragma", "_Pragma", "line", "extension"};

std::expected<std::string, LoadFailure> checked_hlsl(const std::string& name, const std::string& source, int number)
{
  const std::string text = without_joints(source);
  for (const std::string& word : words_of(visible_code(text))) {
    if (std::ranges::find(k_forbidden_in_hlsl, word) != std::end(k_forbidden_in_hlsl)) {
      return std::unexpected(
        LoadFailure{LoadFailure::Kind::compile,
                    fmt::format("{} uses `{}`: only `#include \"macros.h\"` and plain HLSL are allowed", name, word)});
    }
  }
  return fmt::format("#line 1 {}\n{}\n", number, text);
}

std::expected<std::string, LoadFailure> declaration(const std::string& name, kernel::DataType type, bool writable,
                                                    std::size_t binding)
{
  if (type != kernel::DataType::f32 && type != kernel::DataType::i32 && type != kernel::DataType::u32) {
    return std::unexpected(
      LoadFailure{LoadFailure::Kind::compile,
                  fmt::format("{} holds {}: the backend hlsl has f32, i32 and u32", name, kernel::name_of(type))});
  }
  return fmt::format("[[vk::binding({})]] {}StructuredBuffer<{}> {};\n", binding, writable ? "RW" : "",
                     lower::type_text(type, lower::hlsl_dialect()), name);
}

} // namespace

std::expected<std::string, LoadFailure> hlsl_program_text(const BuildInput& input)
{
  std::string program = macros_of(input);
  std::size_t binding = 0;
  for (const kernel::Argument& argument : input.kernel.arguments) {
    auto line = declaration(argument.name, argument.type, kernel::is_written(argument.role), binding++);
    if (!line) {
      return line;
    }
    program += *line;
  }
  for (const kernel::ResolvedScratch& scratch : input.plan.scratch) {
    auto line = declaration(scratch.name, scratch.type, true, binding++);
    if (!line) {
      return line;
    }
    program += *line;
  }
  program += "[[vk::push_constant]] cbuffer hone_sizes\n{\n";
  for (const std::string& symbol : input.kernel.symbols) {
    program += fmt::format("  int {};\n", symbol);
  }
  program += "  int repeat_index;\n};\n";
  int number = 1;
  for (const char* name : {"macros.h", "device.hlsl"}) {
    const auto file = input.candidate.files.find(name);
    if (file == input.candidate.files.end()) {
      continue;
    }
    auto checked = checked_hlsl(name, file->second, number++);
    if (!checked) {
      return checked;
    }
    program += *checked;
  }
  return program;
}

// "ERROR: 2:12: 'x' : undeclared identifier" becomes "device.hlsl:12: error: ...".
std::string translate_hlsl_log(std::string_view log)
{
  static const std::regex place("^(ERROR|WARNING): ([0-9]+):([0-9]+): (.*)");
  std::string out;
  for (const std::string& line : split(log, '\n')) {
    std::smatch parts;
    if (std::regex_match(line, parts, place)) {
      const std::string file = parts[2] == "1" ? "macros.h" : parts[2] == "2" ? "device.hlsl" : "hone";
      const std::string severity = parts[1] == "ERROR" ? "error" : "warning";
      out += fmt::format("{}:{}: {}: {}\n", file, parts[3].str(), severity, parts[4].str());
    } else if (line.starts_with("ERROR") && !line.contains("compilation errors")
               && !line.contains("compilation terminated")) {
      out += line + '\n';
    }
  }
  return out;
}

} // namespace hone::backend
