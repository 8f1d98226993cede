// Long because it is a table: launches of the kernels in emulated/correct, and the results that they must give.
#include "emulated_cases.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hone::emulated {

namespace {

using emulate::TensorType;

Buffer u32(std::size_t count, Fill fill = Fill::small)
{
  return {Type::u32, count, fill};
}

Buffer of(Type type, std::size_t count, Fill fill = Fill::small)
{
  return {type, count, fill};
}

Buffer results(std::size_t count, Type type = Type::u32)
{
  return {type, count, Fill::unset};
}

std::vector<Buffer> pair(std::size_t in, std::size_t out)
{
  return {u32(in), results(out)};
}

std::array<std::uint32_t, 3> line(std::uint32_t count)
{
  return {count, 1, 1};
}

double sum_of(const View& v, std::size_t begin, std::size_t count, std::size_t step = 1)
{
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += v.in(0, begin + i * step);
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

double number(std::size_t i)
{
  return static_cast<double>(i);
}

std::uint32_t word(const View& v, std::size_t i)
{
  return static_cast<std::uint32_t>(v.in(0, i));
}

using Value = std::function<double(const View&, std::size_t)>;

Value sum_of_blocks(std::size_t each)
{
  return [=](const View& v, std::size_t i) { return sum_of(v, i * each, each); };
}

// The words of x in which bit 0 is set, or which are multiples of three, in their order.
Value taken(bool (*is_taken)(std::uint32_t), std::size_t count)
{
  return [=](const View& v, std::size_t i) {
    for (std::size_t j = 0, at = 0; j < count; ++j) {
      if (is_taken(word(v, j)) && at++ == i) {
        return v.in(0, j);
      }
    }
    return 123.0;
  };
}

std::vector<Case> sums()
{
  const std::string file = "correct/sums";
  const auto scan = [](const View& v, std::size_t i) { return sum_of(v, 0, i + 1); };
  const auto is_odd = [](std::uint32_t value) { return value % 2 == 1; };
  return {
    {file, "tree", {.grid = line(3), .block = line(128), .buffers = pair(384, 3)}, {{1, sum_of_blocks(128)}}},
    {file, "interleaved", {.grid = line(2), .block = line(128), .buffers = pair(256, 2)}, {{1, sum_of_blocks(128)}}},
    {file,
     "warps",
     {.grid = line(2), .block = line(128), .buffers = {of(Type::f32, 256), results(2, Type::f32)}},
     {{1, sum_of_blocks(128), 1e-4}},
     {},
     true},
    {file, "by_redux", {.grid = line(3), .block = line(64), .buffers = pair(192, 3)}, {{1, sum_of_blocks(64)}}},
    {file, "last_warp", {.grid = line(2), .block = line(128), .buffers = pair(256, 2)}, {{1, sum_of_blocks(128)}}},
    {file,
     "last_block",
     {.grid = line(5),
      .block = line(64),
      .buffers = {u32(1000), u32(5, Fill::zero), u32(1, Fill::zero), results(1)},
      .integers = {1000}},
     {{3, [](const View& v, std::size_t) { return sum_of(v, 0, 1000); }},
      {2, [](const View&, std::size_t) { return 0.0; }}},
     {},
     true},
    {file,
     "atomics_only",
     {.grid = line(4), .block = line(64), .buffers = {u32(256), u32(1, Fill::zero)}},
     {{1, sum_of_blocks(256)}}},
    {file,
     "greatest",
     {.grid = line(3), .block = line(64), .buffers = {of(Type::f32, 192), of(Type::f32, 1, Fill::zero)}},
     {{1,
       [](const View& v, std::size_t) {
         double out = 0;
         for (std::size_t i = 0; i < 192; ++i) {
           out = std::max(out, v.in(0, i));
         }
         return out;
       }}}},
    {file, "hillis_steele", {.block = line(64), .buffers = pair(64, 64)}, {{1, scan}}},
    {file,
     "blelloch",
     {.block = line(64), .buffers = pair(128, 128)},
     {{1, [](const View& v, std::size_t i) { return sum_of(v, 0, i); }}}},
    {file, "scan_of_warps", {.block = line(128), .buffers = pair(128, 128)}, {{1, scan}}},
    {file,
     "look_back",
     {.grid = line(6), .buffers = {u32(192), u32(6, Fill::zero), u32(1, Fill::zero), results(192)}},
     {{3, scan}}},
    {file,
     "by_key",
     {.buffers = pair(32, 4)},
     {{1,
       [](const View& v, std::size_t i) {
         double sum = 0;
         for (std::size_t j = 0; j < 32; ++j) {
           sum += word(v, j) % 4 == i ? v.in(0, j) : 0;
         }
         return sum;
       }}}},
    {file,
     "compacted",
     {.block = line(64), .buffers = {u32(64), results(1), results(64)}},
     {{1, [](const View& v, std::size_t) { return count_of(v, 0, 64, 1, 2); }}, {2, taken(is_odd, 64)}}},
    {file,
     "histogram",
     {.grid = line(3), .block = line(128), .buffers = {u32(1000), u32(16, Fill::zero)}, .integers = {1000}},
     {{1, [](const View& v, std::size_t i) { return count_of(v, 0, 1000, i, 16); }}}},
    {file,
     "histogram_of_warps",
     {.block = line(64), .buffers = pair(256, 32)},
     {{1, [](const View& v, std::size_t i) { return count_of(v, 0, 256, i, 32); }}}},
    {file,
     "moments",
     {.grid = line(2), .buffers = {of(Type::f32, 256), results(4, Type::f32)}},
     {{1,
       [](const View& v, std::size_t i) {
         double out = 0;
         for (std::size_t j = 0; j < 128; ++j) {
           const double x = v.in(0, i / 2 * 128 + j);
           out += i % 2 == 0 ? x : x * x;
         }
         return out;
       },
       1e-4}}},
    {file, "segments", {.buffers = pair(32, 4)}, {{1, sum_of_blocks(8)}}},
  };
}

double float_product(const View& v, std::size_t i, std::size_t n)
{
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    sum += v.in(0, i / n * n + k) * v.in(1, k * n + i % n);
  }
  return sum;
}

// What weighs 1, 2, 3, 2, 1 around an element.
double around(const View& v, std::size_t i, std::size_t n)
{
  double sum = 0;
  for (int by = -2; by <= 2; ++by) {
    const auto at = static_cast<long>(i) + by;
    sum += at >= 0 && at < static_cast<long>(n) ? v.in(0, static_cast<std::size_t>(at)) * (3 - std::abs(by)) : 0;
  }
  return sum;
}

double crossed(const View& v, std::size_t i, long n)
{
  const auto x = static_cast<long>(i) % n, y = static_cast<long>(i) / n;
  const auto at = [&](long row, long column) {
    return row >= 0 && row < n && column >= 0 && column < n ? v.in(0, static_cast<std::size_t>(row * n + column)) : 0;
  };
  return at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1) - 4 * at(y, x);
}

