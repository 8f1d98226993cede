#include "backend/library/library.h"

#include "backend/library/gemm_mapping.h"
#include "backend/library/installed_libraries.h"
#include "backend/library/library_request.h"
#include "util/util.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

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
// fastest on a CPU newer than they are. Without a file, it is the installed library of that name.
struct Variant {
  const char* name;
  const char* setting;
  const char* file;
  const char* entry;
  const char* environment;
  Needs needs;
  const char* backend = "cpu"; // whose candidates it is a rival of
};

constexpr double k_clblast_compiles_s = 7; // in PoCL 3.1, measured on a Zen 5
constexpr const char* k_tuned = "tuned by clblast_tuner_xgemm";

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
  {"onednn-newest", "dnnl_sgemm", "", "dnnl-sgemm", "", Needs::nothing},
  {"onednn-newest", "dnnl_gemm", "", "dnnl-gemm", "", Needs::nothing},
  {"onednn-3", "matmul primitive", "", "dnnl3-matmul", "", Needs::nothing},
  {"onednn-3", "dnnl_sgemm", "", "dnnl-sgemm", "", Needs::nothing},
  {"onednn-3", "dnnl_gemm", "", "dnnl-gemm", "", Needs::nothing},
  {"openblas-newest", "OPENBLAS_CORETYPE=SkylakeX", "", "cblas", "OPENBLAS_CORETYPE=SkylakeX", Needs::avx512},
  {"openblas-newest", "OPENBLAS_CORETYPE=Cooperlake", "", "cblas", "OPENBLAS_CORETYPE=Cooperlake", Needs::avx512_bf16},
  {"openblas-newest", "OPENBLAS_CORETYPE=Haswell", "", "cblas", "OPENBLAS_CORETYPE=Haswell", Needs::avx2},
  {"openblas-newest", "OPENBLAS_CORETYPE=Zen", "", "cblas", "OPENBLAS_CORETYPE=Zen", Needs::avx2_amd},
  {"openblas-newest", "default", "", "cblas", "", Needs::nothing},
  // Its own choice of code is final on an AMD processor: no setting leads to its AVX-512 code there.
  {"mkl", "cblas", "", "cblas", "", Needs::nothing},
  {"mkl", "code generated for the shape", "", "mkl-jit", "", Needs::avx2_other},
  {"libxsmm", "code generated for the shape", "", "xsmm", "", Needs::avx2},
  {"clblast", "default", "libclblast.so.1", "clblast", "", Needs::nothing, "opencl"},
  {"clblast", k_tuned, "libclblast.so.1", "clblast", "", Needs::nothing, "opencl"},
};

// What CLBlast's own tuner left (clblast_tuner_xgemm) in the folder of rivals, as "KWG=32,MWG=64"; "" where it did not.
std::string clblast_parameters()
{
  static const std::string parameters = [] {
    const auto text = read_file(installed_libraries_folder() / "clblast_xgemm.json");
    const nlohmann::json json = nlohmann::json::parse(text ? *text : "", nullptr, false);
    const std::string words = json.is_object() ? json.value("best_parameters", "") : "";
    return join(split(words, ' '), ",");
  }();
  return parameters;
}

std::string environment_of(const Variant& variant)
{
  return std::string_view(variant.setting) == k_tuned ? "HONE_CLBLAST_PARAMETERS=" + clblast_parameters()
                                                      : variant.environment;
}

// "" where no such library is installed.
std::string file_of(const Variant& variant)
{
  if (*variant.file != '\0') {
    return variant.file;
  }
  const auto& installed = installed_libraries();
  const auto found = std::ranges::find(installed, variant.name, &InstalledLibrary::name);
  return found == installed.end() ? "" : found->file.string();
}

std::string version_of(const Variant& variant, const std::string& facts)
{
  const auto& installed = installed_libraries();
  const auto listed = std::ranges::find(installed, variant.name, &InstalledLibrary::name);
  const std::string said = facts.substr(0, facts.find(',')); // "0.9.0, Zen"
  const std::string number = said.find('.') != std::string::npos ? said : "";
  return *variant.file == '\0' && listed != installed.end() ? listed->version : number;
}

