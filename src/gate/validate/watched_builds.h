// What a tool runs in place of a contender, compiled once for all calls that it watches. (internal to the gate)
#pragma once

#include "backend/inspector.h"
#include "gate/jail.h"
#include "gate/validate/validation.h"

#include <deque>
#include <future>
#include <stop_token>
#include <vector>

namespace hone::gate {

class WatchedBuilds {
public:
  // `stop` ends what is being compiled, and is asked to by whoever wants no more of it.
  WatchedBuilds(Validation& validation, const backend::Inspector& inspector, std::stop_token stop);
  WatchedBuilds(const WatchedBuilds&) = delete;
  WatchedBuilds& operator=(const WatchedBuilds&) = delete;

  // Begins with what is not there yet; it goes on beside this program.
  Result<void> begin(const backend::BuildInput& input, const backend::Module& timed);
  // Of what the timed module is made from. Waits; what does not compile as it is told is tried without what only makes
  // for better findings.
  Result<JailOutcome> get(const backend::BuildInput& input, const backend::Module& timed);

private:
  struct Build {
    std::vector<backend::CompileJob> jobs;
    std::shared_future<Result<JailOutcome>> outcome;
    bool counted = false; // among the validation's time
  };

  Result<JailOutcome> get(const backend::BuildInput& input, const backend::Module& timed, bool bare);
  Result<Build*> begun(const backend::BuildInput& input, const backend::Module& timed,
                       bool bare); // none where there is nothing to do

  Validation& m_validation;
  const backend::Inspector& m_inspector;
  std::stop_token m_stop;
  std::deque<Build> m_builds; // mostly one, for all sizes; they stay where they are
};

// Of everything that a tool does with a contender.
JailLimits watched_limits(std::stop_token stop);
// Whether the contender is, and not the place where it was tried.
bool is_at_fault(const JailOutcome& outcome);

} // namespace hone::gate
