#include "gate/references.h"

#include "gate/code_reference.h"
#include "gate/control_loops.h"
#include "gate/scoped_timer.h"

#include <algorithm>
#include <exception>

namespace hone::gate {
namespace {

constexpr std::size_t k_known_limit = 6;
constexpr double k_most_ahead = 4e9;       // operations of plain loops: about a third of a second
constexpr double k_most_bytes_ahead = 1e8; // of inputs and outputs, which lie in memory twice then

constexpr double k_doubtful = 16; // bounds: what is farther off is no rounding
constexpr double k_allowance = 2; // times the error of control loops

std::vector<kernel::ReferenceOutput> widened(std::vector<kernel::ReferenceOutput> expected, double factor)
{
  for (kernel::ReferenceOutput& output : expected) {
    for (double& bound : output.bounds) {
      bound *= factor;
    }
  }
  return expected;
}

Result<ExpectedOutputs> evaluated(const kernel::Kernel& kernel, const kernel::Reference& reference,
                                  const kernel::Sizes& sizes, const inputs::InputSet& inputs)
{
  std::vector<LargeVector<std::byte>> data(kernel.arguments.size());
  std::vector<const std::byte*> given(kernel.arguments.size(), nullptr);
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const kernel::Argument& argument = kernel.arguments[i];
    if (argument.role != kernel::Role::output) {
      HONE_TRY(const std::int64_t count, kernel::elements_of(argument, sizes));
      data[i].resize(static_cast<std::size_t>(count) * kernel::size_of(argument.type));
      HONE_CHECK(inputs::fill_input(kernel, sizes, data[i], i, inputs));
      given[i] = data[i].data();
    }
  }
  Expected expected;
  HONE_TRY(expected.outputs, reference.evaluate(sizes, given, kernel::ReferenceThreads::one));
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const bool overwritten = kernel.arguments[i].role == kernel::Role::inout;
    expected.overwritten.push_back(overwritten ? std::move(data[i]) : LargeVector<std::byte>());
  }
  return std::make_shared<const Expected>(std::move(expected));
}

std::vector<LargeVector<std::byte>> old_contents(const kernel::Kernel& kernel, Arena& arena, std::size_t set)
{
  std::vector<LargeVector<std::byte>> all(kernel.arguments.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kernel.arguments[i].role == kernel::Role::inout) {
      const std::span<std::byte> tensor = arena.tensor(set, i);
      all[i].assign(tensor.begin(), tensor.end());
    }
  }
  return all;
}

} // namespace

Result<void> fill_input(const kernel::Kernel& kernel, Arena& arena, std::size_t set, std::size_t position,
                        const inputs::InputSet& inputs, Store store)
{
  return inputs::fill_input(kernel, arena.sizes(), arena.tensor(set, position), position, inputs, store);
}

Result<void> fill_inputs(const kernel::Kernel& kernel, Arena& arena, std::size_t set, const inputs::InputSet& inputs,
                         Store store, Fill fill)
{
  for (std::size_t position = 0; position < kernel.arguments.size(); ++position) {
    const kernel::Role role = kernel.arguments[position].role;
    if (role == kernel::Role::output || (fill == Fill::inout_only && role != kernel::Role::inout)) {
      continue;
    }
    HONE_CHECK(fill_input(kernel, arena, set, position, inputs, store));
  }
  return {};
}

References::References(const kernel::Kernel& kernel, kernel::Reference reference,
                       std::shared_ptr<RoundingControls> controls)
  : m_kernel(kernel), m_reference(std::move(reference)), m_controls(std::move(controls))
{
}

References::References(const kernel::Kernel& kernel, CodeReference reference)
  : m_kernel(kernel), m_code(std::make_shared<CodeReference>(std::move(reference)))
{
}

Result<ExpectedOutputs> References::expected(Arena& arena, std::size_t set, const inputs::InputSet& inputs, bool keep)
{
  const ScopedTimer timer(m_seconds);
  if (const Known* const known = find(arena.sizes(), inputs)) {
    return known->outputs.get();
  }
  const std::vector<const std::byte*> given = inputs_of(arena, set);
  Expected expected;
  HONE_TRY(expected.outputs,
           m_code ? m_code->evaluate(arena.sizes(), given) : m_reference->evaluate(arena.sizes(), given));
  expected.overwritten = old_contents(m_kernel, arena, set);
  auto shared = std::make_shared<const Expected>(std::move(expected));
  if (keep) {
    std::promise<Result<ExpectedOutputs>> known;
    known.set_value(shared);
    remember({arena.sizes(), inputs, known.get_future().share()});
  }
  return shared;
}

