// Work in child processes: what faults loses its process, what hangs is killed, and the rest goes on.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace hone::gpu_bench {

struct Ended {
  enum class How { said, died, killed };
  How how = How::said;
  std::string text;        // what it said before
  double seconds = 0;      // from the start to the end
  double reap_seconds = 0; // of a killed one: from the signal until it was gone
};

// One function in a process of its own: it calls `say` with what there is to tell.
using Say = std::function<void(const std::string& line)>;
Ended run_apart(const std::function<void(const Say& say)>& work, double deadline_s);

struct Item {
  std::string text;
  bool lost = false; // the context is gone: what follows needs a new process
};

struct Supervised {
  std::function<std::string()> open; // in each new process, before its first item; what went wrong, or ""
  std::function<Item(std::size_t)> item;
  std::function<void(std::size_t, const std::string&)>
    result; // in the parent; also "fault ...", "hang ...", "not reached"
};

// Items 0 to count-1, in processes one after the other. `deadline_s` of an item, `limit_s` of all together.
void supervise(std::size_t count, double deadline_s, double limit_s, const Supervised& work);

} // namespace hone::gpu_bench
