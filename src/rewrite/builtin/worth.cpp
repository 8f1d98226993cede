#include "rewrite/builtin/worth.h"

#include "lower/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::rewrite {

namespace {

constexpr std::int64_t k_most_dot_columns = 8; // the largest value of DOT_COLUMNS
constexpr std::int64_t k_vectors_of_dot = 2;   // along the sum, that pay for adding across the lanes
constexpr std::int64_t k_narrow_output = 2;    // vectors of columns, between which the loads of A weigh
constexpr std::int64_t k_widest_strip = 64;    // columns of narrow operands that are packed as one
constexpr std::int64_t k_long_sum = 256;       // multiply-adds that hide the store of their sum
constexpr std::int64_t k_device_tile = 64;     // rows and columns that a group of work-items may well compute

// A contraction at the sizes of a climb.
struct Shape {
  std::int64_t columns = 0, depth = 0;
  std::int64_t left_bytes = 0, output_bytes = 0;
  std::int64_t lanes = 1; // of the widest vector
  std::int64_t l2 = 0;    // bytes; 0: unknown
  int threads = 1;
  std::int64_t tiles = 1;    // of k_device_tile by k_device_tile elements of the output
  std::int64_t units = 1;    // of a device with work-items
  std::int64_t subgroup = 0; // items that run together and exchange values
};

std::int64_t fact_of(const OptimizationTarget& target, const std::string& name, std::int64_t otherwise)
{
  const auto fact = target.device_facts.find(name);
  return fact == target.device_facts.end() ? otherwise : fact->second;
}

std::optional<Shape> shape_at(const kernel::Kernel& kernel, const lower::Dialect& dialect,
                              const OptimizationTarget& target)
{
  const std::optional<kernel::Contraction> contraction = kernel::as_contraction(kernel);
  if (!contraction) {
    return std::nullopt;
  }
  const auto batch = kernel::extent_of(contraction->batch, target.sizes),
             rows = kernel::extent_of(contraction->m, target.sizes);
  const auto columns = kernel::extent_of(contraction->n, target.sizes),
             depth = kernel::extent_of(contraction->k, target.sizes);
  if (!batch || !rows || !columns || !depth) {
    return std::nullopt;
  }
  const auto bytes = static_cast<std::int64_t>(kernel::size_of(kernel.program.statements[contraction->statement].type));
  Shape shape;
  shape.columns = *columns;
  shape.depth = *depth;
  shape.left_bytes = *batch * *rows * *depth * bytes;
  shape.output_bytes = *batch * *rows * *columns * bytes;
  shape.lanes = std::max<std::int64_t>(1, dialect.vector_bytes / bytes);
  shape.l2 = fact_of(target, "device.l2", 0);
  shape.threads = target.threads;
  const auto tiles_of = [](std::int64_t extent) { return (extent + k_device_tile - 1) / k_device_tile; };
  shape.tiles = *batch * tiles_of(*rows) * tiles_of(*columns);
  shape.units = fact_of(target, "device.units", 1);
  shape.subgroup = fact_of(target, "device.subgroup", 0);
  return shape;
}

std::string of_dot_remainders(const Shape& shape)
{
  const std::int64_t left_over = shape.columns % shape.lanes;
  if (left_over == 0) {
    return fmt::format("{} columns fill whole vectors", shape.columns);
  }
  if (left_over > k_most_dot_columns) {
    return fmt::format("{} columns left over fill most of a vector", left_over);
  }
  return shape.depth >= k_vectors_of_dot * shape.lanes
           ? ""
           : fmt::format("{} products are too few for a vector's sums", shape.depth);
}

std::string of_register_broadcast(const Shape& shape)
{
  return shape.columns <= k_narrow_output * shape.lanes
           ? ""
           : fmt::format("{} columns make tiles so wide that loads are few", shape.columns);
}

std::string of_prefetch_rows(const Shape& shape)
{
  return shape.left_bytes > shape.l2 ? "" : "A stays in the second-level cache";
}

std::string of_prefetch_output(const Shape& shape)
{
  return shape.output_bytes > shape.l2 ? "" : "the output stays in the second-level cache";
}

std::string of_stream_output(const Shape& shape)
{
  if (shape.output_bytes <= shape.l2) {
    return "the output stays in the second-level cache";
  }
  return shape.depth < k_long_sum ? "" : fmt::format("sums of {} products hide the stores", shape.depth);
}

std::string of_split_k(const Shape& shape)
{
  return shape.threads > 1 ? "" : "one thread gains nothing from parts of a sum";
}

std::string of_balance_tiles(const Shape& shape)
{
  return shape.threads > 1 ? "" : "one thread computes all blocks, however uneven they are";
}

std::string of_pack_strips_together(const Shape& shape)
{
  return shape.columns > k_widest_strip ? "" : fmt::format("{} columns are one strip", shape.columns);
}

std::string of_split_k_groups(const Shape& shape)
{
  return shape.tiles < 2 * shape.units ? "" : fmt::format("{} tiles keep {} units busy", shape.tiles, shape.units);
}

std::string of_persistent_groups(const Shape& shape)
{
  return shape.tiles > 4 * shape.units ? "" : fmt::format("{} tiles are too few to start groups once", shape.tiles);
}

std::string of_swizzle_local_memory(const Shape& shape)
{
  return shape.subgroup > 1 ? "" : "the device runs work-items one after the other, which meet in no bank";
}

std::string of_reduce_in_sub_groups(const Shape& shape)
{
  return shape.subgroup > 1 ? "" : "the device has no sub-groups that exchange values";
}

std::string of_share_rows(const Shape& shape)
{
  return shape.threads == 1 ? "" : "a pass over rows is one group's work: other threads would wait";
}

struct Worth {
  std::string_view step;
  std::string (*why_not)(const Shape& shape);
  bool of_products = true; // else threads and sub-groups are all that it looks at
};

constexpr std::array k_worths = {
  Worth{"dot-remainders", of_dot_remainders},
  Worth{"register-broadcast", of_register_broadcast},
  Worth{"prefetch-rows", of_prefetch_rows},
  Worth{"prefetch-output", of_prefetch_output},
  Worth{"stream-output", of_stream_output},
  Worth{"split-k", of_split_k},
  Worth{"balance-tiles", of_balance_tiles},
  Worth{"pack-strips-together", of_pack_strips_together},
  Worth{"share-rows", of_share_rows, false},
  Worth{"split-k-groups", of_split_k_groups},
  Worth{"persistent-groups", of_persistent_groups},
  Worth{"swizzle-local-memory", of_swizzle_local_memory},
  Worth{"reduce-in-sub-groups", of_reduce_in_sub_groups, false},
};

} // namespace

std::string why_useless(std::string_view step, const kernel::Kernel& kernel, const lower::Dialect& dialect,
                        const OptimizationTarget& target)
{
  const auto worth = std::ranges::find(k_worths, step, &Worth::step);
  if (worth == k_worths.end()) {
    return "";
  }
  if (!worth->of_products) {
    return worth->why_not({.threads = target.threads, .subgroup = fact_of(target, "device.subgroup", 0)});
  }
  const std::optional<kernel::Kernel> product = lower::leading_product(kernel);
  const std::optional<Shape> shape = shape_at(product ? *product : kernel, dialect, target);
  return shape ? worth->why_not(*shape) : "";
}

} // namespace hone::rewrite
