// Long because it is a table: launches of the kernels in emulated/defects, and what must be found in them.
#include "emulated_cases.h"

#include <algorithm>
#include <cmath>

namespace hone::emulated {

namespace {

using Kind = emulate::FindingKind;
using emulate::TensorType;

Buffer u32(std::size_t count, Fill fill = Fill::small)
{
  return {Type::u32, count, fill};
}

Buffer results(std::size_t count, Type type = Type::u32)
{
  return {type, count, Fill::unset};
}

// The sum of 16-bit products that warp groups make: y is 64 x 8 of a, 64 x k, and b, 8 x k.
double product(const View& v, std::size_t i, std::size_t k, std::size_t depth)
{
  double sum = 0;
  for (std::size_t p = 0; p < depth; ++p) {
    sum += v.in(0, i / 8 * k + p) * v.in(1, i % 8 * k + p);
  }
  return sum;
}

// Tiles of some words, each in reverse order and times its number, added up.
double weighted(const View& v, std::size_t i, std::size_t words, int tiles, std::size_t first = 0)
{
  double sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    sum += v.in(0, (first + static_cast<std::size_t>(tile)) * words + words - 1 - i) * (tile + 1);
  }
  return sum;
}

double sum_of(const View& v, std::size_t begin, std::size_t count)
{
  double sum = 0;
  for (std::size_t i = begin; i < begin + count; ++i) {
    sum += v.in(0, i);
  }
  return sum;
}

double count_of(const View& v, std::size_t begin, std::size_t count, std::size_t value, std::size_t modulo)
{
  double out = 0;
  for (std::size_t i = begin; i < begin + count; ++i) {
    out += static_cast<std::size_t>(v.in(0, i)) % modulo == value ? 1 : 0;
  }
  return out;
}

Wanted reversed_of(std::size_t count, double plus = 0)
{
  return {1, [=](const View& v, std::size_t i) { return v.in(0, count - 1 - i) + plus; }};
}

std::vector<Buffer> pair(std::size_t in, std::size_t out)
{
  return {u32(in), results(out)};
}

std::vector<Case> shared_cases()
{
  const std::string file = "defects/shared";
  const std::vector<Kind> race{Kind::race};
  const std::string group = "race on shared memory", warp = "order within a warp", mask = "mask";
  const std::string divergence = "divergent barrier", deadlock = "deadlock";
  return {
    {file,
     "reversed",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {reversed_of(64)},
     {{.group = group, .kinds = race, .quick = true}}},
    {file,
     "tree_sum",
     {.grid = {2, 1, 1}, .block = {128, 1, 1}, .buffers = pair(256, 2)},
     {{1, [](const View& v, std::size_t i) { return sum_of(v, i * 128, 128); }}},
     {{.group = group, .kinds = race}}},
    {file,
     "tile_reused",
     {.block = {64, 1, 1}, .buffers = pair(192, 64), .integers = {3}},
     {{1,
       [](const View& v, std::size_t i) {
         return v.in(0, (i + 32) % 64) + 2 * v.in(0, 64 + (i + 32) % 64) + 3 * v.in(0, 128 + (i + 32) % 64);
       }}},
     {{.group = group, .kinds = race}}},
    {file,
     "two_buffers",
     {.block = {64, 1, 1}, .buffers = pair(256, 64), .integers = {4}},
     {{1, [](const View& v, std::size_t i) { return weighted(v, i, 64, 4); }}},
     {{.group = group, .kinds = race}}},
    {file,
     "counts",
     {.block = {64, 1, 1}, .buffers = pair(64, 8)},
     {{1, [](const View& v, std::size_t i) { return count_of(v, 0, 64, i, 8); }}},
     {{.group = group, .kinds = race}}},
    {file,
     "counts_by_one",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) + 1; }}},
     {{.group = group, .kinds = race}}},
    {file,
     "neighbours",
     {.buffers = pair(32, 32)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i ^ 1); }}},
     {{.group = warp, .kinds = race, .quick = true}}},
    {file,
     "warp_scan",
     {.buffers = pair(32, 32)},
     {{1, [](const View& v, std::size_t i) { return sum_of(v, 0, i + 1); }}},
     {{.group = warp, .kinds = race}}},
    {file,
     "warp_tail",
     {.block = {64, 1, 1}, .buffers = pair(64, 1)},
     {{1, [](const View& v, std::size_t) { return sum_of(v, 0, 64); }}},
     {{.group = warp, .kinds = race}}},
    {file,
     "volatile_tail",
     {.block = {64, 1, 1}, .buffers = pair(64, 1)},
     {{1, [](const View& v, std::size_t) { return sum_of(v, 0, 64); }}},
     {{.group = warp,
       .kinds = race,
       .known_miss = "volatile accesses are strong: no race of the memory model, only an order that nothing assures"}}},
    {file,
     "half_a_warp",
     {.buffers = pair(32, 16)},
     {{1, [](const View& v, std::size_t) { return sum_of(v, 0, 16); }}},
     {{.group = mask, .kinds = {Kind::wrong_mask, Kind::deadlock}, .quick = true}}},
    {file,
     "ballot_of_some",
     {.buffers = pair(32, 32)},
     {{1,
       [](const View& v, std::size_t) {
         double out = 0;
         for (std::size_t i = 0; i < 32; ++i) {
           out += std::fmod(v.in(0, i), 2) * std::exp2(static_cast<double>(i));
         }
         return out;
       }}},
     {{.group = mask, .kinds = {Kind::wrong_mask}}}},
    {file,
     "tail_of_warp",
     {.buffers = pair(32, 32), .integers = {20}},
     {{1,
       [](const View& v, std::size_t i) {
         return i < 20 ? sum_of(v, 0, 20) + static_cast<double>(i) : 123 + static_cast<double>(i);
       }}},
     {{.group = mask, .kinds = {Kind::wrong_mask, Kind::deadlock}}}},
    {file,
     "from_outside",
     {.buffers = pair(32, 16)},
     {{1, [](const View& v, std::size_t) { return v.in(0, 3); }}},
     {{.group = mask, .kinds = {Kind::wrong_mask}}}},
    {file,
     "barrier_for_all",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i); }}},
     {{.group = divergence, .kinds = {Kind::divergence}, .quick = true}}},
    {file,
     "barrier_in_warp",
     {.buffers = pair(32, 32)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i); }}},
     {{.group = divergence, .kinds = {Kind::divergence}}}},
    {file,
     "two_barriers",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, 63 - i) + (i < 32 ? 2 : 1); }}},
     {{.group = divergence, .kinds = {Kind::divergence}}}},
    {file,
     "crosswise",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {reversed_of(64)},
     {{.group = deadlock, .kinds = {Kind::deadlock}, .quick = true}}},
    {file,
     "too_few_arrive",
     {.block = {96, 1, 1}, .buffers = pair(32, 64)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i % 32); }}},
     {{.group = deadlock, .kinds = {Kind::deadlock, Kind::divergence}}}},
    {file,
     "arrival_left_out",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {reversed_of(64)},
     {{.group = deadlock, .kinds = {Kind::deadlock}}}},
    {file,
     "lock_kept",
     {.grid = {3, 1, 1}, .block = {64, 1, 1}, .buffers = {u32(1, Fill::zero), u32(1, Fill::zero)}},
     {{1, [](const View&, std::size_t) { return 6.0; }}},
     {{.group = deadlock, .kinds = {Kind::deadlock, Kind::hang}}}},
  };
}

