// Long because one class resolves all kinds of operands; each is a method of a few lines.
#include "emulate/execute/decoder.h"

#include "emulate/execute/flow.h"
#include "emulate/execute/numbers.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace hone::emulate::execute {

namespace {

constexpr std::array k_instructions = {
  Instruction{"add", decode_arithmetic},
  Instruction{"sub", decode_arithmetic},
  Instruction{"mul", decode_arithmetic},
  Instruction{"mad", decode_arithmetic},
  Instruction{"madc", decode_arithmetic},
  Instruction{"dp4a", decode_arithmetic},
  Instruction{"dp2a", decode_arithmetic},
  Instruction{"mul24", decode_arithmetic},
  Instruction{"mad24", decode_arithmetic},
  Instruction{"fma", decode_arithmetic},
  Instruction{"div", decode_arithmetic},
  Instruction{"rem", decode_arithmetic},
  Instruction{"min", decode_arithmetic},
  Instruction{"max", decode_arithmetic},
  Instruction{"abs", decode_arithmetic},
  Instruction{"neg", decode_arithmetic},
  Instruction{"copysign", decode_arithmetic},
  Instruction{"sad", decode_arithmetic},
  Instruction{"addc", decode_arithmetic},
  Instruction{"subc", decode_arithmetic},
  Instruction{"rcp", decode_float_function},
  Instruction{"sqrt", decode_float_function},
  Instruction{"rsqrt", decode_float_function},
  Instruction{"ex2", decode_float_function},
  Instruction{"lg2", decode_float_function},
  Instruction{"sin", decode_float_function},
  Instruction{"cos", decode_float_function},
  Instruction{"tanh", decode_float_function},
  Instruction{"and", decode_bits},
  Instruction{"or", decode_bits},
  Instruction{"xor", decode_bits},
  Instruction{"not", decode_bits},
  Instruction{"cnot", decode_bits},
  Instruction{"shl", decode_bits},
  Instruction{"shr", decode_bits},
  Instruction{"popc", decode_bits},
  Instruction{"clz", decode_bits},
  Instruction{"bfind", decode_bits},
  Instruction{"brev", decode_bits},
  Instruction{"bfe", decode_bits},
  Instruction{"bfi", decode_bits},
  Instruction{"prmt", decode_bits},
  Instruction{"lop3", decode_bits},
  Instruction{"shf", decode_bits},
  Instruction{"fns", decode_bits},
  Instruction{"bmsk", decode_bits},
  Instruction{"szext", decode_bits},
  Instruction{"setp", decode_compare},
  Instruction{"set", decode_compare},
  Instruction{"testp", decode_compare},
  Instruction{"selp", decode_select},
  Instruction{"slct", decode_select},
  Instruction{"mov", decode_move},
  Instruction{"cvt", decode_convert},
  Instruction{"cvta", decode_convert_address},
  Instruction{"isspacep", decode_question_of_space},
  Instruction{"ld", decode_load},
  Instruction{"ldu", decode_load},
  Instruction{"st", decode_store},
  Instruction{"atom", decode_atomic},
  Instruction{"red", decode_atomic},
  Instruction{"bra", decode_branch},
  Instruction{"brx", decode_branch},
  Instruction{"call", decode_call},
  Instruction{"ret", decode_return},
  Instruction{"exit", decode_leave},
  Instruction{"trap", decode_trap},
  Instruction{"brkpt", decode_trap},
  Instruction{"nanosleep", decode_sleep},
  Instruction{"prefetch", decode_nothing},
  Instruction{"prefetchu", decode_nothing},
  Instruction{"pmevent", decode_nothing},
  Instruction{"applypriority", decode_nothing},
  Instruction{"membar", decode_fence},
  Instruction{"fence", decode_fence},
  Instruction{"griddepcontrol", decode_nothing},
  Instruction{"setmaxnreg", decode_register_count},
  Instruction{"mapa", decode_map_address},
  Instruction{"getctarank", decode_rank_of_address},
  Instruction{"bar", decode_barrier},
  Instruction{"barrier", decode_barrier},
  Instruction{"shfl", decode_shuffle},
  Instruction{"vote", decode_vote},
  Instruction{"match", decode_match},
  Instruction{"activemask", decode_active_mask},
  Instruction{"redux", decode_reduce},
  Instruction{"mma", decode_matrix_product},
  Instruction{"hone", decode_wave64},
  Instruction{"ldmatrix", decode_matrix_load},
  Instruction{"stmatrix", decode_matrix_store},
  Instruction{"cp", decode_async_copy},
  Instruction{"mbarrier", decode_mbarrier},
  Instruction{"tensormap", decode_tensor_map},
  Instruction{"elect", decode_elect},
  Instruction{"wgmma", decode_warpgroup},
  Instruction{"wmma", decode_wmma},
};

void stop_unsupported(Warp& warp, const Op& op)
{
  const Code& code = *warp.group->launch->code;
  report(warp, op, FindingKind::unsupported, fmt::format("{} is not supported", code.texts[op.place]));
}

// kind 1: 64 bits, count 1: the upper ones. Instructions of the launch stand for time.
void read_counter(Warp& warp, const Op& op)
{
  Launch& launch = *warp.group->launch;
  const std::uint64_t now = ++launch.ticks;
  if (op.kind != 0) {
    std::uint64_t* const d = warp.at<std::uint64_t>(op.d);
    each_lane(warp, [=](int lane) { d[lane] = now; });
    return;
  }
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const auto part = static_cast<std::uint32_t>(op.count != 0 ? now >> 32 : now);
  each_lane(warp, [=](int lane) { d[lane] = part; });
}

bool is_special(const std::string& name)
{
  static constexpr std::array<std::string_view, 19> k_names = {"%tid",
                                                               "%ntid",
                                                               "%ctaid",
                                                               "%nctaid",
                                                               "%laneid",
                                                               "%warpid",
                                                               "%nwarpid",
                                                               "%lanemask",
                                                               "%clock",
                                                               "%globaltimer",
                                                               "%smid",
                                                               "%nsmid",
                                                               "%gridid",
                                                               "%clusterid",
                                                               "%nclusterid",
                                                               "%cluster_",
                                                               "%is_explicit_cluster",
                                                               "%dynamic_smem_size",
                                                               "%total_smem_size"};
  return std::ranges::any_of(k_names, [&](std::string_view one) { return name.starts_with(one); });
}

} // namespace

