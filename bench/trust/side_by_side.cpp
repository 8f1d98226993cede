// Real comparisons of what is known: candidates with themselves, and known work with more of it.
#include "bench_kernels.h"
#include "known_work.h"
#include "neighbour.h"
#include "rows.h"
#include "studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

namespace hone {

namespace {

using Clock = std::chrono::steady_clock;

// One thing to be compared again and again.
struct Cell {
  gate::Gate* gate = nullptr;
  record::Contender candidate, incumbent;
  record::Recipe recipe;
  TrustRow row;
};

Result<gate::Gate> open_gate(std::shared_ptr<const kernel::Kernel> kernel)
{
  HONE_TRY(const backend::Backend* backend, backend::find_backend("cpu"));
  gate::GateOptions options;
  options.cache = cache_folder();
  return gate::Gate::open(std::move(kernel), *backend, options);
}

bool chosen(const StudyOptions& options, const std::string& name)
{
  return options.only.empty() || std::ranges::find(options.only, name) != options.only.end();
}

Result<void> check_names(const StudyOptions& options, const std::vector<std::string>& names)
{
  for (const std::string& name : options.only) {
    if (std::ranges::find(names, name) == names.end()) {
      return fail(fmt::format("there is no kernel '{}'", name), "they are: " + join(names, ", "));
    }
  }
  return {};
}

// In turn, so that what the machine does meanwhile meets all cells, and whatever is stopped early is balanced.
Result<void> run_cells(std::vector<Cell>& cells, const StudyOptions& options)
{
  const auto begin = Clock::now();
  const std::chrono::duration<double> most(options.seconds);
  print_row_heading();
  std::map<std::string, std::map<record::Comparison, int>> counts;
  for (int run = 0; run < options.n && Clock::now() - begin < most; ++run) {
    for (Cell& cell : cells) {
      if (Clock::now() - begin >= most) {
        break;
      }
      const auto start = Clock::now();
      HONE_TRY(const record::ComparisonResult result,
               cell.gate->compare(cell.candidate, cell.incumbent, cell.recipe, cell.recipe.regime));
      cell.row.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      print_row(cell.row, result);
      ++counts[fmt::format("{:<14} {:<4} {:+.3g} %", cell.row.subject, record::name_of(cell.recipe.regime),
                           100 * (cell.row.true_ratio - 1))][result.verdict];
    }
  }
  for (auto& [name, verdicts] : counts) {
    fmt::print(stderr, "{:<30} FAST {:<4} SLOW {:<4} SAME {:<4} AMBG {}\n", name, verdicts[record::Comparison::fast],
               verdicts[record::Comparison::slow], verdicts[record::Comparison::same],
               verdicts[record::Comparison::ambiguous]);
  }
  return {};
}

Result<std::optional<Neighbour>> neighbour_for(const StudyOptions& options)
{
  if (!options.neighbour) {
    return std::optional<Neighbour>();
  }
  HONE_TRY(Neighbour neighbour, Neighbour::start());
  return std::optional(std::move(neighbour));
}

} // namespace

Result<void> study_same(const StudyOptions& options)
{
  HONE_TRY(const auto neighbour, neighbour_for(options));
  HONE_TRY(const std::vector<BenchKernel> kernels, bench_kernels(1));
  std::vector<std::string> names;
  std::ranges::transform(kernels, std::back_inserter(names), &BenchKernel::name);
  HONE_CHECK(check_names(options, names));
  const std::map<std::string, double> calls_s{{"gemm-96x32x32", 2e-6}, {"gemm-160", 50e-6}, {"gemm-320", 1e-3},
                                              {"gemm-960", 20e-3},     {"scale-64K", 2e-6}, {"scale-2M", 50e-6},
                                              {"scale-64M", 1e-3}};
  std::vector<std::unique_ptr<gate::Gate>> gates;
  std::vector<Cell> cells;
  for (const BenchKernel& kernel : kernels) {
    if (options.only.empty() ? !kernel.arithmetic : !chosen(options, kernel.name)) {
      continue;
    }
    HONE_TRY(kernel::Kernel loaded, kernel::parse_kernel(kernel.toml, kernel.name));
    const auto shared = std::make_shared<const kernel::Kernel>(std::move(loaded));
    HONE_TRY(gate::Gate gate, open_gate(shared));
    gates.push_back(std::make_unique<gate::Gate>(std::move(gate)));
    for (const std::string& regime : options.regimes) {
      Cell cell{gates.back().get(), kernel.honest, kernel.honest, {}, {}};
      cell.recipe.sizes = shared->timed.front();
      cell.recipe.regime = record::regime_named(regime);
      cell.row = {"aa", kernel.name, options.neighbour ? "memory" : "none", calls_s.at(kernel.name)};
      cells.push_back(std::move(cell));
    }
  }
  return run_cells(cells, options);
}

Result<void> study_known(const StudyOptions& options)
{
  HONE_TRY(const auto neighbour, neighbour_for(options));
  HONE_TRY(const std::vector<KnownWork> all, known_work(options.percent));
  std::vector<std::string> names;
  std::ranges::transform(all, std::back_inserter(names), &KnownWork::name);
  HONE_CHECK(check_names(options, names));
  HONE_TRY(gate::Gate gate, open_gate(all.front().kernel));
  std::vector<Cell> cells;
  for (const KnownWork& work : all) {
    for (const double percent : options.percent) {
      if (!chosen(options, work.name)) {
        continue;
      }
      const std::int64_t more = work.units_with(percent);
      const double ratio = static_cast<double>(more) / static_cast<double>(work.units);
      Cell cell{&gate, work.contender(work.units), work.contender(more), {}, {}};
      cell.recipe.sizes = work.kernel->timed.front();
      cell.recipe.regime = record::Regime::hot; // where the data start is nothing beside the chain
      cell.row = {"known", work.name, options.neighbour ? "memory" : "none", work.call_s, ratio, ratio};
      cells.push_back(std::move(cell));
    }
  }
  return run_cells(cells, options);
}

} // namespace hone
