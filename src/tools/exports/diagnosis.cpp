#include "tools/exports/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

namespace hone::tools {
namespace {

constexpr double k_busy = 60;     // % of a unit's peak: from then on it bounds the kernel
constexpr double k_some = 10;     // % of the accesses, or of the time
constexpr std::size_t k_most = 3; // kernels that get sentences

std::optional<double> metric(const ExportedKernel& kernel, const std::string& name)
{
  const auto found = kernel.metrics.find(name);
  return found == kernel.metrics.end() ? std::nullopt : std::optional(found->second);
}

// Shares of the peaks of units, in %.
struct Unit {
  const char* metric;
  const char* what;
};
constexpr std::array<Unit, 4> k_units{
  {{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "bandwidth of the device's memory"},
   {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "the L2 cache"},
   {"l1tex__throughput.avg.pct_of_peak_sustained_active", "the L1 cache and shared memory"},
   {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "arithmetic and the issue of instructions"}}};

constexpr std::string_view k_stall = "smsp__average_warps_issue_stalled_", k_stall_end = "_per_issue_active.ratio";

std::string most_frequent_stall(const ExportedKernel& kernel)
{
  std::string reason;
  double most = 0;
  for (const auto& [name, value] : kernel.metrics) {
    if (name.starts_with(k_stall) && name.ends_with(k_stall_end) && value > most) {
      most = value;
      reason = name.substr(k_stall.size(), name.size() - k_stall.size() - k_stall_end.size());
    }
  }
  std::ranges::replace(reason, '_', ' ');
  return reason;
}

void describe_units(const ExportedKernel& kernel, std::vector<std::string>& out)
{
  const Unit* busiest = nullptr;
  double most = 0;
  for (const Unit& unit : k_units) {
    if (const auto share = metric(kernel, unit.metric); share && *share > most) {
      most = *share;
      busiest = &unit;
    }
  }
  if (busiest == nullptr) {
    return;
  }
  if (most >= k_busy) {
    out.push_back(fmt::format("{} is bound by {}: {:.0f} % of its peak", kernel.name, busiest->what, most));
    return;
  }
  const std::string stall = most_frequent_stall(kernel);
  out.push_back(fmt::format("{} is bound by latency: the busiest unit, {}, reaches {:.0f} % of its peak{}", kernel.name,
                            busiest->what, most, stall.empty() ? "" : "; warps wait most for: " + stall));
}

void describe_waste(const ExportedKernel& kernel, std::vector<std::string>& out)
{
  if (const auto warps = metric(kernel, "sm__warps_active.avg.pct_of_peak_sustained_active"); warps && *warps < 25) {
    out.push_back(fmt::format("{} keeps {:.0f} % of the warps that a unit holds: {} registers an item", kernel.name,
                              *warps, kernel.registers));
  }
  const auto conflicts = metric(kernel, "l1tex__data_bank_conflicts_pipe_lsu.sum");
  const auto turns = metric(kernel, "l1tex__data_pipe_lsu_wavefronts.sum");
  if (conflicts && turns && *turns > 0 && 100 * *conflicts / *turns > k_some) {
    out.push_back(fmt::format("{}: {:.0f} % of the turns of shared memory are bank conflicts", kernel.name,
                              100 * *conflicts / *turns));
  }
  const auto sectors = metric(kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  const auto requests = metric(kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  if (sectors && requests && *requests > 0 && *sectors / *requests > 8) {
    out.push_back(
      fmt::format("{}: loads are not coalesced, {:.1f} sectors for each request", kernel.name, *sectors / *requests));
  }
  for (const char* spill : {"launch__local_memory_per_thread", "Scratch_Size"}) {
    if (const auto bytes = metric(kernel, spill); bytes && *bytes > 0) {
      out.push_back(
        fmt::format("{} keeps {:.0f} B an item in local memory: registers are spilled", kernel.name, *bytes));
    }
  }
  // AMD: hits and misses of the L2 cache.
  const auto hits = metric(kernel, "TCC_HIT_sum"), misses = metric(kernel, "TCC_MISS_sum");
  if (hits && misses && *hits + *misses > 0 && *misses > *hits) {
    out.push_back(
      fmt::format("{}: {:.0f} % of the accesses to the L2 cache miss", kernel.name, 100 * *misses / (*hits + *misses)));
  }
  const auto lds = metric(kernel, "SQ_LDS_BANK_CONFLICT"), active = metric(kernel, "SQ_LDS_IDX_ACTIVE");
  if (lds && active && *active > 0 && 100 * *lds / *active > k_some) {
    out.push_back(
      fmt::format("{}: {:.0f} % of the cycles of local memory are bank conflicts", kernel.name, 100 * *lds / *active));
  }
}

} // namespace

Report report_of(const std::string& file, std::vector<ExportedKernel> kernels)
{
  std::ranges::stable_sort(kernels, std::greater(), &ExportedKernel::nanoseconds);
  const double all = std::accumulate(kernels.begin(), kernels.end(), 0.0,
                                     [](double sum, const ExportedKernel& one) { return sum + one.nanoseconds; });
  Report report;
  report.tool = "import";
  report.subject = file;
  Table table{"kernels",
              {{"kernel", ""},
               {"launches", ""},
               {"time", "us"},
               {"of all", "%"},
               {"grid", ""},
               {"block", ""},
               {"registers", "per item"}},
              {}};
  for (const ExportedKernel& one : kernels) {
    table.rows.push_back({one.name, one.launches, one.nanoseconds / 1e3, all > 0 ? 100 * one.nanoseconds / all : 0.0,
                          one.grid, one.block, one.registers});
  }
  if (all > 0) {
    report.diagnosis.push_back(fmt::format("{} takes {:.0f} % of the time of all kernels", kernels.front().name,
                                           100 * kernels.front().nanoseconds / all));
  }
  for (std::size_t i = 0; i < std::min(k_most, kernels.size()); ++i) {
    describe_units(kernels[i], report.diagnosis);
    describe_waste(kernels[i], report.diagnosis);
  }
  report.tables.push_back(std::move(table));
  Table metrics{"metrics of " + kernels.front().name, {{"metric", ""}, {"value", ""}, {"unit", ""}}, {}};
  for (const auto& [name, value] : kernels.front().metrics) {
    const auto unit = kernels.front().units.find(name);
    metrics.rows.push_back({name, value, unit == kernels.front().units.end() ? "" : unit->second});
  }
  if (!metrics.rows.empty()) {
    report.tables.push_back(std::move(metrics));
  }
  report.notes.emplace_back("measured by another program, elsewhere: Hone has checked nothing of it");
  return report;
}

} // namespace hone::tools
