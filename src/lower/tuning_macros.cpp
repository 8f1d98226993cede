#include "lower/tuning_macros.h"

#include <fmt/format.h>

#include <map>

namespace hone::lower {

namespace {

std::string meaning_of(const std::string& parameter)
{
  static const std::map<std::string, std::string> k_meanings = {
    {"CHANNELS", "channels per tile"},
    {"COLUMNS", "columns per work-group"},
    {"DOT_COLUMNS", "so many columns behind the last whole vector at most are dot products"},
    {"PACK_B", "what is copied: 0 nothing, 1 each strip before its tiles, 2 each strip by its first tile"},
    {"PIXELS", "pixels of the output per work-group"},
    {"REG_M", "rows of a register tile"},
    {"REG_N", "columns of a register tile"},
    {"ROWS", "rows of the output per work-group"},
    {"SPLIT_K", "parts of the summed dimension"},
    {"BROADCAST_ROWS", "rows of a register tile that read 16 bytes of A at a time"},
    {"STREAM", "where finished tiles are stored: 0 in the caches, 1 past them"},
    {"TILE_K", "how much of the summed dimension is worked on at a time"},
    {"TILE_M", "rows of the output per work-group"},
    {"TILE_N", "columns of the output per block"},
    {"UNROLL_K", "steps of the summed dimension per pass of its loop"},
    {"VECTORS", "vectors of columns at a time"},
  };
  const auto found = k_meanings.find(parameter);
  return found == k_meanings.end() ? parameter : found->second;
}

} // namespace

ProgramBlock tuning_macros(const Schedule& schedule)
{
  ProgramBlock block;
  if (!schedule.tuning.empty()) {
    block = {blank_line(),
             comment("Tuning parameters: launch.toml and the tuner set them; these values are for a compiler alone.")};
  }
  for (const kernel::TuningParameter& parameter : schedule.tuning) {
    block.push_back(statement(fmt::format("#ifndef {}", parameter.name)));
    block.push_back(statement(
      fmt::format("#define {} {} // {}", parameter.name, parameter.default_value, meaning_of(parameter.name))));
    block.push_back(statement("#endif"));
  }
  return block;
}

} // namespace hone::lower
