// What happens at an edge of the plate.
#ifndef HEAT_BOUNDARY_H
#define HEAT_BOUNDARY_H

namespace heat {

struct Boundary {
  enum class Kind { fixed, flux, convective };
  Kind kind = Kind::flux;
  double temperature = 293.15; // fixed: of the edge; convective: of the fluid; kelvin
  double flux = 0;             // into the plate, in watts per square metre
  double coefficient = 0;      // of heat transfer, in watts per square metre and kelvin
};

// Heat that flows into a cell through an edge, in watts per square metre. `distance`: from the cell's middle to the edge.
double edge_flux(const Boundary& boundary, double temperature, double conductivity, double distance);

} // namespace heat

#endif
