#include "gate/arena.h"

#include "gate/arena_layout.h"
#include "gate/arena_noise.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hone::gate {
namespace {

constexpr std::size_t k_scratch_alignment = 64;
constexpr std::size_t k_spare_room = 4 << 20;

std::span<std::byte> front_band(const Arena::Impl& arena, const Placement& tensor)
{
  return {arena.base_of(tensor) + tensor.band_begin, tensor.offset - tensor.band_begin};
}

std::span<std::byte> back_band(const Arena::Impl& arena, const Placement& tensor)
{
  const std::size_t end = tensor.offset + tensor.bytes;
  return {arena.base_of(tensor) + end, tensor.band_end - end};
}

std::span<std::byte> bytes_of(const Arena::Impl& arena, const Placement& tensor)
{
  return {arena.base_of(tensor) + tensor.offset, tensor.bytes};
}

void renew_canaries(const Arena::Impl& arena, Placement& tensor, Random& random)
{
  tensor.canary_key = random.next();
  write_canary(front_band(arena, tensor), tensor.canary_key);
  write_canary(back_band(arena, tensor), ~tensor.canary_key);
}

void renew(const Arena::Impl& arena, Placement& tensor, Random& random, Store store, std::size_t used_bytes)
{
  renew_canaries(arena, tensor, random);
  if (tensor.poisoned) {
    const std::span<std::byte> bytes = bytes_of(arena, tensor);
    const std::size_t used = std::min(used_bytes, bytes.size());
    write_noise(bytes.first(used), random.next(), store);
    write_noise(bytes.subspan(used), random.next(), Store::streaming);
    tensor.touch();
    tensor.poison = tensor.canary_key;
  }
}

std::string damage_of(const Arena::Impl& arena, const Placement& tensor)
{
  const auto back = back_band(arena, tensor);
  if (const std::size_t at = first_damage(back, ~tensor.canary_key); at < back.size()) {
    return describe_past_end(tensor, at);
  }
  const auto front = front_band(arena, tensor);
  if (const std::size_t at = last_damage(front, tensor.canary_key); at < front.size()) {
    return describe_before_start(tensor, front.size() - at);
  }
  return {};
}

// Room for the next layout's offsets, which may add up to a little more.
std::size_t with_slack(std::size_t bytes, std::size_t sets)
{
  return sets > 1 ? bytes + bytes / 16 + 4 * k_page : bytes;
}

std::size_t room_for(std::size_t bytes, const ArenaSpec& spec)
{
  return spec.spare_room ? std::max(2 * bytes, k_spare_room) : with_slack(bytes, spec.sets);
}

std::int64_t end_of_scratch(const kernel::ResolvedPlan& plan, bool prepared)
{
  const std::vector<std::size_t> offsets = scratch_offsets(plan);
  std::size_t end = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (plan.scratch[i].prepared == prepared) {
      end = offsets[i] + plan.scratch[i].bytes();
    }
  }
  return static_cast<std::int64_t>(end);
}

// Those that are too small.
Result<void> make_files(Arena::Impl& arena, const ArenaSpec& spec)
{
  constexpr std::array<const char*, k_areas> k_names{"hone-inputs", "hone-weights", "hone-outputs", "hone-prepared"};
  for (std::size_t area = 0; area < k_areas; ++area) {
    if (arena.files[area].size() >= arena.layout.bytes[area]) {
      continue;
    }
    arena.files[area] = {}; // its pages go back before others are asked for
    HONE_TRY(arena.files[area], SharedMemory::create(k_names[area], room_for(arena.layout.bytes[area], spec)));
    if (static_cast<Area>(area) == Area::prepared) {
      HONE_CHECK(arena.files[area].open_read_only());
    } else if (access_to(static_cast<Area>(area), false) == Access::read) {
      HONE_CHECK(arena.files[area].seal_for_others());
    }
  }
  return {};
}

// Everything of one set that a runner may write: outputs, scratch, and what all sets share.
std::vector<std::size_t> writable_of(const Arena::Impl& arena, std::size_t set)
{
  std::vector<std::size_t> places;
  for (std::size_t a = 0; a < arena.argument_count; ++a) {
    if (const std::size_t place = arena.layout.arguments[set * arena.argument_count + a];
        arena.layout.placements[place].area == Area::outputs) {
      places.push_back(place);
    }
  }
  places.push_back(arena.layout.scratch[set]);
  std::ranges::copy(arena.layout.shared, std::back_inserter(places));
  return places;
}

} // namespace

Result<Arena> Arena::create(const ArenaSpec& spec)
{
  return create(spec, std::nullopt);
}

