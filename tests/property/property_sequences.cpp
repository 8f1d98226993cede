// property_sequences [N] [SEED]: N random legal sequences of the built-in engine's transformations over the
// contraction kernels, also narrow ones, and those that go by rows or windows, at random tuning points, for four
// instruction sets, on odd sizes, against the fp64 reference. Prints the table of legal pairs, the number of distinct
// sources, and every failure; exits with 1 if there was one.
#include "sequence_harness.h"

#include <fmt/format.h>

#include <cstdlib>
#include <set>

namespace {

using namespace hone;

const std::vector<std::string> k_kernels = {"matmul",           "matmul-batched",   "matmul-ta", "matmul-tb",
                                            "matmul-bias-relu", "matmul-bias-gelu", "matmul-f64"};
// In one step each: what they try is points and sizes. More are written below.
const std::vector<std::string> k_narrow_kernels = {"matmul-i8", "matmul-bf16"};
const std::vector<std::string> k_row_kernels = {"softmax", "layer-norm", "rms-norm",       "cross-entropy",
                                                "argmax",  "gelu",       "frobenius-norm", "cumulative-sum"};
const std::vector<std::string> k_window_kernels = {"conv2d", "conv2d-bias-relu", "conv2d-depthwise", "max-pool",
                                                   "avg-pool"};

// Of four instruction sets those that this machine carries out.
std::vector<std::vector<std::string>> usable_flags()
{
  std::vector<std::vector<std::string>> flags{{"-march=native", "-mprefer-vector-width=512"}, {"-msse2"}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    flags.push_back({"-mavx2", "-mfma"});
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
      && __builtin_cpu_supports("avx512vl")) {
    flags.push_back({"-march=x86-64-v4"});
  } else {
    fmt::print("no AVX-512 here: sequences run on the other instruction sets only\n");
  }
  return flags;
}
constexpr std::size_t k_batch = 24;

struct NarrowVariant {
  std::string name;
  std::vector<std::string> types; // of A, B and the output
  std::string expression;
};
const std::string k_product = "C[m,n] = sum(k, A[m,k] * B[k,n])";
const std::vector<NarrowVariant> k_narrow_variants = {
  {"mixed", {"u8", "i8", "i32"}, k_product},
  {"unsigned", {"u8", "u8", "i32"}, k_product},
  {"mixed-tb", {"i8", "u8", "i32"}, "C[m,n] = sum(k, A[m,k] * B[n,k])"},
  {"signed-tb", {"i8", "i8", "i32"}, "C[m,n] = sum(k, A[m,k] * B[n,k])"},
  {"halves", {"bf16", "bf16", "bf16"}, "C[m,n] = max(sum(k, A[m,k] * B[k,n]) * 0.5 + bias[n], 0)"},
  {"halves-tb", {"bf16", "bf16", "f32"}, "C[m,n] = sum(k, A[m,k] * B[n,k])"},
};

Result<kernel::Kernel> narrow_variant(const std::string& name, const std::vector<std::string>& types,
                                      const std::string& expression)
{
  const bool turned = expression.find("B[n,k]") != std::string::npos;
  const bool biased = expression.find("bias") != std::string::npos;
  std::string text = fmt::format("[kernel]\nname = \"{}\"\n[compute]\nexpr = \"{}\"\n[arguments]\n", name, expression);
  text += fmt::format("A = {{ type = \"{}\", shape = [\"m\", \"k\"] }}\n", types[0]);
  text += fmt::format("B = {{ type = \"{}\", shape = [\"{}\", \"{}\"] }}\n", types[1], turned ? "n" : "k",
                      turned ? "k" : "n");
  text += biased ? fmt::format("bias = {{ type = \"{}\", shape = [\"n\"] }}\n", types[2]) : "";
  text += fmt::format("C = {{ type = \"{}\", shape = [\"m\", \"n\"], role = \"output\" }}\n", types[2]);
  text += "[sizes]\ntimed = [ { m = 64, n = 64, k = 64 } ]\nalso = \"any\"\n[accuracy]\naccumulate = \"f32\"\n";
  return kernel::parse_kernel(text, name);
}

std::vector<rewrite::Rewrite> steps_of(rewrite::RewriteFamily family)
{
  std::vector<rewrite::Rewrite> out;
  std::ranges::copy_if(rewrite::rewrites(), std::back_inserter(out),
                       [&](const rewrite::Rewrite& rewrite) { return rewrite.family == family; });
  return out;
}

// What needs several steps before it, or another kind of kernel, is in no pair.
void leave_out_what_needs_more(std::vector<rewrite::Rewrite>& steps, const rewrite::RewriteSubject& subject)
{
  const lower::Schedule naive = lower::naive_schedule(subject.kernel);
  const std::vector<rewrite::Rewrite> all = steps;
  const auto follows_one = [&](const rewrite::Rewrite& step) {
    return rewrite::rewrite_schedule(naive, step.name, subject)
           || std::ranges::any_of(all, [&](const rewrite::Rewrite& before) {
                const Result<lower::Schedule> first = rewrite::rewrite_schedule(naive, before.name, subject);
                return first && rewrite::rewrite_schedule(*first, step.name, subject);
              });
  };
  std::erase_if(steps, [&](const rewrite::Rewrite& step) {
    const bool out = !follows_one(step);
    out ? fmt::print("left out: {} follows no single step\n", step.name) : void();
    return out;
  });
}

// True when at least 60 % are legal: steps should combine freely.
bool print_legal_pairs(const kernel::Kernel& kernel, rewrite::RewriteFamily family, const lower::Dialect& dialect)
{
  int legal = 0;
  int pairs = 0;
  std::vector<rewrite::Rewrite> steps = steps_of(family);
  leave_out_what_needs_more(steps, {kernel, dialect});
  fmt::print("legal pairs (row first, then column), {}:\n{:22}", kernel.name, "");
  for (const rewrite::Rewrite& column : steps) {
    fmt::print(" {:.8}", fmt::format("{:8}", column.name));
  }
  fmt::print("\n");
  for (const rewrite::Rewrite& row : steps) {
    fmt::print("{:22}", row.name);
    const Result<lower::Schedule> first =
      rewrite::rewrite_schedule(lower::naive_schedule(kernel), row.name, {kernel, dialect});
    for (const rewrite::Rewrite& column : steps) {
      const bool same = row.name == column.name;
      const bool ok = !same && first && rewrite::rewrite_schedule(*first, column.name, {kernel, dialect}).has_value();
      pairs += same ? 0 : 1;
      legal += ok ? 1 : 0;
      fmt::print(" {:8}", same ? "." : ok ? "yes" : "no");
    }
    fmt::print("\n");
  }
  fmt::print("{} of {} ordered pairs are legal ({:.0f} %)\n", legal, pairs, 100.0 * legal / pairs);
  return legal * 100 >= pairs * 60;
}

} // namespace

