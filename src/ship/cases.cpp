#include "ship/cases.h"

#include "kernel/size_conditions.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::ship {

namespace {

constexpr double k_most_work = 2e7; // operations of a case that is checked whole: about a second of plain loops
constexpr double k_most_elements = 4e6;
constexpr double k_most_whole = 4e9; // of a case that cannot be sampled
constexpr std::size_t k_most_cases = 6;

Result<CheckCase> case_of(const ExportContext& names, const kernel::Sizes& sizes)
{
  const kernel::Kernel& kernel = names.kernel();
  HONE_CHECK(kernel::check_sizes(kernel, sizes));
  HONE_TRY(const kernel::ResolvedPlan plan,
           kernel::resolve_plan(kernel, names.request.candidate, sizes, names.point, names.request.device_facts));
  CheckCase out;
  out.sizes = sizes;
  double total = 0;
  for (const kernel::Argument& argument : kernel.arguments) {
    HONE_TRY(const std::int64_t elements, kernel::elements_of(argument, sizes));
    HONE_TRY(const kernel::Domain domain, kernel::domain_of(argument, sizes));
    HONE_TRY(const std::vector<std::int64_t> shape, kernel::shape_of(argument, sizes));
    out.rows.push_back(shape.empty() ? 1 : shape.back());
    out.elements.push_back(elements);
    out.domains.push_back(domain);
    total += static_cast<double>(elements);
  }
  for (const kernel::Statement& statement : kernel.program.statements) {
    HONE_TRY(const std::vector<std::int64_t> shape, kernel::shape_of(statement, sizes));
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape) {
      elements *= extent;
    }
    out.statements.push_back(elements);
    total += static_cast<double>(elements);
  }
  HONE_TRY(const kernel::Work work, kernel::work_of(kernel, sizes));
  // What loops compute in order is known after all of it is computed.
  const bool large = work.flops > k_most_work || total > k_most_elements;
  out.is_sampled = large && kernel::knows_elements(kernel) && !kernel::is_ordered(kernel.program);
  out.is_optional = large && (out.is_sampled || work.flops > k_most_whole);
  return out;
}

// Guesses; what the kernel or the plan cannot do on them falls out.
std::vector<kernel::Sizes> guesses(const ExportContext& names)
{
  const kernel::Kernel& kernel = names.kernel();
  std::vector<kernel::Sizes> out;
  const auto make = [&](auto extent) {
    kernel::Sizes sizes;
    for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
      sizes[kernel.symbols[i]] = extent(static_cast<std::int64_t>(i), names.request.sizes.at(kernel.symbols[i]));
    }
    out.push_back(kernel::with_conditions_met(kernel, std::move(sizes)));
  };
  using I = std::int64_t;
  make([](I, I) { return I{1}; });
  make([](I i, I) { return 7 + 6 * i; });
  make([](I i, I) { return 67 - 14 * (i % 4); });
  make([](I, I) { return I{64}; });
  make([](I i, I) { return 129 + 2 * i; });
  for (const I divisor : {4, 8, 16, 32}) {
    make([&](I, I measured) { return std::max<I>(1, measured / divisor); });
    make([&](I i, I measured) { return std::max<I>(1, std::min(measured, measured / divisor + 1 + i)); });
  }
  // Where sizes hang together only some of them may change.
  for (std::size_t change = 0; change < kernel.symbols.size(); ++change) {
    make([&](I i, I measured) { return i == static_cast<I>(change) ? std::max<I>(1, measured / 8 + 1) : measured; });
  }
  return out;
}

} // namespace

Result<std::vector<CheckCase>> check_cases(const ExportContext& names)
{
  std::vector<CheckCase> out;
  if (!names.is_specialised()) {
    for (const kernel::Sizes& sizes : guesses(names)) {
      const Result<CheckCase> one = case_of(names, sizes);
      const bool known = std::ranges::find(out, sizes, &CheckCase::sizes) != out.end();
      if (one && !one->is_optional && !known && out.size() < k_most_cases) {
        out.push_back(*one);
      }
    }
  }
  HONE_TRY(CheckCase measured, case_of(names, names.request.sizes));
  const bool too_long = measured.is_optional && !measured.is_sampled && !out.empty();
  if (!too_long && std::ranges::find(out, measured.sizes, &CheckCase::sizes) == out.end()) {
    out.push_back(std::move(measured));
  }
  return out;
}

} // namespace hone::ship
