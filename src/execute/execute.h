// Who has jobs done: an executor turns a job into a record, here through one gate in this process.
// Why a job was asked for is not its business.
#pragma once

#include "gate/gate.h"
#include "record/record.h"

#include <memory>
#include <optional>
#include <string>

namespace hone {

class Executor {
public:
  virtual ~Executor() = default;
  // An Error means that the job could not be run at all; a bad candidate is a record.
  virtual Result<Record> run(const Job& job) = 0;
  // Hints that this contender will be asked for soon.
  virtual void prepare(const Contender& contender, const Recipe& recipe) = 0;
};

// Runs jobs in this process through one gate.
class LocalExecutor final : public Executor {
public:
  LocalExecutor(std::shared_ptr<const Kernel> kernel, Gate gate);
  Result<Record> run(const Job& job) override;
  void prepare(const Contender& contender, const Recipe& recipe) override;
  Gate& gate() { return m_gate; }

private:
  std::shared_ptr<const Kernel> m_kernel;
  Gate m_gate;
};

} // namespace hone