Result<Arena> Arena::create(const ArenaSpec& spec, std::optional<Arena> former)
{
  auto impl = std::make_unique<Impl>();
  impl->sizes = spec.sizes;
  impl->sets = spec.sets;
  impl->argument_count = spec.kernel->arguments.size();
  for (const kernel::Argument& argument : spec.kernel->arguments) {
    impl->types.push_back(argument.type);
  }
  HONE_TRY(impl->layout, lay_out(spec));
  if (former) {
    impl->files = std::move(former->m_impl->files);
    // Nothing of what former runners wrote reaches the next ones, which do not get to see what lies behind the layout.
    for (const Area area : {Area::outputs, Area::prepared}) {
      const SharedMemory& file = impl->file_of(area);
      const std::size_t seen = impl->layout.bytes[static_cast<std::size_t>(area)];
      write_noise({file.data(), std::min(file.size(), seen)}, Random(fresh_seed()).next(), Store::streaming);
    }
  }
  HONE_CHECK(make_files(*impl, spec));
  // What lies around the inputs is never written by anyone, but a read past an end should find no zeros.
  Random random(fresh_seed());
  for (Placement& tensor : impl->layout.placements) {
    renew_canaries(*impl, tensor, random);
  }
  return Arena(std::move(impl));
}

Arena::Arena(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Arena::Arena(Arena&&) noexcept = default;
Arena& Arena::operator=(Arena&&) noexcept = default;
Arena::~Arena() = default;

std::size_t Arena::sets() const
{
  return m_impl->sets;
}

std::size_t Arena::bytes_held() const
{
  return std::accumulate(m_impl->files.begin(), m_impl->files.end(), std::size_t{0},
                         [](std::size_t bytes, const SharedMemory& file) { return bytes + file.size(); });
}

const kernel::Sizes& Arena::sizes() const
{
  return m_impl->sizes;
}

std::span<std::byte> Arena::tensor(std::size_t set, std::size_t argument)
{
  return bytes_of(*m_impl, m_impl->touched(m_impl->layout.arguments[set * m_impl->argument_count + argument]));
}

std::span<std::byte> Arena::scratch(std::size_t set)
{
  return bytes_of(*m_impl, m_impl->touched(m_impl->layout.scratch[set]));
}

std::span<std::byte> Arena::prepared(std::size_t set)
{
  return bytes_of(*m_impl, m_impl->touched(m_impl->layout.prepared[set]));
}

std::span<std::byte> Arena::shared_scratch()
{
  return bytes_of(*m_impl, m_impl->shared(0));
}

std::vector<std::size_t> Arena::weights() const
{
  std::vector<std::size_t> positions;
  for (std::size_t a = 0; a < m_impl->argument_count; ++a) {
    if (m_impl->argument(0, a).area == Area::weights) {
      positions.push_back(a);
    }
  }
  return positions;
}

std::vector<const std::byte*> Arena::arguments(std::size_t set)
{
  std::vector<const std::byte*> pointers;
  for (std::size_t a = 0; a < m_impl->argument_count; ++a) {
    pointers.push_back(bytes_of(*m_impl, m_impl->argument(set, a)).data());
  }
  return pointers;
}

void Arena::poison(std::size_t set, Random& random, Store store, std::size_t scratch_bytes)
{
  for (const std::size_t place : writable_of(*m_impl, set)) {
    Placement& tensor = m_impl->layout.placements[place];
    const bool is_scratch = place == m_impl->layout.scratch[set];
    renew(*m_impl, tensor, random, store, is_scratch ? scratch_bytes : tensor.bytes);
  }
}

void Arena::poison_prepared(std::size_t set, Random& random)
{
  Placement& tensor = m_impl->layout.placements[m_impl->layout.prepared[set]];
  renew(*m_impl, tensor, random, Store::streaming, tensor.bytes);
}

std::string Arena::damaged_prepared_guard(std::size_t set)
{
  return damage_of(*m_impl, m_impl->prepared(set));
}

std::string Arena::damaged_guard(std::size_t set)
{
  for (const std::size_t place : writable_of(*m_impl, set)) {
    if (std::string damage = damage_of(*m_impl, m_impl->layout.placements[place]); !damage.empty()) {
      return damage;
    }
  }
  return {};
}

std::vector<std::size_t> scratch_offsets(const kernel::ResolvedPlan& plan)
{
  std::vector<std::size_t> offsets;
  std::array<std::size_t, 2> end{}; // of the scratch, and of the prepared scratch
  for (const kernel::ResolvedScratch& scratch : plan.scratch) {
    std::size_t& place = end[scratch.prepared ? 1 : 0];
    offsets.push_back(round_up(place, k_scratch_alignment));
    place = offsets.back() + scratch.bytes();
  }
  return offsets;
}

std::int64_t scratch_bytes_of(const kernel::ResolvedPlan& plan)
{
  return end_of_scratch(plan, false);
}

std::int64_t prepared_bytes_of(const kernel::ResolvedPlan& plan)
{
  return end_of_scratch(plan, true);
}

std::int64_t shared_bytes_of(const kernel::ResolvedPlan& plan)
{
  std::int64_t bytes = 0;
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    bytes = std::max(bytes, launch.shared_bytes);
  }
  return bytes;
}

} // namespace hone::gate
