// Splits assembly text, as compilers write it, into lines, labels and words. (internal)
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace hone::backend::cpu {

std::string_view trimmed(std::string_view text); // without white space at its ends
std::string to_lower(std::string_view text);

// These remove what they return from their argument.
std::string_view take_line(std::string_view& text);
std::string_view take_word(std::string_view& text);                     // and the space around it
std::vector<std::string_view> take_labels(std::string_view& statement); // and the space before what follows them

bool is_prefix(std::string_view word); // of an instruction, in small letters

template <class List> bool holds(const List& list, std::string_view word)
{
  return std::ranges::find(list, word) != list.end();
}

} // namespace hone::backend::cpu