double weighted(const View& v, std::size_t i, std::size_t words, int tiles, std::size_t first = 0)
{
  double sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    sum += v.in(0, (first + static_cast<std::size_t>(tile)) * words + words - 1 - i) * (tile + 1);
  }
  return sum;
}

std::vector<Case> tiles()
{
  const std::string file = "correct/tiles";
  const auto turned = [](const View& v, std::size_t i) { return v.in(0, i % 64 * 64 + i / 64); };
  const auto of_tiles = [](const View& v, std::size_t i) { return weighted(v, i, 64, v.integer(0)); };
  const Launch turning{
    .grid = {2, 2, 1}, .block = line(256), .buffers = {u32(4096, Fill::index), results(4096)}, .integers = {64}};
  const Launch ahead{.block = line(64), .buffers = pair(448, 64), .integers = {7}};
  return {
    {file, "transposed", turning, {{1, turned}}},
    {file, "transposed_swizzled", turning, {{1, turned}}},
    {file,
     "transposed_in_warp",
     {.buffers = {u32(128, Fill::index), results(128)}},
     {{1, [](const View&, std::size_t i) { return number(i); }}}},
    {file,
     "product",
     {.grid = {2, 2, 1},
      .block = line(256),
      .buffers = {of(Type::f32, 1024), of(Type::f32, 1024), results(1024, Type::f32)},
      .integers = {32}},
     {{2, [](const View& v, std::size_t i) { return float_product(v, i, 32); }, 1e-4}}},
    {file,
     "product_in_registers",
     {.grid = {2, 2, 1},
      .block = line(64),
      .buffers = {of(Type::f32, 4096), of(Type::f32, 4096), results(4096, Type::f32)},
      .integers = {64}},
     {{2, [](const View& v, std::size_t i) { return float_product(v, i, 64); }, 1e-4}}},
    {file,
     "stencil",
     {.grid = line(3), .block = line(64), .buffers = {of(Type::f32, 150), results(150, Type::f32)}, .integers = {150}},
     {{1, [](const View& v, std::size_t i) { return around(v, i, 150); }, 1e-5}}},
    {file,
     "stencil_2d",
     {.grid = {3, 3, 1}, .block = line(64), .buffers = {of(Type::f32, 400), results(400, Type::f32)}, .integers = {20}},
     {{1, [](const View& v, std::size_t i) { return crossed(v, i, 20); }, 1e-5}}},
    {file,
     "sorted",
     {.buffers = pair(64, 64)},
     {{1,
       [](const View& v, std::size_t i) {
         std::vector<double> all;
         for (std::size_t j = 0; j < 64; ++j) {
           all.push_back(v.in(0, j));
         }
         std::ranges::sort(all);
         return all[i];
       }}}},
    {file, "double_buffered", ahead, {{1, of_tiles}}, {}, false, {{1}, {2}}},
    {file, "triple_buffered", ahead, {{1, of_tiles}}, {}, false, {{1}, {2}, {3}}},
    {file,
     "zero_filled",
     {.grid = line(2), .block = line(64), .buffers = pair(100, 128), .integers = {100}},
     {{1,
       [](const View& v, std::size_t i) {
         const std::size_t from = i / 64 * 64 + 63 - i % 64;
         return from < 100 ? v.in(0, from) : 0;
       }}}},
    {file,
     "own_copies",
     {.block = line(64), .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) + 1; }}}},
    {file,
     "copies_arrive",
     {.block = line(64), .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, 63 - i); }}}},
    {file,
     "dynamic_parts",
     {.block = line(64), .buffers = pair(64, 64), .dynamic_shared_bytes = 320},
     {{1, [](const View& v, std::size_t i) { return v.in(0, 63 - i) * 256 + v.in(0, i); }}}},
  };
}

