// What candidates see of hone.h, as far as one of them needs it. (internal to the room)
#pragma once

#include "ship/names.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hone::ship {

// The paragraphs of `text` (between blank lines) that define what `words` name, and what those need in turn. Directives
// stay, unless they hold nothing any more.
std::string needed_paragraphs(std::string_view text, std::set<std::string> words);

// The declarations that a device code needs before it, under the kernel's name. Macros of HONE_VECTOR_BYTES come with a
// check that the compiler was told the same vectors as when the candidate was measured.
std::string support_code_for(const ExportContext& names, const std::string& device);

// Texts between blank lines outside of braces, each with its last line's end.
std::vector<std::string> paragraph_texts(std::string_view text);

// All that candidates may use: hone.h and the headers beside it, or the same for C.
std::string support_text(bool for_c);

// For C, which has neither overloads nor constants in array bounds.
std::string_view c_support();

} // namespace hone::ship
