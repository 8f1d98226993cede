#include "gate/session_job.h"

#include "backend/fill_pattern.h"
#include "util/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace hone::gate {
namespace {

// Where code may lie: by itself, as in a program that lies below 4 GiB, as in one that lies anywhere.
struct CodeArea {
  std::uint64_t start, pages;
};
constexpr std::array<CodeArea, 3> k_code_areas{{{0x4000'0000'0000, std::uint64_t{1} << 30},
                                                {0x1000'0000, std::uint64_t{1} << 18},
                                                {0x5540'0000'0000, std::uint64_t{1} << 25}}};
constexpr std::uint64_t k_stack_steps = 1024;
constexpr std::size_t k_spare_job = 1 << 20; // for the next job of a runner that takes several

// Tables grow here, then are copied behind the head in one go.
class JobWriter {
public:
  template <class T> std::uint64_t append(const std::vector<T>& rows)
  {
    return append_bytes(rows.data(), rows.size() * sizeof(T));
  }
  std::uint64_t append(std::string_view text) { return append_bytes(text.data(), text.size()); }
  std::uint64_t append_zeros(std::size_t size)
  {
    const std::uint64_t offset = align();
    m_bytes.resize(m_bytes.size() + size);
    return offset;
  }
  const std::vector<std::byte>& bytes() const { return m_bytes; }

private:
  std::uint64_t align()
  {
    m_bytes.resize(round_up(m_bytes.size(), 64));
    return sizeof(backend::runner::Job) + m_bytes.size();
  }
  std::uint64_t append_bytes(const void* data, std::size_t size)
  {
    const std::uint64_t offset = align();
    const auto* bytes = static_cast<const std::byte*>(data);
    m_bytes.insert(m_bytes.end(), bytes, bytes + size);
    return offset;
  }

  std::vector<std::byte> m_bytes;
};

static_assert(sizeof(backend::runner::Job) % 8 == 0);

class JobBuilder {
public:
  JobBuilder(const SessionSpec& spec, const Arena::Impl& arena, const CodeSlot* slot)
    : m_spec(spec), m_arena(arena), m_slot(slot), m_shares(shares_memory(spec)), m_random(spec.layout_seed)
  {
    const CodeArea& area = k_code_areas[m_random.below(k_code_areas.size())];
    m_code_address = area.start + m_random.below(area.pages) * k_page;
  }

  // `job`: in place of this one. False: it does not fit there.
  Result<bool> build(SessionJob& job, bool in_place)
  {
    HONE_CHECK(check_room());
    if (in_place) {
      m_fds = job.mapping_fds;
      m_serials = job.mapping_serials;
    }
    const std::size_t known_fds = m_fds.size();
    add_mappings();
    add_buffers();
    add_launches();
    add_values();
    add_workers();
    add_texts();
    add_extension();
    m_head.set_list_offset = m_writer.append_zeros(backend::runner::k_most_block_calls * sizeof(std::uint32_t));
    if (!m_shares) {
      m_head.own_memory = 1;
      m_head.guard_bytes = k_page;
      m_head.memory_request_offset =
        m_writer.append_zeros(backend::runner::k_most_memory_requests * sizeof(backend::runner::MemoryRequest));
    }
    set_up_process();
    m_head.job_bytes = sizeof m_head + m_writer.bytes().size();
    if (!in_place) {
      const std::size_t room = m_spec.backend->capabilities().rebinds ? 2 * m_head.job_bytes + k_spare_job : 0;
      HONE_TRY(job.memory, SharedMemory::create("hone-job", std::max<std::size_t>(m_head.job_bytes, room)));
      HONE_CHECK(job.memory.seal_for_others());
    } else if (m_head.job_bytes > job.memory.size() || m_fds.size() > known_fds) {
      return false;
    } else { // what belongs to the process stays
      m_head.command_sequence = job.head().command_sequence;
      m_head.drop_uid = job.head().drop_uid;
      m_head.stack_offset = job.head().stack_offset;
    }
    finish(job);
    return true;
  }

private:
  Result<void> check_room() const
  {
    if (scratch_bytes_of(*m_spec.plan) > static_cast<std::int64_t>(m_arena.scratch(0).bytes)
        || prepared_bytes_of(*m_spec.plan) > static_cast<std::int64_t>(m_arena.prepared(0).bytes)
        || m_spec.cpus.size() > m_arena.layout.shared.size()
        || shared_bytes_of(*m_spec.plan) > static_cast<std::int64_t>(m_arena.shared(0).bytes)) {
      return fail("the arena has less scratch than the plan needs", "this is a mistake in Hone: please report it");
    }
    for (const kernel::ResolvedLaunch& launch : m_spec.plan->launches) {
      if (launch.args.size() > backend::runner::k_most_arguments) {
        return fail(fmt::format("kernel {} takes {} arguments; runners pass at most {}", launch.kernel,
                                launch.args.size(), backend::runner::k_most_arguments),
                    "merge buffers or drop sizes that follow from others");
      }
    }
    return {};
  }

  Access access_of(Area area) const { return access_to(area, m_spec.plan->prepares); }

  // Of a descriptor among those that are handed over. Numbers of descriptors come again, serials do not.
  std::uint32_t number_of(const SharedMemory& memory, bool closed)
  {
    const std::uint64_t serial = 2 * memory.serial() + (closed ? 1 : 0);
    const auto found = std::ranges::find(m_serials, serial);
    const auto number = static_cast<std::uint32_t>(found - m_serials.begin());
    if (found == m_serials.end()) {
      m_serials.push_back(serial);
      m_fds.push_back(closed ? memory.read_only_fd() : memory.fd());
    }
    return number;
  }

  void add_mappings()
  {
    std::vector<backend::runner::Mapping> rows;
    for (const ArenaMapping& mapping : m_arena.layout.mappings) {
      const Access access = access_of(mapping.area);
      if (access == Access::none) {
        continue;
      }
      const SharedMemory& file = m_arena.file_of(mapping.area);
      const bool closed = access == Access::read && file.read_only_fd() >= 0;
      rows.push_back({mapping.address, mapping.length, mapping.offset, number_of(file, closed),
                      static_cast<std::uint32_t>(access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ)});
    }
    if (m_slot != nullptr) {
      rows.push_back({m_code_address, m_slot->size(), 0, number_of(m_slot->memory(), false), PROT_READ | PROT_EXEC});
    }
    std::ranges::sort(rows, {}, &backend::runner::Mapping::address);
    m_head.mapping_count = static_cast<std::uint32_t>(rows.size());
    m_head.mapping_offset = static_cast<std::uint32_t>(m_writer.append(rows));
  }

  // What this runner has no access to is not even named.
  backend::runner::Buffer buffer_row(const Placement& place, std::size_t offset, std::size_t bytes,
                                     std::size_t element) const
  {
    const Access access = access_of(place.area);
    if (access == Access::none) {
      return {0, 0, 0, static_cast<std::uint32_t>(element)};
    }
    return {place.address + offset, bytes, access == Access::write ? 1U : 0U, static_cast<std::uint32_t>(element)};
  }

  // Kernel arguments, then the scratch buffers, packed into the set's scratch and its prepared scratch.
  void add_buffers()
  {
    std::vector<backend::runner::Buffer> rows;
    const std::vector<std::size_t> offsets = scratch_offsets(*m_spec.plan);
    for (std::size_t set = 0; set < m_arena.sets; ++set) {
      for (std::size_t a = 0; a < m_arena.argument_count; ++a) {
        const Placement& tensor = m_arena.argument(set, a);
        rows.push_back(buffer_row(tensor, 0, tensor.bytes, tensor.element_bytes));
        add_place(m_arena.layout.arguments[set * m_arena.argument_count + a], rows.back(), 0, tensor.name, false);
      }
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        const kernel::ResolvedScratch& scratch = m_spec.plan->scratch[i];
        const Placement& place = scratch.prepared ? m_arena.prepared(set) : m_arena.scratch(set);
        rows.push_back(buffer_row(place, offsets[i], scratch.bytes(), kernel::size_of(scratch.type)));
        add_place((scratch.prepared ? m_arena.layout.prepared : m_arena.layout.scratch)[set], rows.back(), offsets[i],
                  scratch.name, !m_spec.plan->prepares);
      }
    }
    m_head.set_count = static_cast<std::uint32_t>(m_arena.sets);
    m_head.buffer_count = static_cast<std::uint32_t>(m_arena.argument_count + m_spec.plan->scratch.size());
    m_buffers = rows;
    m_head.buffer_offset = m_writer.append(rows);
  }

  void add_place(std::size_t placement, const backend::runner::Buffer& row, std::size_t offset, const std::string& name,
                 bool scratch)
  {
    if (m_shares) {
      return; // nobody asks
    }
    if (row.bytes == 0) {
      m_places.emplace_back();
      return;
    }
    m_places.push_back({placement, offset, row.bytes, row.element_bytes, row.writable != 0, scratch, name});
  }

  std::uint32_t buffer_of(const kernel::ResolvedArgument& argument) const
  {
    const std::size_t base = argument.kind == kernel::ResolvedArgument::Kind::scratch ? m_arena.argument_count : 0;
    return static_cast<std::uint32_t>(base + argument.position);
  }

  kernel::DataType type_of(const kernel::ResolvedArgument& argument) const
  {
    return argument.kind == kernel::ResolvedArgument::Kind::scratch ? m_spec.plan->scratch[argument.position].type
                                                                    : m_arena.types[argument.position];
  }

  void add_launches()
  {
    std::vector<backend::runner::Launch> launches;
    std::vector<backend::runner::Fill> fills;
    for (std::size_t i = 0; i < m_spec.plan->launches.size(); ++i) {
      const kernel::ResolvedLaunch& launch = m_spec.plan->launches[i];
      backend::runner::Launch row = {};
      std::ranges::copy(launch.grid, row.grid);
      std::ranges::copy(launch.block, row.block);
      std::ranges::transform(launch.cluster, row.cluster,
                             [](std::int64_t one) { return static_cast<std::uint32_t>(one); });
      row.shared_bytes = launch.shared_bytes;
      row.name_offset = static_cast<std::uint32_t>(m_writer.append(std::string_view(launch.kernel + '\0')));
      row.first_argument = static_cast<std::uint32_t>(m_arguments.size());
      row.argument_count = static_cast<std::uint32_t>(launch.args.size());
      m_arguments.insert(m_arguments.end(), launch.args.begin(), launch.args.end());
      row.first_fill = static_cast<std::uint32_t>(fills.size());
      row.fill_count = static_cast<std::uint32_t>(launch.fills.size());
      for (const kernel::ResolvedFill& fill : launch.fills) {
        fills.push_back(fill_row(fill));
      }
      launches.push_back(row);
    }
    m_head.launch_count = static_cast<std::uint32_t>(launches.size());
    m_head.launch_offset = static_cast<std::uint32_t>(m_writer.append(launches));
    m_head.fill_count = static_cast<std::uint32_t>(fills.size());
    m_head.fill_offset = static_cast<std::uint32_t>(m_writer.append(fills));
    std::vector<backend::runner::TensorMap> maps;
    for (const kernel::ResolvedMap& map : m_spec.plan->maps) {
      maps.push_back(map_row(map));
    }
    m_head.map_count = static_cast<std::uint32_t>(maps.size());
    m_head.map_offset = static_cast<std::uint32_t>(m_writer.append(maps));
  }

  backend::runner::TensorMap map_row(const kernel::ResolvedMap& map) const
  {
    backend::runner::TensorMap row = {};
    const kernel::DataType type = type_of(map.tensor);
    row.buffer = buffer_of(map.tensor);
    row.type = backend::tensor_map_type(type);
    row.rank = static_cast<std::uint32_t>(map.sizes.size());
    row.swizzle = static_cast<std::uint32_t>(map.swizzle);
    row.element_bytes = static_cast<std::uint32_t>(kernel::size_of(type));
    for (std::size_t i = 0; i < map.sizes.size(); ++i) {
      row.sizes[i] = static_cast<std::uint64_t>(map.sizes[i]);
      row.box[i] = static_cast<std::uint32_t>(map.box[i]);
    }
    return row;
  }

  backend::runner::Fill fill_row(const kernel::ResolvedFill& fill) const
  {
    const std::uint32_t buffer = buffer_of(fill.buffer);
    const backend::runner::Buffer& target = m_buffers[buffer];
    return {target.bytes / target.element_bytes, backend::fill_pattern(fill.value, type_of(fill.buffer)), buffer,
            target.element_bytes};
  }

  void add_values()
  {
    std::vector<backend::runner::ArgumentSpec> specs;
    for (const kernel::ResolvedArgument& argument : m_arguments) {
      using Kind = backend::runner::ArgumentKind;
      specs.push_back(argument.kind == kernel::ResolvedArgument::Kind::integer
                        ? backend::runner::ArgumentSpec{Kind::integer, 0}
                      : argument.kind == kernel::ResolvedArgument::Kind::map
                        ? backend::runner::ArgumentSpec{Kind::tensor_map, static_cast<std::uint32_t>(argument.position)}
                        : backend::runner::ArgumentSpec{Kind::buffer, buffer_of(argument)});
    }
    m_head.argument_count = static_cast<std::uint32_t>(specs.size());
    m_head.argument_offset = static_cast<std::uint32_t>(m_writer.append(specs));
    std::vector<std::uint64_t> values;
    for (std::size_t set = 0; set < m_arena.sets; ++set) {
      for (std::size_t i = 0; i < specs.size(); ++i) {
        values.push_back(specs[i].kind == backend::runner::ArgumentKind::integer
                           ? static_cast<std::uint64_t>(m_arguments[i].integer)
                         : specs[i].kind == backend::runner::ArgumentKind::tensor_map
                           ? 0
                           : m_buffers[set * m_head.buffer_count + specs[i].buffer].address);
      }
    }
    values.resize(values.size() + backend::runner::k_most_arguments); // runners may read a full row past the last one
    m_head.value_offset = m_writer.append(values);
  }

  void add_workers()
  {
    std::vector<backend::runner::Worker> rows;
    for (const int cpu : m_spec.cpus) {
      rows.push_back({cpu, 0});
    }
    m_head.worker_count = static_cast<std::uint32_t>(rows.size());
    m_head.worker_offset = static_cast<std::uint32_t>(m_writer.append(rows));
  }

  // Code that a CPU calls: see backend/cpu/runner_extension.h.
  void add_extension()
  {
    if (m_slot == nullptr) {
      return;
    }
    std::vector<std::uint64_t> entries, shared;
    for (const std::uint64_t entry : m_spec.module->entries) {
      entries.push_back(m_code_address + m_spec.code_offset + entry);
    }
    for (std::size_t worker = 0; worker < m_spec.cpus.size(); ++worker) {
      shared.push_back(m_arena.shared(worker).address);
    }
    backend::runner::cpu::Extension area = {};
    area.other_stack_end = m_arena.layout.other_stack_end;
    area.entry_offset = m_writer.append(entries);
    area.shared_offset = m_writer.append(shared);
    m_head.extension_bytes = sizeof area;
    m_head.extension_offset = m_writer.append(std::vector{area});
  }

  void add_texts()
  {
    const auto text = [this](std::string_view bytes, std::uint64_t& offset, std::uint64_t& size) {
      offset = m_writer.append(bytes);
      size = bytes.size();
    };
    const std::string_view image = m_slot == nullptr ? std::string_view(m_spec.module->image) : std::string_view();
    text(image, m_head.image_offset, m_head.image_bytes);
    text(m_spec.module->build_options, m_head.options_offset, m_head.options_bytes);
    text(m_spec.library, m_head.library_offset, m_head.library_bytes);
    text(m_spec.library_setting, m_head.setting_offset, m_head.setting_bytes);
  }

  void set_up_process()
  {
    m_head.magic = backend::runner::k_abi_magic;
    m_head.version = backend::runner::k_abi_version;
    m_head.command_sequence = 1;
    m_head.parent_pid = getpid();
    m_head.stack_offset = static_cast<std::uint32_t>(backend::runner::k_stack_step * m_random.below(k_stack_steps));
  }

  void finish(SessionJob& job)
  {
    std::memcpy(job.memory.data(), &m_head, sizeof m_head);
    std::memcpy(job.memory.data() + sizeof m_head, m_writer.bytes().data(), m_writer.bytes().size());
    job.mapping_fds = m_fds;
    job.mapping_serials = m_serials;
    job.places = std::move(m_places);
  }

  const SessionSpec& m_spec;
  const Arena::Impl& m_arena;
  const CodeSlot* m_slot;
  bool m_shares; // memory
  Random m_random;
  std::uint64_t m_code_address = 0;
  backend::runner::Job m_head = {};
  JobWriter m_writer;
  std::vector<int> m_fds;               // handed over, in this order
  std::vector<std::uint64_t> m_serials; // whose they are
  std::vector<BufferPlace> m_places;
  std::vector<backend::runner::Buffer> m_buffers;
  std::vector<kernel::ResolvedArgument> m_arguments;
};

} // namespace

