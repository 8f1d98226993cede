#include "lower/macros_lowering.h"

#include <fmt/format.h>

#include <map>

namespace hone {

namespace {

std::string meaning_of(const std::string& parameter)
{
  static const std::map<std::string, std::string> k_meanings = {
    {"TILE_M", "rows of the output per work-group"},
    {"TILE_N", "columns of the output per block"},
    {"TILE_K", "how much of the summed dimension is worked on at a time"},
    {"REG_M", "rows of a register tile"},
    {"REG_N", "columns of a register tile"},
    {"VECTORS", "vectors per row of a tile"},
    {"PACK_B", "what is copied: 0 nothing, 1 each strip before its tiles, 2 each strip by its first tile"},
    {"UNROLL_K", "steps of the summed dimension per pass of its loop"},
  };
  const auto found = k_meanings.find(parameter);
  return found == k_meanings.end() ? parameter : found->second;
}

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
        const Result<std::string> value = plain.value(*make_number(number), before);
        block.push_back(define(name, value.value_or("0")));
      }
    }
  }
  if (!code.schedule.tuning.empty()) {
    block.push_back(blank_line());
    block.push_back(
      comment("Tuning parameters: launch.toml and the tuner set them; these values are for a compiler alone."));
  }
  for (const TuningParameter& parameter : code.schedule.tuning) {
    block.push_back(statement(fmt::format("#ifndef {}", parameter.name)));
    block.push_back(statement(
      fmt::format("#define {} {} // {}", parameter.name, parameter.default_value, meaning_of(parameter.name))));
    block.push_back(statement("#endif"));
  }
  return block;
}

} // namespace hone
