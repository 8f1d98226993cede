#include "gate/arena.h"

#include "gate/arena_layout.h"
#include "gate/arena_noise.h"
#include "util/hash.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {
namespace {

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
  if (!tensor.writable) {
    return;
  }
  renew_canaries(arena, tensor, random);
  if (tensor.poisoned) {
    const std::span<std::byte> bytes = bytes_of(arena, tensor);
    const std::size_t used = std::min(used_bytes, bytes.size());
    write_noise(bytes.first(used), random.next(), store);
    write_noise(bytes.subspan(used), random.next(), Store::streaming);
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

// Everything of one set that a runner may write: outputs, scratch, and what all sets share.
std::vector<std::size_t> writable_of(const Arena::Impl& arena, std::size_t set)
{
  std::vector<std::size_t> places;
  for (std::size_t a = 0; a < arena.argument_count; ++a) {
    if (const std::size_t place = arena.layout.arguments[set * arena.argument_count + a];
        arena.layout.placements[place].writable) {
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
  for (const Argument& argument : spec.kernel->arguments) {
    impl->types.push_back(argument.type);
  }
  HONE_TRY(impl->layout, lay_out(spec));
  const std::size_t input_bytes = std::max(impl->layout.input_bytes, k_page);
  const std::size_t output_bytes = impl->layout.output_bytes;
  if (former && former->m_impl->inputs.size() >= input_bytes && former->m_impl->outputs.size() >= output_bytes) {
    impl->inputs = std::move(former->m_impl->inputs);
    impl->outputs = std::move(former->m_impl->outputs);
    // Nothing of what a former pair of runners wrote reaches the next one.
    write_noise({impl->outputs.data(), impl->outputs.size()}, Random(fresh_seed()).next(), Store::streaming);
  } else {
    former.reset();
    HONE_TRY(impl->inputs, SharedMemory::create("hone-inputs", with_slack(input_bytes, spec.sets)));
    HONE_TRY(impl->outputs, SharedMemory::create("hone-outputs", with_slack(output_bytes, spec.sets)));
    HONE_CHECK(impl->inputs.seal_for_others());
  }
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

const Sizes& Arena::sizes() const
{
  return m_impl->sizes;
}

std::span<std::byte> Arena::tensor(std::size_t set, std::size_t argument)
{
  return bytes_of(*m_impl, m_impl->argument(set, argument));
}

std::span<std::byte> Arena::scratch(std::size_t set)
{
  return bytes_of(*m_impl, m_impl->scratch(set));
}

std::vector<const std::byte*> Arena::arguments(std::size_t set)
{
  std::vector<const std::byte*> pointers;
  for (std::size_t a = 0; a < m_impl->argument_count; ++a) {
    pointers.push_back(tensor(set, a).data());
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

std::string Arena::damaged_guard(std::size_t set)
{
  for (const std::size_t place : writable_of(*m_impl, set)) {
    if (std::string damage = damage_of(*m_impl, m_impl->layout.placements[place]); !damage.empty()) {
      return damage;
    }
  }
  return {};
}

std::string Arena::input_digest(std::size_t set)
{
  std::string digests;
  for (std::size_t a = 0; a < m_impl->argument_count; ++a) {
    if (!m_impl->argument(set, a).writable) {
      digests += sha256(std::span<const std::byte>(tensor(set, a)));
    }
  }
  return sha256(digests);
}

std::int64_t scratch_bytes_of(const ResolvedPlan& plan)
{
  std::size_t bytes = 0;
  for (const ResolvedScratch& scratch : plan.scratch) {
    bytes = round_up(bytes, 64) + static_cast<std::size_t>(scratch.elements) * size_of(scratch.type);
  }
  return static_cast<std::int64_t>(bytes);
}

std::int64_t shared_bytes_of(const ResolvedPlan& plan)
{
  std::int64_t bytes = 0;
  for (const ResolvedLaunch& launch : plan.launches) {
    bytes = std::max(bytes, launch.shared_bytes);
  }
  return bytes;
}

} // namespace hone
