#include "gate/arena_layout.h"

#include "backend/cpu/runner_extension.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace hone::gate {
namespace {

constexpr std::size_t k_alignment = 64;
constexpr std::size_t k_band = k_page;      // canaries on each side, at least
constexpr std::size_t k_few = 16;           // tensors, of which each may begin a large page
constexpr std::uint64_t k_near = 1 << 20;   // this far from a tensor still counts as meant for it
constexpr std::uint64_t k_guard = 64 << 10; // inaccessible bytes between tensors that end at a guard page
constexpr int k_stack_tries = 8;
constexpr std::uint64_t k_border = std::uint64_t{1} << 32; // where the upper half of an address changes
constexpr std::uint64_t k_borders_apart = 40;              // of neighbours, at most

// Addresses that neither the kernel's own choices nor a sanitizer's shadow memory use, of 46 bits and of 47. Which area
// gets which is drawn: outputs lie above inputs, below or between them.
struct Place {
  std::uint64_t start, pages; // to draw the start from
};
constexpr std::uint64_t k_place_pages = std::uint64_t{1} << 30; // 4 TiB
constexpr std::array<Place, 8> k_places{{{0x2000'0000'0000, k_place_pages},
                                         {0x2800'0000'0000, k_place_pages},
                                         {0x3000'0000'0000, k_place_pages},
                                         {0x3800'0000'0000, k_place_pages},
                                         {0x5580'0000'0000, std::uint64_t{1} << 26}, // heaps of most programs
                                         {0x6000'0000'0000, k_place_pages},
                                         {0x6800'0000'0000, k_place_pages},
                                         {0x7000'0000'0000, k_place_pages}}};

// Where tensors begin.
struct Style {
  enum class Kind { anywhere, large_pages, side_by_side, across_borders, at_guards } kind = Kind::anywhere;
  std::size_t alignment = k_alignment;     // of large pages
  std::optional<std::size_t> in_page = {}; // anywhere: all tensors at the same place within their pages
};

// Allocators place small tensors anywhere and large ones at the beginning of large pages, arenas one right behind the
// other, systems far apart and across multiples of 4 GiB: five times in six, where there are few of them. The seed
// says which, so that whoever counts gets all.
Style style_of(const ArenaSpec& spec)
{
  if (spec.flush_to_guard) {
    return {Style::Kind::at_guards};
  }
  if (spec.sets * spec.kernel->arguments.size() > k_few) {
    return {};
  }
  switch (spec.layout_seed % k_layout_styles) {
  case 0:
    return {Style::Kind::large_pages, 64 << 10};
  case 1:
    return {Style::Kind::large_pages, 2 << 20};
  case 2:
    return {Style::Kind::side_by_side};
  case 3: // as an allocator that maps each by itself, behind a head of its own
    return {.in_page = k_alignment * (1 + spec.layout_seed / k_layout_styles % (k_page / k_alignment - 1))};
  case 4:
    return {spec.across_borders ? Style::Kind::across_borders : Style::Kind::anywhere};
  default:
    return {};
  }
}

std::uint64_t draw_address(Random& random, const Place& place)
{
  return place.start + random.below(place.pages) * k_page;
}

// One of the files, growing tensor by tensor.
class Region {
public:
  // `other`: a second place in which some of its tensors may lie, if there is one.
  Region(ArenaLayout& layout, Random& random, Area area, const Place& place, const Place* other, Style style)
    : m_layout(layout), m_random(random), m_area(area), m_style(style), m_address(draw_address(random, place)),
      m_other(other == nullptr ? 0 : draw_address(random, *other))
  {
  }

  std::size_t add(Placement tensor)
  {
    tensor.area = m_area;
    if (tensor.bytes == 0) { // no scratch wanted: nothing to guard
      tensor.band_begin = tensor.offset = tensor.band_end = m_size;
    } else {
      place(tensor);
    }
    m_last = tensor.bytes == 0 ? m_last : m_layout.placements.size();
    m_layout.placements.push_back(std::move(tensor));
    return m_layout.placements.size() - 1;
  }