// Words that go round among `count` threads, one more in each round.
double gone_round(const View& v, std::size_t i, std::size_t count, std::size_t rounds)
{
  return v.in(0, i / count * count + (i % count + rounds) % count) + number(rounds);
}

std::vector<Case> roles()
{
  const std::string file = "correct/roles";
  const auto of_words = [](std::size_t words) {
    return [=](const View& v, std::size_t i) { return weighted(v, i, words, v.integer(0)); };
  };
  const auto cut = [](const View& v, std::size_t i, std::size_t inner, std::size_t rows, std::size_t pitch,
                      double (*f)(double)) {
    const std::size_t x = i % pitch, y = i / pitch;
    return x < inner && y < rows ? f(v.in(0, i)) : 123;
  };
  return {
    {file,
     "by_named_barriers",
     {.block = line(64), .buffers = pair(224, 32), .integers = {7}},
     {{1, of_words(32)}},
     {},
     true,
     {{1}, {2}, {4}}},
    {file,
     "by_mbarriers",
     {.block = line(64), .buffers = pair(448, 64), .integers = {7}},
     {{1,
       [](const View& v, std::size_t i) {
         return weighted(v, i % 32, 32, v.integer(0), i / 32 * static_cast<std::size_t>(v.integer(0)));
       }}},
     {},
     false,
     {{1}, {3}, {4}}},
    {file,
     "by_states",
     {.block = line(64), .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t i) { return gone_round(v, i, 64, 3); }}}},
    {file,
     "bulk_stages",
     {.block = line(96), .buffers = pair(640, 64), .integers = {10}},
     {{1, of_words(64)}},
     {},
     true,
     {{1}, {3}, {6}}},
    {file,
     "bulk_through",
     {.block = line(64), .buffers = pair(320, 320), .integers = {5}},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i / 64 * 64 + 63 - i % 64) + number(i / 64); }}}},
    {file,
     "bulk_added",
     {.grid = line(3), .block = line(64), .buffers = {u32(192), u32(64, Fill::zero)}},
     {{1, [](const View& v, std::size_t i) { return sum_of(v, i, 3, 64); }}}},
    {file,
     "tensor_1d",
     {.grid = line(4),
      .buffers = pair(104, 104),
      .maps = {{.buffer = 0, .sizes = {100}, .box = {32}}, {.buffer = 1, .sizes = {100}, .box = {32}}}},
     {{1, [=](const View& v, std::size_t i) { return cut(v, i, 100, 1, 104, [](double x) { return x + 1; }); }}}},
    {file,
     "tensor_2d",
     {.grid = {4, 3, 1},
      .block = line(64),
      .buffers = pair(24 * 20, 24 * 20),
      .maps = {{.buffer = 0, .sizes = {24, 18}, .box = {8, 8}}, {.buffer = 1, .sizes = {24, 18}, .box = {8, 8}}}},
     {{1, [=](const View& v, std::size_t i) { return cut(v, i, 24, 18, 24, [](double x) { return 2 * x + 1; }); }}},
     {},
     true},
    {file,
     "tensor_3d",
     {.grid = {2, 2, 2},
      .block = line(64),
      .buffers = pair(8 * 6 * 6, 8 * 6 * 6),
      .maps = {{.buffer = 0, .sizes = {8, 6, 6}, .box = {4, 4, 4}},
               {.buffer = 1, .sizes = {8, 6, 6}, .box = {4, 4, 4}}},
      .maps_by_value = true},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) + 100; }}}},
    {file,
     "map_of_block",
     {.grid = line(2),
      .buffers = pair(512, 128),
      .maps = {{.buffer = 0, .sizes = {32, 8}, .box = {8, 8}}, {.buffer = 0, .sizes = {32, 8}, .box = {8, 8}}}},
     {{1,
       [](const View& v, std::size_t i) {
         const std::size_t row = 2 + i % 64 / 8;
         return row < 6 ? v.in(0, i / 64 * 256 + row * 32 + i % 8) : 0;
       }}}},
    {file,
     "multicast",
     {.grid = line(4),
      .block = line(64),
      .buffers = pair(512, 128),
      .integers = {7},
      .maps = {{.buffer = 0, .sizes = {64, 8}, .box = {32, 1}}},
      .cluster = line(2)},
     {{1,
       [](const View& v, std::size_t i) {
         double sum = 0;
         for (std::size_t tile = 0; tile < static_cast<std::size_t>(v.integer(0)); ++tile) {
           sum += (v.in(0, tile * 64 + 31 - i % 32) + v.in(0, tile * 64 + 63 - i % 32)) * number(tile + 1);
         }
         return sum;
       }}},
     {},
     false,
     {{1}, {2}, {4}}},
    {file,
     "early_return",
     {.block = line(128), .buffers = pair(64, 64), .integers = {64}},
     {{1, [](const View& v, std::size_t i) { return v.in(0, 63 - i); }}}},
    {file,
     "groups_of_warps",
     {.block = line(128), .buffers = pair(128, 128)},
     {{1, [](const View& v, std::size_t i) { return gone_round(v, i, 64, i < 64 ? 3 : 5); }}}},
    {file,
     "block_votes",
     {.block = line(64), .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t) { return count_of(v, 0, 64, 1, 2) * 4 + 2; }}}},
  };
}

