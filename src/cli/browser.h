// Shows a file in the person's browser. (internal to the cli)
#pragma once

#include "util/fs.h"

#include <string>

namespace hone::cli {

struct Shown {
  bool opened = false;
  std::string with; // the program that was started
  std::string why;  // why nothing was opened, and what to do
};

// $BROWSER (programs separated by ':', the first that starts; %s stands for the address), else xdg-open. A graphical
// program runs on by itself; without a display only $BROWSER is tried, in this terminal and to its end.
Shown show_in_browser(const fs::path& file);

// "file:///home/me/a%20b.html"
std::string file_address(const fs::path& file);

} // namespace hone::cli
