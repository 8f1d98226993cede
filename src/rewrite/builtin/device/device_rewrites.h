// The steps that the built-in engine knows on devices with work-items. One file each, one list.
#pragma once

#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

std::span<const Rewrite> device_rewrites();
const Rewrite* find_device_rewrite(std::string_view name);

// As rewrite_schedule, for a dialect with work-items.
Result<lower::Schedule> rewrite_for_device(lower::Schedule schedule, std::string_view name,
                                           const RewriteSubject& subject);

Result<void> group_outputs(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> rows_in_groups(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> tile_work_items(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> vector_loads(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> stage_in_local_memory(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> dense_local_memory(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> rows_from_memory(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> overlap_staging(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> order_groups(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> split_k_groups(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> persistent_groups(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> swizzle_local_memory(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> reduce_in_sub_groups(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> matrix_instructions(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> matrix_loads(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> warp_group_instructions(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> tensor_copies(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> share_tiles_in_clusters(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> tensor_stores(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> copy_asynchronously(lower::Schedule& schedule, const RewriteSubject& subject);
Result<void> unroll_terms(lower::Schedule& schedule, const RewriteSubject& subject);

} // namespace hone::rewrite
