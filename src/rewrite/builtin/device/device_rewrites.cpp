#include "rewrite/builtin/device/device_rewrites.h"

#include "rewrite/builtin/device/item_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::rewrite {

namespace {

constexpr std::array k_device_rewrites = {
  Rewrite{"group-outputs", group_outputs, RewriteFamily::items},
  Rewrite{"rows-in-groups", rows_in_groups, RewriteFamily::items},
  Rewrite{"tile-work-items", tile_work_items, RewriteFamily::items},
  Rewrite{"vector-loads", vector_loads, RewriteFamily::items},
  Rewrite{"stage-in-local-memory", stage_in_local_memory, RewriteFamily::items},
  Rewrite{"dense-local-memory", dense_local_memory, RewriteFamily::items},
  Rewrite{"rows-from-memory", rows_from_memory, RewriteFamily::items},
  Rewrite{"overlap-staging", overlap_staging, RewriteFamily::items},
  Rewrite{"order-groups", order_groups, RewriteFamily::items},
  Rewrite{"split-k-groups", split_k_groups, RewriteFamily::items},
  Rewrite{"persistent-groups", persistent_groups, RewriteFamily::items},
  Rewrite{"swizzle-local-memory", swizzle_local_memory, RewriteFamily::items},
  Rewrite{"reduce-in-sub-groups", reduce_in_sub_groups, RewriteFamily::items},
  Rewrite{"matrix-instructions", matrix_instructions, RewriteFamily::items},
  Rewrite{"matrix-loads", matrix_loads, RewriteFamily::items},
  Rewrite{"warp-group-instructions", warp_group_instructions, RewriteFamily::items},
  Rewrite{"tensor-copies", tensor_copies, RewriteFamily::items},
  Rewrite{"share-tiles-in-clusters", share_tiles_in_clusters, RewriteFamily::items},
  Rewrite{"tensor-stores", tensor_stores, RewriteFamily::items},
  Rewrite{"copy-asynchronously", copy_asynchronously, RewriteFamily::items},
  Rewrite{"unroll-k", unroll_terms, RewriteFamily::items},
};

} // namespace

std::span<const Rewrite> device_rewrites()
{
  return k_device_rewrites;
}

const Rewrite* find_device_rewrite(std::string_view name)
{
  const auto found = std::ranges::find(k_device_rewrites, name, &Rewrite::name);
  return found == k_device_rewrites.end() ? nullptr : &*found;
}

Result<lower::Schedule> rewrite_for_device(lower::Schedule schedule, std::string_view name,
                                           const RewriteSubject& subject)
{
  const Rewrite* rewrite = find_device_rewrite(name);
  if (rewrite == nullptr) {
    return fail(fmt::format("the built-in engine carries out {} on the cpu backend only", name),
                "use --backend cpu, or carry it out by hand");
  }
  if (kernel::is_ordered(subject.kernel.program)) {
    return fail(fmt::format("{} is not for loops that run in order", name),
                "carry it out by hand, or let a model do it");
  }
  if (schedule.has_done(name)) {
    return fail(fmt::format("{} has been carried out already", name), "choose another step");
  }
  HONE_CHECK(rewrite->apply(schedule, subject));
  schedule.done.emplace_back(name);
  HONE_CHECK(update_item_constraints(schedule, subject));
  return schedule;
}

} // namespace hone::rewrite
