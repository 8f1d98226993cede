#include "emulate/finding.h"

#include <fmt/format.h>

namespace hone::emulate {

std::string_view name_of(FindingKind kind)
{
  switch (kind) {
  case FindingKind::out_of_bounds:
    return "out of bounds";
  case FindingKind::misaligned:
    return "misaligned";
  case FindingKind::uninitialised:
    return "uninitialised";
  case FindingKind::race:
    return "race";
  case FindingKind::divergence:
    return "divergence";
  case FindingKind::wrong_mask:
    return "wrong mask";
  case FindingKind::deadlock:
    return "deadlock";
  case FindingKind::trap:
    return "trap";
  case FindingKind::hang:
    return "hang";
  case FindingKind::unsupported:
    return "unsupported";
  }
  return "unknown";
}

std::string to_text(const SourcePlace& place)
{
  return place.line > 0 && !place.file.empty() ? fmt::format("{}:{}", place.file, place.line)
                                               : fmt::format("PTX line {}", place.ptx_line);
}

} // namespace hone::emulate