DecodeOne decoder_of(std::string_view name)
{
  const auto found = std::ranges::find(k_instructions, name, &Instruction::name);
  return found == k_instructions.end() ? nullptr : found->decode;
}

Decoder::Decoder(const ptx::Module& module, const ptx::Function& function,
                 const std::map<std::string, std::uint64_t>& globals)
  : m_module(module), m_function(function), m_globals(globals)
{
  m_code.register_bytes = 64;   // no operand lies at 0
  m_code.places.emplace_back(); // 0: no place
  m_code.texts.emplace_back();
}

std::uint32_t Decoder::room(std::size_t bytes, std::size_t alignment)
{
  const std::size_t begin = (m_code.register_bytes + alignment - 1) / alignment * alignment;
  m_code.register_bytes = begin + bytes;
  return static_cast<std::uint32_t>(begin);
}

void Decoder::declare(const ptx::Variable& variable)
{
  const auto place = [&](std::size_t& total) {
    const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, 1);
    total = (total + alignment - 1) / alignment * alignment;
    m_symbols[variable.name] = {variable.space, total, variable.bytes};
    total += variable.bytes;
  };
  if (variable.space == ptx::Space::shared) {
    place(m_code.shared_bytes); // one that is external comes last and has the launch's size
  } else if (variable.space == ptx::Space::local) {
    place(m_code.local_bytes);
  } else if (variable.space == ptx::Space::param) { // of calls: one place for all of this name
    const auto known = m_symbols.find(variable.name);
    if (known == m_symbols.end() || known->second.bytes < variable.bytes) {
      place(m_code.local_bytes);
      m_symbols[variable.name].space = ptx::Space::local;
    }
  } else if (variable.space == ptx::Space::constant) {
    std::size_t total = m_code.constants.size();
    place(total);
    m_code.constants.resize(total);
    std::memcpy(m_code.constants.data() + m_symbols[variable.name].offset, variable.content.data(),
                std::min<std::size_t>(variable.content.size(), variable.bytes));
  } else if (variable.space == ptx::Space::reg) {
    const int bytes = variable.type == "pred" ? 0 : std::max(2, ptx::bytes_of_type(variable.type));
    const auto add = [&](const std::string& name) {
      const std::size_t size = bytes == 0 ? sizeof(Mask) : static_cast<std::size_t>(bytes) * k_lanes;
      m_registers[name] = {room(size, std::min<std::size_t>(size, 64)), bytes};
    };
    if (variable.count == 0) {
      add(variable.name);
    }
    for (int i = 0; i < variable.count; ++i) {
      add(variable.name + std::to_string(i));
    }
  }
}

