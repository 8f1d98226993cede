#include "cases.h"

#include "driver.h"
#include "supervisor.h"

#include <cstdio>

namespace hone::gpu_bench {

bool read_cases(const Options& options, std::string& arch, std::vector<Case>& out)
{
  arch = options.arch;
  if (arch.empty()) { // asked for in a child: a process that has a context must not fork
    const Ended asked = run_apart(
      [&](const Say& say) {
        Device device;
        const std::string wrong = device.open(options.emulated);
        say(wrong.empty() ? device.arch() : "!" + wrong);
      },
      options.deadline_s + 30);
    if (asked.how != Ended::How::said || asked.text.empty() || asked.text[0] == '!') {
      std::fprintf(stderr, "gpu_bench: no device: %s\n", asked.text.c_str());
      return false;
    }
    arch = asked.text;
  }
  if (const std::string wrong = read_list(options.lists + "/" + arch + ".list", out); !wrong.empty()) {
    std::fprintf(stderr, "gpu_bench: %s\n", wrong.c_str());
    return false;
  }
  return true;
}

} // namespace hone::gpu_bench
