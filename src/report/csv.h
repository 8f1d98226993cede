// Comma-separated values after RFC 4180.
#pragma once

#include <string>
#include <vector>

namespace hone::report {

// Quoted where it must be. Text that a spreadsheet would take for a formula gets a leading apostrophe.
std::string csv_cell(std::string text);
std::string csv_line(const std::vector<std::string>& cells); // of cells that are quoted already

} // namespace hone::report
