#include "gate/arena.h"
#include "gate/arena_layout.h"
#include "gate/arena_noise.h"
#include "session_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>

namespace hone::gate {
namespace {

using test::arena_for;
using test::k_a;
using test::k_b;
using test::k_c;

constexpr std::int64_t k_n = 1000;

void flip(std::byte& byte)
{
  byte ^= std::byte{1};
}

TEST(Arena, tensors_are_aligned_and_apart)
{
  Arena arena = arena_for(k_n, 3);
  for (std::size_t set = 0; set < 3; ++set) {
    for (const std::size_t argument : {k_a, k_b, k_c}) {
      const auto bytes = arena.tensor(set, argument);
      EXPECT_EQ(bytes.size(), k_n * sizeof(float));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64, 0U);
      EXPECT_EQ(arena.impl().argument(set, argument).address % 64, 0U);
    }
  }
  EXPECT_GE(arena.tensor(1, k_c).data() - arena.tensor(0, k_c).data(), 4096 + 4 * k_n);
}

TEST(Arena, AllTensorsBeginLargePagesNowAndThen)
{
  const kernel::Kernel kernel = test::axpy_kernel();
  int large = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ArenaSpec spec;
    spec.kernel = &kernel;
    spec.sizes = {{"n", k_n}};
    spec.layout_seed = seed;
    const auto layout = lay_out(spec);
    ASSERT_TRUE(layout) << layout.error().text();
    const auto begins_large = [&](std::size_t argument) {
      return layout->placements[layout->arguments[argument]].address % (2 << 20) == 0;
    };
    large += begins_large(k_a) && begins_large(k_b) && begins_large(k_c) ? 1 : 0;
  }
  EXPECT_TRUE(large > 2 && large < 25) << large;
}

TEST(Arena, InputsLieSideBySideNowAndThen)
{
  const kernel::Kernel kernel = test::axpy_kernel();
  int beside = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ArenaSpec spec;
    spec.kernel = &kernel;
    spec.sizes = {{"n", k_n}};
    spec.layout_seed = seed;
    const auto layout = lay_out(spec);
    ASSERT_TRUE(layout) << layout.error().text();
    const Placement& a = layout->placements[layout->arguments[k_a]];
    const Placement& b = layout->placements[layout->arguments[k_b]];
    beside += b.address == (a.address + a.bytes + 63) / 64 * 64 ? 1 : 0;
  }
  EXPECT_TRUE(beside > 2 && beside < 25) << beside;
}

TEST(Arena, TensorsLieAcrossMultiplesOf4GiBAndFarApartNowAndThen)
{
  const kernel::Kernel kernel = test::axpy_kernel();
  constexpr std::uint64_t k_border = std::uint64_t{1} << 32;
  int across = 0, far = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    ArenaSpec spec;
    spec.kernel = &kernel;
    spec.sizes = {{"n", k_n}};
    spec.across_borders = true;
    spec.layout_seed = seed;
    const auto layout = lay_out(spec);
    ASSERT_TRUE(layout) << layout.error().text();
    const Placement& a = layout->placements[layout->arguments[k_a]];
    const Placement& b = layout->placements[layout->arguments[k_b]];
    EXPECT_EQ(a.address % 64, 0U);
    across += a.address / k_border != (a.address + a.bytes - 1) / k_border ? 1 : 0;
    far += std::max(a.address, b.address) - std::min(a.address, b.address) > 2 * k_border ? 1 : 0;
  }
  EXPECT_TRUE(across > 2 && across < 40) << across;
  EXPECT_TRUE(far > 2 && far < 40) << far;
}

TEST(Arena, OutputsLieAboveInputsAndBelow)
{
  const kernel::Kernel kernel = test::axpy_kernel();
  int above = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ArenaSpec spec;
    spec.kernel = &kernel;
    spec.sizes = {{"n", k_n}};
    spec.layout_seed = seed;
    const auto layout = lay_out(spec);
    ASSERT_TRUE(layout) << layout.error().text();
    const auto address = [&](std::size_t argument) { return layout->placements[layout->arguments[argument]].address; };
    above += address(k_c) > address(k_a) ? 1 : 0;
  }
  EXPECT_TRUE(above > 8 && above < 32) << above;
}

