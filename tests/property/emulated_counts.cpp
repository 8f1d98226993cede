// Long because the values of all kernels stand here as one table, each with the reason for it.
//
// emulated_counts: what kernels of known cost cost on the emulated device, line by line, against values that are worked
// out by hand. Exits with 77 where there is no compiler.
//
// Lines of emulated/counts/*.cu bear names: `// count: NAME`. A value is that of all lines of its name in one launch.
// The rules: sectors of 32 bytes, 32 banks of 4 bytes, turns of 128 bytes (CUDA C++ Programming Guide, "Device Memory
// Accesses", "Shared Memory"); 16 bytes a lane take turns of 8 lanes, 8 bytes a lane turns of 16.
//
// Finds: counts that a change of the emulator bends, instructions that are counted twice or not at all, counts that
// depend on this process's addresses.
#include "compiled_cuda.h"
#include "emulate/emulate.h"
#include "gate/jail.h"
#include "kernel/kernel.h"
#include "util/text.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <variant>

namespace {

using namespace hone;
using emulate::Counts;
using Kind = emulate::InstructionClass;

constexpr int k_skipped = 77;

const fs::path k_kernels = fs::path(HONE_SOURCE_ROOT) / "tests/property/emulated/counts";

// A field, or warps of a class.
using Field = std::variant<std::uint64_t Counts::*, Kind>;

struct Value {
  std::string mark; // "": of the launch
  Field field;
  std::uint64_t wanted = 0;
};

using Words = std::vector<std::uint64_t>;

struct Case {
  std::string file, entry, what;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::function<Words(emulate::GlobalMemory&)> parameters; // 8 bytes each
  std::vector<Value> values;
  emulate::CacheSizes cache;
};

std::uint64_t zeros(emulate::GlobalMemory& memory, std::size_t bytes)
{
  const std::uintptr_t begin = memory.allocate(bytes);
  std::memset(reinterpret_cast<void*>(begin), 0, bytes);
  return begin;
}

std::uint64_t numbers(emulate::GlobalMemory& memory, int count, const std::function<int(int)>& number)
{
  const std::uintptr_t begin = memory.allocate(static_cast<std::size_t>(count) * 4);
  for (int i = 0; i < count; ++i) {
    reinterpret_cast<int*>(begin)[i] = number(i);
  }
  return begin;
}

// Two arrays of so many bytes.
auto two(std::size_t x, std::size_t y, const Words& rest = {}, std::size_t offset = 0)
{
  return [=](emulate::GlobalMemory& memory) {
    Words out{zeros(memory, x) + offset, zeros(memory, y) + offset};
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  };
}

auto three(std::size_t x, std::size_t y, std::size_t z, const Words& rest = {})
{
  return [=](emulate::GlobalMemory& memory) {
    Words out{zeros(memory, x), zeros(memory, y), zeros(memory, z)};
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  };
}

std::vector<Case> copies()
{
  return {
    // 32 warps. 32 lanes x 4 bytes side by side: 128 bytes, 4 sectors. All of it comes from memory and goes there once.
    {"copies",
     "coalesced",
     "side by side",
     {4, 1, 1},
     {256, 1, 1},
     two(4096, 4096),
     {{"load", Kind::global_memory, 32},
      {"load", &Counts::requests, 32},
      {"load", &Counts::sectors, 32 * 4},
      {"load", &Counts::wanted_bytes, 4096},
      {"load", &Counts::cache_reads, 4096},
      {"load", &Counts::cache_writes, 0},
      {"load", &Counts::memory_reads, 4096},
      {"store", Kind::global_memory, 32},
      {"store", &Counts::requests, 32},
      {"store", &Counts::sectors, 32 * 4},
      {"store", &Counts::wanted_bytes, 4096},
      {"store", &Counts::cache_writes, 4096},
      {"store", &Counts::memory_reads, 0},
      {"store", &Counts::memory_writes, 4096},
      {"", &Counts::wavefronts, 0},
      {"", &Counts::parted, 0},
      {"", &Counts::memory_writes, 4096}},
     {}},
    // 8 warps that begin 4 bytes behind a sector's beginning: each touches 5 sectors. 256 numbers lie in 33 sectors,
    // those
    // between two warps are asked for twice and come once; each is written back once.
    {"copies",
     "coalesced",
     "off by one number",
     {1, 1, 1},
     {256, 1, 1},
     two(1056, 1056, {}, 4),
     {{"load", &Counts::requests, 8},
      {"load", &Counts::sectors, 8 * 5},
      {"load", &Counts::wanted_bytes, 1024},
      {"load", &Counts::cache_reads, 8 * 5 * 32},
      {"load", &Counts::memory_reads, 33 * 32},
      {"store", &Counts::sectors, 8 * 5},
      {"store", &Counts::cache_writes, 8 * 5 * 32},
      {"store", &Counts::memory_reads, 0},
      {"store", &Counts::memory_writes, 33 * 32}},
     {}},
    // 8 warps, every second number: 32 lanes x 8 bytes, 8 sectors, half of each is wanted.
    {"copies",
     "strided",
     "every second",
     {2, 1, 1},
     {128, 1, 1},
     two(2048, 1024, {2}),
     {{"load", &Counts::requests, 8},
      {"load", &Counts::sectors, 8 * 8},
      {"load", &Counts::wanted_bytes, 8 * 128},
      {"load", &Counts::cache_reads, 2048},
      {"load", &Counts::memory_reads, 2048},
      {"store", &Counts::sectors, 8 * 4}},
     {}},
    // Every 32nd: a sector for each lane, of which 4 bytes are wanted.
    {"copies",
     "strided",
     "every 32nd",
     {2, 1, 1},
     {128, 1, 1},
     two(std::size_t{256} * 128, 1024, {32}),
     {{"load", &Counts::requests, 8},
      {"load", &Counts::sectors, 8 * 32},
      {"load", &Counts::wanted_bytes, 8 * 128},
      {"load", &Counts::cache_reads, 256 * 32},
      {"load", &Counts::memory_reads, 256 * 32},
      {"store", &Counts::sectors, 8 * 4}},
     {}},
    // 8 warps, 32 lanes x 16 bytes: 512 bytes, 16 sectors in one request.
    {"copies",
     "in_fours",
     "",
     {2, 1, 1},
     {128, 1, 1},
     two(4096, 4096),
     {{"load", Kind::global_memory, 8},
      {"load", &Counts::requests, 8},
      {"load", &Counts::sectors, 8 * 16},
      {"load", &Counts::wanted_bytes, 8 * 512},
      {"store", Kind::global_memory, 8},
      {"store", &Counts::sectors, 8 * 16},
      {"store", &Counts::wanted_bytes, 8 * 512},
      {"store", &Counts::cache_writes, 4096}},
     {}},
  };
}

// 32 warps; lane i of 1024 takes the number 8 (i % 128) + i / 128: the lanes of a warp lie 32 bytes apart, a sector for
// each. Four warps go through all 4096 bytes; eight times so.
std::vector<Case> gathers()
{
  const auto parameters = [](emulate::GlobalMemory& memory) {
    return Words{zeros(memory, 4096), zeros(memory, 4096),
                 numbers(memory, 1024, [](int i) { return i % 128 * 8 + i / 128; })};
  };
  const std::vector<Value> both = {{"index", &Counts::sectors, 32 * 4},     {"index", &Counts::memory_reads, 4096},
                                   {"load", &Counts::requests, 32},         {"load", &Counts::sectors, 32 * 32},
                                   {"load", &Counts::wanted_bytes, 4096},   {"load", &Counts::cache_reads, 1024 * 32},
                                   {"store", &Counts::memory_writes, 4096}, {"store", &Counts::sectors, 32 * 4}};
  std::vector<Value> fits = both, does_not = both;
  fits.push_back({"load", &Counts::memory_reads, 4096});          // once, then the cache holds it
  does_not.push_back({"load", &Counts::memory_reads, 1024 * 32}); // 1024 bytes: gone before they are wanted again
  return {{"copies", "gather", "in the cache", {1, 1, 1}, {1024, 1, 1}, parameters, fits, {}},
          {"copies", "gather", "in a cache of 1 KB", {1, 1, 1}, {1024, 1, 1}, parameters, does_not, {1024, 2}}};
}

std::vector<Case> products()
{
  return {
    // 32 x 32 results, k = 16; a warp has a row of 32: 32 warps x 16 steps. All lanes want the same number of A: one
    // sector; 128 bytes of B: 4.
    {"products",
     "naive",
     "",
     {1, 4, 1},
     {32, 8, 1},
     three(2048, 2048, 4096, {32, 16}),
     {{"a", &Counts::requests, 32 * 16},
      {"a", &Counts::sectors, 32 * 16},
      {"a", &Counts::wanted_bytes, 32 * 16 * 128},
      {"a", &Counts::cache_reads, 32 * 16 * 32},
      {"a", &Counts::memory_reads, 2048},
      {"b", &Counts::requests, 32 * 16},
      {"b", &Counts::sectors, 32 * 16 * 4},
      {"b", &Counts::wanted_bytes, 32 * 16 * 128},
      {"b", &Counts::cache_reads, 32 * 16 * 128},
      {"b", &Counts::memory_reads, 2048},
      {"sum", &Counts::float_operations, 2 * 32 * 32 * 16},
      {"sum", Kind::single, 32 * 16},
      {"c", &Counts::sectors, 32 * 4},
      {"c", &Counts::memory_writes, 4096},
      {"", &Counts::wavefronts, 0},
      {"", &Counts::float_operations, 2 * 32 * 32 * 16}},
     {}},
    // 32 x 32 results, k = 32: 4 blocks of 8 warps, 2 tiles: 64 warps' turns. A warp has two rows of 16: 2 x 64 bytes,
    // 4
    // sectors; in shared memory 32 words side by side. Of a it then wants two words 16 banks apart, of b 16 words that
    // two lanes share each: no conflicts. A and B are brought by two blocks each, and come from memory once.
    {"products",
     "tiled",
     "",
     {2, 2, 1},
     {16, 16, 1},
     three(4096, 4096, 4096, {32, 32}),
     {{"stage_a", &Counts::requests, 64},
      {"stage_a", &Counts::sectors, 64 * 4},
      {"stage_a", &Counts::wanted_bytes, 64 * 128},
      {"stage_a", &Counts::wavefronts, 64},
      {"stage_a", &Counts::cache_reads, 64 * 128},
      {"stage_a", &Counts::memory_reads, 4096},
      {"stage_b", &Counts::sectors, 64 * 4},
      {"stage_b", &Counts::wavefronts, 64},
      {"stage_b", &Counts::memory_reads, 4096},
      {"full", Kind::barrier, 64},
      {"empty", Kind::barrier, 64},
      {"a", Kind::shared_memory, 64 * 16},
      {"a", &Counts::wavefronts, 64 * 16},
      {"a", &Counts::least_wavefronts, 64 * 16},
      {"a", &Counts::requests, 0},
      {"b", &Counts::wavefronts, 64 * 16},
      {"b", &Counts::least_wavefronts, 64 * 16},
      {"sum", &Counts::float_operations, 2 * 32 * 32 * 32},
      {"c", &Counts::sectors, 32 * 4},
      {"", &Counts::memory_reads, 8192},
      {"", &Counts::memory_writes, 4096}},
     {}},
  };
}

// 64 x 64 numbers: 4 blocks of 8 warps, 4 rows each: 128 accesses. Without padding the words of a column lie 32 apart:
// all in one bank, 32 turns; 33 apart: in 32 banks.
std::vector<Case> transposes()
{
  std::vector<Case> out;
  for (const bool padded : {false, true}) {
    const std::uint64_t turns = padded ? 1 : 32;
    out.push_back({"transposes",
                   padded ? "padded" : "plain",
                   "",
                   {2, 2, 1},
                   {32, 8, 1},
                   two(16384, 16384, {64}),
                   {{"in", &Counts::requests, 128},
                    {"in", &Counts::sectors, 128 * 4},
                    {"in", &Counts::wavefronts, 128},
                    {"in", &Counts::memory_reads, 16384},
                    {"out", Kind::shared_memory, 128},
                    {"out", Kind::global_memory, 128},
                    {"out", &Counts::requests, 128},
                    {"out", &Counts::sectors, 128 * 4},
                    {"out", &Counts::wavefronts, 128 * turns},
                    {"out", &Counts::least_wavefronts, 128},
                    {"out", &Counts::memory_writes, 16384}},
                   {}});
  }
  return out;
}

std::vector<Case> reductions()
{
  // Of each of two blocks, steps s = 1, 2, 4, ... 128, of which 128 / s lanes take part, 2 s words apart. Turns: 4
  // warps x 2, 2 warps x 4, one warp x 8, 8 (16 lanes in 2 banks), 8 (8 lanes in one bank), 4, 2, 1. Accesses: 4, 2,
  // and 6 of one warp. A warp parts where 16, 8, 4, 2 or 1 of its lanes take part.
  constexpr std::uint64_t k_turns = 8 + 8 + 8 + 8 + 8 + 4 + 2 + 1, k_accesses = 4 + 2 + 6, k_sums = 255;
  std::vector<Value> values = {{"in", &Counts::sectors, 2 * 8 * 4},
                               {"in", &Counts::wavefronts, 2 * 8},
                               {"branch", &Counts::parted, 2 * 5},
                               {"left", Kind::shared_memory, 2 * k_accesses},
                               {"left", &Counts::least_wavefronts, 2 * k_accesses},
                               {"right", &Counts::least_wavefronts, 2 * k_accesses},
                               {"put", &Counts::least_wavefronts, 2 * k_accesses},
                               {"put", &Counts::float_operations, 2 * k_sums},
                               {"barrier", Kind::barrier, 2 * 8 * 8},
                               {"out", &Counts::requests, 2},
                               {"out", &Counts::sectors, 2},
                               {"out", &Counts::wanted_bytes, 8},
                               {"out", &Counts::wavefronts, 2},
                               {"out", &Counts::cache_writes, 64},
                               {"out", &Counts::memory_writes, 32}}; // both lie in one sector
  const auto with_turns = [&](std::uint64_t turns) {
    std::vector<Value> out = values;
    for (const char* const mark : {"left", "right", "put"}) {
      out.push_back({mark, &Counts::wavefronts, 2 * turns});
    }
    return out;
  };
  return {
    {"reductions", "interleaved", "", {2, 1, 1}, {256, 1, 1}, two(2048, 8), with_turns(k_turns), {}},
    // Lanes side by side: no conflicts; as many lanes take part.
    {"reductions", "sequential", "", {2, 1, 1}, {256, 1, 1}, two(2048, 8), with_turns(k_accesses), {}},
    // 16 warps, 5 exchanges and sums of all lanes each; then one lane of each updates the same number: 16 times a
    // sector at the cache, from memory and back once.
    {"reductions",
     "by_exchange",
     "",
     {2, 1, 1},
     {256, 1, 1},
     two(2048, 4),
     {{"in", &Counts::sectors, 16 * 4},
      {"exchange", Kind::exchange, 16 * 5},
      {"add", &Counts::float_operations, 16 * 5 * 32},
      {"branch", &Counts::parted, 16},
      {"update", Kind::atomic, 16},
      {"update", &Counts::requests, 16},
      {"update", &Counts::sectors, 16},
      {"update", &Counts::wanted_bytes, 16 * 4},
      {"update", &Counts::float_operations, 16},
      {"update", &Counts::cache_updates, 16 * 32},
      {"update", &Counts::cache_reads, 0},
      {"update", &Counts::cache_writes, 0},
      {"update", &Counts::memory_reads, 32},
      {"update", &Counts::memory_writes, 32},
      {"", &Counts::wavefronts, 0}},
     {}},
  };
}

// One block of 8 warps, 4 keys a lane: 32 accesses. Updates of one word take turns, as do words of one bank.
std::vector<Case> histograms()
{
  struct Keys {
    const char* what;
    int (*key)(int);
    std::uint64_t turns;
  };
  static constexpr std::array<Keys, 4> k_keys = {{
    {"all different", [](int i) { return i % 64; }, 1},
    {"pairs", [](int i) { return i % 32 / 2; }, 2},
    {"all the same", [](int) { return 5; }, 32},
    {"two words of one bank", [](int i) { return i % 2 * 32; }, 32},
  }};
  std::vector<Case> out;
  for (const Keys& keys : k_keys) {
    out.push_back({"histogram",
                   "histogram",
                   keys.what,
                   {1, 1, 1},
                   {256, 1, 1},
                   [&keys](emulate::GlobalMemory& memory) {
                     return Words{numbers(memory, 1024, keys.key), zeros(memory, 256), 1};
                   },
                   {{"zero", &Counts::wavefronts, 2}, // two warps
                    {"key", &Counts::requests, 32},
                    {"key", &Counts::sectors, 32 * 4},
                    {"update", Kind::atomic, 32},
                    {"update", &Counts::wavefronts, 32 * keys.turns},
                    {"update", &Counts::least_wavefronts, 32},
                    {"update", &Counts::requests, 0},
                    {"update", &Counts::cache_updates, 0},
                    {"update", &Counts::float_operations, 0},
                    {"sum", &Counts::wavefronts, 2},
                    {"out", Kind::atomic, 2},
                    {"out", &Counts::sectors, 2 * 4}, // 64 numbers
                    {"out", &Counts::cache_updates, 256},
                    {"out", &Counts::memory_reads, 256},
                    {"out", &Counts::memory_writes, 256}},
                   {}});
  }
  return out;
}

// 8 warps. By lanes: each parts, and 16 lanes go each way; they store together. By warps: nobody parts.
std::vector<Case> branches()
{
  const auto parameters = [](emulate::GlobalMemory& memory) { return Words{zeros(memory, 1024)}; };
  return {{"branches",
           "of_lanes",
           "",
           {2, 1, 1},
           {128, 1, 1},
           parameters,
           {{"branch", &Counts::parted, 8},
            {"odd", Kind::single, 8},
            {"odd", &Counts::float_operations, 8 * 16},
            {"even", Kind::single, 8},
            {"even", &Counts::float_operations, 8 * 16},
            {"store", &Counts::requests, 8},
            {"store", &Counts::sectors, 8 * 4},
            {"", &Counts::parted, 8}},
           {}},
          {"branches",
           "of_warps",
           "",
           {2, 1, 1},
           {128, 1, 1},
           parameters,
           {{"branch", &Counts::parted, 0},
            {"odd", Kind::single, 4},
            {"odd", &Counts::float_operations, 4 * 32},
            {"even", Kind::single, 4},
            {"even", &Counts::float_operations, 4 * 32},
            {"store", &Counts::requests, 8},
            {"", &Counts::parted, 0}},
           {}},
          // 8 steps: in each a warp parts once, and comes together again before what all do.
          {"branches",
           "of_steps",
           "",
           {2, 1, 1},
           {128, 1, 1},
           parameters,
           {{"branch", &Counts::parted, 8 * 8},
            {"odd", Kind::single, 8 * 8},
            {"odd", &Counts::float_operations, 8 * 8 * 16},
            {"all", Kind::single, 8 * 8},
            {"all", &Counts::float_operations, 8 * 8 * 32},
            {"store", &Counts::requests, 8}},
           {}},
          // 4 steps with 32, 24, 16 and 8 lanes, of which the second and the fourth sum; the loop parts three times.
          // Those that have left wait for the others behind it.
          {"branches",
           "of_lengths",
           "",
           {2, 1, 1},
           {128, 1, 1},
           parameters,
           {{"loop", &Counts::parted, 8 * 3},
            {"odd", Kind::single, 8 * 2},
            {"odd", &Counts::float_operations, 8 * (24 + 8)},
            {"all", Kind::single, 8 * 4},
            {"all", &Counts::float_operations, 8 * (32 + 24 + 16 + 8)},
            {"store", &Counts::requests, 8},
            {"", &Counts::parted, 8 * 3}},
           {}}};
}

// One warp, k = 64: 4 steps. A is 16 rows of 128 bytes: 4 accesses of 512 bytes, 16 sectors; in shared memory 8 lanes
// of 16 bytes fill one row: 4 turns. B is half of that. ldmatrix takes 8 rows at a time: rows 128 bytes apart lie in
// the same 4 banks, 8 turns; rows 144 bytes apart lie in all 32 banks, one turn. x4 takes four matrices, x2 two.
std::vector<Case> fragments()
{
  std::vector<Case> out;
  for (const bool padded : {false, true}) {
    const std::uint64_t turns = padded ? 1 : 8;
    out.push_back({"fragments",
                   padded ? "padded" : "plain",
                   "",
                   {1, 1, 1},
                   {32, 1, 1},
                   three(2048, 1024, 512),
                   {{"stage_a", &Counts::requests, 4},
                    {"stage_a", &Counts::sectors, 4 * 16},
                    {"stage_a", &Counts::wavefronts, 4 * 4},
                    {"stage_a", &Counts::least_wavefronts, 4 * 4},
                    {"stage_b", &Counts::sectors, 2 * 16},
                    {"stage_b", &Counts::wavefronts, 2 * 4},
                    {"load_a", Kind::shared_memory, 4},
                    {"load_a", &Counts::wavefronts, 4 * 4 * turns},
                    {"load_a", &Counts::least_wavefronts, 4 * 4},
                    {"load_b", Kind::shared_memory, 4},
                    {"load_b", &Counts::wavefronts, 4 * 2 * turns},
                    {"load_b", &Counts::least_wavefronts, 4 * 2},
                    {"multiply", Kind::matrix, 4},
                    {"multiply", &Counts::multiply_adds, 4 * 16 * 8 * 16},
                    {"multiply", &Counts::float_operations, 0},
                    {"", &Counts::multiply_adds, 16 * 8 * 64}},
                   {}});
  }
  return out;
}

// 8 warps, 512 bytes each: 16 sectors. In shared memory 8 lanes of 16 bytes side by side fill a turn; 32 bytes apart
// the fifth lane meets the first one's banks: two turns.
std::vector<Case> async_copies()
{
  std::vector<Case> out;
  for (const bool spread : {false, true}) {
    const std::uint64_t turns = spread ? 2 : 1;
    out.push_back({"async_copies",
                   spread ? "spread" : "dense",
                   "",
                   {2, 1, 1},
                   {128, 1, 1},
                   two(4096, 4096),
                   {{"begin", Kind::copy, 8},
                    {"begin", &Counts::requests, 8},
                    {"begin", &Counts::sectors, 8 * 16},
                    {"begin", &Counts::wanted_bytes, 4096},
                    {"begin", &Counts::wavefronts, 8 * 4 * turns},
                    {"begin", &Counts::least_wavefronts, 8 * 4},
                    {"begin", &Counts::cache_reads, 4096},
                    {"begin", &Counts::memory_reads, 4096},
                    {"commit", Kind::barrier, 8},
                    {"commit", &Counts::warps, 8},
                    {"commit", &Counts::lanes, 256},
                    {"wait", Kind::barrier, 8},
                    {"wait", &Counts::warps, 8},
                    {"take", &Counts::wavefronts, 8 * 4 * turns},
                    {"take", &Counts::least_wavefronts, 8 * 4},
                    {"store", &Counts::sectors, 8 * 16},
                    {"store", &Counts::cache_writes, 4096}},
                   {}});
  }
  return out;
}

// One warp group, 4 products of 64 x 64 x 16. Staging: 4096 halves, 32 steps of 4 warps; a warp's 64 bytes are 2
// sectors, and in shared memory 16 words of one row of 128 bytes, wherever the swizzle puts their 16 bytes.
std::vector<Case> warp_groups()
{
  return {{"warp_groups",
           "product",
           "",
           {1, 1, 1},
           {128, 1, 1},
           three(8192, 8192, 16384),
           {{"stage_a", &Counts::requests, 32 * 4},
            {"stage_a", &Counts::sectors, 32 * 4 * 2},
            {"stage_a", &Counts::wanted_bytes, 8192},
            {"stage_a", &Counts::wavefronts, 32 * 4},
            {"fence", Kind::barrier, 4},
            {"multiply", Kind::matrix, 4 * 4},
            {"multiply", &Counts::multiply_adds, 4 * 64 * 64 * 16},
            {"commit", Kind::barrier, 4},
            {"commit", &Counts::lanes, 128},
            {"wait", Kind::barrier, 4},
            {"", &Counts::multiply_adds, 64 * 64 * 64},
            {"", &Counts::float_operations, 0}},
           {}}};
}

// One lane. A box of 16 rows of 128 bytes: 4 sectors each; 2048 bytes are 16 turns of shared memory. Of the second box
// 64 bytes of each row are inside: 2 sectors, which the first box has brought already; it fills all of its place.
std::vector<Case> boxes()
{
  const auto parameters = [](emulate::GlobalMemory& memory) {
    const std::uint64_t maps = zeros(memory, 2 * emulate::k_tensor_map_bytes);
    const std::uint64_t from = zeros(memory, std::size_t{64} * 32 * 4), to = zeros(memory, std::size_t{32} * 16 * 4);
    const auto put = [&](std::size_t number, std::uint64_t address, std::uint64_t columns, std::uint64_t rows) {
      emulate::TensorMap map;
      map.type = emulate::TensorType::f32;
      map.rank = 2;
      map.address = address;
      map.sizes = {columns, rows, 1, 1, 1};
      map.strides = {columns * 4};
      map.box = {32, 16, 1, 1, 1};
      const auto bytes = emulate::encode(map);
      if (bytes) {
        std::memcpy(reinterpret_cast<std::byte*>(maps) + number * bytes->size(), bytes->data(), bytes->size());
      }
    };
    put(0, from, 64, 32);
    put(1, to, 32, 16);
    return Words{maps, maps + emulate::k_tensor_map_bytes, zeros(memory, 1024)};
  };
  return {{"boxes",
           "boxes",
           "",
           {1, 1, 1},
           {32, 1, 1},
           parameters,
           {{"init", Kind::barrier, 1},
            {"expect", Kind::barrier, 1},
            {"inside", Kind::copy, 1},
            {"inside", &Counts::requests, 1},
            {"inside", &Counts::sectors, 16 * 4},
            {"inside", &Counts::wanted_bytes, 2048},
            {"inside", &Counts::copied_bytes, 2048},
            {"inside", &Counts::wavefronts, 16},
            {"inside", &Counts::least_wavefronts, 16},
            {"inside", &Counts::cache_reads, 2048},
            {"inside", &Counts::memory_reads, 2048},
            {"across", &Counts::sectors, 16 * 2},
            {"across", &Counts::wanted_bytes, 1024},
            {"across", &Counts::copied_bytes, 2048},
            {"across", &Counts::wavefronts, 16},
            {"across", &Counts::cache_reads, 1024},
            {"across", &Counts::memory_reads, 0},
            {"row", Kind::copy, 1},
            {"row", &Counts::sectors, 32},
            {"row", &Counts::copied_bytes, 1024},
            {"row", &Counts::wavefronts, 8},
            {"back", Kind::copy, 1},
            {"back", &Counts::sectors, 16 * 4},
            {"back", &Counts::copied_bytes, 2048},
            {"back", &Counts::wavefronts, 16},
            {"back", &Counts::cache_writes, 2048},
            {"back", &Counts::memory_writes, 2048},
            {"done", Kind::barrier, 2}, // commit and wait
            {"", &Counts::copied_bytes, 3 * 2048 + 1024}},
           {}}};
}

std::vector<Case> all_cases()
{
  std::vector<Case> out;
  for (const auto& cases : {copies(), gathers(), products(), transposes(), reductions(), histograms(), branches(),
                            fragments(), async_copies(), warp_groups(), boxes()}) {
    out.insert(out.end(), cases.begin(), cases.end());
  }
  return out;
}

std::string name_of_field(const Field& field)
{
  if (const Kind* const kind = std::get_if<Kind>(&field)) {
    return fmt::format("warps of the class {}", emulate::name_of(*kind));
  }
  static const std::vector<std::pair<std::uint64_t Counts::*, const char*>> names = {
    {&Counts::warps, "warps"},
    {&Counts::lanes, "lanes"},
    {&Counts::requests, "requests"},
    {&Counts::sectors, "sectors"},
    {&Counts::wanted_bytes, "bytes wanted"},
    {&Counts::wavefronts, "wavefronts"},
    {&Counts::least_wavefronts, "least wavefronts"},
    {&Counts::parted, "divergent branches"},
    {&Counts::multiply_adds, "multiply-adds"},
    {&Counts::float_operations, "floating-point operations"},
    {&Counts::copied_bytes, "bytes copied"},
    {&Counts::cache_reads, "bytes read at L2"},
    {&Counts::cache_writes, "bytes written at L2"},
    {&Counts::cache_updates, "bytes updated at L2"},
    {&Counts::memory_reads, "bytes from memory"},
    {&Counts::memory_writes, "bytes to memory"}};
  const auto wanted = std::get<std::uint64_t Counts::*>(field);
  const auto found = std::ranges::find_if(names, [&](const auto& one) { return one.first == wanted; });
  return found == names.end() ? "?" : found->second;
}

struct Compiled {
  emulate::Program program;
  std::multimap<std::string, int> lines; // by mark, from 1
};

Result<Compiled> load(const std::string& file)
{
  HONE_TRY(const std::string text, read_file(k_kernels / (file + ".cu")));
  HONE_TRY(const std::string ptx, compiled_cuda(text));
  HONE_TRY(emulate::Program program, emulate::Program::load(ptx));
  Compiled out{std::move(program), {}};
  constexpr std::string_view k_mark = "// count: ";
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::size_t at = line.find(k_mark);
    if (at != std::string::npos) {
      out.lines.emplace(trim(line.substr(at + k_mark.size())), number);
    }
  }
  return out;
}

