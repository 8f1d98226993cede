// device_faults BACKEND [N]: programs that fault on the device, N times each one after the other (0: the first two of
// them once), a right program behind every one of them, in a gate of its own: each fault has its status and says what
// happened, and the next program is validated anew and not touched by it. Prints how often each was as it must be;
// exits with 1 where one was not, with 77 where there is no such device.
//
// Finds: a runner that goes on with a device that is lost, a fault that is taken for a wrong result or for a fault of
// the machine, a hang that is not ended.
#include "gate/gate.h"
#include "lower/lower.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace hone;

constexpr int k_skipped = 77;
constexpr std::chrono::milliseconds k_deadline{500}; // of a call; a right one takes a few

struct Fault {
  std::string name;
  std::string first; // statements at the function's beginning
  record::Status status = record::Status::runtime;
  std::string says;               // part of the reason
  std::string before = "";        // in front of the function
  std::string from = "", to = ""; // of launch.toml
};

// Another launch, in front of the one that there is, of a function that lies in front of the other one.
const std::string k_launch_of_first = "[[launch]]\nkernel = \"first\"\ngrid = [1]\nblock = [32]\nargs = [\"C\"]\n\n";

const std::vector<Fault> k_faults = {
  {"stores beyond a buffer", "C[m * n + 100000000] = 1;", record::Status::runtime, "out of bounds"},
  {"waits for an arrival that never comes",
   "__shared__ __align__(8) unsigned long long barrier; if (threadIdx.x == 0) { unsigned at; asm volatile(\"{.reg .u64 "
   "t;\\ncvta.to.shared.u64 t, %1;\\ncvt.u32.u64 %0, t;}\" : \"=r\"(at) : \"l\"(&barrier)); asm "
   "volatile(\"mbarrier.init.shared.b64 [%0], 2;\" ::\"r\"(at) : \"memory\"); unsigned done = 0; while (!done) asm "
   "volatile(\"{.reg .pred p;\\nmbarrier.try_wait.parity.shared.b64 p, [%1], 0;\\nselp.u32 %0, 1, 0, p;}\" : "
   "\"=r\"(done) : \"r\"(at) : \"memory\"); }",
   record::Status::runtime, "deadlock"},
  {"loops without end", "volatile int more = 1; while (more) {}", record::Status::timeout, "no answer"},
  {"sleeps without end", "for (;;) asm volatile(\"nanosleep.u32 100;\" ::: \"memory\");", record::Status::timeout,
   "no answer"},
  {"loads far before a buffer", "if (A[-100000000ll] == 42.0f) C[0] = 1;", record::Status::runtime, "out of bounds"},
  {"stores at address 0", "*(volatile float*)(C - (m * n + 1 > 0 ? C : nullptr)) = 0;", record::Status::runtime,
   "out of bounds"},
  {"stores between two floats", "*(volatile float*)((char*)C + 1) = 0;", record::Status::runtime, "misaligned"},
  {"stops itself", "asm volatile(\"trap;\");", record::Status::runtime, "trap"},
  {"stops itself in the last block alone", "if (blockIdx.x + 1 == gridDim.x) asm volatile(\"trap;\");",
   record::Status::runtime, "trap"},
  {"loses the device in the first of two launches", "", record::Status::runtime, "the program stops itself",
   "extern \"C\" __global__ void first(float* C) { if (threadIdx.x == 0) C[0] = 1; asm volatile(\"trap;\"); }\n",
   "[[launch]]\n", k_launch_of_first + "[[launch]]\n"},
  {"loses the device in the second of two launches", "asm volatile(\"trap;\");", record::Status::runtime,
   "the program stops itself", "extern \"C\" __global__ void first(float* C) { if (threadIdx.x == 0) C[0] = 1; }\n",
   "[[launch]]\n", k_launch_of_first + "[[launch]]\n"},
  {"has a barrier for one thread", "if (threadIdx.x == 1) __syncthreads();", record::Status::runtime, "divergence"},
  {"shuffles with a mask that leaves lanes out",
   "int from; asm volatile(\"shfl.sync.idx.b32 %0, %1, 0, 31, 1;\" : \"=r\"(from) : \"r\"(5)); if (from == 4) C[0] = "
   "1;",
   record::Status::runtime, "wrong mask"},
  {"loads shared memory that nobody stored",
   "__shared__ float words[64]; if (((volatile float*)words)[threadIdx.x] == 4.25f) C[0] = 1;", record::Status::runtime,
   "uninitialised"},
  {"stores the same element from all threads", "C[0] = (float)threadIdx.x;", record::Status::runtime, "race"},
  {"calls itself without end", "if (deep((int)m) == 7) C[0] = 1;", record::Status::runtime, "the stack overflows",
   "__device__ __attribute__((noinline)) int deep(int x) { volatile int kept = x; return deep(x + 1) + kept; }\n"},
  {"stores beyond shared memory", "extern __shared__ float all[]; ((volatile float*)all)[5000000] = 1;",
   record::Status::runtime, "out of bounds"},
  {"stores beyond local memory", "volatile int some[4]; some[m + 100000] = 1;", record::Status::runtime,
   "out of bounds"},
  {"executes an instruction that is not supported",
   "unsigned found; asm volatile(\"vabsdiff4.u32.u32.u32.add %0, %1, %1, %1;\" : \"=r\"(found) : \"r\"((unsigned)m)); "
   "if (found == 77) C[0] = 1;",
   record::Status::runtime, "unsupported"},
  {"asks for more shared memory than there is", "", record::Status::constraints, "shared memory", "",
   "args =", "shared = 300000\nargs ="},
  {"asks for more threads than a block has", "", record::Status::constraints, "2048", "", "block = [64]",
   "block = [2048]"},
  {"asks for more threads than it was compiled for", "", record::Status::runtime, "64 threads", "", "block = [64]",
   "block = [128]"},
  {"launches what is not there", "", record::Status::runtime, "nothing_of_the_kind", "", "kernel = \"matmul\"",
   "kernel = \"nothing_of_the_kind\""},
};

