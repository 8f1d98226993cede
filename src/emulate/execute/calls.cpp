// Calls of functions: arguments go to the callee's places and results come back, lane by lane. A function has one set
// of registers; one that may call itself saves what they hold.
#include "emulate/execute/lanes.h"
#include "emulate/execute/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace hone::emulate::execute {

struct LaneFrame {
  std::uint32_t back = 0; // where the lane goes on
  std::int64_t call = 0;  // number of its CallHow
  std::vector<std::byte> saved;
};

struct CallStacks {
  std::array<std::vector<LaneFrame>, k_lanes> of_lane;
};

namespace {

constexpr std::size_t k_most_calls = 1024; // of one item, in each other

// From the caller's place to the callee's, or back.
struct Transfer {
  Decoder::Slot from, to;
};

// One instruction, decoded.
struct CallHow {
  std::size_t function = 0;
  std::vector<Transfer> arguments, results;
};

const CallHow& call_how(const Warp& warp, std::int64_t number)
{
  return *static_cast<const CallHow*>(warp.group->launch->code->extras[static_cast<std::size_t>(number)].get());
}

std::byte* slot_at(const Warp& warp, const Decoder::Slot& slot, int lane)
{
  const auto number = static_cast<std::size_t>(lane);
  return slot.in_register ? warp.registers + slot.at + number * slot.bytes
                          : warp.local + number * warp.group->launch->code->local_bytes + slot.at;
}

std::vector<std::byte> taken_from(const Warp& warp, const std::vector<Transfer>& transfers, int lane)
{
  std::vector<std::byte> out;
  for (const Transfer& one : transfers) {
    const std::byte* const from = slot_at(warp, one.from, lane);
    out.insert(out.end(), from, from + std::min(one.from.bytes, one.to.bytes));
  }
  return out;
}

void give_to(const Warp& warp, const std::vector<Transfer>& transfers, const std::vector<std::byte>& bytes, int lane)
{
  std::size_t at = 0;
  for (const Transfer& one : transfers) {
    const std::size_t count = std::min(one.from.bytes, one.to.bytes);
    std::memcpy(slot_at(warp, one.to, lane), bytes.data() + at, count);
    at += count;
  }
}

// What a lane's registers and local memory of a function hold, one after the other: `move(place, bytes)`.
template <class Move, class MoveBit>
void each_place(const Warp& warp, const FunctionFrame& frame, int lane, const Move& move, const MoveBit& move_bit)
{
  const auto number = static_cast<std::size_t>(lane);
  for (const auto& [at, bytes] : frame.registers) {
    if (bytes == 0) {
      move_bit(*warp.at<Mask>(at));
    } else {
      move(warp.registers + at + number * static_cast<std::size_t>(bytes), static_cast<std::size_t>(bytes));
    }
  }
  move(warp.local + number * warp.group->launch->code->local_bytes + frame.local_begin,
       frame.local_end - frame.local_begin);
}

void save(const Warp& warp, const FunctionFrame& frame, int lane, std::vector<std::byte>& out)
{
  each_place(
    warp, frame, lane, [&](std::byte* at, std::size_t bytes) { out.insert(out.end(), at, at + bytes); },
    [&](Mask mask) { out.push_back(static_cast<std::byte>((mask >> lane) & 1)); });
}

void give_back(const Warp& warp, const FunctionFrame& frame, int lane, const std::vector<std::byte>& saved)
{
  std::size_t next = 0;
  each_place(
    warp, frame, lane,
    [&](std::byte* at, std::size_t bytes) {
      std::memcpy(at, saved.data() + next, bytes);
      next += bytes;
    },
    [&](Mask& mask) { mask = (mask & ~(Mask{1} << lane)) | static_cast<Mask>(saved[next++]) << lane; });
}

void call(Warp& warp, const Op& op)
{
  const CallHow& how = call_how(warp, op.imm);
  const FunctionFrame& frame = warp.group->launch->code->functions[how.function];
  if (warp.calls == nullptr) {
    warp.calls = std::make_shared<CallStacks>();
  }
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::vector<LaneFrame>& stack = warp.calls->of_lane[static_cast<std::size_t>(lane)];
    if (stack.size() >= k_most_calls) {
      report(warp, op, FindingKind::out_of_bounds,
             fmt::format("the stack overflows: {} calls in each other", stack.size()));
      return;
    }
    LaneFrame& one = stack.emplace_back();
    one.back = warp.jump;
    one.call = op.imm;
    const std::vector<std::byte> arguments = taken_from(warp, how.arguments, lane);
    if (frame.recursive) {
      save(warp, frame, lane, one.saved);
    }
    give_to(warp, how.arguments, arguments, lane);
  }
  const Mask stay = warp.now.mask & ~warp.exec;
  if (stay != 0) {
    split(warp, stay, warp.jump);
    warp.now.mask = warp.exec;
  }
  warp.jump = frame.entry;
}

