#include "ship/device_text.h"

#include "ship/outer_functions.h"
#include "ship/plain_c.h"
#include "ship/source_tokens.h"
#include "util/text.h"

#include <fmt/format.h>

#include <set>

namespace hone::ship {

namespace {

// "math.h" of "#include <math.h>"; "" for other lines.
std::string included(std::string_view line)
{
  line = trim(line);
  if (!line.starts_with("#") || !trim(line.substr(1)).starts_with("include")) {
    return {};
  }
  const std::size_t open = line.find_first_of("<\"");
  const std::size_t close = line.find_last_of(">\"");
  return open < close ? std::string(line.substr(open + 1, close - open - 1)) : std::string();
}

// "#pragma GCC unroll 16" in the words that clang knows too.
std::string portable_line(const std::string& line)
{
  constexpr std::string_view start = "#pragma GCC unroll ";
  const std::string_view text = trim(line);
  if (!text.starts_with(start)) {
    return line;
  }
  return fmt::format("{}HONE_UNROLL({})", line.substr(0, line.find('#')), text.substr(start.size()));
}

// What is left of a file when includes are taken out; they are collected. Lines keep their numbers.
std::string without_includes(const std::string& text, std::set<std::string>& headers)
{
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines) {
    const std::string header = included(line);
    if (!header.empty()) {
      headers.insert(header);
      line.clear();
    } else if (trim(line) == "#pragma once") {
      line.clear();
    } else {
      line = portable_line(line);
    }
  }
  return join(lines, "\n");
}

bool holds_code(const std::string& text)
{
  for (const SourceToken& token : source_tokens(text)) {
    if (token.kind != SourceToken::Kind::comment && token.kind != SourceToken::Kind::space) {
      return true;
    }
  }
  return false;
}

std::string without_blank_ends(const std::string& text)
{
  std::string out(trim(text));
  while (out.find("\n\n\n") != std::string::npos) {
    out = replace_all(out, "\n\n\n", "\n\n");
  }
  return out.empty() ? "" : out + "\n";
}

std::string constants(const ExportContext& names)
{
  std::string out;
  for (const auto& [parameter, value] : names.point) {
    out += fmt::format("#define {} {}\n", parameter, value);
  }
  if (names.is_specialised()) {
    for (const std::string& symbol : names.kernel().symbols) {
      out += fmt::format("#define HONE_SIZE_{} {}\n", symbol, names.request.sizes.at(symbol));
    }
  }
  return out;
}

// Whether what is declared from `at` on is a function that the plan launches.
bool declares_entry(const ExportContext& names, const std::vector<SourceToken>& tokens, std::size_t at)
{
  const std::vector<const kernel::LaunchSpec*> launches = all_launches(names);
  for (; at < tokens.size() && tokens[at].text != "{" && tokens[at].text != ";"; ++at) {
    if (std::ranges::find(launches, tokens[at].text, &kernel::LaunchSpec::kernel) != launches.end()) {
      return true;
    }
  }
  return false;
}

// The function of the header calls what the plan launches from another file; all else is this one's own.
std::string with_own_linkage(const ExportContext& names, const std::string& text)
{
  std::vector<SourceToken> tokens = source_tokens(text);
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    const bool is_linkage = tokens[i].text == "extern" && tokens[i + 2].text == "\"C\"";
    const bool is_block = tokens[i + 4 < tokens.size() ? i + 4 : i].text == "{";
    if (!is_linkage || is_block) {
      continue;
    }
    const bool is_entry = declares_entry(names, tokens, i + 3);
    if (is_entry && !names.is_c()) {
      continue;
    }
    for (std::size_t k = i; k < i + (is_entry ? 4 : 3); ++k) { // with the blank behind it where nothing takes its place
      tokens[k].text.clear();
    }
    tokens[i].text = is_entry ? "" : "static";
  }
  return text_of(tokens);
}

} // namespace

Result<DeviceText> device_text(const ExportContext& names)
{
  const auto file = [&](const std::string& name) {
    const auto found = names.request.candidate.files.find(name);
    return found == names.request.candidate.files.end() ? std::string() : found->second;
  };
  std::set<std::string> headers;
  std::string macros = without_includes(file("macros.h"), headers);
  std::string code = with_own_linkage(names, without_includes(names.request.candidate.device_source(), headers));
  for (const char* ours : {"hone.h", "hone_vector.h", "hone_lanes.h", "hone_math.h", "hone_window.h", "macros.h"}) {
    headers.erase(ours);
  }
  if (names.is_c()) {
    HONE_TRY(headers, plain_c_headers(headers));
    HONE_TRY(macros, plain_c(macros, "macros.h"));
    HONE_TRY(code, plain_c(code, "device.cpp"));
  }
  std::set<std::string> entries;
  for (const kernel::LaunchSpec* launch : all_launches(names)) {
    entries.insert(launch->kernel);
  }
  code = with_used_parameters(with_static_functions(code, entries));
  DeviceText out;
  for (const std::string& header : headers) {
    out.includes += fmt::format("#include <{}>\n", header);
  }
  out.macros = constants(names) + (holds_code(macros) ? without_blank_ends(macros) : "");
  out.code = without_blank_ends(code);
  return out;
}

} // namespace hone::ship