const References::Known* References::find(const kernel::Sizes& sizes, const inputs::InputSet& inputs) const
{
  const auto found =
    std::ranges::find_if(m_known, [&](const Known& known) { return known.inputs == inputs && known.sizes == sizes; });
  return found == m_known.end() ? nullptr : &*found;
}

void References::remember(Known known)
{
  if (m_known.size() >= k_known_limit) {
    m_known.erase(m_known.begin());
  }
  m_known.push_back(std::move(known));
}

void References::evaluate_ahead(const kernel::Sizes& sizes, const std::vector<inputs::InputSet>& inputs)
{
  struct Wanted {
    inputs::InputSet inputs;
    std::promise<Result<ExpectedOutputs>> outputs;
  };
  const auto work = kernel::work_of(m_kernel, sizes);
  if (!m_reference || !work || work->plain_flops > k_most_ahead || work->compulsory_bytes > k_most_bytes_ahead) {
    return;
  }
  std::vector<Wanted> all;
  for (const inputs::InputSet& one : inputs) {
    if (find(sizes, one) == nullptr) {
      Wanted& wanted = all.emplace_back(one);
      remember({sizes, one, wanted.outputs.get_future().share()});
    }
  }
  if (all.empty()) {
    return;
  }
  finish_ahead();
  m_ahead = std::jthread(
    [&kernel = m_kernel, reference = *m_reference, sizes, all = std::move(all)](const std::stop_token& stop) mutable {
      for (Wanted& wanted : all) {
        if (stop.stop_requested()) {
          return; // those who could ask have gone
        }
        try {
          wanted.outputs.set_value(evaluated(kernel, reference, sizes, wanted.inputs));
        } catch (...) { // no memory
          wanted.outputs.set_exception(std::current_exception());
        }
      }
    });
}

void References::finish_ahead()
{
  if (m_ahead.joinable()) {
    m_ahead.join();
  }
}

Result<std::vector<kernel::ElementReference>> References::elements(Arena& arena, std::size_t set, std::size_t output,
                                                                   std::span<const std::int64_t> flat_indices)
{
  if (!has_elements()) {
    return fail("this reference knows no single elements", "this is a mistake in Hone: please report it");
  }
  const ScopedTimer timer(m_seconds);
  return m_reference->elements(arena.sizes(), inputs_of(arena, set), output, flat_indices);
}

Result<OutputCheck> References::check(Arena& arena, std::size_t set, const Expected& expected)
{
  std::vector<const std::byte*> inputs = inputs_of(arena, set);
  for (std::size_t i = 0; i < expected.overwritten.size(); ++i) {
    inputs[i] = expected.overwritten[i].empty() ? inputs[i] : expected.overwritten[i].data();
  }
  return check(arena.sizes(), arena.arguments(set), inputs, expected.outputs);
}

Result<OutputCheck> References::check(const kernel::Sizes& sizes, std::span<const std::byte* const> arguments,
                                      std::span<const std::byte* const> inputs,
                                      const std::vector<kernel::ReferenceOutput>& expected)
{
  HONE_TRY(OutputCheck check, check_outputs(m_kernel, sizes, arguments, expected));
  if (check.passed || !m_controls || check.errors.worst_normalised > k_doubtful) {
    return check;
  }
  const ScopedTimer timer(m_seconds);
  ++m_doubts.asked;
  HONE_TRY(const std::optional<double> error, m_controls->worst_error(sizes, inputs, expected));
  if (error && k_allowance * *error > 1) {
    HONE_TRY(check, check_outputs(m_kernel, sizes, arguments, widened(expected, k_allowance * *error)));
    m_doubts.excused += check.passed ? 1 : 0;
  }
  return check;
}

std::vector<const std::byte*> References::inputs_of(Arena& arena, std::size_t set) const
{
  std::vector<const std::byte*> arguments = arena.arguments(set);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (m_kernel.arguments[i].role == kernel::Role::output) {
      arguments[i] = nullptr;
    }
  }
  return arguments;
}

} // namespace hone::gate
