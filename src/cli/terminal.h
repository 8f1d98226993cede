// What a person sees: colours where wanted, a live table on a terminal, plain lines elsewhere. (internal to the cli)
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace hone::cli {

enum class Tone { plain, strong, faint, good, bad, warning };

// Where a command writes: results on stdout, progress and errors on stderr.
class Terminal {
public:
  Terminal(bool json, std::string_view color); // color: auto, always, never (NO_COLOR counts as never)

  bool json() const { return m_json; }
  bool live() const { return m_live; }                            // stderr is a terminal
  std::string paint(Tone tone, std::string_view text) const;      // for stdout
  std::string paint_note(Tone tone, std::string_view text) const; // for stderr

  void out(std::string_view text) const;  // a line of the result (nothing in JSON mode)
  void note(std::string_view text) const; // a line of progress
  void status(std::string_view text);     // replaces the current status line; on a terminal only
  void clear_status();

private:
  bool m_json = false;
  bool m_color_out = false;
  bool m_color_err = false;
  bool m_live = false;
  bool m_status_shown = false;
};

// Columns aligned by content; the first row is the heading.
std::string aligned_table(const std::vector<std::vector<std::string>>& rows);

} // namespace hone::cli
