// What values inputs must take so that an expression means something. (internal to the room)
#pragma once

#include "kernel/definition.h"

namespace hone::kernel {

// Gives a domain to every input that has none written and needs one:
//   an integer used as a subscript         0 to extent - 1          T[I[i], j]
//   an integer that bounds an index        0 to what the index subscripts   sum(k < len[b], X[b,k])
//   an argument of log, rsqrt              positive normal numbers
//   an argument of sqrt                    from 0
//   a factor of a product over a range     0.5 to 2
// Not where a condition around the place asks about that very input: it is there for the other values.
void infer_domains(Kernel& kernel);

} // namespace hone::kernel
