// What Hone and a compiled reference hand to each other. The same text is part of every generated unit, so it names
// nothing but plain C++ types. (internal to the room)
#pragma once

#include <cstdint>

namespace hone::kernel {

struct ReferenceEnvironment {
  const std::int64_t* sizes;      // per size symbol
  const void* const* arguments;   // per kernel argument
  double* const* values;          // per statement: the target's elements
  double* const* errors;          // per statement: how far an honest implementation may be off
  unsigned char* const* computed; // per statement, 1 per element that is there; for single elements only
  std::int64_t part = 0;          // of so many parts of the first extent, which may be computed side by side
  std::int64_t parts = 1;
};

struct ReferenceContraction {
  const std::int64_t *a_batch, *a_m, *a_k;
  const std::int64_t *b_batch, *b_n, *b_k;
  const std::int64_t *out_batch, *out_m, *out_n;
  std::int64_t batches, rows, columns, terms;
};

using ReferenceStatementFunction = void(const ReferenceEnvironment*, std::int64_t statement);
using ReferenceElementFunction = void(const ReferenceEnvironment*, std::int64_t statement, std::int64_t element,
                                      double* value, double* error);
// The sums of products, of any part of the rows and columns; and what the expression makes of all of them afterwards,
// which is given the whole.
using ReferenceContractionFunction = void(const ReferenceEnvironment*, const ReferenceContraction*);
using ReferenceFinishFunction = void(const ReferenceEnvironment*, const ReferenceContraction*);
// Widens the bounds of an output by the tolerance that the kernel gives, once nothing else is computed from it.
using ReferenceAcceptFunction = void(const ReferenceEnvironment*, std::int64_t statement);

// Tells where to look for a request to stop: an evaluation ends early once it is not 0.
using ReferenceWatchFunction = void(const unsigned char* flag);

} // namespace hone::kernel