struct Ran {
  std::string findings;
  emulate::LaunchCounts counts;
};

// `before`: bytes of memory that are taken first, so that all else lies elsewhere.
Ran run(const Case& one, const emulate::Program& program, std::size_t before)
{
  emulate::GlobalMemory memory;
  memory.allocate(before);
  emulate::LaunchRequest request;
  request.program = &program;
  request.entry = one.entry;
  request.grid = one.grid;
  request.block = one.block;
  request.counts = true;
  request.cache = one.cache;
  request.most_instructions = 10'000'000;
  const Words words = one.parameters(memory);
  request.parameters.resize(words.size() * sizeof words[0]);
  std::memcpy(request.parameters.data(), words.data(), request.parameters.size());
  emulate::LaunchResult result = emulate::launch(request, memory);
  Ran out;
  for (const emulate::Finding& finding : result.findings) {
    out.findings += finding.text + "\n";
  }
  out.counts = std::move(result.counts);
  return out;
}

bool are_the_same(const emulate::LaunchCounts& a, const emulate::LaunchCounts& b)
{
  return std::ranges::equal(a.lines, b.lines, [](const emulate::LineCounts& x, const emulate::LineCounts& y) {
    return static_cast<const Counts&>(x) == static_cast<const Counts&>(y) && x.kind == y.kind;
  });
}

