#include "gate/arena_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {
namespace {

constexpr std::size_t k_alignment = 64;
constexpr std::size_t k_band = k_page;      // canaries on each side, at least
constexpr std::uint64_t k_near = 1 << 20;   // this far from a tensor still counts as meant for it
constexpr std::uint64_t k_guard = 64 << 10; // inaccessible bytes between tensors that end at a guard page

// Addresses that neither the kernel's own choices nor a sanitizer's shadow memory use.
constexpr std::uint64_t k_input_area = 0x2000'0000'0000;
constexpr std::uint64_t k_output_area = 0x3000'0000'0000;
constexpr std::uint64_t k_area_pages = std::uint64_t{1} << 30; // 4 TiB to draw the start from

std::uint64_t draw_address(Random& random, std::uint64_t area)
{
  return area + random.below(k_area_pages) * k_page;
}

// One of the two files, growing tensor by tensor.
class Region {
public:
  Region(ArenaLayout& layout, Random& random, bool writable, bool flush_to_guard)
    : m_layout(layout), m_random(random), m_writable(writable), m_flush(flush_to_guard),
      m_address(draw_address(random, writable ? k_output_area : k_input_area))
  {
  }

  std::size_t add(Placement tensor)
  {
    tensor.writable = m_writable;
    m_flush ? place_at_guard(tensor) : place_between_bands(tensor);
    m_layout.placements.push_back(std::move(tensor));
    return m_layout.placements.size() - 1;
  }

  std::size_t finish()
  {
    if (!m_flush) {
      m_size = round_up(m_size + k_band, k_page);
      m_layout.mappings.push_back({m_address, m_size, 0, m_writable});
    }
    return m_size;
  }

private:
  void place_between_bands(Placement& tensor)
  {
    tensor.band_begin = m_size;
    if (tensor.bytes == 0) { // no scratch wanted: nothing to guard
      tensor.offset = tensor.band_end = m_size;
      tensor.address = m_address + m_size;
      return;
    }
    tensor.offset = round_up(m_size + k_band, k_alignment) + k_alignment * m_random.below(k_page / k_alignment);
    tensor.band_end = tensor.offset + tensor.bytes + k_band;
    tensor.address = m_address + tensor.offset;
    m_size = tensor.band_end;
  }

  void place_at_guard(Placement& tensor)
  {
    const std::size_t used = round_up(tensor.bytes, k_alignment);
    const std::size_t length = round_up(std::max<std::size_t>(used, 1), k_page);
    tensor.band_begin = m_size;
    tensor.offset = m_size + length - used;
    tensor.band_end = m_size + length;
    tensor.address = m_address + length - used;
    m_layout.mappings.push_back({m_address, length, m_size, m_writable});
    m_size += length;
    m_address += length + k_guard;
  }

  ArenaLayout& m_layout;
  Random& m_random;
  bool m_writable;
  bool m_flush;
  std::uint64_t m_address;
  std::size_t m_size = 0;
};

Result<Placement> placement_of(const Argument& argument, const Sizes& sizes, std::size_t set)
{
  HONE_TRY(const std::int64_t elements, elements_of(argument, sizes));
  Placement tensor;
  tensor.name = argument.name;
  tensor.set = set;
  tensor.poisoned = argument.role == Role::output;
  tensor.element_bytes = size_of(argument.type);
  tensor.bytes = static_cast<std::size_t>(elements) * tensor.element_bytes;
  return tensor;
}

Placement scratch_placement(const char* name, std::int64_t bytes, std::size_t set)
{
  Placement scratch;
  scratch.name = name;
  scratch.set = set;
  scratch.poisoned = true;
  scratch.bytes = static_cast<std::size_t>(bytes);
  return scratch;
}

std::string set_text(const Placement& tensor)
{
  return tensor.every_set ? "" : fmt::format(", set {}", tensor.set);
}

} // namespace

Result<ArenaLayout> lay_out(const ArenaSpec& spec)
{
  const std::vector<Argument>& arguments = spec.kernel->arguments;
  ArenaLayout layout;
  Random random(spec.layout_seed);
  Region inputs(layout, random, false, spec.flush_to_guard);
  Region outputs(layout, random, true, spec.flush_to_guard);
  for (std::size_t set = 0; set < spec.sets; ++set) {
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const bool writable = is_written(arguments[a].role);
      if (!writable && set > 0 && spec.shared_inputs) {
        layout.arguments.push_back(layout.arguments[a]);
        continue;
      }
      HONE_TRY(Placement tensor, placement_of(arguments[a], spec.sizes, set));
      tensor.every_set = !writable && spec.shared_inputs;
      layout.arguments.push_back((writable ? outputs : inputs).add(std::move(tensor)));
    }
    layout.scratch.push_back(outputs.add(scratch_placement("scratch", spec.scratch_bytes, set)));
  }
  for (std::size_t worker = 0; worker < spec.workers; ++worker) {
    Placement shared = scratch_placement("shared scratch", spec.shared_bytes, 0);
    shared.every_set = true;
    layout.shared.push_back(outputs.add(std::move(shared)));
  }
  layout.input_bytes = inputs.finish();
  layout.output_bytes = outputs.finish();
  return layout;
}

std::string describe_past_end(const Placement& tensor, std::size_t distance)
{
  const std::size_t far_edge = (distance / tensor.element_bytes + 1) * tensor.element_bytes;
  return fmt::format("{} bytes past the end of {}{}", far_edge, tensor.name, set_text(tensor));
}

std::string describe_before_start(const Placement& tensor, std::size_t distance)
{
  return fmt::format("{} bytes before the start of {}{}", round_up(distance, tensor.element_bytes), tensor.name,
                     set_text(tensor));
}

Touch describe_address(const ArenaLayout& layout, std::uint64_t address)
{
  Touch touch;
  std::uint64_t nearest = k_near;
  for (const Placement& tensor : layout.placements) {
    const std::uint64_t end = tensor.address + tensor.bytes;
    if (address >= tensor.address && address < end) {
      const std::uint64_t element = (address - tensor.address) / tensor.element_bytes;
      return {true, !tensor.writable, fmt::format("element {} of {}{}", element, tensor.name, set_text(tensor))};
    }
    const bool past = address >= end;
    const std::uint64_t distance = past ? address - end : tensor.address - address;
    if (distance < nearest) {
      nearest = distance;
      touch = {true, false, past ? describe_past_end(tensor, distance) : describe_before_start(tensor, distance)};
    }
  }
  return touch;
}

} // namespace hone