  // An area that holds nothing has no file.
  void finish()
  {
    if ((m_style.kind == Style::Kind::anywhere || m_style.kind == Style::Kind::side_by_side) && m_size > 0) {
      m_size = round_up(m_size + k_band, k_page);
      m_layout.mappings.push_back({m_address, m_size, 0, m_area});
    }
    m_layout.bytes[static_cast<std::size_t>(m_area)] = m_size;
  }

private:
  void place(Placement& tensor)
  {
    const bool has_own_mapping = m_style.kind != Style::Kind::anywhere && m_style.kind != Style::Kind::side_by_side;
    if (has_own_mapping && m_other != 0 && m_random.below(2) == 0) {
      std::swap(m_address, m_other);
    }
    switch (m_style.kind) {
    case Style::Kind::at_guards:
      return place_at_guard(tensor);
    case Style::Kind::large_pages:
      return place_by_itself(tensor, round_up(m_address + k_band, m_style.alignment), k_guard);
    case Style::Kind::across_borders:
      return place_across_a_border(tensor);
    case Style::Kind::side_by_side:
      return m_area != Area::outputs && m_size > 0 ? place_behind_the_last(tensor) : place_between_bands(tensor);
    case Style::Kind::anywhere:
      return place_between_bands(tensor);
    }
  }

  void place_between_bands(Placement& tensor)
  {
    tensor.band_begin = m_size;
    tensor.offset = m_style.in_page
                      ? round_up(m_size + k_band, k_page) + *m_style.in_page
                      : round_up(m_size + k_band, k_alignment) + k_alignment * m_random.below(k_page / k_alignment);
    tensor.band_end = tensor.offset + tensor.bytes + k_band;
    tensor.address = m_address + tensor.offset;
    m_size = tensor.band_end;
  }

  // What lies in between cannot be written to; reading there is seen in other layouts. The last one keeps its band.
  void place_behind_the_last(Placement& tensor)
  {
    Placement& before = m_layout.placements[m_last];
    tensor.offset = round_up(before.offset + before.bytes, k_alignment);
    before.band_end = tensor.offset;
    tensor.band_begin = tensor.offset;
    tensor.band_end = tensor.offset + tensor.bytes + k_band;
    tensor.address = m_address + tensor.offset;
    m_size = tensor.band_end;
  }

  // Whoever keeps half of an address, or of a distance, is elsewhere then.
  void place_across_a_border(Placement& tensor)
  {
    const std::uint64_t border = round_up(m_address + tensor.bytes + k_band, k_border);
    const std::uint64_t before = k_alignment * m_random.below(tensor.bytes / k_alignment + 1);
    place_by_itself(tensor, border - before, k_border * (1 + m_random.below(k_borders_apart)));
  }

  // With its bands in a mapping of its own: between two of them there is nothing.
  void place_by_itself(Placement& tensor, std::uint64_t address, std::uint64_t distance_to_next)
  {
    const std::uint64_t begin = (address - k_band) / k_page * k_page;
    const std::size_t length = round_up(address - begin + tensor.bytes + k_band, k_page);
    tensor.band_begin = m_size;
    tensor.offset = m_size + (address - begin);
    tensor.band_end = m_size + length;
    tensor.address = address;
    m_layout.mappings.push_back({begin, length, m_size, m_area});
    m_size += length;
    m_address = begin + length + distance_to_next;
  }

  void place_at_guard(Placement& tensor)
  {
    const std::size_t used = round_up(tensor.bytes, k_alignment);
    const std::size_t length = round_up(used, k_page);
    tensor.band_begin = m_size;
    tensor.offset = m_size + length - used;
    tensor.band_end = m_size + length;
    tensor.address = m_address + length - used;
    m_layout.mappings.push_back({m_address, length, m_size, m_area});
    m_size += length;
    m_address += length + k_guard;
  }

