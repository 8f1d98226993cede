#include "import/start_candidate.h"

#include "import/source_cuts.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace hone::import {

namespace {

// What may be included where candidates are compiled; a kernel has no use for the rest.
constexpr std::array<std::string_view, 16> k_headers{
  "math.h",   "cmath",   "stdint.h", "cstdint",   "stddef.h",  "cstddef",  "float.h", "cfloat",
  "limits.h", "climits", "limits",   "algorithm", "stdbool.h", "string.h", "cstring", "utility"};

// The declarations that the function needs, through the functions and constants that it uses.
std::set<std::string> needed_by(const CFile& file, const CFunction& function)
{
  std::set<std::string> out{function.declaration};
  std::vector<std::string> open = function.uses;
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    if (!out.insert(next).second) {
      continue;
    }
    if (const CFunction* other = file.find(next)) {
      open.insert(open.end(), other->uses.begin(), other->uses.end());
    }
    const auto variable = std::ranges::find(file.others, next, &CTopLevel::declaration);
    if (variable != file.others.end()) {
      open.insert(open.end(), variable->uses.begin(), variable->uses.end());
    }
  }
  return out;
}

void cut_unneeded(const CFile& file, const std::set<std::string>& needed, std::vector<Cut>& cuts)
{
  for (const CFunction& one : file.functions) {
    if (!needed.contains(one.declaration)) {
      cuts.push_back({one.begin, one.end, ""});
    }
  }
  for (const CTopLevel& one : file.others) {
    if (!needed.contains(one.declaration)) {
      const std::size_t semicolon = file.text.find(';', one.end);
      cuts.push_back({one.begin, semicolon == std::string::npos ? one.end : semicolon + 1, ""});
    }
  }
}

void cut_includes(const CFile& file, std::vector<Cut>& cuts)
{
  std::size_t begin = 0;
  while (begin < file.text.size()) {
    const std::size_t end = std::min(file.text.find('\n', begin), file.text.size());
    const std::string_view line = trim(std::string_view(file.text).substr(begin, end - begin));
    if (line.starts_with("#") && trim(line.substr(1)).starts_with("include")) {
      const std::size_t open = line.find_first_of("<\"");
      const std::size_t close = line.find_last_of(">\"");
      const std::string_view header = open < close ? line.substr(open + 1, close - open - 1) : std::string_view();
      if (std::ranges::find(k_headers, header) == k_headers.end()) {
        cuts.push_back({begin, end, ""});
      }
    }
    begin = end + 1;
  }
}

// Arrays of C whose extents are parameters do not exist in C++: they come in as pointers and are given their type
// inside.
void rewrite_arrays(const CFunction& function, std::vector<Cut>& cuts)
{
  std::string inside;
  for (const CParameter& parameter : function.parameters) {
    const bool runtime = std::ranges::any_of(
      parameter.extents, [](const CNodePtr& extent) { return extent && extent->kind != CKind::number; });
    if (!runtime) {
      continue;
    }
    const std::string element = (parameter.type.constant ? "const " : "") + parameter.type.element;
    std::string rest;
    for (std::size_t k = 1; k < parameter.extent_texts.size(); ++k) {
      rest += fmt::format("[{}]", parameter.extent_texts[k]);
    }
    if (rest.empty()) {
      cuts.push_back({parameter.begin, parameter.end, fmt::format("{}* {}", element, parameter.name)});
      continue;
    }
    cuts.push_back({parameter.begin, parameter.end, fmt::format("{}* {}_elements", element, parameter.name)});
    inside += fmt::format("\n  {0} (*{1}){2} = ({0} (*){2}){1}_elements;", element, parameter.name, rest);
  }
  if (!inside.empty()) {
    cuts.push_back({function.body_begin + 1, function.body_begin + 1, inside});
  }
}