// The halves of clusters, or rings of four blocks, in three steps of left + right.
double of_halo(const View& v, std::size_t i)
{
  std::vector<double> now;
  for (std::size_t j = 0; j < 128; ++j) {
    now.push_back(v.in(0, i / 128 * 128 + j));
  }
  for (int step = 0; step < 3; ++step) {
    const std::vector<double> last = now;
    for (std::size_t j = 0; j < 128; ++j) {
      now[j] = last[(j + 127) % 128] + last[(j + 1) % 128];
    }
  }
  return now[i % 128];
}

double of_grid(const View& v, std::size_t i)
{
  std::vector<double> a, b(128);
  for (std::size_t j = 0; j < 128; ++j) {
    a.push_back(v.in(0, j));
  }
  for (int round = 0; round < 4; ++round) {
    for (std::size_t j = 0; j < 128; ++j) {
      b[j] = a[j] + a[(j + 32) % 128];
    }
    for (std::size_t j = 0; j < 128; ++j) {
      a[j] = b[j] + b[(j + 96) % 128];
    }
  }
  return a[i];
}

std::vector<Case> blocks()
{
  const std::string file = "correct/blocks";
  const auto zero = [](std::size_t count) { return u32(count, Fill::zero); };
  const auto cluster = [](std::uint32_t blocks, std::uint32_t each, std::size_t out, std::uint32_t threads = 32) {
    return Launch{.grid = line(blocks),
                  .block = line(threads),
                  .buffers = pair(std::size_t{blocks} * threads, out),
                  .cluster = line(each)};
  };
  return {
    {file,
     "grid_barrier",
     {.grid = line(4), .buffers = {u32(128), zero(128), zero(1)}, .cooperative = true},
     {{0, of_grid}}},
    {file,
     "work_queue",
     {.grid = line(3), .buffers = {u32(320), zero(1), results(320)}, .integers = {10}},
     {{2, [](const View& v, std::size_t i) { return v.in(0, i) * number(i / 32 + 1); }}}},
    {file,
     "spin_lock",
     {.grid = line(3), .block = line(64), .buffers = {zero(1), zero(2)}},
     {{1, [](const View&, std::size_t i) { return i == 0 ? 6.0 : 12.0; }}}},
    {file,
     "lane_lock",
     {.grid = line(2), .block = line(64), .buffers = {zero(1), zero(1)}},
     {{1, [](const View&, std::size_t) { return 128.0; }}}},
    {file,
     "lock_with_fences",
     {.grid = line(4), .buffers = {zero(1), zero(1)}},
     {{1, [](const View&, std::size_t) { return 6.0; }}}},
    {file,
     "ticket_lock",
     {.grid = line(4), .buffers = {zero(2), results(4)}},
     {{1, [](const View&, std::size_t i) { return std::pow(3.0, number(i)); }}}},
    {file,
     "volatile_flags",
     {.grid = line(4), .buffers = {u32(128), zero(4), zero(4), results(4)}},
     {{3, [](const View& v, std::size_t i) { return sum_of(v, 0, i * 32); }}}},
    {file,
     "stream_k",
     {.grid = line(3), .buffers = {u32(640), zero(96), zero(3), results(128)}, .integers = {4, 5}},
     {{3, [](const View& v, std::size_t i) { return sum_of(v, i / 32 * 160 + i % 32, 5, 32); }}}},
    {file,
     "cluster_sum",
     cluster(8, 4, 8, 64),
     {{1, [](const View& v, std::size_t i) { return sum_of(v, i / 4 * 256, 256); }}}},
    {file,
     "cluster_atomics",
     cluster(4, 2, 32, 64),
     {{1, [](const View& v, std::size_t i) { return count_of(v, i / 16 * 128, 128, i % 16, 16); }}}},
    {file, "cluster_halo", cluster(8, 4, 256), {{1, of_halo}}},
    {file,
     "split_barrier",
     cluster(4, 2, 128),
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) * 5 + v.in(0, (i ^ 32) / 32 * 32 + 31 - i % 32); }}}},
    {file, "ring", cluster(4, 4, 128), {{1, [](const View& v, std::size_t i) { return v.in(0, (i + 64) % 128) + 2; }}}},
    {file, "sent_to_other", cluster(2, 2, 64), {{1, [](const View& v, std::size_t i) { return v.in(0, i ^ 32) + 9; }}}},
  };
}

