// What a file in CUDA C++ or HIP takes from its toolkit, as text for the front end: no toolkit is needed. (internal to
// the room)
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone::import {

// Files that need not exist, by path: headers of the toolkits, which are empty, and one that device_flags() has read
// before the file, with the names of types, of built-in variables and functions, and of the runtime's functions, which
// do nothing here.
std::map<std::string, std::string> device_headers();

// "cuda" or "hip", by the name of the file or by what it includes; "" for C and C++.
std::string device_language(std::string_view path, std::string_view text);

// The front end's options for such a file.
std::vector<std::string> device_flags();

} // namespace hone::import
