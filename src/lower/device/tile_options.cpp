#include "lower/device/tile_options.h"

#include <fmt/format.h>

namespace hone::lower::device {

TileOptions tile_options(const Schedule& schedule, const Dialect& dialect)
{
  const auto parameter = [&](const char* name, const char* otherwise) {
    return std::string(schedule.has_parameter(name) ? name : otherwise);
  };
  TileOptions out;
  out.group_m = parameter("GROUP_M", "1");
  out.group_n = parameter("GROUP_N", "1");
  out.tile_m = parameter("TILE_M", "1");
  out.tile_n = parameter("TILE_N", "1");
  out.lanes = parameter("LANES", "");
  out.slice_k = parameter("SLICE_K", "");
  out.pad = parameter("PAD", "");
  out.unroll_k = parameter("UNROLL_K", "");
  out.group_rows = parameter("GROUP_ROWS", "");
  out.split_k = parameter("SPLIT_K", "");
  out.unit_groups = parameter("UNIT_GROUPS", "");
  out.swizzled = schedule.has_done("swizzle-local-memory");
  out.transposed = schedule.has_done("dense-local-memory");
  out.rows_from_memory = schedule.has_done("rows-from-memory");
  out.overlapped = schedule.has_done("overlap-staging");
  out.matrix = schedule.has_done("matrix-instructions");
  if (out.matrix) {
    out.warps_m = parameter("WARPS_M", "1");
    out.warps_n = parameter("WARPS_N", "1");
    out.fragments_m = parameter("FRAGMENTS_M", "1");
    out.fragments_n = parameter("FRAGMENTS_N", "1");
    out.group_n = fmt::format("({} * {} * {})", matrix_items(dialect), out.warps_m, out.warps_n);
  }
  out.warp_groups = schedule.has_done("warp-group-instructions");
  out.matrix_loads = schedule.has_done("matrix-loads");
  out.tensor_copies = schedule.has_done("tensor-copies");
  out.tensor_stores = schedule.has_done("tensor-stores");
  out.cluster = parameter("CLUSTER", "");
  out.stages = parameter("STAGES", "");
  return out;
}

TileOptions without_staging(TileOptions options)
{
  options.slice_k.clear();
  options.unroll_k.clear();
  options.matrix = false;
  options.stages.clear();
  return options;
}

} // namespace hone::lower::device
