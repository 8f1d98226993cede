#include "import/c_parser.h"

#include "import/c_cursor.h"
#include "import/c_tokens.h"
#include "import/c_tree.h"
#include "import/device_headers.h"
#include "import/launch_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hone::import {

namespace {

bool is_c(const std::string& path)
{
  return fs::path(path).extension() == ".c" || fs::path(path).extension() == ".h";
}

// Takes the operators that macros hid from the same tree, read from text without macros.
void take_operators(CNode& into, const CNode& from)
{
  if (into.kind != from.kind || into.children.size() != from.children.size()) {
    return;
  }
  if (into.kind == CKind::binary || into.kind == CKind::unary) {
    into.text = from.text;
  }
  for (std::size_t i = 0; i < into.children.size(); ++i) {
    take_operators(*into.children[i], *from.children[i]);
  }
}

class FileReader {
public:
  FileReader(const CUnit& unit, CFile& file) : m_unit(unit), m_file(file) {}

  void read(CXCursor parent)
  {
    for (const CXCursor cursor : m_unit.children(parent)) {
      const CXCursorKind kind = m_unit.kind(cursor);
      if (!m_unit.in_main_file(cursor)) {
        continue;
      }
      const bool holds_others =
        kind == CXCursor_LinkageSpec || kind == CXCursor_Namespace || kind == CXCursor_UnexposedDecl;
      if (!m_file.device_language.empty() && !holds_others) {
        m_file.pieces.push_back({m_unit.name(cursor), m_unit.begin(cursor), m_unit.end(cursor)});
      }
      if (holds_others) {
        read(cursor);
      } else if (kind == CXCursor_FunctionDecl && m_unit.is_definition(cursor)) {
        function(cursor);
      } else if (kind == CXCursor_VarDecl) {
        m_file.others.push_back(top_level_of(m_unit, m_file, cursor));
      }
    }
  }

  // Of functions that macros hid operators in: the definitions, macros expanded.
  const std::vector<std::pair<std::size_t, std::string>>& expanded() const { return m_expanded; }

private:
  void function(CXCursor cursor)
  {
    bool macro_operator = false;
    m_file.functions.push_back(function_of(m_unit, m_file, cursor, macro_operator));
    if (macro_operator) {
      m_expanded.emplace_back(m_file.functions.size() - 1, m_unit.pretty(cursor));
    }
  }

  const CUnit& m_unit;
  CFile& m_file;
  std::vector<std::pair<std::size_t, std::string>> m_expanded;
};

std::map<std::string, std::string> headers_for(const CFile& file)
{
  return file.device_language.empty() ? std::map<std::string, std::string>() : device_headers();
}

// Reads the file once more with some functions' macros expanded, and takes the operators from there.
Result<void> read_expanded(CFile& file, const std::vector<std::pair<std::size_t, std::string>>& expanded,
                           const std::vector<std::string>& flags)
{
  CFile plain;
  plain.path = file.path;
  plain.text = file.text;
  plain.device_language = file.device_language;
  for (auto at = expanded.rbegin(); at != expanded.rend(); ++at) {
    const CFunction& function = file.functions[at->first];
    plain.text.replace(function.begin, function.end - function.begin, at->second);
  }
  HONE_TRY(const CUnit unit, CUnit::parse(plain.path, plain.text, flags, headers_for(plain)));
  if (const std::vector<Error> errors = unit.errors(); !errors.empty() && file.device_language.empty()) {
    return std::unexpected(errors.front());
  }
  FileReader(unit, plain).read(unit.root());
  if (plain.functions.size() != file.functions.size()) {
    return {};
  }
  for (const auto& [position, text] : expanded) {
    const CFunction& from = plain.functions[position];
    if (file.functions[position].body && from.body) {
      take_operators(*file.functions[position].body, *from.body);
    }
  }
  return {};
}

// Headers that only the host needs may be missing beside device code: the front end would say nothing more behind one.
Result<CUnit> parse_unit(CFile& file, const std::vector<std::string>& flags)
{
  constexpr int k_most_missing = 8;
  for (int round = 0;; ++round) {
    HONE_TRY(CUnit unit, CUnit::parse(file.path, file.text, flags, headers_for(file)));
    const std::vector<Error> errors = unit.errors();
    const auto missing = std::ranges::find_if(errors, [&](const Error& error) {
      return error.message.contains("file not found") && error.place.file == file.path;
    });
    if (missing == errors.end() || file.device_language.empty() || round == k_most_missing) {
      return unit;
    }
    file.host_errors.push_back(*missing);
    std::size_t begin = 0;
    for (int line = 1; line < missing->place.line; ++line) {
      begin = file.text.find('\n', begin) + 1;
    }
    const std::size_t end = std::min(file.text.find('\n', begin), file.text.size());
    file.text.replace(begin, end - begin, std::string(end - begin, ' '));
  }
}

// What is wrong in functions of the host beside device code is kept: it matters where the launch is not found.
Result<void> take_errors(const CUnit& unit, CFile& file)
{
  for (const Error& error : unit.errors()) {
    const bool in_host = std::ranges::any_of(file.functions, [&](const CFunction& function) {
      return !function.device && error.place.file == file.path && error.place.line >= function.place.line
             && error.place.line <= line_at(file.text, function.end);
    });
    if (!in_host || file.device_language.empty()) {
      return std::unexpected(error);
    }
    file.host_errors.push_back(error);
  }
  return {};
}

} // namespace

const CFunction* CFile::find(const std::string& declaration) const
{
  const auto found = std::ranges::find(functions, declaration, &CFunction::declaration);
  return found == functions.end() ? nullptr : &*found;
}

Result<CFile> parse_c_text(const std::string& name, const std::string& text, const std::vector<std::string>& flags)
{
  CFile out;
  out.path = name;
  out.device_language = device_language(name, text);
  out.text = text;
  out.cpp = !is_c(name);
  std::vector<std::string> words{"-x", out.cpp ? "c++" : "c", out.cpp ? "-std=c++20" : "-std=gnu17"};
  if (!out.device_language.empty()) {
    HONE_TRY(out.text, with_launches_as_calls(name, text));
    words = device_flags();
  }
  words.insert(words.end(), flags.begin(), flags.end());
  HONE_TRY(const CUnit unit, parse_unit(out, words));
  FileReader reader(unit, out);
  reader.read(unit.root());
  HONE_CHECK(take_errors(unit, out));
  if (!reader.expanded().empty()) {
    HONE_CHECK(read_expanded(out, reader.expanded(), words));
  }
  return out;
}

Result<CFile> parse_c_file(const fs::path& path, const std::vector<std::string>& flags)
{
  HONE_TRY(const std::string text, read_file(path));
  return parse_c_text(path.string(), text, flags);
}

} // namespace hone::import
