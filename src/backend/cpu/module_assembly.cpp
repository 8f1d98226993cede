#include "backend/cpu/module_assembly.h"

#include "util/compression.h"

namespace hone::backend::cpu {
namespace {

constexpr std::size_t k_most_assembly = std::size_t{256} << 20; // bytes, as compilers may write

} // namespace

void store_assembly(Module& module, std::string_view assembly)
{
  module.assembly = compress(assembly);
}

Result<std::string> stored_assembly(const Module& module)
{
  return decompress(module.assembly, k_most_assembly, "the assembly of a module");
}

} // namespace hone::backend::cpu