std::string wrapper(const CFunction& function, const KernelNames& names, const Semantics& semantics,
                    const std::map<std::string, kernel::ExprPtr>& assumed, const std::string& entry)
{
  std::string parameters = "const hone_group*";
  std::string arguments;
  for (const CParameter& parameter : function.parameters) {
    if (names.is_argument(parameter.name)) {
      parameters += fmt::format(", {}{}* {}", semantics.written.contains(parameter.name) ? "" : "const ",
                                parameter.type.data ? parameter.type.element : "int64_t", parameter.name);
    }
    arguments += (arguments.empty() ? "" : ", ") + passed(parameter, names, assumed);
  }
  const bool returns = !names.result.empty();
  if (returns) {
    parameters += fmt::format(", {}* {}", function.result.element, names.result);
  }
  for (const std::string& size : names.sizes) {
    parameters += ", int64_t " + size;
  }
  return fmt::format("\n// One work-group calls it once.\nextern \"C\" void {}({})\n{{\n  {}{}({});\n}}\n", entry,
                     parameters, returns ? fmt::format("*{} = ", names.result) : "", function.name, arguments);
}

} // namespace

std::map<std::string, std::string> start_candidate_files(const CFile& file, const CFunction& function,
                                                         const KernelNames& names, const Semantics& semantics,
                                                         const std::map<std::string, kernel::ExprPtr>& assumed,
                                                         const std::string& kernel)
{
  std::vector<Cut> cuts;
  cut_unneeded(file, needed_by(file, function), cuts);
  cut_includes(file, cuts);
  if (!file.cpp) {
    rewrite_arrays(function, cuts);
  }
  const std::string entry = function.name + "_kernel";
  std::string device = fmt::format("// {}: {}() as it stands in {}\n#include \"hone.h\"\n#include \"macros.h\"\n\n",
                                   kernel, function.name, fs::path(file.path).filename().string());
  device += tidied(with_cuts(file.text, std::move(cuts)));
  device += wrapper(function, names, semantics, assumed, entry);
  std::string words = file.cpp ? ""
                               : "#define restrict __restrict__ // a word of C that C++ lacks\n"
                                 "#ifdef __cplusplus\n#define _Bool bool\n#endif\n";
  words += file.text.contains("assert.h") || file.text.contains("cassert")
             ? "#define assert(condition) ((void)0) // a kernel ends no program\n"
             : "";
  return {{"device.cpp", device},
          {"macros.h", fmt::format("// {}: names that the device code uses.\n#pragma once\n{}", kernel, words)},
          {"launch.toml", fmt::format("[[launch]]\nkernel = \"{}\"\ngrid = [1]\nargs = [{}]\n", entry,
                                      quoted_list(names.arguments, names.sizes))}};
}

std::string passed(const CParameter& parameter, const KernelNames& names,
                   const std::map<std::string, kernel::ExprPtr>& assumed)
{
  const auto value = assumed.find(parameter.name);
  if (is_integer(parameter) && !names.is_argument(parameter.name)) {
    const std::string text = value != assumed.end()          ? kernel::to_text(*value->second)
                             : names.is_size(parameter.name) ? parameter.name
                                                             : "0";
    return fmt::format("({})({})", parameter.type.element, text);
  }
  if (!names.is_argument(parameter.name)) {
    return parameter.type.extents.empty() ? "0" : "nullptr";
  }
  if (parameter.type.extents.empty()) {
    return parameter.type.data ? "*" + parameter.name : fmt::format("({})*{}", parameter.type.element, parameter.name);
  }
  const bool runtime = std::ranges::any_of(
    parameter.extents, [](const CNodePtr& extent) { return extent && extent->kind != CKind::number; });
  std::string rest;
  for (std::size_t k = 1; k < parameter.type.extents.size() && !runtime; ++k) {
    rest += fmt::format("[{}]", parameter.type.extents[k]);
  }
  return fmt::format("({}{} {}{}){}", parameter.type.constant ? "const " : "", parameter.type.element,
                     rest.empty() ? "*" : "(*)", rest, parameter.name);
}

std::string quoted_list(const std::vector<std::string>& first, const std::vector<std::string>& second)
{
  std::vector<std::string> out;
  for (const std::vector<std::string>* list : {&first, &second}) {
    for (const std::string& word : *list) {
      out.push_back("\"" + word + "\"");
    }
  }
  return join(out, ", ");
}

} // namespace hone::import