TEST(Arena, layout_seed_draws_addresses)
{
  const auto address = [](std::uint64_t seed) {
    const kernel::Kernel kernel = test::axpy_kernel();
    ArenaSpec spec;
    spec.kernel = &kernel;
    spec.sizes = {{"n", k_n}};
    spec.layout_seed = seed;
    return lay_out(spec)->placements[0].address;
  };
  EXPECT_EQ(address(1), address(1));
  EXPECT_NE(address(1), address(2));
}

TEST(Arena, poison_changes_outputs_but_not_inputs)
{
  Arena arena = arena_for(k_n, 2);
  test::fill_inputs(arena, 0, 1);
  std::vector<std::vector<std::byte>> inputs;
  for (const std::size_t argument : {k_a, k_b}) {
    const auto bytes = arena.tensor(0, argument);
    inputs.emplace_back(bytes.begin(), bytes.end());
  }
  Random random(1);
  arena.poison(0, random);
  const auto output = arena.tensor(0, k_c);
  const std::vector<std::byte> first(output.begin(), output.end());
  arena.poison(0, random);
  EXPECT_TRUE(std::ranges::equal(inputs[0], arena.tensor(0, k_a)));
  EXPECT_TRUE(std::ranges::equal(inputs[1], arena.tensor(0, k_b)));
  const auto unchanged =
    std::ranges::count_if(first, [&, i = 0](std::byte byte) mutable { return byte == output[i++]; });
  EXPECT_LT(unchanged, static_cast<long>(output.size() / 64)); // one in 256 by chance
}

TEST(Arena, memory_of_a_former_one_holds_nothing_of_it)
{
  const kernel::Kernel kernel = test::axpy_kernel();
  ArenaSpec spec;
  spec.kernel = &kernel;
  spec.sizes = {{"n", k_n}};
  spec.sets = 4;
  auto former = Arena::create(spec);
  ASSERT_TRUE(former);
  const std::byte* const memory = former->impl().file_of(Area::outputs).data();
  std::ranges::fill(former->tensor(3, k_c), std::byte{0x5a});
  spec.layout_seed = 7;
  auto next = Arena::create(spec, std::move(*former));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->impl().file_of(Area::outputs).data(), memory);
  const std::span<const std::byte> all(memory, next->impl().layout.bytes[static_cast<std::size_t>(Area::outputs)]);
  EXPECT_LT(std::ranges::count(all, std::byte{0x5a}), static_cast<long>(all.size() / 64)); // one in 256 by chance
  Random random(1);
  next->poison(2, random);
  EXPECT_EQ(next->damaged_guard(2), "");

  spec.sets = 40; // needs more than there is
  auto larger = Arena::create(spec, std::move(*next));
  ASSERT_TRUE(larger);
  EXPECT_GT(larger->impl().file_of(Area::outputs).size(), all.size());
}

TEST(Arena, damage_is_found_and_named)
{
  Arena arena = arena_for(k_n, 2);
  Random random(2);
  arena.poison(1, random);
  EXPECT_EQ(arena.damaged_guard(1), "");
  const auto output = arena.tensor(1, k_c);
  flip(*(output.data() + output.size()));
  EXPECT_EQ(arena.damaged_guard(1), "4 bytes past the end of C, set 1");
  arena.poison(1, random);
  EXPECT_EQ(arena.damaged_guard(1), "");
  flip(*(output.data() - 1));
  EXPECT_EQ(arena.damaged_guard(1), "4 bytes before the start of C, set 1");
  arena.poison(1, random);
  flip(*(output.data() + output.size() + 4095));
  EXPECT_EQ(arena.damaged_guard(1), "4096 bytes past the end of C, set 1");
}