// a by rows of k; b by columns of k.
Value product_of(std::size_t columns, std::size_t k, std::size_t depth, double plus = 0)
{
  return [=](const View& v, std::size_t i) {
    double sum = plus;
    for (std::size_t p = 0; p < depth; ++p) {
      sum += v.in(0, i / columns * k + p) * v.in(1, i % columns * k + p);
    }
    return sum;
  };
}

std::vector<Case> matrices()
{
  const std::string file = "correct/matrix";
  const auto operands = [](Type type, std::size_t left, std::size_t right, Type out, std::size_t count) {
    return std::vector<Buffer>{of(type, left), of(type, right), results(count, out)};
  };
  const auto by_rows = [](std::size_t columns, std::size_t k, double plus) {
    return [=](const View& v, std::size_t i) {
      double sum = plus;
      for (std::size_t p = 0; p < k; ++p) {
        sum += v.in(0, i / columns * k + p) * v.in(1, p * columns + i % columns);
      }
      return sum;
    };
  };
  const auto staged = [&](std::size_t stages, std::uint32_t threads = 128) {
    Launch out{
      .block = line(threads), .buffers = operands(Type::f16, 64 * 448, 8 * 448, Type::f32, 512), .integers = {7}};
    for (std::size_t i = 0; i < 2; ++i) {
      out.maps.push_back({.buffer = i,
                          .type = TensorType::f16,
                          .sizes = {448, i == 0 ? 64U : 8U},
                          .box = {64, i == 0 ? 64U : 8U},
                          .swizzle = emulate::TensorSwizzle::bytes_128});
    }
    out.dynamic_shared_bytes = stages * 9216;
    return out;
  };
  const Wanted of_tiles{
    2,
    [](const View& v, std::size_t i) { return product_of(8, 448, 64 * static_cast<std::size_t>(v.integer(0)))(v, i); },
    1e-3};
  Launch persistent = staged(2, 160);
  persistent.integers = {5, 3};
  persistent.buffers[2] = results(1536, Type::f32);
  const Launch whole{.block = line(128), .buffers = operands(Type::f16, 4096, 512, Type::f32, 512), .integers = {64}};
  return {
    {file,
     "f16_by_ldmatrix",
     {.buffers = operands(Type::f16, 16 * 48, 8 * 48, Type::f32, 128), .integers = {48}},
     {{2, by_rows(8, 48, 0), 1e-4}},
     {},
     true},
    {file,
     "f16_in_stages",
     {.buffers = operands(Type::f16, 16 * 80, 8 * 80, Type::f32, 128), .integers = {80}},
     {{2, product_of(8, 80, 80), 1e-4}}},
    {file, "bf16", {.buffers = operands(Type::bf16, 256, 128, Type::f32, 128)}, {{2, product_of(8, 16, 16), 1e-4}}},
    {file, "tf32", {.buffers = operands(Type::f32, 128, 64, Type::f32, 128)}, {{2, product_of(8, 8, 8), 1e-4}}},
    {file, "s8", {.buffers = operands(Type::s8, 512, 256, Type::s32, 128)}, {{2, product_of(8, 32, 32)}}},
    {file, "f64", {.buffers = operands(Type::f64, 32, 32, Type::f64, 64)}, {{2, product_of(8, 4, 4), 1e-12}}},
    {file,
     "stored_by_stmatrix",
     {.buffers = {of(Type::u16, 64, Fill::index), results(64, Type::u16)}},
     {{1, [](const View&, std::size_t i) { return number(i % 8 * 8 + i / 8); }}}},
    {file, "by_wmma", {.buffers = operands(Type::f16, 256, 256, Type::f32, 256)}, {{2, by_rows(16, 16, 1), 1e-4}}},
    {file, "two_stages", staged(2), {of_tiles}, {}, false, {{1}, {2}, {3}}},
    {file, "three_stages", staged(3), {of_tiles}, {}, true, {{1}, {3}, {5}}},
    {file, "four_stages", staged(4), {of_tiles}, {}, false, {{1}, {4}, {6}}},
    {file,
     "persistent",
     persistent,
     {{2,
       [](const View& v, std::size_t i) {
         const auto outputs = static_cast<std::size_t>(v.integer(1));
         return i / 512 < outputs
                  ? product_of(8, 448, 64 * static_cast<std::size_t>(v.integer(0)))(v, i % 512) * number(i / 512 + 1)
                  : 123;
       },
       1e-3}},
     {},
     false,
     {{4, 2}, {1, 3}}},
    {file, "from_registers", whole, {{2, product_of(8, 64, 64), 1e-4}}},
    {file,
     "two_groups",
     {.block = line(256), .buffers = operands(Type::f16, 8192, 1024, Type::f32, 512), .integers = {128}},
     {{2, product_of(8, 128, 128), 1e-4}}},
  };
}