Result<Code> Decoder::decode()
{
  for (const ptx::Variable& variable : m_module.variables) {
    if (variable.space == ptx::Space::global) {
      m_symbols[variable.name] = {ptx::Space::global, m_globals.at(variable.name), variable.bytes};
    } else if (!variable.external) {
      declare(variable);
    }
  }
  m_code.files = m_module.files;
  declare_functions();
  std::size_t offset = 0;
  for (const ptx::Variable& parameter : m_function.parameters) {
    offset = (offset + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    m_symbols[parameter.name] = {ptx::Space::param, offset, parameter.bytes};
    offset += parameter.bytes;
  }
  for (const ptx::Variable& variable : m_function.variables) {
    declare(variable);
  }
  for (const ptx::Variable& variable : m_module.variables) {
    if (variable.external) {
      m_code.shared_bytes = (m_code.shared_bytes + 15) / 16 * 16;
      declare(variable);
      for (Scope& scope : m_functions) {
        scope.symbols[variable.name] = m_symbols[variable.name];
      }
    }
  }
  decode_functions(); // before what calls them: lanes that are in them go first
  m_code.entry = static_cast<std::uint32_t>(m_code.ops.size());
  decode_body(m_function);
  if (!m_missing_label.empty()) {
    return fail(m_missing_label);
  }
  watch_products(m_code, m_uses);
  m_code.image.assign(m_code.register_bytes, std::byte{});
  for (const auto& [at, bytes] : m_image) {
    std::ranges::copy(bytes, m_code.image.begin() + at);
  }
  return std::move(m_code);
}

void Decoder::decode_body(const ptx::Function& function)
{
  m_labels.clear();
  m_jumps.clear();
  const auto begin = static_cast<std::uint32_t>(m_code.ops.size());
  for (const ptx::Statement& statement : function.body) {
    note_order(statement);
    decode_statement(statement);
  }
  // Whoever runs off the end returns.
  ptx::Statement end;
  end.opcode = {"ret"};
  decode_statement(end);
  std::vector<std::uint32_t> branches;
  for (const auto& [op, name] : m_jumps) {
    const auto found = m_labels.find(name);
    if (found == m_labels.end()) {
      m_missing_label = fmt::format("{}: there is no label {}", function.name, name);
      return;
    }
    m_code.ops[op].target = found->second;
    branches.push_back(static_cast<std::uint32_t>(op));
  }
  number_by_flow(m_code, begin, branches);
}

// Barriers and fences that launches of this code must reckon with.
void Decoder::note_order(const ptx::Statement& statement)
{
  if (statement.opcode.empty()) {
    return;
  }
  static constexpr std::array<std::string_view, 6> k_names = {"ld", "st", "atom", "red", "fence", "membar"};
  static constexpr std::array<std::string_view, 4> k_orders = {"acquire", "release", "acq_rel", "sc"};
  const auto& opcode = statement.opcode;
  const auto has_one_of = [&](const auto& words) {
    return std::ranges::any_of(opcode,
                               [&](const std::string& part) { return std::ranges::find(words, part) != words.end(); });
  };
  m_code.has_mbarriers = m_code.has_mbarriers || opcode.front() == "mbarrier";
  m_code.orders_groups = m_code.orders_groups || opcode.front() == "membar"
                         || (std::ranges::find(k_names, opcode.front()) != k_names.end() && has_one_of(k_orders)
                             && std::ranges::find(opcode, "mbarrier_init") == opcode.end()
                             && std::ranges::find(opcode, "proxy") == opcode.end());
}

void Decoder::decode_statement(const ptx::Statement& statement)
{
  if (!statement.label.empty()) {
    if (statement.opcode.empty()) {
      m_labels[statement.label] = static_cast<std::uint32_t>(m_code.ops.size());
    }
    return;
  }
  m_statement = &statement;
  const std::size_t first = m_code.ops.size(), first_use = m_uses.size();
  const DecodeOne decode_one = decoder_of(name());
  if (decode_one == nullptr) {
    unsupported("");
  } else {
    decode_one(*this);
  }
  if (m_code.ops.size() == first) {
    unsupported("");
  }
  for (std::size_t i = first; i < m_code.ops.size() && !statement.guard.empty(); ++i) {
    const auto guard = m_registers.find(statement.guard);
    m_code.ops[i].guard = guard == m_registers.end() ? 0 : guard->second.offset;
    m_code.ops[i].guard_kind = statement.guard_negated ? 2 : 1;
  }
  m_uses.resize(name() == "wgmma" ? first_use : m_uses.size());
  for (std::size_t i = first_use; i < m_uses.size(); ++i) {
    m_uses[i].op = m_code.ops.size() - 1;
  }
}

std::string_view Decoder::part(std::size_t index) const
{
  return index < m_statement->opcode.size() ? std::string_view(m_statement->opcode[index]) : std::string_view();
}

bool Decoder::has(std::string_view modifier) const
{
  return std::ranges::find(m_statement->opcode.begin() + 1, m_statement->opcode.end(), modifier)
         != m_statement->opcode.end();
}

std::uint8_t Decoder::rounding() const
{
  return has("rz") ? k_towards_zero : has("rm") ? k_downwards : has("rp") ? k_upwards : k_to_nearest;
}

const ptx::Operand& Decoder::operand(std::size_t index) const
{
  static const ptx::Operand k_none;
  return index < m_statement->operands.size() ? m_statement->operands[index] : k_none;
}

std::uint32_t Decoder::constant(int bytes, std::uint64_t bits)
{
  const auto [found, added] = m_constants.try_emplace({bytes, bits}, 0);
  if (added) {
    const auto size = static_cast<std::size_t>(bytes);
    found->second = room(size * k_lanes, std::min<std::size_t>(size * k_lanes, 64));
    std::vector<std::byte> lanes(size * k_lanes);
    for (int lane = 0; lane < k_lanes; ++lane) {
      std::memcpy(lanes.data() + static_cast<std::size_t>(lane) * size, &bits, size);
    }
    m_image.emplace_back(found->second, std::move(lanes));
  }
  return found->second;
}

std::uint32_t Decoder::scratch(int bytes)
{
  return room(static_cast<std::size_t>(std::max(bytes, 1)) * k_lanes, 64);
}

std::uint32_t Decoder::source(const ptx::Operand& operand, int bytes)
{
  switch (operand.kind) {
  case ptx::Operand::Kind::integer:
    return constant(bytes, operand.bits);
  case ptx::Operand::Kind::single:
    return constant(bytes, bytes == 8 ? std::bit_cast<std::uint64_t>(
                             static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))))
                                      : operand.bits);
  case ptx::Operand::Kind::real:
    return constant(bytes, bytes == 4
                             ? std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)))
                             : operand.bits);
  default:
    break;
  }
  if (const auto found = m_registers.find(operand.text); found != m_registers.end()) {
    if (found->second.bytes < bytes) {
      unsupported(fmt::format("{} is narrower than the instruction", operand.text));
    }
    m_uses.push_back({0, found->second.offset, false});
    return found->second.offset;
  }
  if (operand.text == "WARP_SZ") {
    return constant(bytes, k_lanes);
  }
  if (is_special(operand.text)) {
    const std::uint32_t at = special(operand.text);
    if (operand.text.starts_with("%clock") || operand.text.starts_with("%globaltimer")) { // as it is then
      Op& op = emit(read_counter);
      op.d = at;
      op.kind = operand.text.ends_with("64") || operand.text == "%globaltimer" ? 1 : 0;
      op.count = operand.text.ends_with("_hi") ? 1 : 0;
    }
    return at;
  }
  if (const Symbol* known = symbol(operand.text)) {
    const std::uint64_t window = known->space == ptx::Space::constant ? k_constant_window : 0;
    return constant(bytes, window + known->offset + static_cast<std::uint64_t>(operand.offset));
  }
  unsupported(fmt::format("{} is not known", operand.text));
  return constant(bytes, 0);
}

