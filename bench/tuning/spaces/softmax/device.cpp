// softmax: Y = softmax(X) along rows, f32
//   top[i]      = max(j, X[i,j])
//   weight[i,j] = exp(X[i,j] - top[i])
//   total[i]    = sum(j, weight[i,j])
//   Y[i,j]      = weight[i,j] / total[i]
#include "hone.h"
#include "macros.h"
#include "hone_math.h"

// top[i] = max(j < n, X[i, j])
// weight[i, j] = exp(X[i, j] - top[i])
// total[i] = sum(j < n, weight[i, j])
// Y[i, j] = weight[i, j] / total[i]
extern "C" void softmax(const hone_group* group, const float* X, float* Y, int64_t m, int64_t n)
{
  const int64_t rows_end = hone_min((group->id[0] + 1) * ROWS, m);
  for (int64_t i = group->id[0] * ROWS; i < rows_end; ++i) {
    f32v top_parts[TOP_VECTORS];
    #pragma GCC unroll 16
    for (int v = 0; v < TOP_VECTORS; ++v) {
      top_parts[v] = hone_broadcast((float)-INFINITY);
    }
    const int64_t top_full = n / (TOP_VECTORS * f32v_lanes) * (TOP_VECTORS * f32v_lanes);
    for (int64_t j = 0; j < top_full; j += TOP_VECTORS * f32v_lanes) {
      #pragma GCC unroll 16
      for (int v = 0; v < TOP_VECTORS; ++v) {
        const int64_t at = j + v * f32v_lanes;
        if (AHEAD > 0) {
          __builtin_prefetch(X + i * n + at + AHEAD * f32v_lanes);
        }
        const f32v X_here = hone_load(X + i * n + at);
        top_parts[v] = hone_max(X_here, top_parts[v]);
      }
    }
    // Columns that do not fill a step: vectors of which only the first lanes count.
    for (int64_t j = top_full; j < n; j += f32v_lanes) {
      const f32v X_here = hone_load_part(X + i * n + j, n - j);
      top_parts[0] = hone_max(hone_keep(X_here, n - j, -INFINITY), top_parts[0]);
    }
    #pragma GCC unroll 16
    for (int v = 1; v < TOP_VECTORS; ++v) {
      top_parts[0] = hone_max(top_parts[0], top_parts[v]);
    }
    const float top = hone_largest(top_parts[0]);
    f32v total_parts[SUM_VECTORS] = {};
    const int64_t sum_full = n / (SUM_VECTORS * f32v_lanes) * (SUM_VECTORS * f32v_lanes);
    for (int64_t j = 0; j < sum_full; j += SUM_VECTORS * f32v_lanes) {
      #pragma GCC unroll 16
      for (int v = 0; v < SUM_VECTORS; ++v) {
        const int64_t at = j + v * f32v_lanes;
        const f32v X_here = hone_load(X + i * n + at);
        const f32v weight = hone_exp(X_here - top);
        hone_store(Y + i * n + at, weight);
        total_parts[v] += weight;
      }
    }
    // Columns that do not fill a step: vectors of which only the first lanes count.
    for (int64_t j = sum_full; j < n; j += f32v_lanes) {
      const f32v X_here = hone_load_part(X + i * n + j, n - j);
      const f32v weight = hone_exp(X_here - top);
      hone_store_part(Y + i * n + j, weight, n - j);
      total_parts[0] += hone_keep(weight, n - j, 0);
    }
    #pragma GCC unroll 16
    for (int v = 1; v < SUM_VECTORS; ++v) {
      total_parts[0] += total_parts[v];
    }
    const float total = hone_sum(total_parts[0]);
    const int64_t out_full = n / (OUT_VECTORS * f32v_lanes) * (OUT_VECTORS * f32v_lanes);
    for (int64_t j = 0; j < out_full; j += OUT_VECTORS * f32v_lanes) {
      #pragma GCC unroll 16
      for (int v = 0; v < OUT_VECTORS; ++v) {
        const int64_t at = j + v * f32v_lanes;
        const f32v weight = hone_load(Y + i * n + at);
        const f32v Y_here = RECIPROCAL ? weight * (1 / total) : weight / total;
        hone_store(Y + i * n + at, Y_here);
      }
    }
    // Columns that do not fill a step: vectors of which only the first lanes count.
    for (int64_t j = out_full; j < n; j += f32v_lanes) {
      const f32v weight = hone_load_part(Y + i * n + j, n - j);
      const f32v Y_here = weight / total;
      hone_store_part(Y + i * n + j, Y_here, n - j);
    }
  }
}
