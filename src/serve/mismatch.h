// Where a wrong candidate differs from the reference, as members that a program reads. (internal to the serve room)
#pragma once

#include "record/verdict.h"
#include "util/json.h"

#include <optional>
#include <string_view>

namespace hone::serve {

struct Mismatch {
  std::string argument;
  std::vector<std::int64_t> index; // empty: a scalar
  double got = 0, expected = 0, tolerance = 0;
};

// Reads "C[12, 7]: got 1.5, expected 1.25 +- 1e-6" out of what the gate says.
std::optional<Mismatch> mismatch_in(std::string_view text);
// {"where": the gate's words, "argument", "index", "got", "expected", "tolerance"}; numbers that are not finite are
// texts. Only "where" if the gate names no element.
Json mismatch_json(const record::Verdict& verdict);

} // namespace hone::serve
