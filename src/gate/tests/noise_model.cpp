#include "noise_model.h"

#include <cmath>

namespace hone::gate::test {

std::vector<NoiseModel> usual_machines()
{
  NoiseModel quiet;
  quiet.name = "quiet";
  quiet.outliers = 0.005;
  NoiseModel busy = quiet;
  busy.name = "busy";
  busy.pair_sd = 0.004;
  busy.block_sd = 0.02;
  busy.outliers = 0.05;
  busy.drift = 0.02;
  NoiseModel memory = quiet;
  memory.name = "memory-bound";
  memory.pair_sd = 0.005;
  memory.block_sd = 0.05;
  memory.drift = 0.01;
  return {quiet, busy, memory};
}

Result<std::optional<ArmFailure>> ModelledMachine::open_pair(const PairSpec& pair, Random& random)
{
  m_random = &random;
  const bool elsewhere = pair.code_offset != 0 && m_model.ratio_elsewhere > 0;
  m_ratio = (elsewhere ? m_model.ratio_elsewhere : m_model.ratio) * std::exp(m_model.pair_sd * random.normal());
  m_ratio /= m_pairs == 0 ? m_model.first_candidate : 1;
  return std::optional<ArmFailure>();
}

Result<BlockSource::Block> ModelledMachine::run_block(Arm arm, std::uint32_t calls, std::uint32_t)
{
  const double call_s = arm == Arm::incumbent ? m_model.call_s : m_model.call_s / m_ratio;
  BlockRecord block;
  block.calls = calls;
  block.stamps_s = calls * call_s * std::exp(m_model.block_sd * m_random->normal() + m_model.drift * m_timed_s);
  double without_cpu_s = 0;
  if (m_random->uniform() < m_model.outliers) {
    const double more_s = 0.5 * m_random->uniform() * block.stamps_s;
    block.stamps_s += more_s;
    without_cpu_s = m_random->below(2) == 0 ? more_s : 0;
  }
  if (arm == Arm::candidate && m_random->uniform() < m_model.spikes) {
    block.stamps_s += m_model.spike_s;
  }
  block.wall_s = block.stamps_s + m_model.handshake_s;
  block.child_cpu_s = block.stamps_s - without_cpu_s;
  m_timed_s += block.wall_s;
  return Block(block);
}

CompareRequest request_on_model(std::uint64_t seed)
{
  CompareRequest request;
  request.regime = record::Regime::hot;
  request.seed = seed;
  request.settle_doubt = true;
  return request;
}

record::ComparisonResult simulated(const NoiseModel& model, std::uint64_t seed, bool searching, record::Regime regime)
{
  CompareRequest request = request_on_model(seed);
  request.regime = regime;
  request.settle_doubt = !searching;
  ModelledMachine machine(model);
  return compare_blocks(request, machine).value().result;
}

double ratio_of_blocks(const NoiseModel& model)
{
  const BlockPlan plan = block_plan(model.call_s * (1 + 1 / model.ratio) / 2, 4096);
  const double calls = (plan.shortest + plan.longest) / 2.0;
  return (calls * model.call_s + model.handshake_s) / (calls * model.call_s / model.ratio + model.handshake_s);
}

} // namespace hone::gate::test
