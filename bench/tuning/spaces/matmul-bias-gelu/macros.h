// matmul-bias-gelu: names that the device code uses.
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

// Constants of the kernel.
#define CONSTANT_1 0.5f
#define CONSTANT_2 0.70710677f

// Tuning parameters: launch.toml and the tuner set them; these values are for a compiler alone.
#ifndef TILE_M
#define TILE_M 1536 // rows of the output per work-group
#endif
#ifndef TILE_N
#define TILE_N 64 // columns of the output per block
#endif
#ifndef TILE_K
#define TILE_K 1024 // how much of the summed dimension is worked on at a time
#endif
#ifndef REG_M
#define REG_M 6 // rows of a register tile
#endif
#ifndef VECTORS
#define VECTORS 4 // vectors of columns at a time
#endif
#ifndef PACK_B
#define PACK_B 2 // what is copied: 0 nothing, 1 each strip before its tiles, 2 each strip by its first tile
#endif
#ifndef UNROLL_K
#define UNROLL_K 2 // steps of the summed dimension per pass of its loop
#endif
