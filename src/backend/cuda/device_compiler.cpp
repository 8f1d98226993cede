#include "backend/cuda/device_compiler.h"

#include "backend/cuda/prelude.h"
#include "backend/source_words.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>

namespace hone::backend {

namespace {

constexpr const char* k_clang = "/usr/bin/clang++-19";
constexpr const char* k_libclc = "/usr/lib/clc/nvptx64--nvidiacl.bc";
constexpr const char* k_rocm_bitcode = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
constexpr const char* k_ptxas = "/usr/local/cuda/bin/ptxas";
constexpr const char* k_prelude_file = "hone_prelude.h";
constexpr const char* k_emulated_prelude_file = "hone_emulated_prelude.h";

// NVIDIA: registers, shared memory and threads of a multiprocessor (CUDA C++ Programming Guide, compute capabilities).
// AMD: vector registers of the four SIMDs of a compute unit (of the two SIMD32 pairs of a work-group processor,
// halved), and its LDS (the instruction set guides of CDNA 2, CDNA 3 and RDNA 3).
constexpr std::array k_device_targets = {
  DeviceTarget{"cuda", "sm_80", 65536, 163 << 10, 2048, 32, 0, 0, 8},
  DeviceTarget{"cuda", "sm_90a", 65536, 227 << 10, 2048, 32, 128, 8, 8},
  DeviceTarget{"hip", "gfx90a", 131072, 64 << 10, 2048, 64, 0, 0, 8},
  DeviceTarget{"hip", "gfx942", 131072, 64 << 10, 2048, 64, 0, 0, 8},
  DeviceTarget{"hip", "gfx1100", 98304, 64 << 10, 1024, 32, 0, 0, 24},
};

bool exists(const char* path)
{
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// The device libraries of Debian know gfx940 and gfx1036; what differs in these constants for their neighbours is the
// number alone.
std::string isa_library(std::string_view arch)
{
  return arch == "gfx90a"   ? "oclc_isa_version_90a"
         : arch == "gfx942" ? "oclc_isa_version_940"
                            : "oclc_isa_version_1036";
}

// Words through which text of other files, or instructions of the machine, would get into the program.
// PTX has no way to them, the assembly of AMD's devices has.
constexpr std::string_view k_forbidden_in_device_code[] = {"include", "include_next", "import",
                                                           "embed",   "incbin",       "__has_include"};
constexpr std::string_view k_assembly[] = {"asm", "__asm", "__asm__"};

std::string forbidden_device_word(const std::string& code, std::string_view language)
{
  const std::vector<std::string> words = words_of(code);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool pragma = words[i] == "pragma" || words[i] == "_Pragma";
    if ((pragma && (i + 1 >= words.size() || words[i + 1] != "unroll"))
        || std::ranges::find(k_forbidden_in_device_code, words[i]) != std::end(k_forbidden_in_device_code)
        || (language != "cuda" && std::ranges::find(k_assembly, words[i]) != std::end(k_assembly))) {
      return words[i];
    }
  }
  return "";
}

// Within an expression only: fused elsewhere, the functions of libclc lose what their remainders hold (sin, cos).
// Programs look at elements of 16 bits as words and as vectors.
std::vector<std::string> clang_command(const char* language, const std::string& prelude)
{
  return {k_clang,
          "-x",
          language,
          "--cuda-device-only",
          "-O3",
          "-S",
          "-std=c++20",
          "-ffp-contract=on",
          "-fno-strict-aliasing",
          "-include",
          prelude,
          "-Wno-unknown-cuda-version",
          "-Wno-linker-warnings"};
}

void link_bitcode(std::vector<std::string>& command, const std::string& library)
{
  command.insert(command.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", library});
}

std::vector<std::string> ptx_command(std::string_view arch, const std::string& program, const std::string& prelude)
{
  std::vector<std::string> command = clang_command("cuda", prelude);
  command.insert(command.end(),
                 {"-nocudainc", "-nocudalib", fmt::format("--cuda-gpu-arch={}", arch), "-gline-tables-only"});
  link_bitcode(command, k_libclc);
  command.insert(command.end(), {program, "-o", "program.ptx"});
  return command;
}

std::vector<std::string> amd_command(const DeviceTarget& target, const std::string& program, const std::string& output)
{
  std::vector<std::string> command = clang_command("hip", k_prelude_file);
  command.insert(command.end(), {"-nogpuinc", "-nogpulib", fmt::format("--offload-arch={}", target.arch),
                                 "-Rpass-analysis=kernel-resource-usage"});
  for (const std::string& library :
       {std::string("ocml"), std::string("ockl"), isa_library(target.arch), std::string("oclc_finite_only_off"),
        std::string("oclc_unsafe_math_off"), std::string("oclc_daz_opt_off"),
        std::string("oclc_correctly_rounded_sqrt_on"), std::string("oclc_abi_version_500"),
        fmt::format("oclc_wavefrontsize64_{}", target.subgroup == 64 ? "on" : "off")}) {
    link_bitcode(command, fmt::format("{}/{}.bc", k_rocm_bitcode, library));
  }
  command.insert(command.end(), {program, "-o", output});
  return command;
}

std::string device_file_of(std::string_view language)
{
  return language == "hip" ? "device.hip" : "device.cu";
}

int number_after(const std::string& text, const std::string& words)
{
  const std::size_t at = text.find(words);
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + words.size());
}

// "ptxas info    : Compiling entry function 'k' for 'sm_90a'", then
// "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" and
// "ptxas info    : Used 30 registers, used 1 barriers, 4096 bytes smem".
std::vector<KernelResources> resources_by_ptxas(std::string_view log)
{
  static const std::regex entry("Compiling entry function '([^']+)'");
  static const std::regex spills("([0-9]+) bytes spill stores");
  static const std::regex shared("([0-9]+) bytes smem");
  std::vector<KernelResources> out;
  for (const std::string& line : split(log, '\n')) {
    std::smatch parts;
    if (std::regex_search(line, parts, entry)) {
      out.push_back({parts[1], 0, 0, 0});
    } else if (!out.empty() && std::regex_search(line, parts, spills)) {
      out.back().spilled_bytes = std::stoi(parts[1]);
    } else if (!out.empty() && line.find("Used ") != std::string::npos) {
      out.back().registers = number_after(line, "Used ");
      out.back().local_bytes = std::regex_search(line, parts, shared) ? std::stoi(parts[1]) : 0;
    }
  }
  return out;
}

// Remarks of the pass kernel-resource-usage, a line for each figure.
std::vector<KernelResources> resources_by_remarks(std::string_view log)
{
  static const std::regex entry("remark: *Function Name: ([^ ]+)");
  std::vector<KernelResources> out;
  for (const std::string& line : split(log, '\n')) {
    std::smatch parts;
    if (std::regex_search(line, parts, entry)) {
      out.push_back({parts[1], 0, 0, 0});
    } else if (!out.empty()) {
      KernelResources& last = out.back();
      last.registers += number_after(line, " VGPRs: ") + number_after(line, " AGPRs: ");
      last.spilled_bytes += number_after(line, "ScratchSize [bytes/lane]: ");
      last.local_bytes += number_after(line, "LDS Size [bytes/block]: ");
    }
  }
  return out;
}

} // namespace

std::span<const DeviceTarget> device_targets()
{
  return k_device_targets;
}

const DeviceTarget* find_device_target(std::string_view arch)
{
  const auto found = std::ranges::find(k_device_targets, arch, &DeviceTarget::arch);
  return found == k_device_targets.end() ? nullptr : &*found;
}

Result<void> check_device_compiler(std::string_view language)
{
  if (!exists(k_clang)) {
    return fail("clang++-19 is not installed: it compiles CUDA C++ and HIP", "install the Debian package clang-19");
  }
  if (!exists(k_libclc)) { // on the emulated device HIP has these functions too
    return fail("libclc is not installed: it has the mathematical functions of CUDA programs",
                "install the Debian package libclc-19");
  }
  if (language == "hip" && !exists(k_rocm_bitcode)) {
    return fail("ROCm's device libraries are not installed: they have the mathematical functions of HIP programs",
                "install the Debian package rocm-device-libs");
  }
  return {};
}

std::expected<std::string, LoadFailure> device_program_text(const BuildInput& input, std::string_view language)
{
  std::string program = macros_of(input);
  for (const std::string& name : {std::string("macros.h"), device_file_of(language)}) {
    const auto file = input.candidate.files.find(name);
    if (file == input.candidate.files.end()) {
      continue;
    }
    const std::string text = without_joints(file->second);
    if (const std::string word = forbidden_device_word(visible_code(text), language); !word.empty()) {
      return std::unexpected(LoadFailure{
        LoadFailure::Kind::compile,
        fmt::format("{} uses `{}`: only `#include \"macros.h\"` and plain device code are allowed", name, word)});
    }
    program += fmt::format("#line 1 \"{}\"\n{}\n", name, text);
  }
  return program;
}

std::span<const std::string_view> device_images(std::string_view language, bool emulated)
{
  static constexpr std::array<std::string_view, 1> k_ptx = {"program.ptx"}, k_amd = {"program.co"};
  static constexpr std::array<std::string_view, 2> k_nvidia = {"program.cubin", "program.ptx"};
  return emulated            ? std::span<const std::string_view>(k_ptx)
         : language == "hip" ? std::span<const std::string_view>(k_amd)
                             : std::span<const std::string_view>(k_nvidia);
}

Result<CompileJob> device_compile_job(const BuildInput& input, const DeviceTarget& target, bool emulated)
{
  HONE_CHECK(check_device_compiler(target.language));
  CompileJob job;
  auto text = device_program_text(input, target.language);
  if (!text) {
    return fail(text.error().reason);
  }
  const bool hip = target.language == "hip";
  const std::string program = hip ? "program.hip" : "program.cu", output = hip ? "program.s" : "program.ptx";
  job.files[program] = std::move(*text);
  job.files[k_prelude_file] = device_prelude(target.language);
  if (hip && emulated) {
    job.files[k_emulated_prelude_file] = emulated_hip_prelude();
    job.commands.push_back(ptx_command("sm_90a", program, k_emulated_prelude_file));
    job.outputs.emplace_back("program.ptx");
  }
  job.commands.push_back(hip ? amd_command(target, program, output)
                             : ptx_command(target.arch, program, k_prelude_file));
  job.outputs.push_back(output);
  if (hip && !emulated) { // the same once more, assembled
    std::vector<std::string> command = amd_command(target, program, "program.co");
    std::erase(command, "-S");
    job.commands.push_back(std::move(command));
    job.outputs.emplace_back("program.co");
  }
  if (!hip && exists(k_ptxas)) {
    job.commands.push_back({k_ptxas, fmt::format("-arch={}", target.arch), "-v", output, "-o", "program.cubin"});
    job.outputs.push_back("program.cubin");
  }
  return job;
}

std::vector<KernelResources> resources_in(std::string_view log, const DeviceTarget& target)
{
  return target.language == "hip" ? resources_by_remarks(log) : resources_by_ptxas(log);
}

double occupancy(const KernelResources& resources, int group_items, const DeviceTarget& target)
{
  const auto up = [](int value, int step) { return (value + step - 1) / step * step; };
  const int items = up(std::max(group_items, 1), target.subgroup);
  const int registers = up(std::max(resources.registers, 1), target.register_step);
  int groups = std::min(target.most_items / items, target.registers / (items * registers));
  if (resources.local_bytes > 0) {
    groups = std::min(groups, target.local_bytes / resources.local_bytes);
  }
  return static_cast<double>(groups * items) / target.most_items;
}

} // namespace hone::backend
