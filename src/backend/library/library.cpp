#include "backend/library/library.h"

#include "backend/library/gemm_mapping.h"
#include "backend/library/library_request.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::backend {
namespace {

enum class Needs { nothing, avx2, avx2_amd, avx2_other, avx512, avx512_bf16 };

bool cpu_has(Needs needs)
{
  switch (needs) {
  case Needs::nothing:
    return true;
  case Needs::avx2:
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  case Needs::avx2_amd:
    return cpu_has(Needs::avx2) && __builtin_cpu_is("amd");
  case Needs::avx2_other:
    return cpu_has(Needs::avx2) && !__builtin_cpu_is("amd");
  case Needs::avx512:
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
           && __builtin_cpu_supports("avx512dq");
  case Needs::avx512_bf16:
    return cpu_has(Needs::avx512) && __builtin_cpu_supports("avx512bf16");
  }
  return false;
}

// One way of running one library. Environments are forced, because the libraries' own choice is often not the
// fastest on a CPU newer than they are.
struct Variant {
  const char* name;
  const char* setting;
  const char* file;
  const char* entry;
  const char* environment;
  Needs needs;
};

constexpr Variant k_variants[] = {
  {"onednn", "dnnl_sgemm", "libdnnl.so.2", "dnnl-sgemm", "", Needs::nothing},
  {"onednn", "dnnl_gemm", "libdnnl.so.2", "dnnl-gemm", "", Needs::nothing},
  {"onednn", "matmul primitive", "libdnnl.so.2", "dnnl-matmul", "", Needs::nothing},
  {"openblas", "OPENBLAS_CORETYPE=SkylakeX", "libopenblas.so.0", "cblas", "OPENBLAS_CORETYPE=SkylakeX", Needs::avx512},
  {"openblas", "OPENBLAS_CORETYPE=Cooperlake", "libopenblas.so.0", "cblas", "OPENBLAS_CORETYPE=Cooperlake",
   Needs::avx512_bf16},
  {"openblas", "OPENBLAS_CORETYPE=Haswell", "libopenblas.so.0", "cblas", "OPENBLAS_CORETYPE=Haswell", Needs::avx2},
  {"openblas", "OPENBLAS_CORETYPE=Zen", "libopenblas.so.0", "cblas", "OPENBLAS_CORETYPE=Zen", Needs::avx2_amd},
  {"openblas", "default", "libopenblas.so.0", "cblas", "", Needs::nothing},
  // The released library takes numbers only: 0 is skx, 3 haswell, 6 zen3.
  {"blis", "BLIS_ARCH_TYPE=0", "libblis.so.4", "cblas", "BLIS_ARCH_TYPE=0", Needs::avx512},
  {"blis", "BLIS_ARCH_TYPE=6", "libblis.so.4", "cblas", "BLIS_ARCH_TYPE=6", Needs::avx2_amd},
  {"blis", "BLIS_ARCH_TYPE=3", "libblis.so.4", "cblas", "BLIS_ARCH_TYPE=3", Needs::avx2_other},
  {"blis", "default", "libblis.so.4", "cblas", "", Needs::nothing},
};

bool computes(const Variant& variant, const GemmCall& call)
{
  const std::string_view entry = variant.entry;
  if (entry == "dnnl-sgemm") {
    return call.types == GemmTypes::f32;
  }
  if (entry == "dnnl-matmul") {
    // Where a bias meets a factor, the primitive's order of the two is not ours.
    return call.types != GemmTypes::f64 && (call.bias < 0 || call.alpha == 1);
  }
  if (entry == "dnnl-gemm") {
    return call.is_narrow() && call.types != GemmTypes::bf16;
  }
  return !call.is_narrow();
}

// How work after the product is done is part of the setting, so that nobody reads the figure as the bare library's.
std::string full_setting(const Variant& variant, const GemmCall& call)
{
  if (!call.has_epilogue()) {
    return variant.setting;
  }
  const std::string activation = call.activation == Activation::relu   ? "ReLU"
                                 : call.activation == Activation::gelu ? "GELU"
                                                                       : "";
  const std::string work = call.bias < 0 ? activation : activation.empty() ? "bias" : "bias and " + activation;
  const bool fused = std::string_view(variant.entry) == "dnnl-matmul";
  return fmt::format("{}; {} {}", variant.setting, work, fused ? "fused" : "in a loop after it");
}

// Names of the libraries that can be opened here. Asked of the runner program, because opening one starts threads
// and runs its code; asked once, because libraries do not come and go.
const std::set<std::string>& libraries_present()
{
  static const std::set<std::string> present = [] {
    ProcessRequest request;
    request.argv = {(libexec_folder() / k_library_runner).string(), "--probe"};
    request.deadline = std::chrono::seconds(20);
    std::set<std::string> files;
    const auto outcome = run_process(request);
    if (outcome && outcome->ok()) {
      for (const std::string& line : split(outcome->out, '\n')) {
        files.insert(line);
      }
    }
    return files;
  }();
  return present;
}

bool usable_here(const Variant& variant, const GemmCall& call)
{
  const bool default_is_forced_elsewhere = std::string_view(variant.setting) == "default" && cpu_has(Needs::avx2);
  return cpu_has(variant.needs) && computes(variant, call) && !default_is_forced_elsewhere
         && libraries_present().contains(variant.file);
}

kernel::ResolvedPlan plan_with_all_arguments(const kernel::Kernel& kernel)
{
  kernel::ResolvedLaunch launch;
  launch.kernel = "gemm";
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    launch.args.push_back({kernel::ResolvedArgument::Kind::tensor, i, 0});
  }
  kernel::ResolvedPlan plan;
  plan.launches.push_back(std::move(launch));
  return plan;
}

} // namespace

std::vector<LibraryBaseline> library_baselines(const GemmCall& call)
{
  std::vector<LibraryBaseline> baselines;
  for (const Variant& variant : k_variants) {
    if (usable_here(variant, call)) {
      baselines.push_back({variant.name, full_setting(variant, call)});
    }
  }
  return baselines;
}

Result<LibraryModule> library_module(const kernel::Kernel& kernel, const kernel::Sizes& sizes, std::string_view name,
                                     std::string_view setting)
{
  const auto call = gemm_call_for(kernel, sizes);
  if (!call) {
    return fail(fmt::format("kernel {} is not a matrix product that a library computes", kernel.name),
                "library baselines exist for (batched, transposed) products with an optional bias and ReLU");
  }
  const auto variant = std::ranges::find_if(k_variants, [&](const Variant& candidate) {
    return candidate.name == name && computes(candidate, *call) && full_setting(candidate, *call) == setting;
  });
  if (variant == std::end(k_variants)) {
    std::vector<std::string> known;
    for (const LibraryBaseline& baseline : library_baselines(*call)) {
      known.push_back(fmt::format("{} ({})", baseline.name, baseline.setting));
    }
    return fail(
      fmt::format("no library baseline \"{}\" with the setting \"{}\" for kernel {}", name, setting, kernel.name),
      "there are: " + join(known, ", "));
  }
  LibraryModule result;
  result.module.build_options = to_text(LibraryRequest{variant->file, variant->entry, variant->environment, *call});
  result.module.entry_names = {"gemm"};
  result.module.hash = sha256(std::string_view(result.module.build_options));
  result.plan = plan_with_all_arguments(kernel);
  return result;
}

} // namespace hone::backend
