#include "tools/instruction_class.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace hone::tools {
namespace {

using backend::ListingSyntax;
using Class = InstructionClass;

struct Named {
  Class what;
  std::string_view name;
};

constexpr std::array k_names{
  Named{Class::matrix, "matrix"},
  Named{Class::fused_multiply, "fused multiply-add"},
  Named{Class::arithmetic, "arithmetic"},
  Named{Class::special, "division, root, exp"},
  Named{Class::integer_vector, "vector of integers"},
  Named{Class::shuffle, "shuffle"},
  Named{Class::convert, "convert"},
  Named{Class::scalar_arithmetic, "scalar arithmetic"},
  Named{Class::load, "load"},
  Named{Class::store, "store"},
  Named{Class::local_load, "local load"},
  Named{Class::local_store, "local store"},
  Named{Class::stack, "stack"},
  Named{Class::gather, "gather or scatter"},
  Named{Class::copy, "asynchronous copy"},
  Named{Class::atomic, "atomic"},
  Named{Class::barrier, "barrier"},
  Named{Class::branch, "branch"},
  Named{Class::call, "call"},
  Named{Class::integer, "integer"},
  Named{Class::move, "move"},
  Named{Class::other, "other"},
};

// The first beginning that fits decides.
using Beginnings = std::span<const std::pair<std::string_view, Class>>;

Class by_beginning(std::string_view opcode, Beginnings beginnings, Class otherwise)
{
  const auto found = std::ranges::find_if(beginnings, [&](const auto& one) { return opcode.starts_with(one.first); });
  return found == beginnings.end() ? otherwise : found->second;
}

constexpr std::array<std::pair<std::string_view, Class>, 41> k_ptx{{
  {"wgmma.mma", Class::matrix},
  {"wgmma", Class::barrier},
  {"mma", Class::matrix},
  {"wmma.mma", Class::matrix},
  {"wmma.load", Class::local_load},
  {"wmma.store", Class::local_store},
  {"ldmatrix", Class::local_load},
  {"stmatrix", Class::local_store},
  {"cp.", Class::copy},
  {"mbarrier", Class::barrier},
  {"bar", Class::barrier},
  {"fence", Class::barrier},
  {"membar", Class::barrier},
  {"fma", Class::fused_multiply},
  {"dp4a", Class::fused_multiply},
  {"dp2a", Class::fused_multiply},
  {"mad.f", Class::fused_multiply},
  {"div", Class::special},
  {"sqrt", Class::special},
  {"rsqrt", Class::special},
  {"rcp", Class::special},
  {"ex2", Class::special},
  {"lg2", Class::special},
  {"sin", Class::special},
  {"cos", Class::special},
  {"tanh", Class::special},
  {"shfl", Class::shuffle},
  {"prmt", Class::shuffle},
  {"vote", Class::shuffle},
  {"redux", Class::shuffle},
  {"match", Class::shuffle},
  {"cvt.", Class::convert},
  {"atom", Class::atomic},
  {"red.", Class::atomic},
  {"bra", Class::branch},
  {"brx", Class::branch},
  {"ret", Class::branch},
  {"exit", Class::branch},
  {"call", Class::call},
  {"mov", Class::move},
  {"cvta", Class::integer},
}};

bool ends_in_float(std::string_view opcode)
{
  return opcode.contains(".f16") || opcode.contains(".bf16") || opcode.contains(".f32") || opcode.contains(".f64");
}

Class ptx_class(const Instruction& instruction)
{
  const std::string_view opcode = instruction.opcode;
  if (opcode.starts_with("ld.param")) {
    return Class::other;
  }
  const bool load = opcode.starts_with("ld."), store = opcode.starts_with("st.");
  if (load || store) {
    if (opcode.contains(".shared")) {
      return load ? Class::local_load : Class::local_store;
    }
    return opcode.contains(".local") ? Class::stack : load ? Class::load : Class::store;
  }
  return by_beginning(opcode, k_ptx,
                      ends_in_float(opcode) && !opcode.starts_with("setp") ? Class::arithmetic : Class::integer);
}

constexpr std::array<std::pair<std::string_view, Class>, 46> k_amdgcn{{
  {"v_mfma", Class::matrix},
  {"v_wmma", Class::matrix},
  {"v_fma", Class::fused_multiply},
  {"v_fmac", Class::fused_multiply},
  {"v_pk_fma", Class::fused_multiply},
  {"v_mac", Class::fused_multiply},
  {"v_dot", Class::fused_multiply},
  {"v_mad_f", Class::fused_multiply},
  {"v_rcp", Class::special},
  {"v_rsq", Class::special},
  {"v_sqrt", Class::special},
  {"v_exp", Class::special},
  {"v_log", Class::special},
  {"v_sin", Class::special},
  {"v_cos", Class::special},
  {"v_div", Class::special},
  {"v_cvt", Class::convert},
  {"v_readlane", Class::shuffle},
  {"v_writelane", Class::shuffle},
  {"v_readfirstlane", Class::shuffle},
  {"v_perm", Class::shuffle},
  {"ds_bpermute", Class::shuffle},
  {"ds_permute", Class::shuffle},
  {"ds_swizzle", Class::shuffle},
  {"ds_read", Class::local_load},
  {"ds_load", Class::local_load},
  {"ds_write", Class::local_store},
  {"ds_store", Class::local_store},
  {"ds_", Class::atomic},
  {"global_load", Class::load},
  {"flat_load", Class::load},
  {"buffer_load", Class::load},
  {"s_load", Class::load},
  {"global_store", Class::store},
  {"flat_store", Class::store},
  {"buffer_store", Class::store},
  {"global_atomic", Class::atomic},
  {"flat_atomic", Class::atomic},
  {"scratch_", Class::stack},
  {"s_barrier", Class::barrier},
  {"s_waitcnt", Class::barrier},
  {"s_cbranch", Class::branch},
  {"s_branch", Class::branch},
  {"s_endpgm", Class::branch},
  {"v_mov", Class::move},
  {"s_mov", Class::move},
}};

Class amdgcn_class(const Instruction& instruction)
{
  const std::string_view opcode = instruction.opcode;
  const bool floats = opcode.starts_with("v_") && !opcode.starts_with("v_cmp")
                      && (opcode.contains("_f16") || opcode.contains("_f32") || opcode.contains("_f64"));
  return by_beginning(opcode, k_amdgcn, floats ? Class::arithmetic : Class::integer);
}

// Opcodes of x86 without the v of AVX.
constexpr std::array<std::pair<std::string_view, Class>, 60> k_x86{{
  {"fmadd", Class::fused_multiply},
  {"fmsub", Class::fused_multiply},
  {"fnmadd", Class::fused_multiply},
  {"fnmsub", Class::fused_multiply},
  {"fmaddsub", Class::fused_multiply},
  {"pdpb", Class::fused_multiply},
  {"pdpw", Class::fused_multiply},
  {"dpbf16", Class::fused_multiply},
  {"pmadd", Class::fused_multiply},
  {"tdp", Class::matrix},
  {"div", Class::special},
  {"sqrt", Class::special},
  {"rsqrt", Class::special},
  {"rcp", Class::special},
  {"idiv", Class::special},
  {"gather", Class::gather},
  {"pgather", Class::gather},
  {"scatter", Class::gather},
  {"pscatter", Class::gather},
  {"shuf", Class::shuffle},
  {"pshuf", Class::shuffle},
  {"perm", Class::shuffle},
  {"unpck", Class::shuffle},
  {"punpck", Class::shuffle},
  {"broadcast", Class::shuffle},
  {"pbroadcast", Class::shuffle},
  {"insert", Class::shuffle},
  {"pinsr", Class::shuffle},
  {"extract", Class::shuffle},
  {"pextr", Class::shuffle},
  {"blend", Class::shuffle},
  {"pblend", Class::shuffle},
  {"align", Class::shuffle},
  {"palign", Class::shuffle},
  {"movddup", Class::shuffle},
  {"movsldup", Class::shuffle},
  {"movshdup", Class::shuffle},
  {"movhlps", Class::shuffle},
  {"movlhps", Class::shuffle},
  {"haddp", Class::shuffle},
  {"pack", Class::shuffle},
  {"compress", Class::shuffle},
  {"expand", Class::shuffle},
  {"cvt", Class::convert},
  {"pmovsx", Class::convert},
  {"pmovzx", Class::convert},
  {"movap", Class::move},
  {"movup", Class::move},
  {"movdq", Class::move},
  {"movs", Class::move},
  {"movd", Class::move},
  {"movq", Class::move},
  {"movnt", Class::move},
  {"movlp", Class::move},
  {"movhp", Class::move},
  {"kmov", Class::move},
  {"mov", Class::move},
  {"lock", Class::atomic},
  {"xchg", Class::atomic},
  {"ret", Class::branch},
}};

bool names_vector(std::string_view operands)
{
  return operands.contains("%xmm") || operands.contains("%ymm") || operands.contains("%zmm");
}

// Whether an operand in AT&T syntax lies in memory, and whether the last one does, which is written.
struct MemoryOperand {
  bool any = false, last = false, stack = false;
};

MemoryOperand memory_in(const Instruction& instruction)
{
  MemoryOperand found;
  const std::string_view operands = instruction.operands;
  const std::size_t open = operands.find('(');
  if (open == std::string_view::npos) {
    return found;
  }
  found.any = true;
  const std::size_t close = std::min(operands.find(')', open), operands.size());
  const std::string_view rest = operands.substr(close);
  found.last = !rest.contains(',');
  const std::string_view base = operands.substr(open, close - open);
  found.stack = base.starts_with("(%rsp") || (instruction.has_frame_pointer && base.starts_with("(%rbp"));
  return found;
}

Class x86_class(const Instruction& instruction)
{
  std::string_view opcode = instruction.opcode;
  const std::string_view operands = instruction.operands;
  if (opcode.starts_with("j") || opcode == "loop") {
    return Class::branch;
  }
  if (opcode.starts_with("call")) {
    return Class::call;
  }
  if (opcode.starts_with("lea") || opcode.starts_with("nop") || opcode.starts_with("vzero")) {
    return opcode.starts_with("lea") ? Class::integer : Class::other;
  }
  if (opcode.starts_with("prefetch")) {
    return Class::copy;
  }
  const bool vector = names_vector(operands);
  if (vector && opcode.starts_with("v")) {
    opcode.remove_prefix(1);
  }
  const MemoryOperand memory = memory_in(instruction);
  const Class what = by_beginning(opcode, k_x86, Class::other);
  if (what == Class::move || opcode.starts_with("push") || opcode.starts_with("pop")) {
    if (memory.stack || opcode.starts_with("p")) {
      return Class::stack;
    }
    return !memory.any ? Class::move : memory.last ? Class::store : Class::load;
  }
  const bool one_number = (opcode.ends_with("ss") || opcode.ends_with("sd")) && !opcode.starts_with("p");
  if (what != Class::other) {
    return what == Class::fused_multiply && one_number ? Class::scalar_arithmetic : what;
  }
  if (!vector) {
    return Class::integer;
  }
  if (opcode.starts_with("p") || opcode.starts_with("tern")) {
    return Class::integer_vector;
  }
  return one_number ? Class::scalar_arithmetic : Class::arithmetic;
}

} // namespace

std::string_view name_of(InstructionClass what)
{
  return std::ranges::find(k_names, what, &Named::what)->name;
}

std::span<const InstructionClass> all_instruction_classes()
{
  static const auto all = [] {
    std::array<InstructionClass, k_names.size()> list{};
    std::ranges::transform(k_names, list.begin(), &Named::what);
    return list;
  }();
  return all;
}

InstructionClass class_of(const Instruction& instruction, ListingSyntax syntax)
{
  switch (syntax) {
  case ListingSyntax::x86:
    return x86_class(instruction);
  case ListingSyntax::ptx:
    return ptx_class(instruction);
  case ListingSyntax::amdgcn:
    return amdgcn_class(instruction);
  }
  return Class::other;
}

int vector_bytes(const Instruction& instruction)
{
  const std::string_view operands = instruction.operands;
  return operands.contains("%zmm") ? 64 : operands.contains("%ymm") ? 32 : operands.contains("%xmm") ? 16 : 0;
}

} // namespace hone::tools