double bits_of(const View& v, std::size_t i)
{
  const std::uint32_t value = word(v, i) * 2654435761U + 12345U;
  std::uint32_t out = static_cast<std::uint32_t>(std::popcount(value))
                      + 64U * static_cast<std::uint32_t>(std::countl_zero(value | 1U))
                      + 4096U * static_cast<std::uint32_t>(std::countr_zero(value | 0x80000000U));
  for (unsigned bit = 0; bit < 32; ++bit) {
    out ^= (value >> bit & 1U) << (31 - bit);
  }
  const std::uint32_t part = value >> 5 & 0x1ffU;
  // Bytes 3, 0 and 1 of the first word, and 2 of the second one.
  const std::uint32_t mixed =
    value >> 24 | (value & 0xffU) << 8 | (value >> 8 & 0xffU) << 16 | (out >> 16 & 0xffU) << 24;
  const std::uint32_t shifted = out << 7 | value >> 25;
  return part ^ mixed ^ shifted;
}

std::vector<Case> plain()
{
  const std::string file = "correct/plain";
  const Launch of_64{.block = line(64), .buffers = pair(64, 64)};
  const Launch of_32{.buffers = pair(32, 32)};
  const auto is_multiple = [](std::uint32_t value) { return value % 3 == 0; };
  return {
    {file, "own_store", of_64, {{1, [](const View& v, std::size_t i) { return v.in(0, i) * 2; }}}},
    {file,
     "bytes_of_words",
     {.block = line(64), .buffers = pair(64, 16)},
     {{1,
       [](const View& v, std::size_t i) {
         return v.in(0, 4 * i) + 256 * v.in(0, 4 * i + 1) + 65536 * v.in(0, 4 * i + 2) + 16777216 * v.in(0, 4 * i + 3);
       }}}},
    {file,
     "bytes_of_global",
     {.grid = line(2), .block = line(64), .buffers = {u32(128), results(128, Type::u8)}},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) + 1; }}}},
    {file, "one_for_all", of_64, {{1, [](const View& v, std::size_t i) { return v.in(0, 5) + number(i); }}}},
    {file,
     "warp_synchronous",
     of_64,
     {{1,
       [](const View& v, std::size_t i) {
         std::vector<double> now;
         for (std::size_t j = 0; j < 64; ++j) {
           now.push_back(v.in(0, j));
         }
         for (int step = 0; step < 5; ++step) {
           const std::vector<double> last = now;
           for (std::size_t j = 0; j < 64; ++j) {
             now[j] = last[j ^ 1] + last[j ^ 2];
           }
         }
         return now[i];
       }}}},
    {file,
     "half_warps",
     of_32,
     {{1, [](const View& v, std::size_t i) { return i < 16 ? v.in(0, 15 - i) + 1 : v.in(0, 47 - i) + 2; }}}},
    {file,
     "atomics_meet",
     {.block = line(64), .buffers = pair(64, 4)},
     {{1,
       [](const View& v, std::size_t i) {
         std::uint32_t out = i == 1 ? ~0U : 0U;
         for (std::size_t j = 0; j < 64; ++j) {
           const std::uint32_t x = word(v, j);
           out = i == 0 ? std::max(out, x) : i == 1 ? std::min(out, x) : i == 2 ? out | x : out ^ x;
         }
         return static_cast<double>(out);
       }}}},
    {file,
     "memory_of_two",
     of_64,
     {{1,
       [](const View& v, std::size_t i) {
         const auto half = [&](std::size_t j) { return j < 64 ? v.in(0, 63 - j) : v.in(0, 127 - j) + 1; };
         return half(2 * i) + 65536 * half(2 * i + 1);
       }}}},
    {file,
     "gaps",
     {.grid = line(4), .block = line(64), .buffers = pair(256, 256)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i % 4 * 64 + i / 4); }}}},
    {file, "bit_tricks", of_64, {{1, bits_of}}},
    {file,
     "local_array",
     of_32,
     {{1,
       [](const View& v, std::size_t t) {
         std::array<double, 8> counts{};
         for (std::size_t i = 0; i < 16; ++i) {
           counts.at(word(v, (t + i) % 32) % 8) += number(i + 1);
         }
         return counts.at(t % 8) * 1000 + counts.at((t + 3) % 8);
       }}}},
    {file,
     "recursion",
     of_32,
     {{1,
       [](const View& v, std::size_t i) {
         constexpr std::array<double, 8> k_fibonacci{0, 1, 1, 2, 3, 5, 8, 13};
         return k_fibonacci.at(word(v, i) % 8);
       }}}},
    {file,
     "by_pointers",
     {.buffers = pair(64, 64)},
     {{1,
       [](const View& v, std::size_t i) {
         const double a = v.in(0, i / 2 * 2), b = v.in(0, i / 2 * 2 + 1);
         return (i % 2 == 0 ? std::min(a, b) : std::max(a, b)) * 101;
       }}}},
    {file,
     "by_function_pointers",
     of_32,
     {{1, [](const View& v, std::size_t i) { return word(v, i) % 2 == 0 ? 2 * v.in(0, i) : v.in(0, i) + 7; }}}},
    {file,
     "module_variables",
     of_32,
     {{1,
       [](const View& v, std::size_t i) {
         constexpr std::array<double, 4> k_table{3, 1, 4, 1};
         return k_table.at(word(v, i) % 4) + 100;
       }}}},
    {file,
     "collatz",
     of_32,
     {{1,
       [](const View& v, std::size_t i) {
         std::uint32_t value = word(v, i) + 1;
         double steps = 0;
         for (; value != 1; ++steps) {
           value = value % 2 == 0 ? value / 2 : 3 * value + 1;
         }
         return steps;
       }}}},
    {file, "votes", of_32, {{1, [](const View& v, std::size_t) { return count_of(v, 0, 32, 1, 2) * 2 + 1; }}}},
    {file,
     "one_atomic_for_all",
     {.buffers = {u32(32), u32(1, Fill::zero), results(32)}},
     {{1, [](const View& v, std::size_t) { return count_of(v, 0, 32, 0, 3); }}, {2, taken(is_multiple, 32)}}},
    {file,
     "wide_numbers",
     {.block = line(64), .buffers = {of(Type::f64, 64), results(64, Type::f64)}},
     {{1,
       [](const View& v, std::size_t i) {
         const double other = v.in(0, 63 - i) * 3;
         return std::abs(other) + 2 * other + 1;
       },
       1e-12}}},
    {file,
     "halves",
     {.block = line(64), .buffers = {of(Type::f16, 64), results(64, Type::f16)}},
     {{1, [](const View& v, std::size_t i) { return v.in(0, i) * 2 + 1; }}}},
    {file,
     "vectors",
     {.buffers = pair(128, 128)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, (31 - i / 4) * 4 + i % 4) + (i % 4 == 0 ? 1 : 0); }}}},
  };
}

