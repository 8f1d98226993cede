// How this program was called, so that a hint can be pasted into the same shell. (internal)
#pragma once

#include <span>
#include <string>

namespace hone::cli {

// From main: argv[0]. The script ./hone says in HONE_CALLED_AS how it was called itself.
void remember_call(const char* program);

// "hone" where the shell finds it by that name, else the path that was given: "./hone".
const std::string& called_as();

// "./hone resume 'my kernels/matmul' --state /tmp/s": words that a shell would split or expand are quoted.
std::string command_to_paste(std::span<const std::string> words);

// A text with every "`hone ..." as it must be typed here.
std::string as_called(const std::string& text);

} // namespace hone::cli
