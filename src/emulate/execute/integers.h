// Arithmetic of whole numbers. (internal to the room)
#pragma once

#include "emulate/execute/decoder.h"

namespace hone::emulate::execute {

// For the statement at hand; nullptr: not known.
Handler integer_handler(const Decoder& decoder);
std::uint8_t integer_kind(const Decoder& decoder); // Op::kind for it
// mul.wide and mad.wide: false where the type has none.
bool decode_wide(Decoder& decoder);

} // namespace hone::emulate::execute
