// What the plate is made of: a base material with circles of others.
#ifndef HEAT_MATERIAL_H
#define HEAT_MATERIAL_H

#include "config.h"
#include "grid.h"

#include <cstdint>

namespace heat {

struct Material {
  const char* name;
  double conductivity; // watts per metre and kelvin
  double density;      // kilograms per cubic metre
  double capacity;     // joules per kilogram and kelvin
};

struct Plate {
  Field conductivity;
  Field heat_capacity; // joules per cubic metre and kelvin
  Field source;        // watts per cubic metre
};

Plate make_plate(const Mesh& mesh, const Config& config);

// The largest stable time step, in seconds.
double stable_step(const Mesh& mesh, const Plate& plate);

} // namespace heat

#endif