std::vector<Case> memory_cases()
{
  const std::string file = "defects/memory";
  const std::string bounds = "out of bounds", alignment = "misaligned", unset = "uninitialised shared memory";
  const std::string blocks = "race between blocks";
  const std::vector<Kind> race{Kind::race};
  const auto parts = [](const View& v, std::size_t i) { return sum_of(v, i * 32, 32); };
  return {
    {file,
     "beyond_global",
     {.grid = {2, 1, 1}, .block = {64, 1, 1}, .buffers = pair(100, 100), .integers = {100}},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) + 1; }}},
     {{.group = bounds, .kinds = {Kind::out_of_bounds}, .quick = true}}},
    {file,
     "before_global",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t i) { return 2 * v.in(0, i > 0 ? i - 1 : 0); }}},
     {{.group = bounds, .kinds = {Kind::out_of_bounds}}}},
    {file,
     "beyond_shared",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, std::min<std::size_t>(i + 1, 63)); }}},
     {{.group = bounds, .kinds = {Kind::out_of_bounds}}}},
    {file,
     "beyond_dynamic",
     {.block = {64, 1, 1}, .buffers = pair(64, 64), .dynamic_shared_bytes = 256},
     {reversed_of(64)},
     {{.group = bounds, .kinds = {Kind::out_of_bounds}}}},
    {file,
     "beyond_local",
     {.buffers = {u32(32, Fill::index), results(32)}},
     {{1, [](const View&, std::size_t i) { return static_cast<double>(i % 8 * (i % 8)); }}},
     {{.group = bounds, .kinds = {Kind::out_of_bounds}}}},
    {file,
     "beyond_local_store",
     {.buffers = {u32(32, Fill::index), results(32)}},
     {{1, [](const View&, std::size_t) { return 77.0; }}},
     {{.group = bounds, .kinds = {Kind::out_of_bounds}}}},
    {file,
     "vector_load",
     {.buffers = pair(132, 32)},
     {{1, [](const View& v, std::size_t i) { return sum_of(v, 4 * i + 4, 4); }}},
     {{.group = alignment, .kinds = {Kind::misaligned}, .quick = true}}},
    {file,
     "shared_pairs",
     {.buffers = pair(32, 32)},
     {{1, [](const View& v, std::size_t i) { return i < 31 ? 2 * v.in(0, i + 1) + 1 : 0; }}},
     {{.group = alignment, .kinds = {Kind::misaligned}}}},
    {file,
     "copy_of_16",
     {.buffers = pair(136, 32)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, 4 * i + 4); }}},
     {{.group = alignment, .kinds = {Kind::misaligned}}}},
    {file,
     "halo",
     {.block = {64, 1, 1}, .buffers = pair(66, 64)},
     {{1, [](const View& v, std::size_t i) { return sum_of(v, i, 3); }}},
     {{.group = unset, .kinds = {Kind::uninitialised}, .quick = true}}},
    {file,
     "sums_of_warps",
     {.block = {128, 1, 1}, .buffers = pair(128, 1)},
     {{1, [](const View& v, std::size_t) { return sum_of(v, 0, 128); }}},
     {{.group = unset, .kinds = {Kind::uninitialised}}}},
    {file,
     "counts_from_nothing",
     {.buffers = pair(32, 32)},
     {{1, [](const View& v, std::size_t i) { return count_of(v, 0, 32, i, 32); }}},
     {{.group = unset, .kinds = {Kind::uninitialised}}}},
    {file,
     "sum_of_blocks",
     {.grid = {4, 1, 1}, .buffers = {u32(128), u32(1, Fill::zero)}},
     {{1, [](const View& v, std::size_t) { return sum_of(v, 0, 128); }}},
     {{.group = blocks, .kinds = race, .quick = true}}},
    {file,
     "last_block",
     {.grid = {4, 1, 1}, .buffers = {u32(128), u32(4, Fill::zero), u32(1, Fill::zero), results(1)}},
     {{1, parts}, {3, [](const View& v, std::size_t) { return sum_of(v, 0, 128); }}},
     {{.group = blocks, .kinds = race}}},
    {file,
     "handed_over",
     {.grid = {4, 1, 1}, .buffers = {u32(4, Fill::zero), u32(4, Fill::zero), results(4)}},
     {{2, [](const View&, std::size_t i) { return std::exp2(static_cast<double>(i)); }}},
     {{.group = blocks, .kinds = race}}},
    {file,
     "in_place",
     {.grid = {3, 1, 1}, .buffers = pair(96, 96)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) + v.in(0, (i + 32) % 96); }}},
     {{.group = blocks, .kinds = race}}},
    {file,
     "grid_barrier",
     {.grid = {4, 1, 1}, .buffers = {u32(128, Fill::zero), u32(1, Fill::zero), results(128)}, .cooperative = true},
     {{2, [](const View&, std::size_t i) { return static_cast<double>((i + 32) % 128); }}},
     {{.group = blocks, .kinds = race}}},
  };
}

