// Parameters of a program's inputs: fixed values, choices, and ranges to draw from.
#pragma once

#include "util/random.h"
#include "util/result.h"

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hone::program {

using Values = std::map<std::string, std::string>; // parameter -> its text on the command line

struct WholeRange {
  std::int64_t low = 0, high = 0; // both included
};
struct RealRange {
  double low = 0, high = 0;
};
using Choices = std::vector<std::string>; // one of them; a fixed value is a list of one
using Parameter = std::variant<Choices, WholeRange, RealRange>;
using Parameters = std::map<std::string, Parameter>;

// "64..512" is a range of whole numbers, "0.1..0.5" of real ones; other text is a fixed value. The error has no place.
Result<Parameter> parameter_from(std::string_view text);

Values draw(const Parameters& parameters, Random& random);
// How many different inputs these parameters can give, at most 2^62.
double count_of(const Parameters& parameters);

// {NAME} becomes its value; the error names a parameter that is not there.
Result<std::string> filled(std::string_view text, const Values& values);
// The names in braces, in their order.
std::vector<std::string> names_in(std::string_view text);

// "n=64 seed=7"
std::string to_text(const Values& values);

} // namespace hone::program
