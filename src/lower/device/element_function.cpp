// The naive form: one work-item per element, as the expression says.
#include "lower/device/expression.h"
#include "lower/device/launches.h"
#include "lower/device/spelling.h"
#include "lower/expression_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower::device {

namespace {

constexpr int k_items = 64; // of a group

class ElementFunction {
public:
  ElementFunction(const kernel::Kernel& kernel, const kernel::Statement& source)
    : m_kernel(kernel), m_source(source), m_values(kernel, compute_type(kernel, source)), m_written(source.target)
  {
    for (const auto& [index, variable] : index_variables(kernel, source)) {
      m_values.indices[index] = name(variable, k_position);
    }
    m_element = name(m_values.fresh("element"), k_position);
  }

  // Values go to another buffer.
  void write_to(const std::string& buffer) { m_written = buffer; }

  Result<Block> body()
  {
    Value count = integer(1);
    std::vector<Value> extents;
    for (const kernel::IndexRange& range : m_source.indices) {
      Block none;
      HONE_TRY(const Value extent, m_values.whole(*range.upper, none));
      extents.push_back(extent);
      count = count * extent;
    }
    Block out = {define(m_element->text, flat_id()), comment("The last group may have work-items left over."),
                 guard(binary(">=", m_element, count), {leave()})};
    for (std::size_t d = 0; d < extents.size(); ++d) {
      Value below_it = integer(1);
      for (std::size_t inner = d + 1; inner < extents.size(); ++inner) {
        below_it = below_it * extents[inner];
      }
      const Value rest = m_element / below_it;
      out.push_back(define(m_values.indices.at(m_source.indices[d].name)->text, d > 0 ? rest % extents[d] : rest));
    }
    HONE_TRY(Block element, whole_element());
    append(out, std::move(element));
    return out;
  }

  Value element_number() const { return m_element; }

private:
  // target[...] = value, with the loops that the value needs before it.
  Result<Block> whole_element()
  {
    std::vector<Value> places;
    for (const kernel::IndexRange& range : m_source.indices) {
      places.push_back(m_values.indices.at(range.name));
    }
    HONE_TRY(const Value at, m_values.position(m_source.target, places));
    Block before;
    Value condition;
    if (m_source.guard) {
      HONE_TRY(condition, m_values.whole(*m_source.guard, before));
    }
    HONE_TRY(Block block, stored(*m_source.value, at, m_values));
    if (!m_source.guard) {
      append(before, std::move(block));
      return before;
    }
    Block otherwise;
    HONE_TRY(const Node zero, m_values.store(m_written, m_source.type, at, *kernel::make_number(0, true), otherwise));
    otherwise.push_back(zero);
    before.push_back(guard(condition, std::move(block), std::move(otherwise)));
    return before;
  }

  // The store; where elements stay what they were, neither a read nor a write of them: they may be the gaps between the
  // rows of a block, which belong to somebody else. `values`: a copy, as what one branch computes the other one has
  // not.
  Result<Block> stored(const kernel::Expr& value, const Value& at, ExpressionValues values) const
  {
    Block block;
    if (m_written != m_source.target || !keeps_elements(m_source, value)) {
      HONE_TRY(const Node store, values.store(m_written, m_source.type, at, value, block));
      block.push_back(store);
      return block;
    }
    if (value.kind != kernel::ExprKind::select) {
      return block;
    }
    HONE_TRY(const Value condition, values.whole(*value.args[0], block));
    HONE_TRY(Block yes, stored(*value.args[1], at, values));
    HONE_TRY(Block no, stored(*value.args[2], at, values));
    if (yes.empty() && !no.empty()) {
      block.push_back(guard(opposite(condition), std::move(no)));
    } else if (!yes.empty()) {
      block.push_back(guard(condition, std::move(yes), std::move(no)));
    }
    return block;
  }

  const kernel::Kernel& m_kernel;
  const kernel::Statement& m_source;
  ExpressionValues m_values;
  std::string m_written; // the buffer that gets the values: the target, or a scratch buffer
  Value m_element;
};

std::vector<std::string> groups_of(const std::string& elements)
{
  return {fmt::format("ceil_div({}, {})", elements, k_items)};
}

} // namespace

Result<void> lower_elements_of(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source,
                               const std::string& name, LoweredProgram& out)
{
  // A statement that reads its target's neighbours computes into a scratch buffer; a second launch moves the values
  // over.
  const bool aside =
    reads_target_elsewhere(source, *source.value) || (source.guard && reads_target_elsewhere(source, *source.guard));
  ElementFunction element(kernel, source);
  const std::string written = aside ? free_tensor_name(kernel, source.target + "_next") : source.target;
  const std::vector<ExtraBuffer> extras =
    aside ? std::vector{ExtraBuffer{written, source.type}} : std::vector<ExtraBuffer>();
  element.write_to(written);
  HONE_TRY(Block body, element.body());
  HONE_TRY(const std::string elements, elements_of(kernel, dialect, source));
  Function function;
  function.name = name;
  function.purpose = "One work-item per element: " + kernel::to_text(source);
  function.body = std::move(body);
  const std::vector<std::string> block = {std::to_string(k_items)};
  add_launch(kernel, dialect, std::move(function), groups_of(elements), block, extras, out);
  if (source.intermediate) {
    out.plan.scratch.push_back({source.target, source.type, elements});
  }
  if (!aside) {
    return {};
  }
  out.plan.scratch.push_back({written, source.type, elements});
  Function copy;
  copy.name = name + "_copy";
  const Value here = element.element_number();
  Block whole;
  Value count = integer(1);
  ExpressionValues values(kernel, compute_type(kernel, source));
  for (const kernel::IndexRange& range : source.indices) {
    HONE_TRY(const Value extent, values.whole(*range.upper, whole));
    count = count * extent;
  }
  const Value moved = load(written, Scope::global, source.type, here, scalar(source.type));
  copy.body = {define(here->text, flat_id()),
               guard(below(here, count), {as_stored(source.target, source.type, here, moved)})};
  add_launch(kernel, dialect, std::move(copy), groups_of(elements), block, extras, out);
  return {};
}

} // namespace hone::lower::device
