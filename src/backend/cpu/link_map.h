// Finds in the linker's map what brought writable memory or load-time addresses into an image. Used for the wording of
// a refusal only, never for the refusal. (internal)
#pragma once

#include <string>
#include <string_view>

namespace hone::backend::cpu {

// One line for people: "keeps state between calls: counter", "calls printf, which needs writable state; ...".
// `object` is the candidate's object file as the map calls it. Less specific if the map is incomplete.
std::string explain_writable(std::string_view map, std::string_view object);

// "counter" from "_ZZ6matmulE7counter", a mangled C++ name of a variable; other names unchanged.
std::string plain_name(std::string_view symbol);

} // namespace hone::backend::cpu
