// matmul-bias-gelu: C = gelu(A x B + bias), f32
//   C[m,n] = gelu(sum(k, A[m,k] * B[k,n]) + bias[n])
#include "hone.h"
#include "macros.h"
#include "hone_math.h"

// Where a tile finds B: in place; in the copy; in place, making the copy for the tiles below it, as
// far as it has columns.
enum { IN_PLACE, COPY, COPYING };

// Copies the part of B that the columns from j on need, row after row; zero beyond the edge.
static inline void pack_B(const ELEMENT* B, ELEMENT* packed_B, int64_t n, int64_t j, int64_t j_end,
    int64_t p_block, int64_t p_end)
{
  for (int64_t p = p_block; p < p_end; ++p) {
    for (int64_t column = 0; column < VECTORS * LANES; column += LANES) {
      hone_store(&packed_B[(p - p_block) * (VECTORS * LANES) + column],
          hone_load_part(&B[B_AT(p, j + column)], j_end - (j + column)));
    }
  }
}

// REG_M rows by VECTORS vectors: the sums stay in registers while p runs.
static inline __attribute__((always_inline)) void compute_tile(int from, const ELEMENT* A,
    const ELEMENT* B, const ELEMENT* bias, ELEMENT* C, ELEMENT* packed_B, int64_t k, int64_t n,
    int64_t i, int64_t j, int64_t p_block, int64_t p_end)
{
  VECTOR sum[REG_M][VECTORS] = {};
  if (p_block > 0) {
    #pragma GCC unroll 16
    for (int r = 0; r < REG_M; ++r) {
      #pragma GCC unroll 16
      for (int c = 0; c < VECTORS; ++c) {
        sum[r][c] = hone_load(&C[C_AT(i + r, j + c * LANES)]);
      }
    }
  }
  HONE_UNROLL(UNROLL_K)
  for (int64_t p = p_block; p < p_end; ++p) {
    VECTOR b[VECTORS];
    #pragma GCC unroll 16
    for (int c = 0; c < VECTORS; ++c) {
      b[c] = from == COPY
          ? hone_load(&packed_B[(p - p_block) * (VECTORS * LANES) + c * LANES]) : hone_load(&B[B_AT(p, j + c * LANES)]);
    }
    if (from == COPYING) {
      #pragma GCC unroll 16
      for (int c = 0; c < VECTORS; ++c) {
        hone_store(&packed_B[(p - p_block) * (VECTORS * LANES) + c * LANES], b[c]);
      }
    }
    #pragma GCC unroll 16
    for (int r = 0; r < REG_M; ++r) {
      const SUM a = A[A_AT(i + r, p)];
      #pragma GCC unroll 16
      for (int c = 0; c < VECTORS; ++c) {
        sum[r][c] += a * b[c];
      }
    }
  }
  if (p_end == k) {
    #pragma GCC unroll 16
    for (int r = 0; r < REG_M; ++r) {
      #pragma GCC unroll 16
      for (int c = 0; c < VECTORS; ++c) {
        const f32v bias_here = hone_load(bias + j + c * LANES);
        const f32v part = sum[r][c] + bias_here;
        sum[r][c] = CONSTANT_1 * part * (1.0f + hone_erf(part * CONSTANT_2));
      }
    }
  }
  #pragma GCC unroll 16
  for (int r = 0; r < REG_M; ++r) {
    #pragma GCC unroll 16
    for (int c = 0; c < VECTORS; ++c) {
      hone_store(&C[C_AT(i + r, j + c * LANES)], sum[r][c]);
    }
  }
}

