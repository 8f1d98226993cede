// matmul: C = A x B, f32, row-major
//   C[m,n] = sum(k, A[m,k] * B[k,n])
#include "hone.h"
#include "macros.h"

// REG_M rows by VECTORS vectors: the sums stay in registers while p runs.
static inline void compute_tile(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, int64_t k,
    int64_t n, int64_t i, int64_t i_end, int64_t j, int64_t p_block, int64_t p_end)
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
      for (int c = 0; c < VECTORS; ++c) {
        sum[r][c] = hone_load(&C[C_AT(row[r], j + c * LANES)]);
      }
    }
  }
  HONE_UNROLL(UNROLL_K)
  for (int64_t p = p_block; p < p_end; ++p) {
    VECTOR b[VECTORS];
    #pragma GCC unroll 16
    for (int c = 0; c < VECTORS; ++c) {
      b[c] = hone_load(&B[B_AT(p, j + c * LANES)]);
    }
    #pragma GCC unroll 16
    for (int r = 0; r < REG_M; ++r) {
      const SUM a = A[A_AT(row[r], p)];
      #pragma GCC unroll 16
      for (int c = 0; c < VECTORS; ++c) {
        sum[r][c] += a * b[c];
      }
    }
  }
  #pragma GCC unroll 16
  for (int r = 0; r < REG_M; ++r) {
    if (i + r < i_end) {
      #pragma GCC unroll 16
      for (int c = 0; c < VECTORS; ++c) {
        hone_store(&C[C_AT(row[r], j + c * LANES)], sum[r][c]);
      }
    }
  }
}

// The same for the last columns: width vectors, of which the last may stick out.
static inline __attribute__((always_inline)) void compute_edge_tile(int width, const ELEMENT* A,
    const ELEMENT* B, ELEMENT* C, int64_t k, int64_t n, int64_t i, int64_t i_end, int64_t j,
    int64_t j_end, int64_t p_block, int64_t p_end)
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
      b[c] = hone_load_part(&B[B_AT(p, j + c * LANES)], j_end - (j + c * LANES));
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

// One work-group per block of the output.
extern "C" void matmul(const hone_group* group, const ELEMENT* A, const ELEMENT* B, ELEMENT* C,
    int64_t m, int64_t k, int64_t n)
{
  // This group's block of the output.
  const int64_t i_block = group->id[1] * TILE_M;
  const int64_t i_end = hone_min(i_block + TILE_M, m);
  const int64_t j_block = group->id[0] * TILE_N;
  const int64_t j_end = hone_min(j_block + TILE_N, n);
  // Blocks of k, so that what is read stays in cache; between them C holds the sums so far.
  for (int64_t p_block = 0; p_block < k; p_block += TILE_K) {
    const int64_t p_end = hone_min(p_block + TILE_K, k);
    for (int64_t j = j_block; j < j_end; j += VECTORS * LANES) {
      for (int64_t i = i_block; i < i_end; i += REG_M) {
        if (j + VECTORS * LANES <= j_end) {
          compute_tile(A, B, C, k, n, i, i_end, j, p_block, p_end);
        } else {
          const int64_t vectors = (j_end - j + LANES - 1) / LANES;
          if (vectors == 1) {
            compute_edge_tile(1, A, B, C, k, n, i, i_end, j, j_end, p_block, p_end);
          } else if (VECTORS > 2 && vectors == 2) {
            compute_edge_tile(2, A, B, C, k, n, i, i_end, j, j_end, p_block, p_end);
          } else if (VECTORS > 3 && vectors == 3) {
            compute_edge_tile(3, A, B, C, k, n, i, i_end, j, j_end, p_block, p_end);
          } else {
            compute_edge_tile(VECTORS, A, B, C, k, n, i, i_end, j, j_end, p_block, p_end);
          }
        }
      }
    }
  }
}
