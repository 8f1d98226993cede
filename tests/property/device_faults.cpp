// device_faults BACKEND [N]: programs that fault on the device, N times each one after the other (0: the first two of
// them once), a right program behind every one of them: each fault has its status and says what happened, and the next
// program is not touched by it. Exits with 1 where that fails, with 77 where there is no such device.
//
// Finds: a runner that goes on with a device that is lost, a fault that is taken for a wrong result or for a fault of
// the machine, a hang that is not ended.
#include "gate/gate.h"
#include "lower/lower.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace {

using namespace hone;

constexpr int k_skipped = 77;
constexpr std::chrono::milliseconds k_deadline{1500}; // of a call; a right one takes a few

struct Fault {
  std::string name;
  std::string first; // statements at the function's beginning
  record::Status status = record::Status::runtime;
  std::string says;     // part of the reason
  std::string before;   // in front of the function
  std::string from, to; // of launch.toml
};

const std::vector<Fault> k_faults = {
  {"stores beyond a buffer", "C[m * n + 100000000] = 1;", record::Status::runtime, "out of bounds", "", "", ""},
  {"waits for an arrival that never comes",
   "__shared__ __align__(8) unsigned long long barrier; if (threadIdx.x == 0) { unsigned at; asm volatile(\"{.reg .u64 "
   "t;\\ncvta.to.shared.u64 t, %1;\\ncvt.u32.u64 %0, t;}\" : \"=r\"(at) : \"l\"(&barrier)); asm "
   "volatile(\"mbarrier.init.shared.b64 [%0], 2;\" ::\"r\"(at) : \"memory\"); unsigned done = 0; while (!done) asm "
   "volatile(\"{.reg .pred p;\\nmbarrier.try_wait.parity.shared.b64 p, [%1], 0;\\nselp.u32 %0, 1, 0, p;}\" : "
   "\"=r\"(done) : \"r\"(at) : \"memory\"); }",
   record::Status::runtime, "deadlock", "", "", ""},
  {"sleeps without end", "for (;;) asm volatile(\"nanosleep.u32 100;\" ::: \"memory\");", record::Status::timeout, "",
   "", "", ""},
  {"loads far before a buffer", "if (A[-100000000ll] == 42.0f) C[0] = 1;", record::Status::runtime, "out of bounds", "",
   "", ""},
  {"stores between two floats", "*(volatile float*)((char*)C + 1) = 0;", record::Status::runtime, "misaligned", "", "",
   ""},
  {"stops itself", "asm volatile(\"trap;\");", record::Status::runtime, "trap", "", "", ""},
  {"loops without end", "volatile int more = 1; while (more) {}", record::Status::timeout, "", "", "", ""},
  {"has a barrier for one thread", "if (threadIdx.x == 1) __syncthreads();", record::Status::runtime, "divergence", "",
   "block = [\"", "block = [\"0 * "},
  {"calls itself without end", "if (deep((int)m) == 7) C[0] = 1;", record::Status::runtime, "the stack overflows",
   "__device__ __attribute__((noinline)) int deep(int x) { volatile int kept = x; return deep(x + 1) + kept; }\n", "",
   ""},
  {"stores beyond shared memory", "extern __shared__ float all[]; ((volatile float*)all)[5000000] = 1;",
   record::Status::runtime, "out of bounds", "", "", ""},
  {"asks for more shared memory than there is", "", record::Status::constraints, "shared memory", "",
   "args =", "shared = 300000\nargs ="},
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
    if (at != std::string::npos) {
      plan.replace(at, fault.from.size(), fault.to);
    }
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
  gate::GateOptions options;
  options.cache = HONE_BINARY_ROOT "/test-references";
  options.seed = 5;
  options.call_deadline = k_deadline;
  HONE_TRY(gate::Gate judge, gate::Gate::open(kernel, *backend, options));
  record::Recipe recipe;
  recipe.sizes = sizes;
  const auto validate = [&](const kernel::Candidate& candidate) {
    return judge.validate({candidate, {}, {}, {}}, recipe, record::Depth::screen);
  };
  int failed = 0, faults = 0;
  const std::span<const Fault> all(k_faults);
  for (int round = 0; round < std::max(rounds, 1); ++round) {
    for (const Fault& fault : rounds == 0 ? all.first(2) : all) {
      if (fault.status == record::Status::timeout && round > 0) {
        continue; // a minute and a half each, until the deadline
      }
      HONE_TRY(const kernel::Candidate candidate, with_fault(*kernel, right, fault));
      HONE_TRY(const record::Verdict verdict, validate(candidate));
      HONE_TRY(const record::Verdict next, validate(right));
      ++faults;
      const bool as_wanted = verdict.status == fault.status && verdict.reason.contains(fault.says);
      const bool healthy = next.status == record::Status::correct;
      failed += as_wanted && healthy ? 0 : 1;
      if (round == 0 || !as_wanted || !healthy) {
        fmt::print("{}: {} ({}){}\n", fault.name, record::name_of(verdict.status), verdict.reason.substr(0, 200),
                   as_wanted ? "" : ", which is not what was expected");
      }
      std::fflush(stdout);
      if (!healthy) {
        fmt::print("  and the next program is not right: {} ({})\n", record::name_of(next.status), next.reason);
      }
    }
  }
  fmt::print("{}: {} faults, each with a right program behind it; {} not as they must be\n", name, faults, failed);
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