// A tensor of 32 words in each of its rows; boxes of 8 x 8.
MapOf map_of_boxes(std::size_t buffer, std::uint64_t rows = 16, std::size_t begin = 0)
{
  return {.buffer = buffer, .sizes = {32, rows}, .box = {8, 8}, .begin = begin};
}

double box(const View& v, std::size_t i, std::size_t x, std::size_t y, std::size_t begin = 0)
{
  return v.in(0, begin + (y + i / 8) * 32 + x + i % 8);
}

std::vector<Case> copy_cases()
{
  const std::string file = "defects/copies";
  const std::string early = "copy used before its wait", proxy = "proxies without a fence", map = "tensor map";
  const std::string reused = "stage reused under a copy", deadlock = "deadlock", bounds = "misaligned";
  const std::vector<Kind> race{Kind::race};
  // 64 words in rows of 8 at (x, y) of a tensor.
  const auto inside = [](std::size_t i, std::size_t x, std::size_t y) {
    return i % 32 >= x && i % 32 < x + 8 && i / 32 >= y && i / 32 < y + 8;
  };
  const auto of_box = [](std::size_t i, std::size_t x, std::size_t y) { return (i / 32 - y) * 8 + i % 32 - x; };
  return {
    {file,
     "copied",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {reversed_of(64)},
     {{.group = early, .kinds = race, .quick = true}}},
    {file,
     "copied_by_others",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {reversed_of(64)},
     {{.group = early, .kinds = race}}},
    {file,
     "copied_ahead",
     {.buffers = pair(160, 32), .integers = {5}},
     {{1, [](const View& v, std::size_t i) { return weighted(v, i, 32, 5); }}},
     {{.group = early, .kinds = race}, {.number = 2, .group = reused, .kinds = race}}},
    {file,
     "copies_arrive",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i); }}},
     {{.group = early, .kinds = race}}},
    {file,
     "bulk_loaded",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {reversed_of(64)},
     {{.group = early, .kinds = race},
      {.number = 2, .group = early, .kinds = race},
      {.number = 3, .group = deadlock, .kinds = {Kind::deadlock}}}},
    {file,
     "zeros_replaced",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) + 7; }}},
     {{.group = proxy, .kinds = race}}},
    {file,
     "bulk_stored",
     {.block = {64, 1, 1}, .buffers = pair(128, 128)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) + 1; }}},
     {{.group = proxy, .kinds = race, .quick = true}, {.number = 2, .group = reused, .kinds = race}}},
    {file,
     "stored_and_taken",
     {.block = {64, 1, 1}, .buffers = pair(64, 64)},
     {{1, [](const View&, std::size_t i) { return static_cast<double>((63 - i) * (63 - i)); }}},
     {{.group = proxy, .kinds = race}}},
    {file,
     "read_back",
     {.buffers = pair(32, 32)},
     {{1, [](const View&, std::size_t i) { return static_cast<double>(i + 5); }}},
     {{.group = early, .kinds = race}}},
    {file,
     "bulk_rounds",
     {.block = {64, 1, 1}, .buffers = pair(224, 32), .integers = {7}},
     {{1, [](const View& v, std::size_t i) { return weighted(v, i, 32, v.integer(0)); }}},
     {{.group = reused, .kinds = race},
      {.number = 2, .group = early, .kinds = race},
      {.number = 3, .group = deadlock, .kinds = {Kind::deadlock}, .wrong_result = true}},
     false,
     {{1}, {2}, {4}}},
    {file,
     "box_loaded",
     {.block = {64, 1, 1}, .buffers = pair(512, 64), .maps = {map_of_boxes(0)}},
     {{1, [](const View& v, std::size_t i) { return box(v, i, 8, 2); }}},
     {{.group = early, .kinds = race},
      {.number = 2, .group = bounds, .kinds = {Kind::misaligned, Kind::out_of_bounds}},
      {.number = 3, .group = deadlock, .kinds = {Kind::race, Kind::deadlock, Kind::trap}}}},
    {file,
     "box_stored",
     {.block = {64, 1, 1}, .buffers = {u32(64), u32(512, Fill::index)}, .maps = {map_of_boxes(1)}},
     {{1, [=](const View& v,
              std::size_t i) { return inside(i, 4, 1) ? v.in(0, of_box(i, 4, 1)) + 3 : static_cast<double>(i); }}},
     {{.group = proxy, .kinds = race}}},
    {file,
     "box_added",
     {.block = {64, 1, 1}, .buffers = {u32(64), u32(512, Fill::index)}, .maps = {map_of_boxes(1)}},
     {{1, [=](const View& v,
              std::size_t i) { return (inside(i, 0, 0) ? v.in(0, of_box(i, 0, 0)) : 0) + static_cast<double>(i); }}},
     {{.group = proxy, .kinds = race}}},
    {file,
     "map_changed",
     {.buffers = pair(512, 32), .maps = {map_of_boxes(0, 8)}},
     {{1, [](const View& v, std::size_t i) { return box(v, i, 0, 0, 256); }}},
     {{.group = map, .kinds = race, .quick = true}, {.number = 2, .group = map, .kinds = race}}},
    {file,
     "map_changed_again",
     {.buffers = pair(512, 64), .maps = {map_of_boxes(0, 8)}},
     {{1, [](const View& v, std::size_t i) { return box(v, i % 32, 0, 0, i / 32 * 256); }}},
     {{.group = map, .kinds = race}}},
  };
}