// What is not as it must be; "": nothing.
std::string wrong_in(const Case& one, const Compiled& compiled)
{
  const Ran ran = run(one, compiled.program, 64);
  std::string out = ran.findings;
  const std::vector<emulate::SourceLineCounts> lines = emulate::by_source_line(ran.counts);
  Counts sum;
  for (const emulate::SourceLineCounts& line : lines) {
    sum += line;
  }
  if (sum != ran.counts.total || sum.warps != ran.counts.warp_instructions
      || sum.lanes != ran.counts.lane_instructions) {
    out += "  the lines' sum is not the launch's\n";
  }
  if (!are_the_same(ran.counts, run(one, compiled.program, 3000).counts)) {
    out += "  other addresses give other counts\n";
  }
  for (const Value& value : one.values) {
    emulate::SourceLineCounts got;
    static_cast<Counts&>(got) = value.mark.empty() ? ran.counts.total : Counts{};
    const auto [first, last] = compiled.lines.equal_range(value.mark);
    if (!value.mark.empty() && first == last) {
      out += fmt::format("  no line is named {}\n", value.mark);
    }
    for (auto at = first; at != last; ++at) {
      for (const emulate::SourceLineCounts& line : lines) {
        if (line.file == "device.cu" && line.line == at->second) {
          got += line;
          std::ranges::transform(got.warps_of, line.warps_of, got.warps_of.begin(), std::plus<>());
        }
      }
    }
    const Kind* const kind = std::get_if<Kind>(&value.field);
    const std::uint64_t number =
      kind != nullptr ? got.warps_of_class(*kind) : got.*std::get<std::uint64_t Counts::*>(value.field);
    if (number != value.wanted) {
      out += fmt::format("  {}: {} {}, not {}\n", value.mark, number, name_of_field(value.field), value.wanted);
    }
  }
  return out;
}

} // namespace

int main()
{
  if (const auto ready = backend::check_device_compiler("cuda"); !ready) {
    fmt::print("skipped: {}\n", ready.error().text());
    return k_skipped;
  }
  std::map<std::string, Result<Compiled>> programs; // by file
  std::size_t failed = 0, values = 0;
  for (const Case& one : all_cases()) {
    const auto [found, added] = programs.try_emplace(one.file, fail(""));
    if (added) {
      found->second = load(one.file);
    }
    const std::string wrong = found->second ? wrong_in(one, *found->second) : found->second.error().text();
    failed += wrong.empty() ? 0 : 1;
    values += one.values.size();
    fmt::print("{} {} {}: {}\n", one.file, one.entry, one.what,
               wrong.empty() ? fmt::format("{} values", one.values.size()) : "\n" + wrong);
  }
  fmt::print("{} values\n", values);
  return failed == 0 ? 0 : 1;
}
