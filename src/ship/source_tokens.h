// C and C++ text as tokens: enough to rename words and to find what C does not have. (internal to the room)
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hone::ship {

struct SourceToken {
  enum class Kind { word, number, literal, comment, space, mark }; // mark: one character of punctuation
  Kind kind = Kind::mark;
  std::string text;
  int line = 1; // where it begins
};

// Together the tokens are the text, byte for byte.
std::vector<SourceToken> source_tokens(std::string_view text);
std::string text_of(const std::vector<SourceToken>& tokens);

// All words that stand in the text outside comments and literals.
std::set<std::string> words_of(std::string_view text);

// The text with words replaced, comments and literals left alone.
std::string with_words(std::string_view text, const std::map<std::string, std::string>& replacements);

} // namespace hone::ship
