// Errors are values: what went wrong, where, and the way out.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace hone {

// A position in a text that a person wrote. Lines and columns count from 1; 0 means "not known".
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

struct Error {
  std::string message; // what is wrong, and what was expected
  std::string hint;    // what to do next; may be empty
  Place place;         // where; may be empty

  // "file:line:column: message\n  hint: ..." with the parts that are known.
  std::string text() const;
};

template <class T> using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string message, std::string hint = {}, Place place = {})
{
  return std::unexpected(Error{std::move(message), std::move(hint), std::move(place)});
}

} // namespace hone

#define HONE_CONCAT_(a, b) a##b
#define HONE_CONCAT(a, b) HONE_CONCAT_(a, b)

// HONE_TRY(auto x, f()): declares x from a Result, or returns its error from the enclosing function.
#define HONE_TRY(declaration, expression)                                                                              \
  auto HONE_CONCAT(hone_try_, __LINE__) = (expression);                                                                \
  if (!HONE_CONCAT(hone_try_, __LINE__)) {                                                                             \
    return std::unexpected(std::move(HONE_CONCAT(hone_try_, __LINE__).error()));                                       \
  }                                                                                                                    \
  declaration = std::move(*HONE_CONCAT(hone_try_, __LINE__))

// HONE_CHECK(f()): the same for Result<void>.
#define HONE_CHECK(expression)                                                                                         \
  do {                                                                                                                 \
    auto hone_check_ = (expression);                                                                                   \
    if (!hone_check_) {                                                                                                \
      return std::unexpected(std::move(hone_check_.error()));                                                          \
    }                                                                                                                  \
  } while (false)
