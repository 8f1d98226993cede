// Copies of operand blocks in group->shared, laid out in the order in which the tile reads them.
#pragma once

#include "lower/contraction_code.h"

namespace hone::lower {

// Functions that fill the panels, with the calls for the nest.
Result<Outlined> lower_pack_a(const ContractionCode& code);
Result<Outlined> lower_pack_b(const ContractionCode& code);

// The pointers into group->shared, and how many bytes the launch must ask for.
ProgramBlock declare_panels(const ContractionCode& code);
std::string shared_bytes(const ContractionCode& code);

} // namespace hone::lower
