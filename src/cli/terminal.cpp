#include "cli/terminal.h"

#include "cli/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace hone::cli {

namespace {

std::string painted(Tone tone, std::string_view text, bool color)
{
  static constexpr const char* k_codes[] = {"", "1", "2", "32", "31", "33"};
  const char* code = k_codes[static_cast<int>(tone)];
  if (!color || *code == '\0') {
    return std::string(text);
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

// Moves its cursor.
bool is_capable()
{
  const char* kind = std::getenv("TERM");
  return kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

bool wants_color(std::string_view choice, int fd)
{
  if (choice == "always" || choice == "never") {
    return choice == "always";
  }
  const char* no_color = std::getenv("NO_COLOR");
  return ::isatty(fd) == 1 && is_capable() && (no_color == nullptr || *no_color == '\0');
}

std::size_t terminal_width()
{
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

// At most so many characters, counting UTF-8 sequences once.
std::string_view first_characters(std::string_view text, std::size_t most)
{
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80 && count++ == most) {
      return text.substr(0, i);
    }
  }
  return text;
}

// Number of characters, counting UTF-8 sequences once.
std::size_t display_width(std::string_view text)
{
  return static_cast<std::size_t>(
    std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

} // namespace

Terminal::Terminal(bool json, std::string_view color, Telling telling)
  : m_json(json), m_color_out(wants_color(color, STDOUT_FILENO)), m_color_err(wants_color(color, STDERR_FILENO)),
    m_interactive(::isatty(STDERR_FILENO) == 1), m_live(m_interactive && is_capable() && telling == Telling::live),
    m_quiet(telling == Telling::quiet)
{
}

std::size_t Terminal::rows() const
{
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

// The last column stays empty: some terminals begin a new line once it is written to.
std::string Terminal::fitted(std::string_view text) const
{
  return std::string(m_interactive ? first_characters(text, terminal_width() - 1) : text);
}

std::string Terminal::paint(Tone tone, std::string_view text) const
{
  return painted(tone, text, m_color_out);
}

std::string Terminal::paint_note(Tone tone, std::string_view text) const
{
  return painted(tone, text, m_color_err);
}

void Terminal::out(std::string_view text) const
{
  if (!m_json) {
    print_out(std::string(text) + "\n");
  }
}

void Terminal::note(std::string_view text) const
{
  if (!m_quiet) {
    write_above_block(text);
  }
}

void Terminal::warning(std::string_view text) const
{
  write_above_block(paint_note(Tone::warning, text));
}

// One write, so that no terminal shows half of it.
void Terminal::write_above_block(std::string_view text) const
{
  const std::lock_guard lock(m_mutex);
  const std::string erased = m_status_shown ? "\r\x1b[K" : erased_block();
  print_err(erased + std::string(text) + "\n" + drawn_block());
}

// Back to the block's first line, with everything from there on gone. A terminal that has become narrower has broken
// its lines.
std::string Terminal::erased_block() const
{
  const std::size_t width = terminal_width();
  std::size_t rows = 0;
  for (const std::size_t line : m_drawn) {
    rows += std::max<std::size_t>((line + width - 1) / width, 1);
  }
  m_drawn.clear();
  return rows == 0 ? "" : fmt::format("\x1b[{}A\r\x1b[J", rows);
}

std::string Terminal::drawn_block() const
{
  std::string text;
  const std::size_t room = rows() > 1 ? rows() - 1 : m_block.size();
  for (std::size_t i = 0; i < std::min(m_block.size(), room); ++i) {
    const std::string line = fitted(m_block[i].text);
    m_drawn.push_back(display_width(line));
    text += paint_note(m_block[i].tone, line) + "\n";
  }
  return text;
}

void Terminal::show_block(std::vector<Line> lines) const
{
  const std::lock_guard lock(m_mutex);
  m_block = std::move(lines);
  const std::string erased = std::exchange(m_status_shown, false) ? "\r\x1b[K" : erased_block();
  print_err(erased + drawn_block());
}

void Terminal::status(std::string_view text)
{
  if (!m_live) {
    return;
  }
  const std::lock_guard lock(m_mutex);
  print_err("\r\x1b[K" + fitted(text));
  m_status_shown = true;
}

void Terminal::clear_status()
{
  const std::lock_guard lock(m_mutex);
  if (m_status_shown) {
    print_err("\r\x1b[K");
    m_status_shown = false;
  }
}

std::string aligned_table(const std::vector<std::vector<std::string>>& rows)
{
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) {
        line.append(widths[i] - display_width(row[i]) + 2, ' ');
      }
    }
    out += line + "\n";
  }
  if (!out.empty()) {
    out.pop_back();
  }
  return out;
}

} // namespace hone::cli
