#include "emulate/program.h"

#include "emulate/execute/decoder.h"

#include <algorithm>

namespace hone::emulate {

Result<Program> Program::load(std::string_view text)
{
  HONE_TRY(const ptx::Module module, ptx::parse(text));
  Program out;
  for (const ptx::Function& function : module.functions) {
    if (!function.entry) {
      continue;
    }
    HONE_TRY(execute::Code code, execute::Decoder(module, function).decode());
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
