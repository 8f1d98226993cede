// One step in time.
#ifndef HEAT_STEP_H
#define HEAT_STEP_H

#include "config.h"
#include "grid.h"
#include "material.h"

namespace heat {

// new_field = field after `dt` seconds.
void step(const Mesh& mesh, const Plate& plate, const Config& config, const Field& field, Field& new_field, double dt);

} // namespace heat

#endif
