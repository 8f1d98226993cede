// Runs jobs in this process through one gate, on the thread that waits for them (execute/serial_executor.h says why).
#pragma once

#include "execute/serial_executor.h"
#include "gate/gate.h"

#include <memory>
#include <string>

namespace hone::execute {

class LocalExecutor final : public SerialExecutor {
public:
  // `stop` ends all jobs; the gate's own stop is replaced by that of each job.
  LocalExecutor(std::shared_ptr<const kernel::Kernel> kernel, gate::Gate gate, std::stop_token stop = {});

  void prepare(const record::Contender& contender, const record::Recipe& recipe) override;
  const backend::DeviceInfo& device() const { return m_gate.device(); }
  const std::string& environment() const { return m_gate.environment(); }

private:
  JobOutcome execute(const record::Job& job, const JobControl& control) override;

  std::shared_ptr<const kernel::Kernel> m_kernel;
  gate::Gate m_gate;
};

} // namespace hone::execute
