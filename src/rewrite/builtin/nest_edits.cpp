#include "rewrite/builtin/nest_edits.h"

#include "lower/contraction_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::rewrite {

void add_parameter(lower::Schedule& schedule, const std::string& name, std::vector<std::int64_t> values,
                   std::int64_t default_value)
{
  if (!schedule.has_parameter(name)) {
    schedule.tuning.push_back({name, std::move(values), default_value});
  }
}

void remove_parameter(lower::Schedule& schedule, const std::string& name)
{
  std::erase_if(schedule.tuning, [&](const kernel::TuningParameter& parameter) { return parameter.name == name; });
}

std::size_t first_inner_loop(const lower::Schedule& schedule)
{
  const int n_tile = lower::find_innermost(schedule, lower::Dimension::n, lower::LoopKind::serial);
  const int m_tile = lower::find_innermost(schedule, lower::Dimension::m, lower::LoopKind::serial);
  const int k_point = lower::find_innermost(schedule, lower::Dimension::k, lower::LoopKind::serial);
  int first = std::min(n_tile, k_point);
  if (m_tile >= 0) {
    first = std::min(first, m_tile);
  }
  return static_cast<std::size_t>(first);
}

void block_k(lower::Schedule& schedule)
{
  const int outer = lower::find_loop(schedule, lower::Dimension::k, lower::LoopKind::serial);
  const int point = lower::find_innermost(schedule, lower::Dimension::k, lower::LoopKind::serial);
  if (outer == point) {
    const auto at = schedule.loops.begin() + static_cast<std::ptrdiff_t>(first_inner_loop(schedule));
    schedule.loops.insert(at, lower::ScheduledLoop{lower::Dimension::k, lower::LoopKind::serial, "TILE_K", false, ""});
  }
  add_parameter(schedule, "TILE_K", {128, 192, 256, 384, 512, 1024, 2048}, 256);
}

Result<void> check_strips(const lower::Schedule& schedule)
{
  const int rows = lower::find_loop(schedule, lower::Dimension::m, lower::LoopKind::serial);
  if (!schedule.has_done("register-tiling") || !schedule.has_done("vectorize") || rows < 0
      || rows < lower::find_innermost(schedule, lower::Dimension::n, lower::LoopKind::serial)) {
    return fail("there is no strip of columns that all rows of a block are computed for",
                "do cache-tiling, register-tiling and vectorize first");
  }
  return {};
}

Result<void> check_partial_sums(const kernel::Kernel& kernel)
{
  const kernel::Statement& source = kernel.program.statements.front();
  if (kernel.accumulate == kernel::DataType::f64 && source.type != kernel::DataType::f64) {
    return fail(
      fmt::format("sums of this kernel are to be kept in f64, and {} could only hold them in {} between blocks",
                  source.target, kernel::name_of(source.type)),
      "use register-tiling, which keeps sums local");
  }
  return {};
}

void choose_block_sizes(lower::Schedule& schedule)
{
  const bool strips = schedule.packed == std::vector{lower::Dimension::n} && schedule.has_parameter("REG_M");
  const auto start_at = [&](std::string_view name, std::int64_t value) {
    const auto found = std::ranges::find(schedule.tuning, name, &kernel::TuningParameter::name);
    if (found != schedule.tuning.end()) {
      found->default_value = value;
    }
  };
  start_at("TILE_M", strips ? 1536 : 192);
  start_at("TILE_N", strips ? 64 : 384);
  start_at("TILE_K", strips ? 1024 : 256);
  start_at("UNROLL_K", schedule.has_parameter("REG_M") ? 2 : 4); // without: streams that memory delivers at once
}

void update_constraints(lower::Schedule& schedule, const kernel::Kernel& kernel, const lower::Dialect& dialect)
{
  schedule.constraints.clear();
  const bool vectors = schedule.has_parameter("VECTORS");
  const bool register_rows = schedule.has_parameter("REG_M");
  const bool wide = kernel.program.statements.front().type == kernel::DataType::f64;
  const int lanes = wide ? 8 : 16; // of the widest vector, so that narrower ones divide as well
  if (register_rows) {
    // What is left of the registers holds the row of B and the broadcast of A.
    const int budget = vectors ? (dialect.vector_bytes >= 64 ? 24 : 12) : 48;
    schedule.constraints.push_back(fmt::format("REG_M * {} <= {}", vectors ? "VECTORS" : "REG_N", budget));
  }
  // Where edges are masked, rows that are left over in a tile cost no more than a full block of them. A packed block of
  // A must hold all tiles that a group is dealt.
  const bool whole_tiles =
    schedule.edges != lower::EdgeTreatment::masked || (schedule.balanced && schedule.is_packed(lower::Dimension::m));
  if (register_rows && schedule.has_parameter("TILE_M") && whole_tiles) {
    schedule.constraints.emplace_back("TILE_M % REG_M == 0");
  }
  if (schedule.has_parameter("TILE_N")) {
    if (vectors) {
      schedule.constraints.push_back(fmt::format("TILE_N % (VECTORS * {}) == 0", lanes));
    } else if (register_rows) {
      schedule.constraints.emplace_back("TILE_N % REG_N == 0");
    }
  }
  if (schedule.dot_remainders) { // the copy is filled in whole vectors
    schedule.constraints.push_back(fmt::format("TILE_K % {} == 0", lanes));
  }
  if (!schedule.packed.empty() || schedule.dot_remainders) {
    schedule.constraints.emplace_back("shared <= device.shared_per_block");
  }
}

} // namespace hone::rewrite
