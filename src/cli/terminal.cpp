#include "cli/terminal.h"

#include "cli/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

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

bool wants_color(std::string_view choice, int fd)
{
  if (choice == "always" || choice == "never") {
    return choice == "always";
  }
  const char* no_color = std::getenv("NO_COLOR");
  return ::isatty(fd) == 1 && (no_color == nullptr || *no_color == '\0');
}

std::size_t terminal_width()
{
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Number of characters, counting UTF-8 sequences once.
std::size_t display_width(std::string_view text)
{
  return static_cast<std::size_t>(
    std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

} // namespace

Terminal::Terminal(bool json, std::string_view color)
  : m_json(json), m_color_out(wants_color(color, STDOUT_FILENO)), m_color_err(wants_color(color, STDERR_FILENO)),
    m_live(::isatty(STDERR_FILENO) == 1)
{
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
  if (m_status_shown) {
    print_err("\r\x1b[K");
  }
  print_err(std::string(text) + "\n");
}

void Terminal::status(std::string_view text)
{
  if (!m_live) {
    return;
  }
  print_err("\r\x1b[K" + std::string(text.substr(0, terminal_width() - 1)));
  std::fflush(stderr);
  m_status_shown = true;
}

void Terminal::clear_status()
{
  if (m_status_shown) {
    print_err("\r\x1b[K");
    std::fflush(stderr);
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
