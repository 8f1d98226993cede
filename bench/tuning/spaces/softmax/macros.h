// softmax: names that the device code uses.
#pragma once

// Tuning parameters: set from outside, with these defaults.
#ifndef TOP_VECTORS
#define TOP_VECTORS 4 // vectors of columns per step: of the maximum,
#endif
#ifndef SUM_VECTORS
#define SUM_VECTORS 4 // of the sum,
#endif
#ifndef OUT_VECTORS
#define OUT_VECTORS 4 // of the quotient
#endif
#ifndef ROWS
#define ROWS 8 // rows per work-group
#endif
#ifndef AHEAD
#define AHEAD 0 // vectors that are fetched in advance; 0: none
#endif
#ifndef RECIPROCAL
#define RECIPROCAL 0 // 1: products with 1 / total instead of quotients
#endif