void return_from_call(Warp& warp, const Op&)
{
  std::map<std::uint32_t, Mask> back; // by where lanes go on
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::vector<LaneFrame>& stack = warp.calls->of_lane[static_cast<std::size_t>(lane)];
    const LaneFrame frame = std::move(stack.back());
    stack.pop_back();
    const CallHow& how = call_how(warp, frame.call);
    const std::vector<std::byte> results = taken_from(warp, how.results, lane);
    const FunctionFrame& function = warp.group->launch->code->functions[how.function];
    if (function.recursive) {
      give_back(warp, function, lane, frame.saved);
    }
    give_to(warp, how.results, results, lane);
    back[frame.back] |= Mask{1} << lane;
  }
  const Mask stay = warp.now.mask & ~warp.exec;
  if (stay != 0) {
    split(warp, stay, warp.jump);
  }
  warp.now.mask = back.begin()->second;
  warp.jump = back.begin()->first;
  for (auto other = std::next(back.begin()); other != back.end(); ++other) {
    split(warp, other->second, other->first);
  }
}

// Names of functions that a function calls.
std::set<std::string> calls_in(const ptx::Function& function)
{
  std::set<std::string> out;
  for (const ptx::Statement& statement : function.body) {
    if (!statement.opcode.empty() && statement.opcode.front() == "call") {
      for (const ptx::Operand& operand : statement.operands) {
        if (operand.kind == ptx::Operand::Kind::name) {
          out.insert(operand.text);
        }
      }
    }
  }
  return out;
}

const ptx::Function* function_named(const ptx::Module& module, const std::string& name)
{
  const auto found =
    std::ranges::find_if(module.functions, [&](const ptx::Function& one) { return !one.entry && one.name == name; });
  return found == module.functions.end() ? nullptr : &*found;
}

bool calls_itself(const ptx::Module& module, const ptx::Function& function)
{
  std::set<std::string> seen, open = calls_in(function);
  while (!open.empty()) {
    const std::string name = *open.begin();
    open.erase(open.begin());
    if (name == function.name) {
      return true;
    }
    const ptx::Function* const next = function_named(module, name);
    if (next != nullptr && seen.insert(name).second) {
      open.merge(calls_in(*next));
    }
  }
  return false;
}

} // namespace

std::vector<const ptx::Function*> Decoder::called_functions() const
{
  std::vector<const ptx::Function*> out;
  std::set<std::string> seen, open = calls_in(m_function);
  while (!open.empty()) {
    const std::string name = *open.begin();
    open.erase(open.begin());
    const ptx::Function* const one = function_named(m_module, name);
    if (one != nullptr && seen.insert(name).second) {
      out.push_back(one);
      open.merge(calls_in(*one));
    }
  }
  return out;
}

void Decoder::declare_parameters(const std::vector<ptx::Variable>& variables, std::vector<Slot>& slots)
{
  for (const ptx::Variable& variable : variables) {
    declare(variable);
    if (variable.space == ptx::Space::reg) {
      const Register& at = m_registers.at(variable.name);
      slots.push_back({true, at.offset, static_cast<std::uint32_t>(at.bytes)});
    } else {
      slots.push_back({false, m_symbols.at(variable.name).offset, static_cast<std::uint32_t>(variable.bytes)});
    }
  }
}

