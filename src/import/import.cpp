#include "import/import.h"

#include "import/c_parser.h"
#include "import/device_candidate.h"
#include "import/domains.h"
#include "import/matrix_forms.h"
#include "import/program_text.h"
#include "import/shapes.h"
#include "import/size_divisors.h"
#include "import/source.h"
#include "import/start_candidate.h"
#include "kernel/size_conditions.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::import {

namespace {

constexpr int k_most_surveys = 8; // each round settles a leading dimension

struct Understood {
  Survey survey;
  Semantics semantics;
  Assumptions assumed;
  std::vector<kernel::ExprPtr> conditions;        // between sizes
  std::map<std::string, kernel::ExprPtr> indexed; // see ShapeDecision
  std::vector<std::string> notes;
  std::vector<Question> questions;
};

void take_errors(Survey& survey, std::vector<Question>& questions)
{
  std::set<std::string> seen;
  for (Error& error : survey.errors) {
    if (seen.insert(error.text()).second) {
      questions.push_back({std::move(error), ""});
    }
  }
  survey.errors.clear();
}

// Integer parameters that bound no loop, subscript nothing and are no extent.
std::set<std::string> integer_values(const CFunction& function, const Survey& survey)
{
  std::set<std::string> sizes = survey.sizes_in_bounds;
  const auto note = [&](const kernel::ExprPtr& expression) {
    if (expression) {
      collect_sizes(*expression, sizes);
    }
  };
  for (const ArrayAccess& access : survey.accesses) {
    std::ranges::for_each(access.subscripts, note);
  }
  for (const auto& [name, array] : survey.arrays) {
    std::ranges::for_each(array.declared, note);
    std::ranges::for_each(array.shape, note);
  }
  std::set<std::string> out;
  for (const CParameter& parameter : function.parameters) {
    if (is_integer(parameter) && !sizes.contains(parameter.name)) {
      out.insert(parameter.name);
    }
  }
  return out;
}

// Quotients of sizes count something: c / heads needs heads <= c.
void add_quotients(const Survey& survey, std::vector<kernel::ExprPtr>& conditions)
{
  const auto visit = [&](const kernel::ExprPtr& expression) {
    if (!expression) {
      return;
    }
    any_node(*expression, [&](const kernel::Expr& node) {
      const bool divides = node.kind == kernel::ExprKind::binary && node.name == "/" && only_sizes(node)
                           && !polynomial_of(*node.args[1]).as_constant();
      const kernel::ExprPtr condition = divides ? compared("<=", node.args[1], node.args[0]) : nullptr;
      if (divides && std::ranges::none_of(conditions, [&](const auto& known) { return same(known, condition); })) {
        conditions.push_back(condition);
      }
      return false;
    });
  };
  for (const auto& [name, range] : survey.ranges) {
    visit(range.upper);
  }
  for (const auto& [name, array] : survey.arrays) {
    std::ranges::for_each(array.shape, visit);
  }
}

// Surveys until the shapes are known, then reads the function with them.
Understood interpret(const CFile& file, const CFunction& function, const ForeignFunction& request)
{
  Understood out;
  for (int round = 0; round < k_most_surveys; ++round) {
    out.survey = Interpreter(file, function, out.assumed).survey();
    out.questions.clear();
    take_errors(out.survey, out.questions);
    const ShapeDecision decision = decide_shapes(out.survey, request.shapes);
    if (!decision.assumed.empty()) {
      out.notes.insert(out.notes.end(), decision.notes.begin(), decision.notes.end());
      out.assumed.sizes.insert(decision.assumed.begin(), decision.assumed.end());
      continue;
    }
    const std::set<std::string> integers = integer_values(function, out.survey);
    const bool settled = !out.questions.empty() || std::ranges::includes(out.assumed.integers, integers);
    out.assumed.integers.insert(integers.begin(), integers.end());
    if (settled) {
      out.questions.insert(out.questions.end(), decision.questions.begin(), decision.questions.end());
      out.notes.insert(out.notes.end(), decision.notes.begin(), decision.notes.end());
      out.conditions = decision.conditions;
      out.indexed = decision.indexed;
      out.conditions.insert(out.conditions.end(), out.survey.asserted.begin(), out.survey.asserted.end());
      add_quotients(out.survey, out.conditions);
      break;
    }
  }
  if (out.questions.empty()) {
    auto semantics = Interpreter(file, function, out.assumed).interpret(out.survey);
    auto ordered = semantics ? Result<Semantics>(fail("not needed"))
                             : Interpreter(file, function, out.assumed).interpret_in_order(out.survey);
    if (semantics) {
      out.semantics = std::move(*semantics);
      simplify(out.semantics, out.survey);
      add_size_divisors(out.semantics, out.conditions, out.notes);
    } else if (ordered) {
      out.semantics = std::move(*ordered);
      add_size_divisors(out.semantics, out.conditions, out.notes);
    } else {
      out.questions.push_back({std::move(semantics.error()), ""});
    }
  }
  return out;
}

// What the code does not promise and the kernel relies on.
std::vector<std::string> taken_for_granted(const CFunction& function, const Understood& understood)
{
  std::vector<std::string> out = understood.notes;
  const Semantics& semantics = understood.semantics;
  std::vector<std::string> open;
  bool some_written = false;
  bool narrow_sizes = false;
  for (const CParameter& parameter : function.parameters) {
    const bool array = !parameter.type.extents.empty();
    some_written = some_written || (array && semantics.written.contains(parameter.name));
    if (array && !parameter.type.restricted) {
      open.push_back(parameter.name);
    }
    narrow_sizes = narrow_sizes || (!array && parameter.type.data == kernel::DataType::i32);
  }
  if (some_written && open.size() > 1) {
    out.push_back(fmt::format("{} do not overlap (they are not declared restrict)", join(open, ", ")));
  }
  out.emplace_back("every size is at least 1");
  if (narrow_sizes) {
    out.emplace_back("subscripts fit in the integers that the code computes them in (int)");
  }
  for (const std::string& size : further_sizes(function, semantics, understood.survey)) {
    out.push_back(fmt::format("{} is a size that the function does not take: a shape names it", size));
  }
  for (const DraftStatement& one : semantics.statements) {
    if (one.value->kind == kernel::ExprKind::select && semantics.inout.contains(one.target)) {
      out.push_back(fmt::format("elements of '{0}' that the loops do not write keep what they held: its role is inout",
                                one.target));
    }
  }
  if (accumulation_type(semantics, understood.survey) == kernel::DataType::f32
      && !semantics.double_accumulators.empty()) {
    const std::vector<std::string> names(semantics.double_accumulators.begin(), semantics.double_accumulators.end());
    out.push_back(
      fmt::format("sums may be kept in f32: the code keeps {} in double, but computes other values in float; "
                  "accumulate = \"f64\" would ask for more",
                  join(names, ", ")));
  }
  return out;
}

// The user's domains go before what the code suggests, and what it suggests is told.
Result<void> take_domains(const ForeignFunction& request, const CFunction& function, KernelText& text)
{
  for (const auto& [name, domain] : text.domains) {
    const bool told = std::ranges::any_of(
      text.notes, [&](const std::string& note) { return note.starts_with(name + " takes values"); });
    if (!told && !request.domains.contains(name)) {
      text.notes.push_back(fmt::format("{0} takes values from {1} to {2}: --domain {0}=LOW,HIGH says otherwise", name,
                                       domain.low, domain.high));
    }
  }
  for (const auto& [name, domain] : request.domains) {
    if (std::ranges::find(function.parameters, name, &CParameter::name) == function.parameters.end()) {
      return fail(fmt::format("the function has no parameter '{}'", name), "look at --domain", {"--domain", 0, 0});
    }
    text.domains[name] = domain;
  }
  return {};
}

// Every dimension has an element: n - pad >= 1.
void add_extents(const Understood& understood, std::vector<kernel::ExprPtr>& conditions)
{
  const kernel::ExprPtr one = kernel::make_number(1, true);
  for (const auto& [name, array] : understood.survey.arrays) {
    for (const kernel::ExprPtr& extent : array.argument ? array.shape : std::vector<kernel::ExprPtr>()) {
      if (!Facts().proves(polynomial_of(*extent) - Polynomial::constant(1))) {
        conditions.push_back(compared(">=", extent, one));
      }
    }
  }
}

// Local arrays stay within half of the usual stack (ni * nj <= 524288 for doubles), unless the user's sizes need more.
void add_stack_limits(const Understood& understood, const std::vector<std::string>& symbols,
                      const kernel::Sizes& wanted, KernelText& text)
{
  constexpr std::int64_t k_stack = std::int64_t{4} << 20; // bytes
  for (const auto& [name, array] : understood.survey.arrays) {
    if (!array.on_stack || std::ranges::find(array.declared, nullptr) != array.declared.end()) {
      continue;
    }
    kernel::ExprPtr count = kernel::make_number(1, true);
    for (const kernel::ExprPtr& extent : array.declared) {
      count = kernel::make_binary("*", count, extent);
    }
    std::set<std::string> names;
    kernel::any_part(*count, [&](const kernel::Expr& part) {
      if (!part.name.empty() && part.kind != kernel::ExprKind::binary) {
        names.insert(part.name);
      }
      return false;
    });
    const bool sized = !names.empty() && std::ranges::all_of(names, [&](const std::string& one) {
      return std::ranges::find(symbols, one) != symbols.end();
    });
    if (!sized) {
      continue;
    }
    const std::int64_t most = k_stack / static_cast<std::int64_t>(kernel::size_of(*array.type.data));
    kernel::Kernel limited;
    limited.symbols.assign(names.begin(), names.end());
    limited.size_conditions = {compared("<=", count, kernel::make_number(static_cast<double>(most), true))};
    const bool all_wanted = std::ranges::all_of(names, [&](const auto& one) { return wanted.contains(one); });
    if (all_wanted && !kernel::check_size_conditions(limited, wanted)) {
      continue;
    }
    text.conditions.push_back(limited.size_conditions.front());
    text.notes.push_back(fmt::format("the local array '{}' takes no more than 4 MiB of the stack: {}",
                                     name.substr(0, name.find('#')), kernel::to_text(*text.conditions.back())));
  }
}

Result<ForeignAnswer> answer(ForeignFunction request, const CFile& file)
{
  HONE_TRY(const Source source, source_of(request, file));
  const CFunction* const function = &source.function;
  if (request.name.empty()) {
    request.name = source.device ? source.device->kernel.name : function->name;
  }
  Understood understood = interpret(source.file, *function, request);
  understood.conditions.insert(understood.conditions.end(), source.conditions.begin(), source.conditions.end());
  understood.notes.insert(understood.notes.end(), source.notes.begin(), source.notes.end());
  ForeignAnswer out;
  out.questions = std::move(understood.questions);
  if (!out.questions.empty()) {
    return out;
  }
  out.kernel.name = request.name;
  KernelText text{taken_for_granted(*function, understood),
                  domains_from_use(*function, understood.semantics, understood.survey, understood.indexed),
                  matrix_forms_of(understood.semantics, understood.survey), understood.conditions,
                  understood.assumed.sizes};
  // What stands for a size is checked by the shipped function, and takes no values of its own.
  std::erase_if(text.domains, [&](const auto& one) { return text.equal.contains(one.first); });
  HONE_CHECK(take_domains(request, *function, text));
  for (const auto& [name, form] : text.matrices) {
    text.notes.push_back(fmt::format("{} is a {} matrix: the code {}", name,
                                     form == "dominant" ? "diagonally dominant" : form,
                                     form == "dominant" ? "divides by its diagonal" : "takes roots of its diagonal"));
  }
  const std::vector<std::string> symbols = names_of(*function, understood.semantics, understood.survey).sizes;
  add_stack_limits(understood, symbols, request.sizes, text);
  out.kernel.notes = text.notes;
  const auto toml = [&](const kernel::Sizes& sizes) {
    return kernel_toml(request, *function, understood.semantics, understood.survey, text, sizes);
  };
  // A first reading with small sizes shows how the work grows.
  kernel::Kernel sized;
  sized.symbols = symbols;
  sized.size_conditions = text.conditions;
  add_extents(understood, sized.size_conditions);
  kernel::Sizes least;
  for (const std::string& size : sized.symbols) {
    least[size] = 16;
  }
  auto first = kernel::parse_kernel(toml(kernel::with_conditions_met(sized, least)), "kernel.toml");
  if (!first) { // there is no such file: the place is in the code
    out.questions.push_back(
      {Error{fmt::format("what the function computes was read as '{}', which a kernel cannot state: {}",
                         program_text(understood.semantics, understood.survey), first.error().message),
             first.error().hint, function->place},
       ""});
    return out;
  }
  const kernel::Kernel& small = *first;
  kernel::Sizes sizes = kernel::with_conditions_met(sized, kernel::default_sizes(small));
  for (const auto& [name, value] : request.sizes) {
    if (!sizes.contains(name)) {
      return fail(fmt::format("the kernel has no size '{}'; its sizes are {}", name, join(small.symbols, ", ")), {},
                  {"--size", 0, 0});
    }
    sizes[name] = value;
  }
  out.kernel.toml = toml(sizes);
  HONE_TRY(const kernel::Kernel kernel, kernel::parse_kernel(out.kernel.toml, "kernel.toml"));
  const KernelNames names = names_of(*function, understood.semantics, understood.survey);
  if (source.device) {
    out.kernel.backend = file.device_language;
    HONE_TRY(out.kernel.start, device_candidate_files(file, source.device->kernel, source.device->launch, names,
                                                      understood.semantics, understood.assumed.sizes, request.name));
  } else {
    out.kernel.start =
      start_candidate_files(file, *function, names, understood.semantics, understood.assumed.sizes, request.name);
  }
  HONE_TRY([[maybe_unused]] const kernel::Candidate candidate, kernel::make_candidate(kernel, out.kernel.start));
  return out;
}

} // namespace

Result<ForeignAnswer> kernel_from(const ForeignFunction& request)
{
  HONE_TRY(const CFile file, parse_c_file(request.file, request.flags));
  return answer(request, file);
}

Result<ForeignAnswer> kernel_from_text(const ForeignFunction& request, const std::string& text)
{
  HONE_TRY(const CFile file, parse_c_text(request.file.string(), text, request.flags));
  return answer(request, file);
}

} // namespace hone::import
