#include "kernel/source_map.h"

#include <algorithm>
#include <cstdint>

namespace hone::kernel {

namespace {

// Walks over a document and knows line and column of where it stands. Columns count characters, not bytes.
struct Cursor {
  std::string_view text;
  std::size_t offset = 0;
  int line = 1;
  int column = 1;

  bool at_end() const { return offset >= text.size(); }
  char peek(std::size_t ahead = 0) const { return offset + ahead < text.size() ? text[offset + ahead] : '\0'; }
  void advance()
  {
    const auto byte = static_cast<unsigned char>(text[offset++]);
    if (byte == '\n') {
      ++line;
      column = 1;
    } else if (offset >= text.size() || (static_cast<unsigned char>(text[offset]) & 0xC0) != 0x80) {
      ++column;
    }
  }
  void advance(std::size_t count)
  {
    for (std::size_t i = 0; i < count && !at_end(); ++i) {
      advance();
    }
  }
};

// Bytes that an escape sequence stands for, and how long it is written.
struct Escape {
  std::size_t written = 2;
  std::size_t bytes = 1;
};

Escape escape_at(const Cursor& cursor)
{
  const char kind = cursor.peek(1);
  if (kind != 'u' && kind != 'U') {
    return {};
  }
  const std::size_t digits = kind == 'u' ? 4 : 8;
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char c = cursor.peek(2 + i);
    const char lower = static_cast<char>(c | 0x20);
    code = code * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : lower - 'a' + 10);
  }
  const std::size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  return {2 + digits, bytes};
}

// A backslash at the end of a line in a """ string swallows all white space up to the next word.
bool is_line_continuation(const Cursor& cursor)
{
  std::size_t ahead = 1;
  while (cursor.peek(ahead) == ' ' || cursor.peek(ahead) == '\t' || cursor.peek(ahead) == '\r') {
    ++ahead;
  }
  return cursor.peek(ahead) == '\n';
}

void skip_continuation(Cursor& cursor)
{
  cursor.advance();
  while (!cursor.at_end() && std::string_view(" \t\r\n").find(cursor.peek()) != std::string_view::npos) {
    cursor.advance();
  }
}

} // namespace

SourceMap SourceMap::of_text(std::string_view text, std::string file)
{
  SourceMap map;
  map.m_file = std::move(file);
  Cursor cursor{text};
  while (!cursor.at_end()) {
    map.m_positions.emplace_back(cursor.line, cursor.column);
    cursor.advance();
  }
  map.m_positions.emplace_back(cursor.line, cursor.column);
  return map;
}

SourceMap SourceMap::of_toml_string(std::string_view document, int line, int column, std::string_view value,
                                    std::string file)
{
  SourceMap map;
  map.m_file = std::move(file);
  Cursor cursor{document};
  while (!cursor.at_end() && (cursor.line < line || (cursor.line == line && cursor.column < column))) {
    cursor.advance();
  }
  const char quote = cursor.peek();
  const bool multi_line = cursor.peek(1) == quote && cursor.peek(2) == quote;
  cursor.advance(multi_line ? 3 : 1);
  if (multi_line && cursor.peek() == '\r') {
    cursor.advance();
  }
  if (multi_line && cursor.peek() == '\n') {
    cursor.advance(); // a line break right after the opening quotes is not part of the value
  }
  while (map.m_positions.size() < value.size() && !cursor.at_end()) {
    std::size_t written = 1;
    std::size_t bytes = 1;
    if (quote == '"' && cursor.peek() == '\\') {
      if (multi_line && is_line_continuation(cursor)) {
        skip_continuation(cursor);
        continue;
      }
      const Escape escape = escape_at(cursor);
      written = escape.written;
      bytes = escape.bytes;
    } else if (cursor.peek() != value[map.m_positions.size()]) {
      break;
    }
    map.m_positions.insert(map.m_positions.end(), bytes, {cursor.line, cursor.column});
    cursor.advance(written);
  }
  if (map.m_positions.size() == value.size()) {
    map.m_positions.emplace_back(cursor.line, cursor.column);
  } else {
    map.m_positions.assign(1, {line, column});
  }
  return map;
}

Place SourceMap::at(std::size_t offset) const
{
  const auto& position = m_positions[std::min(offset, m_positions.size() - 1)];
  return {m_file, position.first, position.second};
}

} // namespace hone::kernel