std::vector<Buffer> operands(std::size_t k, Fill sums = Fill::unset)
{
  return {{Type::f16, 64 * k, Fill::small}, {Type::f16, 8 * k, Fill::small}, {Type::f32, 512, sums}};
}

std::vector<Case> warpgroup_cases()
{
  const std::string file = "defects/warpgroup";
  const std::string proxy = "proxies without a fence", early = "product used before its wait";
  const std::vector<Kind> race{Kind::race};
  const auto launch = [](int k, Fill sums = Fill::unset) {
    return Launch{.block = {128, 1, 1}, .buffers = operands(static_cast<std::size_t>(k), sums), .integers = {k}};
  };
  const auto wanted = [](std::size_t k, std::size_t depth, double plus = 0) {
    return Wanted{2, [=](const View& v, std::size_t i) { return product(v, i, k, depth) + plus; }, 1e-4};
  };
  return {
    {file,
     "stored_operands",
     launch(192),
     {wanted(192, 192)},
     {{.group = proxy, .kinds = race}, {.number = 2, .group = early, .kinds = race}}},
    {file, "late_store", launch(64), {wanted(64, 64)}, {{.group = proxy, .kinds = race}}},
    {file, "sums_read_early", launch(64), {wanted(64, 64)}, {{.group = early, .kinds = race, .quick = true}}},
    {file, "sums_of_two_groups", launch(128), {wanted(128, 128)}, {{.group = early, .kinds = race}}},
    {file, "registers_touched", launch(64), {wanted(64, 16)}, {{.group = early, .kinds = race}}},
    {file,
     "no_wgmma_fence",
     launch(64, Fill::ones),
     {wanted(64, 64, 1)},
     {{.group = early,
       .kinds = race,
       .known_miss =
         "nothing looks for it: compilers move registers behind the fence by themselves, and ptxas puts one in"}}},
    {file, "stage_of_results", launch(64), {wanted(64, 64)}, {{.group = proxy, .kinds = race}}},
  };
}

