#include "lower/element_block.h"

#include "lower/rowwise_code.h"

#include <fmt/format.h>

namespace hone::lower {

ElementBlock::ElementBlock(ElementCode& code, const ElementSpot& spot)
  : m_code(code), m_spot(spot), m_names(code.used()), m_text(code.text(spot.row, spot.at)),
    m_vectors(code.kernel, m_text, code.compute, spot.count)
{
  for (const auto& [node, variable] : spot.nodes) {
    m_text.indices[node] = variable;
  }
  m_vectors.widest_stride = code.options.widest_stride;
  m_vectors.fresh = [this](const std::string& wanted) { return RowCode::fresh(wanted, m_names); };
  // Inside the innermost loop: a compiler moves out what does not change there.
  m_vectors.hoist = [this](const std::string& text) {
    const std::string name = RowCode::fresh("fixed", m_names);
    statements.push_back(statement(fmt::format("const {} {} = {};", m_code.number(), name, text)));
    return name;
  };
}

Result<std::string> ElementBlock::store(const std::string& value)
{
  HONE_TRY(const std::string position, m_code.position(m_text, m_spot.row, m_spot.at));
  return m_vectors.store(m_code.source.target, position, value);
}

} // namespace hone::lower
