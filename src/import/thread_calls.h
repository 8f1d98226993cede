// What a kernel calls: the toolkit's functions, helpers that know their thread, and what threads do together. (internal
// to the room)
#pragma once

#include "import/c_syntax.h"

namespace hone::import {

// The body in terms of C: atomic updates are updates, conversions are casts. Helpers that read the index of their
// thread are written out. Changes the body. Errors: threads work together (shared memory, barriers, exchanges), or such
// a helper is more than one expression.
Result<CNodePtr> with_plain_calls(const CFile& file, const CFunction& kernel, CNodePtr body);

// Whether floats are added in an order that nobody knows.
bool adds_floats_atomically(const CNode& body);

} // namespace hone::import