std::vector<Case> rare()
{
  const std::string file = "correct/rare";
  const Launch of_32{.buffers = pair(32, 32)};
  return {
    {file, "dot_of_bytes", of_32, {{1, [](const View& v, std::size_t i) { return v.in(0, i) * 10 + 5; }}}},
    {file,
     "highest_bits",
     of_32,
     {{1, [](const View& v, std::size_t i) { return std::bit_width(word(v, i) + 1) - 1; }}}},
    {file,
     "wide_atomics",
     {.block = line(64), .buffers = {of(Type::u64, 64), of(Type::u64, 1, Fill::zero)}},
     {{1, sum_of_blocks(64)}}},
    {file,
     "float_atomics",
     {.buffers = {of(Type::f32, 32), of(Type::f32, 1, Fill::zero)}},
     {{1, sum_of_blocks(32), 1e-4}}},
    {file,
     "half_atomics",
     {.buffers = {of(Type::f16, 64), of(Type::f16, 2, Fill::zero)}},
     {{1, [](const View& v, std::size_t i) { return sum_of(v, i, 32, 2); }}}},
    {file,
     "barriers_by_name",
     {.block = line(64), .buffers = pair(64, 64)},
     {{1, [](const View& v, std::size_t i) { return v.in(0, 63 - i); }}}},
    {file, "elected", of_32, {{1, [](const View& v, std::size_t i) { return 100 + v.in(0, i); }}}},
    {file, "matched_by_all", of_32, {{1, [](const View&, std::size_t) { return 3.0; }}}},
  };
}

} // namespace

std::map<std::string, std::string> known_faults()
{
  return {
    {"correct/rare half_atomics", "atomic updates of pairs of halves are not supported"},
    {"correct/plain by_function_pointers", "addresses of functions are not supported"},
  };
}

std::vector<Case> correct_cases()
{
  std::vector<Case> out;
  for (const auto& part : {sums(), tiles(), roles(), blocks(), matrices(), plain(), rare()}) {
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

} // namespace hone::emulated