Result<kernel::Candidate> with_fault(const kernel::Kernel& kernel, const kernel::Candidate& right, const Fault& fault)
{
  std::map<std::string, std::string> files = right.files;
  std::string& text = files.at("device.cu");
  const std::size_t head = text.find("extern \"C\""), body = text.find("{\n", head);
  text.insert(body + 2, "  " + fault.first + "\n");
  text.insert(head, fault.before);
  if (!fault.from.empty()) {
    std::string& plan = files.at("launch.toml");
    const std::size_t at = plan.find(fault.from);
    if (at == std::string::npos) {
      return fail(fmt::format("{}: '{}' is not in launch.toml", fault.name, fault.from));
    }
    plan.replace(at, fault.from.size(), fault.to);
  }
  return kernel::make_candidate(kernel, std::move(files));
}

Result<int> run(const std::string& name, int rounds)
{
  HONE_TRY(const backend::Backend* backend, backend::find_backend(name));
  if (const auto device = backend->probe(); !device) {
    fmt::print("skipped: {}\n", device.error().text());
    return k_skipped;
  }
  HONE_TRY(kernel::Kernel loaded, kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels/matmul"));
  const kernel::Sizes sizes = {{"m", 9}, {"n", 70}, {"k", 5}};
  loaded.timed = {sizes};
  const auto kernel = std::make_shared<kernel::Kernel>(std::move(loaded));
  HONE_TRY(const kernel::Candidate right,
           lower::lower_schedule(*kernel, lower::naive_schedule(*kernel), backend->dialect()));
  record::Recipe recipe;
  recipe.sizes = sizes;
  const auto opened = [&](std::uint64_t seed) { // it knows no verdicts yet
    gate::GateOptions options;
    options.cache = HONE_BINARY_ROOT "/test-references";
    options.seed = seed;
    options.call_deadline = k_deadline;
    return gate::Gate::open(kernel, *backend, options);
  };
  const std::size_t count = rounds == 0 ? 2 : k_faults.size();
  std::vector<int> right_ones(count);
  int failed = 0;
  for (int round = 0; round < std::max(rounds, 1); ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      const Fault& fault = k_faults[i];
      HONE_TRY(const kernel::Candidate candidate, with_fault(*kernel, right, fault));
      HONE_TRY(gate::Gate judge, opened(1 + static_cast<std::uint64_t>(round)));
      const auto validate = [&](const kernel::Candidate& one) {
        return judge.validate({one, {}, {}, {}}, recipe, record::Depth::screen);
      };
      HONE_TRY(const record::Verdict verdict, validate(candidate));
      HONE_TRY(const record::Verdict next, validate(right));
      const bool as_wanted = verdict.status == fault.status && verdict.reason.contains(fault.says);
      const bool healthy = next.status == record::Status::correct;
      (as_wanted && healthy ? right_ones[i] : failed) += 1;
      if (round == 0 || !as_wanted || !healthy) {
        fmt::print("{}: {} ({}){}\n", fault.name, record::name_of(verdict.status), verdict.reason.substr(0, 200),
                   as_wanted ? "" : ", which is not what was expected");
      }
      if (!healthy) {
        fmt::print("  and the next program is not right: {} ({})\n", record::name_of(next.status), next.reason);
      }
      std::fflush(stdout);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    fmt::print("{:5} of {:5}: {}\n", right_ones[i], std::max(rounds, 1), k_faults[i].name);
  }
  fmt::print("{}: {} faults, each with a right program behind it; {} not as they must be\n", name,
             count * static_cast<std::size_t>(std::max(rounds, 1)), failed);
  return failed == 0 ? 0 : 1;
}

} // namespace

int main(int count, char** arguments)
{
  if (count < 2) {
    fmt::print(stderr, "usage: device_faults BACKEND [N]\n");
    return 2;
  }
  const Result<int> status = run(arguments[1], count > 2 ? std::atoi(arguments[2]) : 1);
  if (!status) {
    fmt::print(stderr, "device_faults: {}\n", status.error().text());
    return 2;
  }
  return *status;
}