std::vector<Case> cluster_cases()
{
  const std::string file = "defects/cluster";
  const std::string group = "race on distributed shared memory", deadlock = "deadlock";
  const std::string left = "block that has left", proxy = "proxies without a fence",
                    early = "copy used before its wait";
  const std::vector<Kind> race{Kind::race, Kind::uninitialised};
  const auto launch = [](std::uint32_t blocks, std::uint32_t in_cluster, std::size_t out, std::uint32_t threads = 32) {
    return Launch{.grid = {blocks, 1, 1},
                  .block = {threads, 1, 1},
                  .buffers = pair(std::size_t{blocks} * threads, out),
                  .cluster = {in_cluster, 1, 1}};
  };
  const auto of_other = [](double times, double plus) {
    return Wanted{1, [=](const View& v, std::size_t i) { return v.in(0, i ^ 32) * times + plus; }};
  };
  return {
    {file,
     "sum_of_cluster",
     launch(8, 4, 2),
     {{1, [](const View& v, std::size_t i) { return sum_of(v, i * 128, 128); }}},
     {{.group = group, .kinds = race, .quick = true},
      {.number = 2, .group = left, .kinds = {Kind::race, Kind::out_of_bounds}}}},
    {file,
     "halo_of_cluster",
     launch(4, 2, 128),
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) + v.in(0, i / 64 * 64 + (i + 1) % 64); }}},
     {{.group = group, .kinds = race}}},
    {file, "arrived_only", launch(2, 2, 64), {of_other(1, 0)}, {{.group = group, .kinds = race}}},
    {file,
     "counts_of_cluster",
     launch(4, 2, 64),
     {{1, [](const View& v, std::size_t i) { return count_of(v, i / 32 * 64, 64, i % 32, 32); }}},
     {{.group = group, .kinds = race}}},
    {file,
     "one_block_waits",
     launch(4, 2, 128),
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) + static_cast<double>(i / 32 % 2); }}},
     {{.group = deadlock, .kinds = {Kind::deadlock}}}},
    {file, "arrivals_of_cluster", launch(2, 2, 64), {of_other(3, 0)}, {{.group = deadlock, .kinds = {Kind::deadlock}}}},
    {file,
     "barrier_of_some",
     launch(2, 2, 128, 64),
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) + 1; }}},
     {{.group = deadlock, .kinds = {Kind::deadlock}}}},
    {file,
     "sent",
     launch(2, 2, 64),
     {of_other(1, 9)},
     {{.group = proxy, .kinds = race},
      {.number = 2, .group = early, .kinds = race},
      {.number = 3, .group = deadlock, .kinds = {Kind::deadlock}}}},
  };
}

