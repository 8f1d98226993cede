#include "emulate/program.h"

#include "emulate/execute/decoder.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace hone::emulate {

Result<Program> Program::load(std::string_view text)
{
  HONE_TRY(const ptx::Module module, ptx::parse(text));
  Program out;
  std::map<std::string, std::uint64_t> addresses;
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::global) {
      Global& global = out.m_globals.emplace_back();
      global.name = variable.name;
      global.bytes = variable.bytes;
      global.memory = std::make_shared<std::vector<std::uint64_t>>((variable.bytes + 7) / 8 + 2);
      const auto raw = reinterpret_cast<std::uintptr_t>(global.memory->data());
      global.begin = (raw + 15) / 16 * 16;
      std::memcpy(reinterpret_cast<void*>(global.begin), variable.content.data(),
                  std::min<std::size_t>(variable.content.size(), variable.bytes));
      addresses[variable.name] = global.begin;
    }
  }
  for (const ptx::Function& function : module.functions) {
    if (!function.entry) {
      continue;
    }
    HONE_TRY(execute::Code code, execute::Decoder(module, function, addresses).decode());
    Entry entry;
    entry.name = function.name;
    entry.most_items = function.most_items;
    entry.cluster = function.cluster;
    entry.shared_bytes = code.shared_bytes;
    entry.local_bytes = code.local_bytes;
    for (const ptx::Variable& parameter : function.parameters) {
      entry.parameter_bytes =
        (entry.parameter_bytes + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
      entry.parameters.push_back({parameter.name, entry.parameter_bytes, parameter.bytes});
      entry.parameter_bytes += parameter.bytes;
    }
    out.m_entries.push_back(std::move(entry));
    out.m_codes.push_back(std::make_shared<const execute::Code>(std::move(code)));
  }
  return out;
}

const Entry* Program::find(std::string_view name) const
{
  const auto found = std::ranges::find(m_entries, name, &Entry::name);
  return found == m_entries.end() ? nullptr : &*found;
}

const execute::Code& Program::code_of(const Entry& entry) const
{
  return *m_codes[static_cast<std::size_t>(&entry - m_entries.data())];
}

} // namespace hone::emulate
