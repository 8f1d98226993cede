// The steps that the built-in engine knows, each a rewrite of a schedule. One file each, one list here.
#pragma once

#include "lower/lower.h"

#include <span>
#include <string_view>

namespace hone::rewrite {

struct RewriteSubject {
  const kernel::Kernel& kernel;
  const lower::Dialect& dialect;
};

// What a rewrite is for; `products` are contractions in either form, `items` devices with work-items.
enum class RewriteFamily { contraction, dots, products, rows, windows, elements, items };

struct Rewrite {
  std::string_view name;
  // Changes the schedule, or says why not here and what to do first.
  Result<void> (*apply)(lower::Schedule& schedule, const RewriteSubject& subject);
  RewriteFamily family = RewriteFamily::contraction;
};

std::span<const Rewrite> rewrites();

// Applies one by name: refuses kernels that it is not for, unknown names, and a step done twice.
Result<lower::Schedule> rewrite_schedule(lower::Schedule schedule, std::string_view name,
                                         const RewriteSubject& subject);

Result<void> refactor_into_macros(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> reorder_loops(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> cache_tiling(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> pack_panels(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> pack_in_passing(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> register_tiling(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> vectorize(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> unroll_k(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> prefetch_columns(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> prefetch_rows(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> prefetch_output(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> stream_output(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> split_k(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> dot_remainders(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> spread_k(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> balance_tiles(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> register_broadcast(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> fix_sizes(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> mask_edges(lower::Schedule& schedule, const RewriteSubject& subject);

// Contractions of narrow operands.
Result<void> dot_products(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> correct_by_columns(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> pack_strips_together(lower::Schedule& schedule, const RewriteSubject& subject);

// Rows and element-wise kernels.
Result<void> fuse_statements(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> vectorize_rows(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> running_sums(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> stream_stores(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> tile_rows(lower::Schedule& schedule, const RewriteSubject& subject);

// Statements of any kind, each by itself.
Result<void> vectorize_elements(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> tile_elements(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> share_rows(lower::Schedule& schedule, const RewriteSubject& subject);

// Convolutions and pooling.
Result<void> vectorize_windows(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> tile_channels(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> pack_windows(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> join_rows(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> block_windows(lower::Schedule& schedule, const RewriteSubject& subject);

} // namespace hone::rewrite
