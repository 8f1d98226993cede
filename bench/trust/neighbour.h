// A noisy neighbour: a process that copies memory without end on a CPU that measurements do not use.
#pragma once

#include "util/result.h"

#include <sys/types.h>

namespace hone {

class Neighbour {
public:
  // The error says that there is no other CPU. Must be called while this process has one thread.
  static Result<Neighbour> start();
  Neighbour(Neighbour&& other) noexcept;
  Neighbour& operator=(Neighbour&&) = delete;
  ~Neighbour();

private:
  explicit Neighbour(pid_t pid) : m_pid(pid) {}
  pid_t m_pid;
};

} // namespace hone