TEST(Arena, flush_to_guard_leaves_less_than_a_line_behind_a_tensor)
{
  Arena arena = arena_for(k_n + 1, 1, true);
  const Placement& output = arena.impl().argument(0, k_c);
  const std::uint64_t end = output.address + output.bytes;
  EXPECT_LT(output.band_end - output.offset - output.bytes, 64U);
  for (const ArenaMapping& mapping : arena.impl().layout.mappings) {
    if (mapping.address <= output.address && output.address < mapping.address + mapping.length) {
      EXPECT_LT(mapping.address + mapping.length - end, 64U);
    } else {
      EXPECT_TRUE(mapping.address + mapping.length + k_page <= output.address || mapping.address >= end + k_page);
    }
  }
  Random random(3);
  arena.poison(0, random);
  flip(*(arena.tensor(0, k_c).data() + output.bytes));
  EXPECT_EQ(arena.damaged_guard(0), "4 bytes past the end of C, set 0");
}

TEST(Arena, shared_inputs_are_one_copy)
{
  Arena arena = arena_for(k_n, 3, false, true);
  EXPECT_EQ(arena.tensor(0, k_a).data(), arena.tensor(2, k_a).data());
  EXPECT_NE(arena.tensor(0, k_c).data(), arena.tensor(2, k_c).data());
}

TEST(Arena, inputs_cannot_be_mapped_for_writing_by_others)
{
  Arena arena = arena_for(k_n, 1);
  const SharedMemory& inputs = arena.impl().file_of(Area::inputs);
  EXPECT_EQ(mmap(nullptr, k_page, PROT_READ | PROT_WRITE, MAP_SHARED, inputs.fd(), 0), MAP_FAILED);
  void* view = mmap(nullptr, k_page, PROT_READ, MAP_SHARED, inputs.fd(), 0);
  ASSERT_NE(view, MAP_FAILED);
  EXPECT_NE(mprotect(view, k_page, PROT_READ | PROT_WRITE), 0);
  munmap(view, k_page);
}

TEST(Arena, addresses_are_described)
{
  Arena arena = arena_for(k_n, 2);
  const ArenaLayout& layout = arena.impl().layout;
  const Placement& input = arena.impl().argument(1, k_a);
  const Touch inside = describe_address(layout, input.address + 20);
  EXPECT_TRUE(inside.in_input);
  EXPECT_EQ(inside.place, "element 5 of A, set 1");
  const Placement& output = arena.impl().argument(0, k_c);
  EXPECT_EQ(describe_address(layout, output.address + output.bytes + 4).place, "8 bytes past the end of C, set 0");
  EXPECT_FALSE(describe_address(layout, 16).near_tensor);
}

TEST(ArenaNoise, covers_every_byte_of_odd_ranges)
{
  std::vector<std::byte> bytes(4096 + 64);
  const std::pair<std::size_t, Store> places[] = {
    {0, Store::streaming}, {1, Store::streaming}, {63, Store::streaming}, {63, Store::cached}};
  for (const auto& [begin, store] : places) {
    for (const std::size_t size : {0, 1, 64, 65, 1000, 4000}) {
      std::vector<bool> touched(size);
      for (std::uint64_t key = 0; key < 8; ++key) { // a byte stays 0 by chance once in 256^8
        std::ranges::fill(bytes, std::byte{0});
        write_noise(std::span(bytes).subspan(begin, size), key, store);
        for (std::size_t i = 0; i < size; ++i) {
          touched[i] = touched[i] || bytes[begin + i] != std::byte{0};
        }
        EXPECT_EQ(std::ranges::count(std::span(bytes).first(begin), std::byte{0}), static_cast<long>(begin));
        EXPECT_EQ(std::ranges::count(std::span(bytes).subspan(begin + size), std::byte{0}),
                  static_cast<long>(bytes.size() - begin - size));
      }
      EXPECT_EQ(std::ranges::count(touched, false), 0);
    }
  }
}

TEST(ArenaNoise, canary_finds_first_and_last_damage)
{
  std::vector<std::byte> band(101);
  write_canary(band, 5);
  EXPECT_EQ(first_damage(band, 5), band.size());
  EXPECT_EQ(last_damage(band, 5), band.size());
  EXPECT_LT(first_damage(band, 6), 8U);
  for (const std::size_t at : {0, 7, 8, 50, 95, 96, 97, 100}) {
    flip(band[at]);
    EXPECT_EQ(first_damage(band, 5), at);
    EXPECT_EQ(last_damage(band, 5), at);
    flip(band[at]);
  }
}

} // namespace
} // namespace hone::gate
