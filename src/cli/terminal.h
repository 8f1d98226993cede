// What a person sees: colours where wanted, a live table on a terminal, plain lines elsewhere. (internal to the cli)
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace hone::cli {

enum class Tone { plain, strong, faint, good, bad, warning };

struct Line {
  Tone tone = Tone::plain;
  std::string text;
};

// How much of what happens is told.
enum class Telling {
  live,  // a view that is redrawn, where stderr is a terminal that can
  plain, // line by line
  quiet, // warnings, errors and results only
};

// Where a command writes: results on stdout, progress and errors on stderr.
class Terminal {
public:
  // color: auto, always, never (NO_COLOR counts as never)
  Terminal(bool json, std::string_view color, Telling telling = Telling::live);

  bool json() const { return m_json; }
  bool interactive() const { return m_interactive; }         // stderr is a terminal
  bool live() const { return m_live; }                       // and lines there may be redrawn
  std::size_t rows() const;                                  // of stderr
  std::string fitted(std::string_view text) const;           // cut at the width of stderr, where that is a terminal
  std::string paint(Tone tone, std::string_view text) const; // for stdout
  std::string paint_note(Tone tone, std::string_view text) const; // for stderr

  void out(std::string_view text) const;     // a line of the result (nothing in JSON mode)
  void note(std::string_view text) const;    // a line of progress
  void warning(std::string_view text) const; // the same of something that is wrong
  void status(std::string_view text);        // replaces the current status line; on a terminal only
  void clear_status();
  // Lines that stay below everything else and are redrawn in place, each cut at the terminal's width; none: they go
  // away. From any thread. The cursor rests below them, and nothing of the terminal's state changes: there is nothing
  // to restore.
  void show_block(std::vector<Line> lines) const;

private:
  void write_above_block(std::string_view text) const;
  std::string erased_block() const;
  std::string drawn_block() const;

  bool m_json = false;
  bool m_color_out = false;
  bool m_color_err = false;
  bool m_interactive = false;
  bool m_live = false;
  bool m_quiet = false;
  mutable bool m_status_shown = false;
  mutable std::mutex m_mutex; // of stderr
  mutable std::vector<Line> m_block;
  mutable std::vector<std::size_t> m_drawn; // widths of the lines on the screen
};

// Columns aligned by content; the first row is the heading.
std::string aligned_table(const std::vector<std::vector<std::string>>& rows);

} // namespace hone::cli
