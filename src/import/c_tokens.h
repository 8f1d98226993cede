// The tokens of C++ text, as far as its shape goes: names, numbers, punctuation. (internal to the room)
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace hone::import {

struct CToken {
  std::string_view text;
  std::size_t begin = 0, end = 0; // bytes
  bool name = false;
};

// Without comments; strings and characters are one token each. "<<<", ">>>" and "::" are one token, other punctuation
// is one character each.
std::vector<CToken> tokens_of(std::string_view text);

int line_at(std::string_view text, std::size_t byte); // from 1

// The token behind the one that closes what the token at `open` opens ("(", "[", "{"); the number of tokens: none does.
std::size_t behind_closing(const std::vector<CToken>& tokens, std::size_t open);

} // namespace hone::import
