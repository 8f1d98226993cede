#include "noise_model.h"
#include "rows.h"
#include "studies.h"

#include <fmt/format.h>

#include <chrono>

namespace hone {

namespace {

constexpr double k_calls_s[] = {2e-6, 50e-6, 1e-3, 20e-3};

// Far apart, so that no two cells and no two seeds that one would give share a simulation; equal for equal options.
std::uint64_t seed_of(std::uint64_t first, std::size_t cell, int run)
{
  return ((first - 1) << 52) + 1 + (static_cast<std::uint64_t>(cell) << 40) + static_cast<std::uint64_t>(run);
}

// One more line of the head.
void print_models()
{
  std::vector<std::string> models;
  for (const gate::test::NoiseModel& model : gate::test::usual_machines()) {
    models.push_back(
      fmt::format("{} (pairs {:.2g} %, blocks {:.2g} %, outliers {:.2g} % of blocks, drift {:.2g} % per second)",
                  model.name, 100 * model.pair_sd, 100 * model.block_sd, 100 * model.outliers, 100 * model.drift));
  }
  fmt::print("# models: {}\n", join(models, "; "));
}

} // namespace

Result<void> study_simulated(const StudyOptions& options)
{
  const auto begin = std::chrono::steady_clock::now();
  print_models();
  print_row_heading();
  std::size_t cell = 0;
  for (gate::test::NoiseModel model : gate::test::usual_machines()) {
    for (const double call_s : k_calls_s) {
      for (const double percent : options.percent) {
        ++cell;
        model.call_s = call_s;
        model.ratio = 1 + percent / 100;
        const TrustRow row{"simulated", model.name, "none", call_s, model.ratio, gate::test::ratio_of_blocks(model)};
        for (int run = 0; run < options.n; ++run) {
          if (std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(options.seconds)) {
            return fail("the time was over before all cells were done",
                        "ask for fewer with --n, or give more --seconds");
          }
          print_row(row, gate::test::simulated(model, seed_of(options.seed, cell, run)));
        }
      }
    }
  }
  return {};
}

} // namespace hone
