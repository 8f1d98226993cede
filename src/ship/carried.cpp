#include "ship/carried.h"

#include "backend/cpu/embedded_files.h"
#include "lower/dialect.h"
#include "ship/c_math.h"
#include "ship/plain_c.h"
#include "ship/source_tokens.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace hone::ship {

namespace {

using Kind = SourceToken::Kind;

bool is_directive(std::string_view line)
{
  return line.starts_with("#if") || line.starts_with("#el") || line.starts_with("#endif");
}

struct Paragraph {
  std::string text;
  std::set<std::string> defines; // empty: always there
  std::set<std::string> words;
};

bool is_name(const std::string& word)
{
  return word.starts_with("hone_") || word.starts_with("HONE_") || word.starts_with("f32v") || word.starts_with("f64v")
         || word == "i32v" || word == "i64v";
}

// Functions and macros with parameters by what stands before the bracket; other declarations by all they name.
std::set<std::string> defined_in(const std::string& text)
{
  std::set<std::string> functions;
  std::set<std::string> all;
  int depth = 0;
  const std::vector<SourceToken> tokens = source_tokens(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    depth += tokens[i].text == "{" || tokens[i].text == "("   ? 1
             : tokens[i].text == "}" || tokens[i].text == ")" ? -1
                                                              : 0;
    if (tokens[i].kind == Kind::word && depth == 0 && is_name(tokens[i].text)) {
      all.insert(tokens[i].text);
      if (i + 1 < tokens.size() && tokens[i + 1].text == "(") {
        functions.insert(tokens[i].text);
      }
    }
  }
  return functions.empty() ? all : functions;
}

std::vector<Paragraph> paragraphs_of(std::string_view text)
{
  std::vector<Paragraph> out;
  for (const std::string& paragraph : paragraph_texts(text)) {
    // A directive that stands at the head of functions is a paragraph of its own.
    const bool only_directives = std::ranges::all_of(split(trim(paragraph), '\n'), [](const std::string& line) {
      return is_directive(line) || line.starts_with("//");
    });
    out.push_back({paragraph, only_directives ? std::set<std::string>() : defined_in(paragraph), words_of(paragraph)});
  }
  return out;
}

// "#if A / #else / #endif" with nothing inside, and comments that led to them.
void drop_empty_conditions(std::vector<Paragraph>& kept)
{
  const auto opens = [](const Paragraph& p) { return p.defines.empty() && p.text.find("#if") != std::string::npos; };
  const auto closes = [](const Paragraph& p) {
    return p.defines.empty() && p.text.find("#endif") != std::string::npos;
  };
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::size_t end = i;
    while (opens(kept[i]) && end < kept.size() && kept[end].defines.empty() && !closes(kept[end])) {
      ++end;
    }
    if (end > i && end < kept.size() && closes(kept[end])) {
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i), kept.begin() + static_cast<std::ptrdiff_t>(end) + 1);
      --i;
    }
  }
}

// Without its own includes and the file's opening words.
std::string body_of(const std::string& file)
{
  const std::string& text = backend::cpu::embedded_files().at(file);
  std::string out;
  for (const std::string& line : split(text.substr(text.find("#pragma once")), '\n')) {
    if (!line.starts_with("#include") && !line.starts_with("#pragma once")) {
      out += line + "\n";
    }
  }
  return out;
}

std::string vector_check(const ExportContext& names)
{
  const std::string& isa = names.request.isa;
  const int bytes = isa == "avx512" ? 64 : isa == "avx2" ? 32 : 16;
  return fmt::format(
    "#if HONE_VECTOR_BYTES != {}\n#error \"compile this file for the vectors that it was made for: {}\"\n"
    "#endif\n",
    bytes,
    isa == "avx512" ? "-march=x86-64-v4"
    : isa == "avx2" ? "-march=x86-64-v3"
                    : "no -march");
}

} // namespace

std::vector<std::string> paragraph_texts(std::string_view text)
{
  std::vector<std::string> out;
  std::string open;
  int depth = 0;
  const auto close = [&] {
    if (!trim(open).empty()) {
      out.push_back(open);
    }
    open.clear();
  };
  for (const std::string& line : split(text, '\n')) {
    depth += static_cast<int>(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
    if (line.empty() && depth == 0) {
      close();
    } else {
      open += line + "\n";
    }
  }
  close();
  return out;
}

std::string needed_paragraphs(std::string_view text, std::set<std::string> words)
{
  const std::vector<Paragraph> all = paragraphs_of(text);
  std::vector<bool> is_needed(all.size(), false);
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool needed = std::ranges::any_of(all[i].defines, [&](const auto& name) { return words.contains(name); });
      if (needed && !is_needed[i]) {
        is_needed[i] = grew = true;
        words.insert(all[i].words.begin(), all[i].words.end());
      }
    }
  }
  std::vector<Paragraph> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_needed[i] || all[i].defines.empty()) {
      kept.push_back(all[i]);
    }
  }
  drop_empty_conditions(kept);
  std::string out;
  for (const Paragraph& paragraph : kept) {
    out += (out.empty() ? "" : "\n") + paragraph.text;
  }
  return out;
}

std::string support_text(bool for_c)
{
  const std::string dot = body_of("hone_dot.h") + "\n" + body_of("hone_narrow.h") + "\n"; // written once for both
  const std::string rows = body_of("hone_lanes.h") + "\n" + body_of("hone_math.h") + "\n" + body_of("hone_window.h");
  if (!for_c) {
    return body_of("hone.h") + "\n" + body_of("hone_vector.h") + "\n" + dot + rows;
  }
  const Result<std::string> in_c = plain_c(c_overloads(rows), "hone_math.h"); // the tests hold it to that
  return std::string(c_support()) + "\n" + dot + (in_c ? *in_c : "#error \"" + in_c.error().message + "\"\n");
}

std::string support_code_for(const ExportContext& names, const std::string& device)
{
  const std::string all = support_text(names.is_c());
  std::set<std::string> words = words_of(device);
  words.insert("hone_group");
  for (const kernel::ScratchSpec& scratch : names.request.candidate.plan.scratch) {
    words.insert(lower::cpu_type_text(scratch.type));
  }
  for (const kernel::Argument& argument : names.kernel().arguments) {
    words.insert(lower::cpu_type_text(argument.type));
  }
  const std::string needed = needed_paragraphs(all, words);
  if (!words_of(needed).contains("HONE_VECTOR_BYTES")) {
    return needed;
  }
  // Functions come for all types, and a code uses them for one: clang would say so.
  return "#if defined(__clang__)\n#pragma clang diagnostic push\n"
         "#pragma clang diagnostic ignored \"-Wunused-function\"\n"
         "#pragma clang diagnostic ignored \"-Wunused-const-variable\"\n#endif\n\n"
         + needed + "\n#if defined(__clang__)\n#pragma clang diagnostic pop\n#endif\n\n" + vector_check(names);
}

} // namespace hone::ship
