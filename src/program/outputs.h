// How what a program wrote is compared with what its original wrote on the same input.
#pragma once

#include "util/result.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::program {

// |a - b| <= absolute + relative * |b| for real numbers; everything else must be equal.
struct Tolerance {
  double relative = 0, absolute = 0;
};

struct OutputSpec {
  enum class As { text, f32, f64 };
  std::string name; // "stdout", or a file in the working folder
  As as = As::text; // others: the bytes are numbers of this machine
};

struct Agreement {
  bool agrees = true;
  std::string difference; // the first: "line 3: 0.5 instead of 0.25"
  double worst = 0;       // largest error as a part of what is allowed; 0 where every number is equal
  std::size_t reals = 0;  // real numbers that were compared
};

// Blanks separate words, however many. A number without point and exponent on both sides must be equal: it counts
// something. "nan" and "inf" are words. Lines that hold an `ignored` text are left out of both.
Agreement compare_text(std::string_view expected, std::string_view got, const Tolerance& tolerance,
                       std::span<const std::string> ignored);
// Arrays of f32 or f64. A NaN agrees with a NaN.
Agreement compare_numbers(std::string_view expected, std::string_view got, OutputSpec::As type,
                          const Tolerance& tolerance);

} // namespace hone::program
