#include "boundary.h"

namespace heat {

double edge_flux(const Boundary& boundary, double temperature, double conductivity, double distance)
{
  switch (boundary.kind) {
  case Boundary::Kind::fixed:
    return conductivity * (boundary.temperature - temperature) / distance;
  case Boundary::Kind::flux:
    return boundary.flux;
  case Boundary::Kind::convective: {
    // Conduction to the edge and transfer to the fluid, one after the other.
    const double resistance = distance / conductivity + 1 / boundary.coefficient;
    return (boundary.temperature - temperature) / resistance;
  }
  }
  return 0;
}

} // namespace heat