void Decoder::declare_functions()
{
  const std::map<std::string, Symbol> of_module = m_symbols;
  for (const ptx::Function* const function : called_functions()) {
    Scope scope;
    scope.function = function;
    scope.callee.number = m_code.functions.size();
    FunctionFrame frame;
    m_code.local_bytes = (m_code.local_bytes + 15) / 16 * 16;
    frame.local_begin = m_code.local_bytes;
    declare_parameters(function->parameters, scope.callee.arguments);
    declare_parameters(function->results, scope.callee.results);
    for (const ptx::Variable& variable : function->variables) {
      declare(variable);
    }
    frame.local_end = m_code.local_bytes;
    frame.recursive = calls_itself(m_module, *function);
    for (const auto& [name, one] : m_registers) {
      frame.registers.emplace_back(one.offset, one.bytes);
    }
    m_code.functions.push_back(std::move(frame));
    scope.registers = std::exchange(m_registers, {});
    scope.symbols = std::exchange(m_symbols, of_module);
    m_functions.push_back(std::move(scope));
  }
}

void Decoder::decode_functions()
{
  const std::map<std::string, Register> registers = m_registers;
  const std::map<std::string, Symbol> symbols = m_symbols;
  for (const Scope& scope : m_functions) {
    m_scope = &scope;
    m_registers = scope.registers;
    m_symbols = scope.symbols;
    m_code.functions[scope.callee.number].entry = static_cast<std::uint32_t>(m_code.ops.size());
    decode_body(*scope.function);
  }
  m_scope = nullptr;
  m_registers = registers;
  m_symbols = symbols;
}

const Decoder::Callee* Decoder::callee(const std::string& name) const
{
  const auto found =
    std::ranges::find_if(m_functions, [&](const Scope& scope) { return scope.function->name == name; });
  return found == m_functions.end() ? nullptr : &found->callee;
}

namespace {

// The caller's side of a list of arguments or results; false: not known.
bool take_slots(Decoder& decoder, const std::vector<ptx::Operand>& operands, const std::vector<Decoder::Slot>& others,
                bool written, std::vector<Transfer>& out)
{
  if (operands.size() != others.size()) {
    return false;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Decoder::Symbol* const known = decoder.symbol(operands[i].text);
    Decoder::Slot own;
    if (known != nullptr && known->space == ptx::Space::local) {
      own = {false, known->offset, static_cast<std::uint32_t>(known->bytes)};
    } else {
      const int width = decoder.register_bytes(operands[i]);
      const int bytes = width > 0 ? width : static_cast<int>(others[i].bytes);
      if (bytes != 2 && bytes != 4 && bytes != 8) {
        return false;
      }
      own = {true, written ? decoder.destination(operands[i], bytes) : decoder.source(operands[i], bytes),
             static_cast<std::uint32_t>(bytes)};
    }
    out.push_back(written ? Transfer{others[i], own} : Transfer{own, others[i]});
  }
  return true;
}

} // namespace

// call.uni (results), function, (arguments);
void decode_call(Decoder& decoder)
{
  static const std::vector<ptx::Operand> k_no_operands;
  std::size_t next = 0;
  const bool gives = decoder.operand(0).kind == ptx::Operand::Kind::list;
  next += gives ? 1 : 0;
  const Decoder::Callee* const callee = decoder.callee(decoder.operand(next).text);
  auto how = std::make_shared<CallHow>();
  const std::vector<ptx::Operand>& results = gives ? decoder.operand(0).items : k_no_operands;
  const bool takes = decoder.operands() > next + 1;
  const std::vector<ptx::Operand>& arguments = takes ? decoder.operand(next + 1).items : k_no_operands;
  if (callee == nullptr || decoder.operands() > next + 2
      || !take_slots(decoder, arguments, callee->arguments, false, how->arguments)
      || !take_slots(decoder, results, callee->results, true, how->results)) {
    decoder.unsupported("");
    return;
  }
  how->function = callee->number;
  const std::int64_t number = decoder.keep(how);
  decoder.emit(call).imm = number;
}

void decode_call_return(Decoder& decoder)
{
  decoder.emit(return_from_call);
}

} // namespace hone::emulate::execute
