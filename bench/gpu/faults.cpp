// gpu_bench faults: programs that fault, each in a process of its own, and a healthy launch behind each in a new one.
#include "commands.h"
#include "driver.h"
#include "supervisor.h"

#include <cstdio>
#include <cstring>

namespace hone::gpu_bench {

namespace {

constexpr unsigned k_items = 64;
constexpr double k_hang_s = 3; // that a launch may take; a healthy one takes microseconds

struct Fault {
  const char* function;
  const char* what;
  const char* body; // %data: the buffer's address, %item: the item's number
  bool ends;        // by itself, with an error; else it is killed, or the driver finds it out
};

const Fault k_faults[] = {
  {"store_far", "stores a terabyte beyond a buffer", "add.s64 %to, %data, 1099511627776; st.global.u32 [%to], 1;",
   true},
  {"load_null", "loads from address 0",
   "mov.u64 %to, 0; ld.volatile.global.u32 %value, [%to]; st.global.u32 [%data], %value;", true},
  {"misaligned", "stores four bytes between two words", "add.s64 %to, %data, 2; st.global.u32 [%to], 1;", true},
  {"traps", "stops itself", "trap;", true},
  {"shared_far", "stores beyond shared memory", "mov.u32 %value, 16000000; st.volatile.shared.u32 [%value], 1;", true},
  {"sleeps", "sleeps without end",
   "again: nanosleep.u32 1000; ld.volatile.global.u32 %value, [%data]; "
   "setp.ne.u32 %more, %value, 77; @%more bra again;",
   false},
  {"loops", "loops without end",
   "again: ld.volatile.global.u32 %value, [%data]; setp.ne.u32 %more, %value, 77; @%more bra again;", false},
  {"deadlock", "waits for an arrival that never comes",
   "mov.u32 %value, bar; setp.ne.u32 %more, %item, 0; @%more bra wait; mbarrier.init.shared.b64 [%value], 2; wait: "
   "bar.sync 0; again: { .reg .b64 %state; mbarrier.test_wait.parity.shared.b64 %done, [%value], 0; } @!%done bra "
   "again;",
   false},
};

std::string healthy(const Device& device, const std::string& function, bool& faulted)
{
  faulted = false;
  Module module(device);
  Buffer buffer(device);
  Handle entry = nullptr;
  std::string wrong = module.load(faults_ptx());
  wrong = wrong.empty() ? module.function(function.c_str(), 0, entry) : wrong;
  wrong = wrong.empty() ? buffer.make(k_items * sizeof(unsigned)) : wrong;
  if (!wrong.empty()) {
    return wrong;
  }
  device.api().set_bytes(buffer.at(), 0, buffer.bytes());
  std::uint64_t address = buffer.at();
  void* arguments[] = {&address};
  Result code = device.api().launch(entry, 1, 1, 1, k_items, 1, 1, 0, nullptr, arguments, nullptr);
  code = code == k_success ? device.api().synchronize() : code;
  if (code != k_success) {
    faulted = true;
    std::string text = device.trouble("the launch", code);
    // Whether the context is lost: every further call says so.
    unsigned word = 0;
    const Result next = device.api().to_host(&word, buffer.at(), sizeof word);
    text += next == k_success ? ", the context goes on" : ", then " + device.name_of(next);
    std::fflush(stdout);
    return text;
  }
  unsigned got[k_items] = {};
  device.api().to_host(got, buffer.at(), sizeof got);
  for (unsigned i = 0; i < k_items; ++i) {
    if (got[i] != 3 * i + 1) {
      return "item " + std::to_string(i) + " stored " + std::to_string(got[i]);
    }
  }
  return "";
}

Ended in_new_process(const Options& options, const std::string& function)
{
  return run_apart(
    [&](const Say& say) {
      Device device;
      const double begin = now();
      if (const std::string wrong = device.open(options.emulated); !wrong.empty()) {
        say("no device: " + wrong);
        return;
      }
      char text[80];
      std::snprintf(text, sizeof text, "context after %.0f ms", (now() - begin) * 1000);
      say(text);
      bool faulted = false;
      const std::string wrong = healthy(device, function, faulted);
      std::snprintf(text, sizeof text, " after %.0f ms", (now() - begin) * 1000);
      say((wrong.empty() ? "right" : wrong) + text);
    },
    k_hang_s + options.deadline_s);
}

// Refused launches: the context must go on.
std::string refusals(const Options& options)
{
  const Ended ended = run_apart(
    [&](const Say& say) {
      Device device;
      Module module(device), broken(device);
      Buffer buffer(device);
      Handle entry = nullptr;
      std::string wrong = device.open(options.emulated);
      wrong = wrong.empty() ? module.load(faults_ptx()) : wrong;
      wrong = wrong.empty() ? module.function("healthy", 0, entry) : wrong;
      wrong = wrong.empty() ? buffer.make(k_items * sizeof(unsigned)) : wrong;
      if (!wrong.empty()) {
        say(wrong);
        return;
      }
      std::uint64_t address = buffer.at();
      void* arguments[] = {&address};
      Handle missing = nullptr;
      const auto refused = [&](const char* what, Result code) {
        say(std::string(what) + " " + (code == k_success ? "IS TAKEN" : device.name_of(code)));
      };
      refused("300,000 bytes of shared memory:",
              device.api().launch(entry, 1, 1, 1, k_items, 1, 1, 300'000, nullptr, arguments, nullptr));
      refused("a block of 2048:", device.api().launch(entry, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr));
      const std::string none = module.function("nothing_of_the_kind", 0, missing);
      say("a function that is not there: " + (none.empty() ? "IS TAKEN" : none));
      const std::string text = broken.load("this is no program\n");
      say("what is no program: " + (text.empty() ? "IS TAKEN" : text));
      bool faulted = false;
      const std::string after = healthy(device, "healthy", faulted);
      say("a healthy launch behind them in the same context: " + (after.empty() ? "right" : "WRONG " + after));
    },
    k_hang_s + options.deadline_s);
  return ended.how == Ended::How::said ? ended.text : "the process was lost: " + ended.text;
}

} // namespace

std::string faults_ptx()
{
  std::string out = ".version 7.1\n.target sm_80\n.address_size 64\n";
  const auto add = [&](const std::string& name, const std::string& body) {
    out += ".visible .entry " + name
           + "(.param .u64 buffer)\n{\n  .reg .pred %more, %done;\n  .reg .b32 %item, %value;\n  .reg .b64 %data, %to, "
             "%mine;\n  .shared .align 8 .b64 bar;\n"
             "  ld.param.u64 %data, [buffer];\n  cvta.to.global.u64 %data, %data;\n  mov.u32 %item, %tid.x;\n"
             "  mul.wide.u32 %mine, %item, 4;\n  add.s64 %mine, %mine, %data;\n";
    std::string lines = body;
    for (std::size_t at = 0; (at = lines.find("; ", at)) != std::string::npos;) {
      lines[at + 1] = '\n';
    }
    out += lines + "\n  mad.lo.u32 %value, %item, 3, 1;\n  st.global.u32 [%mine], %value;\n  ret;\n}\n";
  };
  add("healthy", "");
  for (const Fault& fault : k_faults) {
    add(fault.function, fault.body);
  }
  return out;
}

int faults(const Options& options)
{
  std::FILE* const out = options.out.empty() ? stdout : std::fopen(options.out.c_str(), "w");
  if (out == nullptr) {
    std::perror(options.out.c_str());
    return 2;
  }
  const double end = now() + options.limit_s;
  int failed = 0, done = 0;
  std::fprintf(out, "fault\tas it must be\tended\tseconds\treaped in s\tsaid\tnew process\tseconds\tsaid\n");
  const auto how = [](const Ended& ended) {
    return ended.how == Ended::How::killed ? "killed" : ended.how == Ended::How::died ? "died" : "by itself";
  };
  const Ended first = in_new_process(options, "healthy");
  if (first.text.find("; right") == std::string::npos) {
    std::fprintf(out, "(none)\tno\t%s\t%.3f\t0\t%s\t\t\t\n", how(first), first.seconds, first.text.c_str());
    std::fprintf(stderr, "gpu_bench: no healthy launch: %s\n", first.text.c_str());
    return 2;
  }
  for (const Fault& fault : k_faults) {
    if (now() > end - 1) {
      std::fprintf(out, "%s\tnot reached\t\t\t\t\t\t\t\n", fault.what);
      continue;
    }
    const Ended ended = in_new_process(options, fault.function);
    const Ended next = in_new_process(options, "healthy");
    const bool says_error = ended.text.find("the launch: ") != std::string::npos;
    const bool killed = ended.how == Ended::How::killed;
    const bool as_expected = (fault.ends ? says_error : killed || says_error) && next.how == Ended::How::said
                             && next.text.find("; right") != std::string::npos;
    failed += as_expected ? 0 : 1;
    ++done;
    std::fprintf(out, "%s\t%s\t%s\t%.3f\t%.3f\t%s\t%s\t%.3f\t%s\n", fault.what, as_expected ? "yes" : "no", how(ended),
                 ended.seconds, ended.reap_seconds, ended.text.c_str(), how(next), next.seconds, next.text.c_str());
    std::fflush(out);
  }
  const std::string refused = refusals(options);
  const bool sound = refused.find("IS TAKEN") == std::string::npos && refused.ends_with("context: right");
  failed += sound ? 0 : 1;
  std::fprintf(out, "refused launches\t%s\t\t\t\t%s\t\t\t\n", sound ? "yes" : "no", refused.c_str());
  std::fprintf(stderr, "faults: %d faults and refused launches, %d not as they must be\n", done, failed);
  return failed == 0 ? 0 : 1;
}

} // namespace hone::gpu_bench
