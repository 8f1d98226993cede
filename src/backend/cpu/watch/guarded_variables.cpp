#include "backend/cpu/watch/guarded_variables.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <sstream>
#include <sys/mman.h>

namespace hone::backend::cpu {
namespace {

constexpr std::uintptr_t k_shadow = 0x100000000000; // as in the flags below
constexpr std::uintptr_t k_granule = 8;             // bytes of a stack for each shadow byte
constexpr std::size_t k_page = 4096;
constexpr std::uintptr_t k_redzone = 32;

// Values of a shadow byte; 0: all eight bytes belong to a variable; n < 8: the first n do.
constexpr std::uint8_t k_frame_begin = 0xf1; // the frame header, which describes the variables
constexpr std::uint8_t k_after_scope = 0xf8;
constexpr std::uint8_t k_before_alloca = 0xca; // redzones of an alloca
constexpr std::uint8_t k_after_alloca = 0xcb;

struct FrameHead {
  std::uint64_t magic;
  const char* variables; // "2 32 4 1 i:7 64 160 6 sums:8": how many; begin, bytes, length of the name, name:line
};
constexpr std::uint64_t k_magic = 0x41b58ab3;

std::uint8_t* shadow_of(std::uintptr_t address)
{
  return reinterpret_cast<std::uint8_t*>(k_shadow + address / k_granule);
}

struct Variable {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::string name;
};

// The variables of the frame around an address; the frame header is found by its shadow bytes.
std::vector<Variable> variables_around(std::uintptr_t address, std::uintptr_t begin_of_stack)
{
  std::uintptr_t at = address / k_granule * k_granule;
  while (at > begin_of_stack && *shadow_of(at) != k_frame_begin) {
    at -= k_granule;
  }
  while (at > begin_of_stack && *shadow_of(at - k_granule) == k_frame_begin) {
    at -= k_granule;
  }
  std::vector<Variable> variables;
  FrameHead head{};
  if (*shadow_of(at) == k_frame_begin) {
    std::memcpy(&head, reinterpret_cast<const void*>(at), sizeof head);
  }
  if (head.magic != k_magic) {
    return variables;
  }
  std::istringstream words(head.variables);
  std::size_t count = 0;
  words >> count;
  Variable variable;
  std::size_t length = 0;
  for (std::size_t i = 0; i < count && words >> variable.begin >> variable.bytes >> length >> variable.name; ++i) {
    variable.begin += at;
    variable.name = variable.name.substr(0, variable.name.find(':'));
    variables.push_back(variable);
  }
  return variables;
}

std::string sides(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t variable, std::size_t bytes)
{
  return begin < variable ? std::to_string(variable - begin) + " bytes before the start of "
                          : std::to_string(end - variable - bytes) + " bytes past the end of ";
}

std::uintptr_t distance(const Variable& variable, std::uintptr_t address)
{
  const std::uintptr_t end = variable.begin + variable.bytes;
  return address < variable.begin ? variable.begin - address : address < end ? 0 : address - end + 1;
}

} // namespace

const std::vector<std::string>& GuardedVariables::compiler_flags()
{
  static const std::vector<std::string> flags{"-fsanitize=kernel-address",
                                              "-fasan-shadow-offset=0x100000000000",
                                              "-fsanitize-address-use-after-scope",
                                              "--param=asan-stack=1",
                                              "--param=asan-globals=1",
                                              "--param=asan-instrument-allocas=1",
                                              "--param=asan-instrumentation-with-call-threshold=0",
                                              "-U__SANITIZE_ADDRESS__"};
  return flags;
}

bool GuardedVariables::add_stack(const void* begin, const void* end)
{
  const Stack stack{reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(end)};
  const std::uintptr_t first = (k_shadow + stack.begin / k_granule) / k_page * k_page;
  const std::uintptr_t last = k_shadow + stack.end / k_granule;
  void* const place = reinterpret_cast<void*>(first);
  if (mmap(place, last + k_page - first, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0)
      != place) {
    return false;
  }
  m_stacks.push_back(stack);
  return true;
}

void GuardedVariables::add_constant(const void* begin, std::size_t bytes, std::size_t bytes_with_redzone,
                                    std::string_view name)
{
  m_constants.push_back({reinterpret_cast<std::uintptr_t>(begin), bytes, bytes_with_redzone, std::string(name)});
}

std::string GuardedVariables::violation(const void* address, std::size_t bytes) const
{
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  return is_in_stack(begin, begin + bytes) ? stack_violation(begin, begin + bytes)
                                           : constant_violation(begin, begin + bytes);
}

void GuardedVariables::add_block(std::uintptr_t begin, std::size_t bytes)
{
  const std::uintptr_t end = begin + bytes;
  const std::uintptr_t behind = (end + k_redzone - 1) / k_redzone * k_redzone + k_redzone;
  set_shadow(begin - k_redzone, begin, k_before_alloca);
  set_shadow(end / k_granule * k_granule, behind, k_after_alloca);
  begin_lifetime(begin, bytes);
}

void GuardedVariables::end_lifetime(std::uintptr_t begin, std::size_t bytes)
{
  set_shadow(begin, begin + bytes, k_after_scope);
}

void GuardedVariables::begin_lifetime(std::uintptr_t begin, std::size_t bytes)
{
  const std::uintptr_t end = begin + bytes;
  set_shadow(begin, end / k_granule * k_granule, 0);
  if (end % k_granule != 0) {
    set_shadow(end / k_granule * k_granule, end, static_cast<std::uint8_t>(end % k_granule));
  }
}

void GuardedVariables::clear(std::uintptr_t begin, std::uintptr_t end)
{
  set_shadow(begin / k_granule * k_granule, end, 0);
}

void GuardedVariables::set_shadow(std::uintptr_t begin, std::uintptr_t end, std::uint8_t value)
{
  if (begin < end && is_in_stack(begin, end)) {
    std::memset(shadow_of(begin), value, (end - begin + k_granule - 1) / k_granule);
  }
}

bool GuardedVariables::is_in_stack(std::uintptr_t begin, std::uintptr_t end) const
{
  return std::ranges::any_of(m_stacks, [&](const Stack& stack) { return begin >= stack.begin && end <= stack.end; });
}

std::string GuardedVariables::stack_violation(std::uintptr_t begin, std::uintptr_t end) const
{
  const auto bad = [&](std::uintptr_t at) { // the first byte of its granule, or of the access
    const std::uint8_t value = *shadow_of(at);
    const std::uintptr_t last = std::min(end, at / k_granule * k_granule + k_granule) - 1;
    return value != 0 && (value >= k_granule || last % k_granule >= value);
  };
  std::uintptr_t at = begin;
  while (at < end && !bad(at)) {
    at = at / k_granule * k_granule + k_granule;
  }
  if (at >= end) {
    return {};
  }
  std::uint8_t value = *shadow_of(at);
  value = value < k_granule ? *shadow_of(at + k_granule) : value; // the shadow byte after the variable's last bytes
  if (value == k_before_alloca || value == k_after_alloca) {
    return "beside a block that it took from its stack";
  }
  const auto stack = std::ranges::find_if(m_stacks, [&](const Stack& one) { return at >= one.begin && at < one.end; });
  const std::vector<Variable> variables = variables_around(at, stack->begin);
  const auto nearest =
    std::ranges::min_element(variables, {}, [&](const Variable& one) { return distance(one, begin); });
  if (nearest == variables.end()) {
    return "beside its local variables";
  }
  if (value == k_after_scope) {
    return "of " + nearest->name + ", a local variable whose block is over";
  }
  return sides(begin, end, nearest->begin, nearest->bytes) + nearest->name + ", a local variable of "
         + std::to_string(nearest->bytes) + " bytes";
}

std::string GuardedVariables::constant_violation(std::uintptr_t begin, std::uintptr_t end) const
{
  for (const Constant& constant : m_constants) {
    if (begin >= constant.begin && begin < constant.begin + constant.bytes_with_redzone
        && end > constant.begin + constant.bytes) {
      return sides(begin, end, constant.begin, constant.bytes) + constant.name + ", a constant of "
             + std::to_string(constant.bytes) + " bytes";
    }
  }
  return {};
}

GuardedVariables& guarded_variables()
{
  static GuardedVariables variables;
  return variables;
}

} // namespace hone::backend::cpu