std::uint32_t Decoder::special(const std::string& name)
{
  const auto [found, added] = m_code.special.try_emplace(name, 0);
  if (added) {
    found->second = room(8 * k_lanes, 64);
  }
  return found->second;
}

std::uint32_t Decoder::destination(const ptx::Operand& operand, int bytes)
{
  const auto found = m_registers.find(operand.text);
  if (operand.kind == ptx::Operand::Kind::sink || found == m_registers.end()) {
    return scratch(bytes);
  }
  if (found->second.bytes < bytes) {
    unsupported(fmt::format("{} is narrower than what it takes", operand.text));
    return scratch(bytes);
  }
  m_uses.push_back({0, found->second.offset, true});
  return found->second.offset;
}

int Decoder::register_bytes(const ptx::Operand& operand) const
{
  const auto found = m_registers.find(operand.text);
  return found == m_registers.end() ? 0 : found->second.bytes;
}

std::uint32_t Decoder::predicate(const ptx::Operand& operand, bool& negated)
{
  negated = operand.negated;
  const auto found = m_registers.find(operand.text);
  if (operand.kind == ptx::Operand::Kind::integer) {
    const std::uint32_t slot = room(sizeof(Mask), sizeof(Mask));
    const Mask all = operand.bits != 0 ? k_all_lanes : 0;
    std::vector<std::byte> bytes(sizeof all);
    std::memcpy(bytes.data(), &all, sizeof all);
    m_image.emplace_back(slot, std::move(bytes));
    return slot;
  }
  if (operand.text == "%is_explicit_cluster") {
    return special(operand.text);
  }
  if (found == m_registers.end() || found->second.bytes != 0) {
    unsupported(fmt::format("{} is no predicate", operand.text));
    return room(sizeof(Mask), sizeof(Mask));
  }
  return found->second.offset;
}

