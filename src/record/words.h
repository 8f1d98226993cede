// Enumerations as words, and reading that turns exceptions into errors. (internal)
#pragma once

#include "util/json.h"
#include "util/result.h"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace hone::record {

template <class E, std::size_t N>
std::string_view word_for(const std::array<std::pair<E, std::string_view>, N>& names, E value)
{
  for (const auto& [key, word] : names) {
    if (key == value) {
      return word;
    }
  }
  return "?";
}

// Reading throws std::invalid_argument or a Json exception; `guarded` turns both into an Error.
template <class E, std::size_t N>
E value_for(const std::array<std::pair<E, std::string_view>, N>& names, const std::string& word)
{
  for (const auto& [key, name] : names) {
    if (name == word) {
      return key;
    }
  }
  throw std::invalid_argument("unknown word '" + word + "'");
}

template <class T, class F> Result<T> guarded(std::string_view what, F read)
{
  try {
    return read();
  } catch (const Json::exception& e) {
    return fail(std::string(what) + " is not readable: " + e.what());
  } catch (const std::invalid_argument& e) {
    return fail(std::string(what) + " is not readable: " + e.what());
  }
}

} // namespace hone::record