// Code for one shape is made for small products; beyond, it is refused or slow.
bool is_small(const GemmCall& call)
{
  constexpr std::int64_t k_most = 128;
  return call.m <= k_most && call.n <= k_most && call.k <= k_most;
}

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
  if (entry == "dnnl3-matmul") {
    return call.types != GemmTypes::f64 && (call.bias < 0 || call.alpha == 1);
  }
  if (entry == "xsmm") {
    return !call.is_narrow() && is_small(call) && !call.transpose_a && !call.transpose_b && call.alpha == 1;
  }
  if (entry == "mkl-jit") {
    return !call.is_narrow() && is_small(call);
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
  const bool fused = std::string_view(variant.entry).ends_with("-matmul");
  return fmt::format("{}; {} {}", variant.setting, work, fused ? "fused" : "in a loop after it");
}

// The libraries that can be opened here, with what they say of themselves. Asked of the runner program, because opening
// one starts threads and runs its code; asked once, because libraries do not come and go.
const std::map<std::string, std::string>& libraries_present()
{
  static const std::map<std::string, std::string> present = [] {
    ProcessRequest request;
    request.argv = {(libexec_folder() / k_library_runner).string(), "--probe"};
    for (const Variant& variant : k_variants) {
      const std::string file = file_of(variant);
      if (!file.empty() && std::ranges::find(request.argv, file) == request.argv.end()) {
        request.argv.push_back(file);
      }
    }
    request.deadline = std::chrono::seconds(60);
    std::map<std::string, std::string> files;
    const auto outcome = run_process(request);
    if (outcome && outcome->ok()) {
      for (const std::string& line : split(outcome->out, '\n')) {
        const std::size_t tab = std::min(line.find('\t'), line.size());
        files[line.substr(0, tab)] = tab < line.size() ? line.substr(tab + 1) : "";
      }
    }
    return files;
  }();
  return present;
}

bool usable_here(const Variant& variant, const GemmCall& call)
{
  const bool default_is_forced_elsewhere = std::string_view(variant.setting) == "default" && cpu_has(Needs::avx2)
                                           && std::string_view(variant.backend) == "cpu";
  if (std::string_view(variant.setting) == k_tuned && (clblast_parameters().empty() || call.types != GemmTypes::f32)) {
    return false;
  }
  return cpu_has(variant.needs) && computes(variant, call) && !default_is_forced_elsewhere && !file_of(variant).empty()
         && libraries_present().contains(file_of(variant));
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

std::vector<LibraryBaseline> library_baselines(const GemmCall& call, std::string_view backend)
{
  std::vector<LibraryBaseline> baselines;
  for (const Variant& variant : k_variants) {
    if (variant.backend == backend && usable_here(variant, call)) {
      const bool compiles = std::string_view(variant.entry) == "clblast";
      baselines.push_back({variant.name, full_setting(variant, call), compiles ? k_clblast_compiles_s : 0});
    }
  }
  return baselines;
}

std::vector<FoundLibrary> libraries_found()
{
  std::vector<FoundLibrary> found;
  for (const Variant& variant : k_variants) {
    const std::string file = file_of(variant);
    const auto present = libraries_present().find(file);
    const bool known = std::ranges::any_of(found, [&](const FoundLibrary& one) { return one.name == variant.name; });
    if (!file.empty() && present != libraries_present().end() && !known) {
      found.push_back({variant.name, file, present->second, version_of(variant, present->second)});
    }
  }
  return found;
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
    for (const LibraryBaseline& baseline : library_baselines(*call, "cpu")) {
      known.push_back(fmt::format("{} ({})", baseline.name, baseline.setting));
    }
    return fail(
      fmt::format("no library baseline \"{}\" with the setting \"{}\" for kernel {}", name, setting, kernel.name),
      "there are: " + join(known, ", "));
  }
  LibraryModule result;
  result.module.build_options =
    to_text(LibraryRequest{file_of(*variant), variant->entry, environment_of(*variant), *call});
  result.module.entry_names = {"gemm"};
  result.module.hash = sha256(std::string_view(result.module.build_options));
  result.plan = plan_with_all_arguments(kernel);
  return result;
}

} // namespace hone::backend
