// Words of the expression language. (internal to the room)
#pragma once

#include "kernel/source_map.h"

#include <string>
#include <vector>

namespace hone::kernel {

enum class TokenKind { name, number, symbol, separator, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text; // as written; a separator is ";" or "\n"
  double number = 0;
  bool integer = false; // a number without point or exponent
  Place place;
};

// Splits a text into words. Line breaks inside brackets or next to an operator are dropped, so that a statement may
// span lines. The last token is always `end`. Characters of no meaning are reported and skipped.
std::vector<Token> tokenize(std::string_view text, const SourceMap& map, std::vector<Error>& errors);

} // namespace hone::kernel