std::vector<Case> field_cases()
{
  const std::string file = "defects/field", group = "bugs of the field";
  const std::vector<Kind> race{Kind::race};
  const auto rounds = [](const View& v, std::size_t i) {
    const int tiles = v.integer(1);
    return i / 32 < static_cast<std::size_t>(v.integer(0))
             ? weighted(v, i % 32, 32, tiles, i / 32 * static_cast<std::size_t>(tiles))
             : 123;
  };
  return {
    {file,
     "multicast_rounds",
     {.grid = {4, 1, 1},
      .block = {64, 1, 1},
      .buffers = pair(512, 128),
      .integers = {7},
      .maps = {{.buffer = 0, .sizes = {64, 8}, .box = {32, 1}}},
      .cluster = {2, 1, 1}},
     {{1,
       [](const View& v, std::size_t i) {
         double sum = 0;
         for (std::size_t tile = 0; tile < 7; ++tile) {
           sum +=
             (v.in(0, tile * 64 + 31 - i % 32) + v.in(0, tile * 64 + 63 - i % 32)) * (static_cast<double>(tile) + 1);
         }
         return sum;
       }}},
     {{.group = group, .kinds = race}}},
    {file,
     "grouped",
     {.buffers = pair(1024, 128), .integers = {4}, .maps = {map_of_boxes(0, 8)}},
     {{1, [](const View& v, std::size_t i) { return box(v, i % 32, 0, 1, i / 32 * 256); }}},
     {{.group = group, .kinds = race}}},
    {file,
     "epilogue",
     {.block = {128, 1, 1}, .buffers = {u32(384), u32(768, Fill::index)}, .maps = {map_of_boxes(1, 24)}},
     {{1,
       [](const View& v, std::size_t i) {
         const std::size_t x = i % 32, y = i / 32;
         return x < 16 ? 2 * v.in(0, y / 8 * 128 + x / 8 * 64 + y % 8 * 8 + x % 8) + 1 : static_cast<double>(i);
       }}},
     {{.group = group, .kinds = race}}},
    {file,
     "stage_overwritten",
     {.block = {128, 1, 1},
      .buffers = operands(256),
      .integers = {3},
      .maps = {{.buffer = 0,
                .type = TensorType::f16,
                .sizes = {256, 64},
                .box = {64, 64},
                .swizzle = emulate::TensorSwizzle::bytes_128},
               {.buffer = 1,
                .type = TensorType::f16,
                .sizes = {256, 8},
                .box = {64, 8},
                .swizzle = emulate::TensorSwizzle::bytes_128}}},
     {{2, [](const View& v, std::size_t i) { return product(v, i, 256, static_cast<std::size_t>(v.integer(0)) * 64); },
       1e-4}},
     {{.group = group, .kinds = race}},
     false,
     {{1}, {2}, {4}},
     {{1}}},
    {file,
     "rounds_of_stages",
     {.block = {64, 1, 1}, .buffers = pair(32 * 3 * 6, 96), .integers = {3, 4}},
     {{1, rounds}},
     {{.group = group, .kinds = {Kind::race, Kind::deadlock}, .wrong_result = true},
      {.group = group, .kinds = {Kind::race, Kind::deadlock}, .wrong_result = true, .other_integers = {3, 5}},
      {.group = group, .kinds = {Kind::race, Kind::deadlock}, .wrong_result = true, .other_integers = {2, 2}}},
     false,
     {{3, 3}, {3, 5}, {3, 6}, {2, 2}, {1, 1}},
     {{3, 3}, {3, 6}, {1, 4}}},
  };
}

} // namespace

std::vector<Case> defect_cases()
{
  std::vector<Case> out;
  for (const auto& part :
       {shared_cases(), memory_cases(), copy_cases(), warpgroup_cases(), cluster_cases(), field_cases()}) {
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

} // namespace hone::emulated