std::span<std::uint32_t> SessionJob::set_list() const
{
  auto* list = reinterpret_cast<std::uint32_t*>(memory.data() + head().set_list_offset);
  return {list, backend::runner::k_most_block_calls};
}

bool shares_memory(const SessionSpec& spec)
{
  return !spec.library.empty() || spec.backend->capabilities().shared_memory;
}

std::span<backend::runner::MemoryRequest> SessionJob::memory_requests() const
{
  if (head().memory_request_offset == 0) {
    return {};
  }
  auto* list = reinterpret_cast<backend::runner::MemoryRequest*>(memory.data() + head().memory_request_offset);
  return {list, backend::runner::k_most_memory_requests};
}

backend::runner::cpu::Extension* SessionJob::cpu() const
{
  return head().extension_bytes == 0
           ? nullptr
           : reinterpret_cast<backend::runner::cpu::Extension*>(memory.data() + head().extension_offset);
}

Result<SessionJob> write_job(const SessionSpec& spec, const Arena::Impl& arena, const CodeSlot* slot)
{
  SessionJob job;
  HONE_CHECK(JobBuilder(spec, arena, slot).build(job, false));
  return job;
}

Result<bool> rewrite_job(SessionJob& job, const SessionSpec& spec, const Arena::Impl& arena)
{
  return JobBuilder(spec, arena, nullptr).build(job, true);
}

} // namespace hone::gate
