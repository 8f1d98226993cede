// The steps that the built-in engine knows, each a rewrite of a schedule. One file each, one list here.
#pragma once

#include "lower/lower.h"

#include <span>
#include <string_view>

namespace hone {

struct RewriteSubject {
  const Kernel& kernel;
  const Dialect& dialect;
};

// What a rewrite is for; `products` are contractions in either form.
enum class RewriteFamily { contraction, dots, products, rows, windows };

struct Rewrite {
  std::string_view name;
  // Changes the schedule, or says why not here and what to do first.
  Result<void> (*apply)(Schedule& schedule, const RewriteSubject& subject);
  RewriteFamily family = RewriteFamily::contraction;
};

std::span<const Rewrite> rewrites();

// Applies one by name: refuses kernels that it is not for, unknown names, and a step done twice.
Result<Schedule> rewrite_schedule(Schedule schedule, std::string_view name, const RewriteSubject& subject);

Result<void> refactor_into_macros(Schedule& schedule, const RewriteSubject& subject);
Result<void> reorder_loops(Schedule& schedule, const RewriteSubject& subject);
Result<void> cache_tiling(Schedule& schedule, const RewriteSubject& subject);
Result<void> pack_panels(Schedule& schedule, const RewriteSubject& subject);
Result<void> pack_in_passing(Schedule& schedule, const RewriteSubject& subject);
Result<void> register_tiling(Schedule& schedule, const RewriteSubject& subject);
Result<void> vectorize(Schedule& schedule, const RewriteSubject& subject);
Result<void> unroll_k(Schedule& schedule, const RewriteSubject& subject);
Result<void> prefetch_columns(Schedule& schedule, const RewriteSubject& subject);
Result<void> prefetch_rows(Schedule& schedule, const RewriteSubject& subject);
Result<void> prefetch_output(Schedule& schedule, const RewriteSubject& subject);
Result<void> stream_output(Schedule& schedule, const RewriteSubject& subject);
Result<void> split_k(Schedule& schedule, const RewriteSubject& subject);
Result<void> dot_remainders(Schedule& schedule, const RewriteSubject& subject);
Result<void> spread_k(Schedule& schedule, const RewriteSubject& subject);
Result<void> balance_tiles(Schedule& schedule, const RewriteSubject& subject);
Result<void> register_broadcast(Schedule& schedule, const RewriteSubject& subject);
Result<void> fix_sizes(Schedule& schedule, const RewriteSubject& subject);
Result<void> mask_edges(Schedule& schedule, const RewriteSubject& subject);

// Contractions of narrow operands.
Result<void> dot_products(Schedule& schedule, const RewriteSubject& subject);
Result<void> correct_by_columns(Schedule& schedule, const RewriteSubject& subject);
Result<void> pack_strips_together(Schedule& schedule, const RewriteSubject& subject);

// Rows and element-wise kernels.
Result<void> fuse_statements(Schedule& schedule, const RewriteSubject& subject);
Result<void> vectorize_rows(Schedule& schedule, const RewriteSubject& subject);
Result<void> running_sums(Schedule& schedule, const RewriteSubject& subject);
Result<void> stream_stores(Schedule& schedule, const RewriteSubject& subject);
Result<void> tile_rows(Schedule& schedule, const RewriteSubject& subject);

// Convolutions and pooling.
Result<void> vectorize_windows(Schedule& schedule, const RewriteSubject& subject);
Result<void> tile_channels(Schedule& schedule, const RewriteSubject& subject);
Result<void> pack_windows(Schedule& schedule, const RewriteSubject& subject);
Result<void> join_rows(Schedule& schedule, const RewriteSubject& subject);
Result<void> block_windows(Schedule& schedule, const RewriteSubject& subject);

} // namespace hone