  ArenaLayout& m_layout;
  Random& m_random;
  Area m_area;
  Style m_style;
  std::uint64_t m_address;
  std::uint64_t m_other;
  std::size_t m_size = 0;
  std::size_t m_last = 0; // of its tensors, in the layout
};

Result<Placement> placement_of(const kernel::Argument& argument, const kernel::Sizes& sizes, std::size_t set)
{
  HONE_TRY(const std::int64_t elements, kernel::elements_of(argument, sizes));
  Placement tensor;
  tensor.name = argument.name;
  tensor.set = set;
  tensor.poisoned = argument.role == kernel::Role::output;
  tensor.element_bytes = kernel::size_of(argument.type);
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

Area area_of(kernel::Role role)
{
  return kernel::is_written(role) ? Area::outputs : role == kernel::Role::weight ? Area::weights : Area::inputs;
}

// What all sets share where they share their inputs.
bool is_shared(Area area)
{
  return area != Area::outputs;
}

class ArenaBuilder {
public:
  explicit ArenaBuilder(const ArenaSpec& spec) : m_spec(spec), m_random(spec.layout_seed)
  {
    const Style style = style_of(spec);
    auto places = k_places;
    std::shuffle(places.begin(), places.end(), m_random);
    for (std::size_t area = 0; area < k_areas; ++area) {
      // Outputs may lie between two inputs, too.
      const Place* other = static_cast<Area>(area) == Area::inputs ? &places[k_areas] : nullptr;
      m_regions.emplace_back(m_layout, m_random, static_cast<Area>(area), places[area], other, style);
    }
  }

  Result<ArenaLayout> build()
  {
    for (std::size_t set = 0; set < m_spec.sets; ++set) {
      HONE_CHECK(add_set(set));
    }
    for (std::size_t worker = 0; worker < m_spec.workers; ++worker) {
      Placement shared = scratch_placement("shared scratch", m_spec.shared_bytes, 0);
      shared.every_set = true;
      m_layout.shared.push_back(region(Area::outputs).add(std::move(shared)));
    }
    for (Region& region : m_regions) {
      region.finish();
    }
    add_stack();
    return std::move(m_layout);
  }

private:
  // Tensors may lie on the stack of whoever calls.
  void add_stack()
  {
    const std::vector<ArenaMapping>& all = m_layout.mappings;
    for (int i = 0; i < k_stack_tries && !all.empty(); ++i) {
      const std::uint64_t end = all[m_random.below(all.size())].address;
      const std::uint64_t begin = end - backend::runner::cpu::k_worker_stack_bytes - 2 * k_near;
      const bool free = std::ranges::all_of(all, [&](const ArenaMapping& mapping) {
        return mapping.address + mapping.length <= begin || mapping.address >= end;
      });
      if (free) {
        m_layout.other_stack_end = end;
        return;
      }
    }
  }

  Region& region(Area area) { return m_regions[static_cast<std::size_t>(area)]; }

  // In any order: none is promised.
  Result<void> add_set(std::size_t set)
  {
    const std::vector<kernel::Argument>& arguments = m_spec.kernel->arguments;
    const std::size_t first = m_layout.arguments.size();
    m_layout.arguments.resize(first + arguments.size());
    std::vector<std::size_t> order(arguments.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), m_random);
    for (const std::size_t a : order) {
      const Area area = area_of(arguments[a].role);
      if (set > 0 && m_spec.shared_inputs && is_shared(area)) {
        m_layout.arguments[first + a] = m_layout.arguments[a];
        continue;
      }
      HONE_TRY(Placement tensor, placement_of(arguments[a], m_spec.sizes, set));
      m_layout.arguments[first + a] = add(area, std::move(tensor));
    }
    m_layout.scratch.push_back(add(Area::outputs, scratch_placement("scratch", m_spec.scratch_bytes, set)));
    if (set > 0 && m_spec.shared_inputs) {
      m_layout.prepared.push_back(m_layout.prepared.front());
    } else {
      m_layout.prepared.push_back(
        add(Area::prepared, scratch_placement("prepared scratch", m_spec.prepared_bytes, set)));
    }
    return {};
  }

  std::size_t add(Area area, Placement tensor)
  {
    tensor.every_set = m_spec.shared_inputs && is_shared(area);
    return region(area).add(std::move(tensor));
  }

  const ArenaSpec& m_spec;
  Random m_random;
  ArenaLayout m_layout;
  std::vector<Region> m_regions;
};

} // namespace

Access access_to(Area area, bool prepares)
{
  switch (area) {
  case Area::inputs:
    return prepares ? Access::none : Access::read;
  case Area::weights:
    return Access::read;
  case Area::outputs:
    return prepares ? Access::none : Access::write;
  case Area::prepared:
    return prepares ? Access::write : Access::read;
  }
  return Access::none;
}

Result<ArenaLayout> lay_out(const ArenaSpec& spec)
{
  return ArenaBuilder(spec).build();
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
    if (tensor.bytes == 0) {
      continue;
    }
    const std::uint64_t end = tensor.address + tensor.bytes;
    if (address >= tensor.address && address < end) {
      const std::uint64_t element = (address - tensor.address) / tensor.element_bytes;
      return {true, tensor.area != Area::outputs,
              fmt::format("element {} of {}{}", element, tensor.name, set_text(tensor))};
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

} // namespace hone::gate
