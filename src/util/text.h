// Small text helpers shared by parsers, tables and error messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

std::vector<std::string> split(std::string_view text, char separator); // keeps empty parts
std::string_view trim(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string replace_all(std::string text, std::string_view from, std::string_view to);
std::string printable(std::string text); // with '?' for each character that a terminal would obey
// As compilers take C: a line that ends in a backslash, blanks behind it or not, goes on in the next.
std::string with_lines_joined(std::string_view text);
bool is_hexadecimal(std::string_view text); // digits and letters of either case; true for ""
std::size_t first_different_line(std::string_view a, std::string_view b); // from 1; 0 where the texts are equal

// The candidate nearest to `word` by edit distance, or "" when none is near enough to be meant.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

// "12.3 us", "1.23 ms", "4.56 s": three significant digits.
std::string format_seconds(double seconds);
// "128 B", "64 KiB", "1.5 MiB".
std::string format_bytes(double bytes);

} // namespace hone
