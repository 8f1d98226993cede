#include "backend/cpu/probe.h"

#include "backend/cpu/machine_caches.h"
#include "util/fs.h"
#include "util/hash.h"
#include "util/process.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace hone::backend::cpu {

namespace {

constexpr std::int64_t k_shared_per_block = std::int64_t{8} << 20;

// "model name : X" of the first processor in /proc/cpuinfo; "" where it has no such line.
std::string cpuinfo_value(const std::string& cpuinfo, std::string_view key)
{
  for (const std::string& line : split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && trim(std::string_view(line).substr(0, colon)) == key) {
      return std::string(trim(std::string_view(line).substr(colon + 1)));
    }
  }
  return {};
}

struct Caches {
  std::int64_t l1 = 0, l2 = 0, l3 = 0; // bytes; 0: none, or not told
};

Caches find_caches()
{
  Caches caches;
  for (const CacheLevel& level : machine_caches()) {
    (level.name == "L1" ? caches.l1 : level.name == "L2" ? caches.l2 : caches.l3) = level.bytes;
  }
  const auto fill = [](std::int64_t& bytes, int name) {
    if (bytes == 0) {
      bytes = std::max<std::int64_t>(0, ::sysconf(name));
    }
  };
  fill(caches.l1, _SC_LEVEL1_DCACHE_SIZE); // where /sys is not mounted
  fill(caches.l2, _SC_LEVEL2_CACHE_SIZE);
  fill(caches.l3, _SC_LEVEL3_CACHE_SIZE);
  return caches;
}

Result<void> require(const char* path, const char* package)
{
  if (fs::exists(path)) {
    return {};
  }
  return fail(fmt::format("the CPU backend needs {}", path), fmt::format("install the Debian package {}", package));
}

// First line of `PROGRAM --version`.
Result<std::string> version_of(const char* program)
{
  ProcessRequest request;
  request.argv = {program, "--version"};
  request.environment = {"PATH=/usr/bin:/bin", "LANG=C"};
  HONE_TRY(const ProcessOutcome outcome, run_process(request));
  if (!outcome.ok()) {
    return fail(fmt::format("{} --version failed: {}", program, trim(outcome.err)), "reinstall the package g++");
  }
  return split(outcome.out, '\n').front();
}

} // namespace

Isa best_isa()
{
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")
      && __builtin_cpu_supports("avx512vl")) {
    return Isa::avx512;
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Isa::avx2 : Isa::x86_64;
}

std::string_view name_of(Isa isa)
{
  return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "x86-64";
}

int vector_bytes(Isa isa)
{
  return isa == Isa::avx512 ? 64 : isa == Isa::avx2 ? 32 : 16;
}

const std::string& compiler_library()
{
  static const std::string k_path = [] {
    std::string found;
    int newest = 0;
    std::error_code error;
    for (const auto& folder : fs::directory_iterator("/usr/lib/gcc/x86_64-linux-gnu", error)) {
      const fs::path archive = folder.path() / "libgcc.a";
      const int version = std::atoi(folder.path().filename().c_str());
      if (version > newest && fs::exists(archive, error)) {
        newest = version;
        found = archive.string();
      }
    }
    return found;
  }();
  return k_path;
}

std::vector<std::string> compiler_flags()
{
  std::vector<std::string> flags{"-std=c++20",
                                 "-O3",
                                 "-march=native",
                                 "-ffp-contract=fast",
                                 "-fno-math-errno",
                                 "-fPIE",
                                 "-fvisibility=hidden",
                                 "-fno-exceptions",
                                 "-fno-rtti",
                                 "-fno-stack-protector",
                                 "-fno-threadsafe-statics",
                                 "-fno-asynchronous-unwind-tables",
                                 "-fno-unwind-tables",
                                 "-fcf-protection=none",
                                 "-Wa,-mx86-used-note=no", // as Debian's assembler has it anyway
                                 "-ffunction-sections",
                                 "-fdata-sections",
                                 "-fno-merge-constants",     // what is in such a section is asked for: object_check.h
                                 "-Werror=unknown-pragmas"}; // OpenMP's, which other options give a meaning
  if (best_isa() == Isa::avx512) {
    flags.emplace_back("-mprefer-vector-width=512");
  }
  return flags;
}

Result<DeviceInfo> probe()
{
  HONE_CHECK(require(k_compiler, "g++"));
  HONE_CHECK(require(k_linker, "binutils"));
  HONE_CHECK(require(k_math_library, "musl-dev"));
  HONE_TRY(const std::string compiler, version_of(k_compiler));
  HONE_TRY(const std::string linker, version_of(k_linker));
  HONE_TRY(const std::string math_library, read_file(k_math_library));
  HONE_TRY(const std::string cpuinfo, read_file("/proc/cpuinfo"));

  const Isa isa = best_isa();
  const Caches caches = find_caches();
  DeviceInfo info;
  info.backend = "cpu";
  info.name = cpuinfo_value(cpuinfo, "model name");
  if (info.name.empty()) {
    info.name = "unnamed x86-64 processor";
  }
  info.facts = {{"isa", std::string(name_of(isa))},
                {"model", fmt::format("family {} model {} stepping {}", cpuinfo_value(cpuinfo, "cpu family"),
                                      cpuinfo_value(cpuinfo, "model"), cpuinfo_value(cpuinfo, "stepping"))},
                {"microcode", cpuinfo_value(cpuinfo, "microcode")},
                {"compiler", compiler},
                {"linker", linker},
                {"math library", fmt::format("musl {}", sha256(math_library).substr(0, 12))},
                {"l1", format_bytes(static_cast<double>(caches.l1))},
                {"l2", format_bytes(static_cast<double>(caches.l2))},
                {"l3", format_bytes(static_cast<double>(caches.l3))}};
  std::string identity = info.name;
  for (const auto& [name, value] : info.facts) {
    identity += fmt::format("\n{}={}", name, value);
  }
  info.fingerprint = sha256(identity);
  info.facts["flags"] = join(compiler_flags(), " ");
  info.plan_facts = {{"device.units", 1},      {"device.vector_bytes", vector_bytes(isa)},
                     {"device.l1", caches.l1}, {"device.l2", caches.l2},
                     {"device.l3", caches.l3}, {"device.shared_per_block", k_shared_per_block}};
  info.last_level_cache = caches.l3;
  return info;
}

} // namespace hone::backend::cpu