int main(int argc, char** argv)
{
  const std::size_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  Random random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  std::vector<kernel::Kernel> kernels;
  std::vector<std::string> names = k_kernels;
  names.insert(names.end(), k_row_kernels.begin(), k_row_kernels.end());
  names.insert(names.end(), k_window_kernels.begin(), k_window_kernels.end());
  names.insert(names.end(), k_narrow_kernels.begin(), k_narrow_kernels.end());
  for (const std::string& name : names) {
    Result<kernel::Kernel> kernel = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / name);
    if (!kernel) {
      fmt::print(stderr, "{}\n", kernel.error().text());
      return 2;
    }
    kernels.push_back(std::move(*kernel));
  }
  for (const auto& [name, types, expression] : k_narrow_variants) {
    Result<kernel::Kernel> kernel = narrow_variant(name, types, expression);
    if (!kernel) {
      fmt::print(stderr, "{}\n", kernel.error().text());
      return 2;
    }
    kernels.push_back(std::move(*kernel));
  }
  // Of the few steps for rows some are for other kernels than softmax: no share of pairs is asked for.
  print_legal_pairs(kernels[k_kernels.size()], rewrite::RewriteFamily::rows, lower::cpu_dialect(64, true));
  print_legal_pairs(kernels[k_kernels.size() + k_row_kernels.size()], rewrite::RewriteFamily::windows,
                    lower::cpu_dialect(64, true));
  const bool enough_pairs =
    print_legal_pairs(kernels.front(), rewrite::RewriteFamily::contraction, lower::cpu_dialect(64, true));

  const std::vector<std::vector<std::string>> flags = usable_flags();
  std::set<std::string> sources;
  std::size_t failures = 0;
  for (std::size_t done = 0; done < wanted; done += k_batch) {
    std::vector<rewrite::SequenceCase> cases;
    // Every fifth batch goes over windows, whose kernels have many sizes: small ones do.
    const bool windows = done / k_batch % 5 == 4;
    const std::size_t first_window = k_kernels.size() + k_row_kernels.size();
    const std::size_t others = kernels.size() - k_window_kernels.size();
    for (std::size_t i = done; i < std::min(done + k_batch, wanted); ++i) {
      const std::size_t other = i % others;
      const std::size_t at = windows                ? first_window + i % k_window_kernels.size()
                             : other < first_window ? other
                                                    : other + k_window_kernels.size();
      Result<rewrite::SequenceCase> one =
        rewrite::random_case(kernels[at], lower::cpu_dialect(64, true), 1 + random.below(13), random);
      if (!one) {
        fmt::print("FAILED to make a case: {}\n", one.error().text());
        ++failures;
        continue;
      }
      sources.insert(one->candidate.device_source() + one->candidate.files.at("macros.h"));
      cases.push_back(std::move(*one));
    }
    rewrite::SequenceRun run;
    run.flags = flags[done / k_batch % flags.size()];
    run.extents = {{1}, {2, 3, 1}, {31, 33, 70}, {127, 50, 129, 65}, {33, 400, 270}, {200, 97, 260}};
    if (windows) {
      run.extents = {{1}, {2, 3, 5, 17, 4}, {1, 4, 7, 33, 9}, {2, 17, 3, 19, 40}, {3, 2, 35, 18, 5}};
    }
    run.seed = random.next();
    const Result<std::vector<std::string>> outcome = rewrite::run_cases(cases, run);
    if (!outcome) {
      fmt::print("FAILED: {}\n", outcome.error().text());
      ++failures;
      continue;
    }
    for (const std::string& failure : *outcome) {
      fmt::print("FAILED {} ({})\n", failure, join(run.flags, " "));
    }
    failures += outcome->size();
    fmt::print("{} sequences, {} distinct sources, {} failures\n", done + cases.size(), sources.size(), failures);
    std::fflush(stdout);
  }
  return failures == 0 && enough_pairs ? 0 : 1;
}