std::uint32_t Decoder::predicate_destination(const std::string& name)
{
  const auto found = m_registers.find(name);
  return found == m_registers.end() || found->second.bytes != 0 ? room(sizeof(Mask), sizeof(Mask))
                                                                : found->second.offset;
}

std::uint32_t Decoder::label(const std::string& name)
{
  m_jumps.emplace_back(m_code.ops.size() - 1, name);
  return 0;
}

const Decoder::Symbol* Decoder::symbol(const std::string& name) const
{
  const auto found = m_symbols.find(name);
  return found == m_symbols.end() ? nullptr : &found->second;
}

Op& Decoder::emit(Handler handler)
{
  const ptx::Place& place = m_statement->place;
  const std::string key =
    fmt::format("{} {} {} {}", place.file, place.line, place.ptx_line, join(m_statement->opcode, "."));
  const auto [found, added] = m_places.try_emplace(key, static_cast<std::uint32_t>(m_code.places.size()));
  if (added) {
    m_code.places.push_back(place);
    m_code.texts.push_back(join(m_statement->opcode, "."));
  }
  Op op;
  op.run = handler;
  op.place = found->second;
  m_code.ops.push_back(op);
  return m_code.ops.back();
}

void Decoder::emit(Op op)
{
  Op& out = emit(op.run);
  op.place = out.place;
  out = op;
}

std::int64_t Decoder::keep(std::shared_ptr<const void> extra)
{
  m_code.extras.push_back(std::move(extra));
  return static_cast<std::int64_t>(m_code.extras.size()) - 1;
}

void Decoder::unsupported(const std::string&)
{
  emit(stop_unsupported);
}

} // namespace hone::emulate::execute
