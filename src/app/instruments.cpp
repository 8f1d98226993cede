#include "app/instruments.h"

namespace hone::app {

Result<std::unique_ptr<Instruments>> Instruments::open(Context& context, Workbench bench)
{
  HONE_TRY(gate::Gate gate, open_gate(bench, context));
  return std::unique_ptr<Instruments>(new Instruments(context, std::move(bench), std::move(gate)));
}

std::unique_ptr<tools::Bench> Instruments::bench(tools::Subject subject, std::vector<std::string> done,
                                                 std::vector<catalogue::Transformation> catalogue)
{
  tools::BenchSpec spec;
  spec.kernel = m_workbench.kernel;
  spec.backend = m_workbench.backend;
  spec.gate = &m_gate;
  spec.recipe = m_workbench.recipe;
  spec.cache = cache_folder();
  spec.stop = m_context.stop;
  spec.ceilings = [this] { return ceilings_of(m_workbench, m_context); };
  spec.catalogue = std::move(catalogue);
  spec.done = std::move(done);
  spec.subject = std::move(subject);
  return std::make_unique<tools::Bench>(std::move(spec));
}

} // namespace hone::app
