// PTX as words and signs. (internal to the room)
#pragma once

#include <string_view>
#include <vector>

namespace hone::emulate::ptx {

struct Token {
  std::string_view text;
  int line = 0;
};

// Words keep their dots: "ld.global.f32", "%tid.x", ".reg". Everything else is a token of one character, but "::",
// which is part of a word.
std::vector<Token> tokens_of(std::string_view text);

} // namespace hone::emulate::ptx
