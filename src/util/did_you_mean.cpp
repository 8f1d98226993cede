#include "util/did_you_mean.h"

namespace hone {

std::string did_you_mean(std::string_view word, std::span<const std::string> names, std::string_view otherwise)
{
  const std::string nearest = nearest_name(word, names);
  return nearest.empty() ? std::string(otherwise) : "did you mean '" + nearest + "'?";
}

} // namespace hone
