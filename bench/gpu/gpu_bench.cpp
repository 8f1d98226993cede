// gpu_bench COMMAND [OPTION VALUE]...: what bench/gpu.sh runs on a machine with a GPU. It needs libc and the driver,
// and reads what gpu_pack wrote. Commands:
//   facts     the device, as the driver says
//   check     every candidate against sums in f64
//   faults    programs that fault, with a healthy launch in a new process behind each
//   ceilings  what the device can do at most
//   time      every candidate beside cuBLASLt
//   ptx       prints the programs of faults and ceilings
// Options: --lists FOLDER, --arch ARCH, --out FILE, --samples FILE, --except FILE, --only TEXT, --sizes MxNxK,
// --cublaslt FILE,
// --limit SECONDS, --deadline SECONDS, --most-work N, --every N, --repeat N, --emulated FILE (Hone's emulated driver),
// --apart 0 (cases in this process), --tiny 1 (the smallest sizes).
#include "commands.h"
#include "driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace hone::gpu_bench {

int print_ptx()
{
  std::printf("%s\n//---\n%s\n//---\n%s\n", faults_ptx().c_str(), ceilings_ptx(false).c_str(),
              ceilings_ptx(true).c_str());
  return 0;
}

int facts(const Options& options)
{
  const double begin = now();
  Device device;
  if (const std::string wrong = device.open(options.emulated); !wrong.empty()) {
    std::fprintf(stderr, "gpu_bench: %s\n", wrong.c_str());
    return 2;
  }
  const double open_s = now() - begin;
  const int version = device.driver_version();
  std::printf("device\t%s\nemulated\t%s\npci\t%s\nCUDA of the driver\t%d.%d\ncapability\t%d.%d\nlist\t%s\n",
              device.name().c_str(), device.is_emulated() ? "yes" : "no", device.pci().c_str(), version / 1000,
              version % 1000 / 10, device.attribute(k_major), device.attribute(k_minor), device.arch().c_str());
  std::printf("multiprocessors\t%d\nL2 bytes\t%d\nclock MHz\t%d\nmemory clock MHz\t%d\nmemory bus bits\t%d\nECC\t%d\n",
              device.attribute(k_units), device.attribute(k_l2_bytes), device.attribute(k_clock_khz) / 1000,
              device.attribute(k_memory_clock_khz) / 1000, device.attribute(k_memory_bus_bits),
              device.attribute(k_ecc));
  std::printf("opened in ms\t%.1f\n", open_s * 1000);
  return 0;
}

namespace {

bool take(Options& options, const std::string& name, const std::string& value)
{
  const double number = std::atof(value.c_str());
  struct Text {
    const char* name;
    std::string* to;
  };
  for (const Text& text : {Text{"--lists", &options.lists}, Text{"--arch", &options.arch}, Text{"--out", &options.out},
                           Text{"--samples", &options.samples}, Text{"--except", &options.except},
                           Text{"--only", &options.only}, Text{"--cublaslt", &options.cublaslt},
                           Text{"--sizes", &options.sizes}, Text{"--emulated", &options.emulated}}) {
    if (name == text.name) {
      *text.to = value;
      return true;
    }
  }
  if (name == "--apart" || name == "--tiny") {
    (name == "--apart" ? options.apart : options.tiny) = number != 0;
    return true;
  }
  if (number <= 0) {
    return false;
  }
  if (name == "--limit" || name == "--deadline" || name == "--most-work") {
    (name == "--limit" ? options.limit_s : name == "--deadline" ? options.deadline_s : options.most_work) = number;
    return true;
  }
  if (name == "--every" || name == "--repeat") {
    (name == "--every" ? options.every : options.repeat) = static_cast<int>(number);
    return true;
  }
  return false;
}

int run(const std::string& command, const Options& options)
{
  return command == "facts"      ? facts(options)
         : command == "check"    ? check(options)
         : command == "faults"   ? faults(options)
         : command == "ceilings" ? ceilings(options)
         : command == "time"     ? time_all(options)
         : command == "ptx"      ? print_ptx()
                                 : -1;
}

} // namespace

} // namespace hone::gpu_bench

int main(int count, char** arguments)
{
  using namespace hone::gpu_bench;
  Options options;
  bool understood = count >= 2 && count % 2 == 0;
  for (int i = 2; i + 1 < count && understood; i += 2) {
    understood = take(options, arguments[i], arguments[i + 1]);
  }
  const int status = understood ? run(arguments[1], options) : -1;
  if (status < 0) {
    std::fprintf(stderr, "usage: gpu_bench facts|check|faults|ceilings|time|ptx [--OPTION VALUE]...\n");
    return 2;
  }
  return status;
}