// The same at the edges: width vectors, of which the last may stick out.
static inline __attribute__((always_inline)) void compute_some_vectors(int from, int width,
    const ELEMENT* A, const ELEMENT* B, const ELEMENT* bias, ELEMENT* C, ELEMENT* packed_B,
    int64_t k, int64_t n, int64_t i, int64_t i_end, int64_t j, int64_t j_end, int64_t p_block,
    int64_t p_end)
{
  // Rows below the edge repeat the last one; what they add up is not stored.
  int64_t row[REG_M];
  #pragma GCC unroll 16
  for (int r = 0; r < REG_M; ++r) {
    row[r] = hone_min(i + r, i_end - 1);
  }
  VECTOR sum[REG_M][VECTORS] = {};
  if (p_block > 0) {
    #pragma GCC unroll 16
    for (int r = 0; r < REG_M; ++r) {
      #pragma GCC unroll 16
      for (int c = 0; c < width; ++c) {
        sum[r][c] = hone_load_part(&C[C_AT(row[r], j + c * LANES)], j_end - (j + c * LANES));
      }
    }
  }
  HONE_UNROLL(UNROLL_K)
  for (int64_t p = p_block; p < p_end; ++p) {
    VECTOR b[VECTORS];
    #pragma GCC unroll 16
    for (int c = 0; c < width; ++c) {
      b[c] = from == COPY
          ? hone_load(&packed_B[(p - p_block) * (VECTORS * LANES) + c * LANES]) : hone_load_part(&B[B_AT(p, j + c * LANES)], j_end - (j + c * LANES));
    }
    if (from == COPYING) {
      #pragma GCC unroll 16
      for (int c = 0; c < width; ++c) {
        hone_store(&packed_B[(p - p_block) * (VECTORS * LANES) + c * LANES], b[c]);
      }
    }
    #pragma GCC unroll 16
    for (int r = 0; r < REG_M; ++r) {
      const SUM a = A[A_AT(row[r], p)];
      #pragma GCC unroll 16
      for (int c = 0; c < width; ++c) {
        sum[r][c] += a * b[c];
      }
    }
  }
  if (p_end == k) {
    #pragma GCC unroll 16
    for (int r = 0; r < REG_M; ++r) {
      #pragma GCC unroll 16
      for (int c = 0; c < width; ++c) {
        const f32v bias_here = hone_load_part(bias + j + c * LANES, j_end - (j + c * LANES));
        const f32v part = sum[r][c] + bias_here;
        sum[r][c] = CONSTANT_1 * part * (1.0f + hone_erf(part * CONSTANT_2));
      }
    }
  }
  #pragma GCC unroll 16
  for (int r = 0; r < REG_M; ++r) {
    if (i + r < i_end) {
      #pragma GCC unroll 16
      for (int c = 0; c < width; ++c) {
        hone_store_part(&C[C_AT(row[r], j + c * LANES)], sum[r][c], j_end - (j + c * LANES));
      }
    }
  }
}

// As many vectors as the columns that are left fill.
static inline __attribute__((always_inline)) void compute_edge_tile(int from, const ELEMENT* A,
    const ELEMENT* B, const ELEMENT* bias, ELEMENT* C, ELEMENT* packed_B, int64_t k, int64_t n,
    int64_t i, int64_t i_end, int64_t j, int64_t j_end, int64_t p_block, int64_t p_end)
{
  const int64_t vectors = (j_end - j + LANES - 1) / LANES;
  if (vectors == 1) {
    compute_some_vectors(from, 1, A, B, bias, C, packed_B, k, n, i, i_end, j, j_end, p_block,
        p_end);
  } else if (VECTORS > 2 && vectors == 2) {
    compute_some_vectors(from, 2, A, B, bias, C, packed_B, k, n, i, i_end, j, j_end, p_block,
        p_end);
  } else if (VECTORS > 3 && vectors == 3) {
    compute_some_vectors(from, 3, A, B, bias, C, packed_B, k, n, i, i_end, j, j_end, p_block,
        p_end);
  } else {
    compute_some_vectors(from, VECTORS, A, B, bias, C, packed_B, k, n, i, i_end, j, j_end, p_block,
        p_end);
  }
}

// One work-group per block of the output.
extern "C" void matmul_bias_gelu(const hone_group* group, const ELEMENT* A, const ELEMENT* B,
    const ELEMENT* bias, ELEMENT* C, int64_t m, int64_t k, int64_t n)
{
  // This group's block of the output.
  const int64_t i_block = group->id[1] * TILE_M;
  const int64_t i_end = hone_min(i_block + TILE_M, m);
  const int64_t j_block = group->id[0] * TILE_N;
  const int64_t j_end = hone_min(j_block + TILE_N, n);
  ELEMENT* packed_B = (ELEMENT*)group->shared;
  // Blocks of k, so that what is read stays in cache; between them C holds the sums so far.
  for (int64_t p_block = 0; p_block < k; p_block += TILE_K) {
    const int64_t p_end = hone_min(p_block + TILE_K, k);
    for (int64_t j = j_block; j < j_end; j += VECTORS * LANES) {
      if (PACK_B == 1) {
        pack_B(B, packed_B, n, j, j_end, p_block, p_end);
      }
      for (int64_t i = i_block; i < i_end; i += REG_M) {
        if (PACK_B == 2 && i == i_block) {
          if (i + REG_M <= i_end && j + VECTORS * LANES <= j_end) {
            compute_tile(COPYING, A, B, bias, C, packed_B, k, n, i, j, p_block, p_end);
          } else {
            compute_edge_tile(COPYING, A, B, bias, C, packed_B, k, n, i, i_end, j, j_end, p_block,
                p_end);
          }
        } else {
          if (i + REG_M <= i_end && j + VECTORS * LANES <= j_end) {
            compute_tile(PACK_B == 0 ? IN_PLACE : COPY, A, B, bias, C, packed_B, k, n, i, j,
                p_block, p_end);
          } else {
            compute_edge_tile(PACK_B == 0 ? IN_PLACE : COPY, A, B, bias, C, packed_B, k, n, i,
                i_end, j, j_end, p_block, p_end);
          }
        }
      }
    }
  }
}
