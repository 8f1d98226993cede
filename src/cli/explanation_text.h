// How a verdict came about, for people: `hone compare --explain`. (internal to the cli)
#pragma once

#include "record/verdict.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::cli {

// Plain lines, each with a word in front; the last one says what decided. `a` and `b` are what the two are called;
// `band` is A against a copy of itself, where that was measured. One line alone where the record holds no explanation.
std::vector<std::string> explanation_lines(const record::ComparisonResult& comparison, const std::string& a,
                                           const std::string& b, const std::optional<record::ComparisonResult>& band);

} // namespace hone::cli
