// Performance tools for a policy at work: a gate of their own, opened when the first tool is asked for.
#pragma once

#include "app/workbench.h"
#include "catalogue/catalogue.h"
#include "tools/bench.h"

#include <memory>
#include <string>
#include <vector>

namespace hone::app {

class Instruments {
public:
  // `context` must outlive it.
  static Result<std::unique_ptr<Instruments>> open(Context& context, Workbench bench);

  const Workbench& workbench() const { return m_workbench; }
  // `done`: steps that led to the subject; `catalogue`: steps that reports may point to.
  std::unique_ptr<tools::Bench> bench(tools::Subject subject, std::vector<std::string> done,
                                      std::vector<catalogue::Transformation> catalogue);

private:
  Instruments(Context& context, Workbench bench, gate::Gate gate)
    : m_context(context), m_workbench(std::move(bench)), m_gate(std::move(gate))
  {
  }

  Context& m_context;
  Workbench m_workbench;
  gate::Gate m_gate;
};

} // namespace hone::app
