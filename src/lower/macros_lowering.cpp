#include "lower/macros_lowering.h"

#include "lower/tuning_macros.h"

#include <fmt/format.h>

namespace hone::lower {

namespace {

ProgramNode define(const std::string& name, const std::string& value)
{
  return statement(fmt::format("#define {} {}", name, value));
}

} // namespace

ProgramBlock lower_macros(const ContractionCode& code)
{
  ProgramBlock block;
  const bool named = code.schedule.macros;
  if (named) {
    block.push_back(blank_line());
    block.push_back(comment("Types: of the elements, and of the sums."));
    block.push_back(define("ELEMENT", type_text(code.view.statement->type, code.dialect)));
    block.push_back(define("SUM", type_text(code.compute, code.dialect)));
    if (code.nest.vector) {
      block.push_back(define("VECTOR", vector_type(code.compute)));
      block.push_back(define("LANES", vector_lanes(code.compute)));
    }
    if (const auto macros = code.index_macros()) {
      block.push_back(blank_line());
      block.push_back(comment("Where an element lies; the sizes are parameters of the functions that use these."));
      for (const auto& [head, body] : *macros) {
        block.push_back(define(head, "(" + body + ")"));
      }
    }
    if (!code.constants.empty()) {
      block.push_back(blank_line());
      block.push_back(comment("Constants of the kernel."));
      ExpressionText plain(code.kernel, code.dialect, code.compute);
      for (const auto& [number, name] : code.constants) {
        ProgramBlock before;
        const Result<std::string> value = plain.value(*kernel::make_number(number), before);
        block.push_back(define(name, value.value_or("0")));
      }
    }
  }
  append(block, tuning_macros(code.schedule));
  return block;
}

} // namespace hone::lower
