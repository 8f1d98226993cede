// matrix_steps ARCH [more]: the steps for products on devices, one after the other, on products of f16, bf16, f32, f64
// and bytes for ARCH (sm_80, sm_90a, gfx90a, gfx942; HONE_SEQUENCES_KEEP=FOLDER keeps the texts,
// HONE_SEQUENCES_ONLY=TEXT runs those whose kernel and steps have it): compiled, executed on the emulated device,
// compared with sums in f64, which are exact for bytes. Sizes are odd, one, and such that slices do not fill the stages
// of a pipeline.
//
// Finds: fragments that are laid out otherwise than the instruction says, terms beyond the last that are not 0, a copy
// that is not waited for, a stage that is filled while it is read, lines whose places are swizzled in one place only.
#include "backend/cuda/device_compiler.h"
#include "emulated_plan.h"
#include "gate/jail.h"
#include "lower/lower.h"
#include "matrix_sequences.h"
#include "rewrite/builtin/device/device_rewrites.h"
#include "util/util.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <set>

namespace {

using namespace hone;

constexpr int k_skipped = 77;

// Against sums in f64. The inputs have few bits: products are exact, and sums nearly.
std::string wrong_sums(const Product& product, const EmulatedRun& run, const std::array<std::int64_t, 3>& sizes,
                       kernel::DataType out)
{
  const auto [m, n, k] = sizes;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0, size = 0;
      for (std::int64_t p = 0; p < k; ++p) {
        const double a = run.inputs[0][static_cast<std::size_t>(product.a_transposed ? p * m + i : i * k + p)];
        const double b = run.inputs[1][static_cast<std::size_t>(product.b_transposed ? j * k + p : p * n + j)];
        sum += a * b;
        size += std::abs(a * b);
      }
      const double got = run.outputs[0][static_cast<std::size_t>(i * n + j)];
      const kernel::DataType added = out == kernel::DataType::f64 ? out : kernel::DataType::f32;
      const double bound = kernel::is_float(out) ? kernel::unit_roundoff(out) * std::abs(sum) * 1.01
                                                     + kernel::unit_roundoff(added) * size * 64
                                                 : 0;
      if (!(std::abs(got - sum) <= bound)) {
        return fmt::format("C[{}, {}] is {}, not {}", i, j, got, sum);
      }
    }
  }
  return "";
}

struct Tally {
  int candidates = 0, launches = 0, failed = 0;
};

Result<void> check_candidate(const Product& product, const kernel::Kernel& kernel, const kernel::Candidate& candidate,
                             const Steps& steps, const backend::DeviceTarget& target, Random& random, Tally& tally)
{
  const kernel::PlanScope facts = facts_of(target);
  const kernel::TuningPoint point = point_of(candidate, facts, sizes_of(k_sizes.back()), random);
  std::string ptx;
  ++tally.candidates;
  for (const auto& sizes : k_sizes) {
    HONE_TRY(const kernel::ResolvedPlan plan, kernel::resolve_plan(kernel, candidate, sizes_of(sizes), point, facts));
    if (ptx.empty()) {
      HONE_TRY(const backend::CompileJob job,
               backend::device_compile_job({kernel, candidate, point, sizes_of(sizes), plan}, target));
      HONE_TRY(gate::JailOutcome outcome, gate::run_in_jail(job, {}));
      if (outcome.status != record::Status::correct) {
        ++tally.failed;
        fmt::print("{} {}: {} | {}\n{}\n", kernel.name, target.arch, join(steps, " "), kernel::to_text(point),
                   outcome.log.substr(0, 1500));
        return {};
      }
      ptx = std::move(outcome.outputs["program.ptx"]);
      if (const char* const folder = std::getenv("HONE_SEQUENCES_KEEP")) {
        const std::string base = fmt::format("{}-{}-{}", kernel.name, target.arch, steps.back());
        (void)write_file(fs::path(folder) / (base + ".cu"), candidate.device_source() + "\n// " + outcome.log);
        (void)write_file(fs::path(folder) / (base + ".ptx"), ptx);
      }
    }
    HONE_TRY(const EmulatedRun run, run_emulated(kernel, sizes_of(sizes), plan, ptx, 5));
    ++tally.launches;
    std::string wrong = run.trouble;
    wrong += wrong.empty() ? wrong_sums(product, run, sizes, kernel.arguments.back().type) : "";
    if (!wrong.empty()) {
      ++tally.failed;
      fmt::print("{} {} {}x{}x{}: {} | {}\n  {}\n", kernel.name, target.arch, sizes[0], sizes[1], sizes[2],
                 join(steps, " "), kernel::to_text(point), wrong.substr(0, 800));
      return {};
    }
  }
  return {};
}

Result<int> run(const std::string& arch, bool more)
{
  const backend::DeviceTarget* target = backend::find_device_target(arch);
  if (target == nullptr) {
    return fail(fmt::format("there is no architecture '{}'", arch));
  }
  if (const auto ready = backend::check_device_compiler(target->language); !ready) {
    fmt::print("skipped: {}\n", ready.error().text());
    return k_skipped;
  }
  const lower::Dialect dialect = *lower::work_item_dialect(target->language);
  Random random(11);
  Tally tally;
  std::vector<Product> products = k_products;
  products.insert(products.end(), edited_products().begin(), edited_products().end());
  const std::string only = std::getenv("HONE_SEQUENCES_ONLY") != nullptr ? std::getenv("HONE_SEQUENCES_ONLY") : "";
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Product& product = products[i];
    if (!more && product.kernel != "matmul-f16") {
      continue;
    }
    HONE_TRY(const kernel::Kernel kernel, kernel_of(product));
    const bool warp_groups = target->warp_group > 0;
    std::vector<Steps> sequences = i < k_products.size() ? sequences_for(product.kernel, target->language, warp_groups)
                                                         : sequences_of_edited(kernel, target->language, warp_groups);
    if (warp_groups && i < k_products.size() && product.kernel.ends_with("f16")) {
      sequences.insert(sequences.end(), k_clustered.begin(), k_clustered.end());
    }
    std::set<Steps> seen;
    for (const Steps& steps : sequences) {
      lower::Schedule schedule = lower::naive_schedule(kernel);
      Steps done;
      for (const std::string& step : steps) {
        HONE_TRY(schedule, rewrite::rewrite_schedule(std::move(schedule), step, {kernel, dialect}));
        done.push_back(step);
        HONE_TRY(const kernel::Candidate candidate, lower::lower_schedule(kernel, schedule, dialect));
        const bool wanted = (product.kernel + " " + join(done, " ")).contains(only);
        if (wanted && (more || done.size() == steps.size()) && seen.insert(done).second) {
          HONE_CHECK(check_candidate(product, kernel, candidate, done, *target, random, tally));
        }
      }
    }
  }
  fmt::print("{}: {} candidates, {} launches on {} sizes, {} failed\n", arch, tally.candidates, tally.launches,
             k_sizes.size(), tally.failed);
  return tally.failed == 0 ? 0 : 1;
}

} // namespace

int main(int count, char** arguments)
{
  if (count < 2) {
    fmt::print(stderr, "usage: matrix_steps ARCH [more]\n");
    return 2;
  }
  const Result<int> status = run(arguments[1], count > 2);
  if (!status) {
    fmt::print(stderr, "matrix_steps: {}\n", status.error().text());
    return 2;
  }
  return *status;
}
