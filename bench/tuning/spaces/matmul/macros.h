// matmul: names that the device code uses.
#pragma once

// Types: of the elements, and of the sums.
#define ELEMENT float
#define SUM float
#define VECTOR f32v
#define LANES f32v_lanes

// Where an element lies; the sizes are parameters of the functions that use these.
#define A_AT(i, p) ((i) * k + (p))
#define B_AT(p, j) ((p) * n + (j))
#define C_AT(i, j) ((i) * n + (j))

// Tuning parameters: set from outside, with these defaults.
#ifndef TILE_M
#define TILE_M 192 // rows of the output per work-group
#endif
#ifndef TILE_N
#define TILE_N 384 // columns of the output per block
#endif
#ifndef TILE_K
#define TILE_K 256 // how much of the summed dimension is worked on at a time
#endif
#ifndef REG_M
#define REG_M 6 // rows of a register tile
#endif
#ifndef VECTORS
#define VECTORS 4 // vectors per row of a tile
#endif
#ifndef UNROLL_K
#define UNROLL_K 2 // steps of the summed dimension per pass of its loop
#endif
