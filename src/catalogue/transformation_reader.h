// One transformation file -> the transformation as far as it can be read, and every mistake in it.
// (internal to the transform room)
#pragma once

#include "catalogue/catalogue.h"

namespace hone::catalogue {

struct TransformationReading {
  Transformation transformation;
  std::vector<Error> mistakes; // in order of place
};

// `known_names`: names that `after` and `conflicts` may use; empty: any.
TransformationReading read_transformation(std::string_view text, const std::string& origin,
                                          const std::vector<std::string>& known_names);

} // namespace hone::catalogue
