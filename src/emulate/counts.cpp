#include "emulate/counts.h"

#include "emulate/execute/counting.h"
#include "util/text.h"

#include <algorithm>
#include <map>
#include <utility>

namespace hone::emulate {

namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, k_instruction_classes> k_class_names = {
  "integer",       "f32",    "f64",     "half",     "conversion", "control", "shared memory",
  "global memory", "atomic", "barrier", "exchange", "matrix",     "copy",    "other"};

// Whose class is that of the type they end with.
constexpr std::array<std::string_view, 46> k_calculations = {
  "add", "sub",  "mul",  "mad",  "madc", "dp4a", "dp2a",     "mul24", "mad24", "fma",   "div",  "rem",
  "min", "max",  "abs",  "neg",  "sad",  "addc", "copysign", "subc",  "rcp",   "rsqrt", "sqrt", "ex2",
  "lg2", "sin",  "cos",  "tanh", "and",  "or",   "xor",      "not",   "cnot",  "shl",   "shr",  "popc",
  "clz", "setp", "brev", "bfe",  "bfi",  "prmt", "lop3",     "shf",   "set",   "testp"};
constexpr std::array<std::string_view, 6> k_further_calculations = {"selp", "slct", "bfind", "fns", "bmsk", "szext"};
constexpr std::array<std::string_view, 8> k_controls = {"bra",  "brx",  "call",  "ret",
                                                        "exit", "trap", "brkpt", "nanosleep"};
constexpr std::array<std::string_view, 6> k_barriers = {"bar",    "barrier",  "fence",
                                                        "membar", "mbarrier", "griddepcontrol"};
constexpr std::array<std::string_view, 6> k_exchanges = {"shfl", "vote", "match", "redux", "activemask", "elect"};

template <class List> bool is_one_of(const List& list, std::string_view word)
{
  return std::ranges::find(list, word) != list.end();
}

bool has(const Words& opcode, std::string_view word)
{
  return is_one_of(opcode, word);
}

bool is_half(std::string_view type)
{
  return type.starts_with("f16") || type.starts_with("bf16");
}

InstructionClass class_of_type(std::string_view type)
{
  return type.starts_with("f64")   ? InstructionClass::real
         : type.starts_with("f32") ? InstructionClass::single
         : is_half(type)           ? InstructionClass::half
                                   : InstructionClass::integer;
}

InstructionClass class_of_space(const Words& opcode)
{
  const auto names = [&](std::string_view space) {
    return std::ranges::any_of(opcode, [&](const std::string& word) { return word.starts_with(space); });
  };
  return names("shared")                                      ? InstructionClass::shared_memory
         : names("param") || names("const") || names("local") ? InstructionClass::other
                                                              : InstructionClass::global_memory;
}

InstructionClass class_of_words(const Words& opcode)
{
  const std::string& name = opcode.front();
  const std::string_view second = opcode.size() > 1 ? std::string_view(opcode[1]) : "";
  if (name == "atom" || name == "red" || name == "st") {
    return has(opcode, "async") ? InstructionClass::copy
           : name == "st"       ? class_of_space(opcode)
                                : InstructionClass::atomic;
  }
  if (name == "ld" || name == "ldu" || (name == "wmma" && second != "mma")) {
    return class_of_space(opcode);
  }
  if (name == "ldmatrix" || name == "stmatrix") {
    return InstructionClass::shared_memory;
  }
  if (name == "cp") {
    return has(opcode, "commit_group") || has(opcode, "wait_group") || has(opcode, "wait_all")
               || has(opcode, "mbarrier")
             ? InstructionClass::barrier
           : has(opcode, "prefetch") ? InstructionClass::other
                                     : InstructionClass::copy;
  }
  if (name == "mma" || name == "wmma" || name == "wgmma") {
    return name == "wgmma" && second != "mma_async" ? InstructionClass::barrier : InstructionClass::matrix;
  }
  if (name == "hone") { // of waves of 64
    return has(opcode, "mfma") ? InstructionClass::matrix : InstructionClass::exchange;
  }
  return is_one_of(k_barriers, name)                                                  ? InstructionClass::barrier
         : is_one_of(k_controls, name)                                                ? InstructionClass::control
         : is_one_of(k_exchanges, name)                                               ? InstructionClass::exchange
         : name == "cvt"                                                              ? InstructionClass::conversion
         : is_one_of(k_calculations, name) || is_one_of(k_further_calculations, name) ? class_of_type(opcode.back())
                                                                                      : InstructionClass::other;
}

} // namespace

std::string_view name_of(InstructionClass kind)
{
  return k_class_names[static_cast<std::size_t>(kind)];
}

InstructionClass class_of(std::string_view opcode)
{
  return opcode.empty() ? InstructionClass::other : class_of_words(hone::split(opcode, '.'));
}

Counts& Counts::operator+=(const Counts& other)
{
  static constexpr std::array k_fields = {
    &Counts::warps,         &Counts::lanes,        &Counts::requests,         &Counts::sectors,
    &Counts::wanted_bytes,  &Counts::wavefronts,   &Counts::least_wavefronts, &Counts::parted,
    &Counts::multiply_adds, &Counts::copied_bytes, &Counts::float_operations, &Counts::cache_reads,
    &Counts::cache_writes,  &Counts::memory_reads, &Counts::cache_updates,    &Counts::memory_writes};
  static_assert(sizeof(Counts) == k_fields.size() * sizeof(std::uint64_t));
  for (const auto field : k_fields) {
    this->*field += other.*field;
  }
  return *this;
}

std::vector<SourceLineCounts> by_source_line(const LaunchCounts& counts)
{
  std::map<std::pair<std::string, int>, SourceLineCounts> lines;
  for (const LineCounts& one : counts.lines) {
    const bool known = one.place.line > 0;
    const std::pair<std::string, int> key{known ? one.place.file : "", known ? one.place.line : one.place.ptx_line};
    SourceLineCounts& line = lines[key];
    line.file = key.first;
    line.line = key.second;
    line += one;
    line.warps_of[static_cast<std::size_t>(one.kind)] += one.warps;
  }
  std::vector<SourceLineCounts> out;
  for (auto& [key, line] : lines) {
    out.push_back(std::move(line));
  }
  return out;
}

namespace execute {

// Sums, differences and products are one, a fused product two; functions one; comparisons, signs and choices none. Of
// pairs twice as many.
std::uint64_t float_operations_of(std::string_view text)
{
  static constexpr std::array<std::string_view, 12> k_ones = {"add",   "sub", "mul", "div", "rcp", "sqrt",
                                                              "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"};
  const Words opcode = hone::split(text, '.');
  const std::string &name = opcode.front(), type = opcode.back();
  const bool is_float = !type.empty() && class_of_type(type) != InstructionClass::integer;
  const bool adds = (name == "atom" || name == "red") && has(opcode, "add") && !has(opcode, "async");
  const std::uint64_t each = !is_float                         ? 0
                             : name == "fma" || name == "mad"  ? 2
                             : is_one_of(k_ones, name) || adds ? 1
                                                               : 0;
  return type.ends_with("x2") ? 2 * each : each;
}

} // namespace execute

} // namespace hone::emulate
