// expression_fuzzer [N] [SEED] [BACKEND...]: N random well-typed statements: the whole reference and its single
// elements agree, and the naive candidates of the backends (cpu and opencl where they are there) pass the gate. Then N
// broken texts made from right ones: each is refused with a message and a place. Prints every failure with its kernel;
// exits with 1 if there was one.
#include "expression_writer.h"
#include "gate/gate.h"
#include "inputs/elements.h"
#include "kernel/kernel.h"
#include "lower/lower.h"
#include "util/util.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace {

using namespace hone;

constexpr std::size_t k_statements = 16; // per kernel: compilers take as long for one as for sixteen

struct Tally {
  std::size_t kernels = 0;
  std::size_t statements = 0;
  std::size_t elements = 0;
  std::size_t without_bound = 0; // elements of which the reference can say nothing
  std::size_t undecided = 0;     // kernels that the gate refused for want of bounds
  std::size_t failures = 0;
};

void report(Tally& tally, const std::string& what, const std::string& toml)
{
  ++tally.failures;
  fmt::print("FAILED: {}\n{}\n", what, toml);
}

double draw(kernel::DataType type, const kernel::Domain& domain, Random& random)
{
  if (domain.is_finite()) {
    const double value = domain.low + random.uniform() * (domain.high - domain.low + (kernel::is_float(type) ? 0 : 1));
    return kernel::is_float(type) ? value : std::floor(value);
  }
  const double choices = type == kernel::DataType::boolean ? 2 : 9;
  return kernel::is_float(type) ? random.normal() : std::floor(random.uniform() * choices);
}

std::vector<std::vector<std::byte>> inputs_of(const kernel::Kernel& kernel, const kernel::Sizes& sizes, Random& random)
{
  std::vector<std::vector<std::byte>> out;
  for (const kernel::Argument& argument : kernel.arguments) {
    const auto count = static_cast<std::size_t>(kernel::elements_of(argument, sizes).value_or(0));
    const kernel::Domain domain = kernel::domain_of(argument, sizes).value_or(kernel::Domain{});
    const std::size_t size = kernel::size_of(argument.type);
    std::vector<std::byte> bytes(count * size);
    for (std::size_t i = 0; i < count; ++i) {
      inputs::store_element(argument.type, bytes.data() + i * size, draw(argument.type, domain, random));
    }
    out.push_back(std::move(bytes));
  }
  return out;
}

bool agree(double a, double b, double bound)
{
  return (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= 0.5 * bound || std::isinf(bound);
}

// All elements at once against each for itself.
void compare_elements(const kernel::Kernel& kernel, const kernel::Reference& reference, const kernel::Sizes& sizes,
                      Random& random, const std::string& toml, Tally& tally)
{
  const auto inputs = inputs_of(kernel, sizes, random);
  std::vector<const std::byte*> pointers;
  for (const auto& bytes : inputs) {
    pointers.push_back(bytes.data());
  }
  const auto whole = reference.evaluate(sizes, pointers);
  if (!whole) {
    return report(tally, "evaluation: " + whole.error().text(), toml);
  }
  const std::vector<std::size_t> outputs = kernel.outputs();
  for (std::size_t output = 0; output < outputs.size(); ++output) {
    const kernel::ReferenceOutput& all = (*whole)[output];
    for (std::size_t i = 0; i < all.values.size(); ++i) {
      ++tally.elements;
      tally.without_bound += std::isinf(all.bounds[i]) ? 1 : 0;
      const std::int64_t alone[] = {static_cast<std::int64_t>(i)};
      const auto one = reference.elements(sizes, pointers, output, alone);
      if (!one || !agree(one->front().value, all.values[i], all.bounds[i])) {
        return report(tally,
                      fmt::format("element {} of {} alone: {}, among all: {} +- {}", i,
                                  kernel.arguments[outputs[output]].name, one ? one->front().value : std::nan(""),
                                  all.values[i], all.bounds[i]),
                      toml);
      }
    }
  }
}

void judge_naive(const std::shared_ptr<const kernel::Kernel>& kernel, const backend::Backend& backend, Random& random,
                 const std::string& toml, Tally& tally)
{
  gate::GateOptions options;
  options.cache = fs::temp_directory_path() / "hone-fuzz-cache";
  options.seed = random.next();
  auto candidate = lower::naive_candidate(*kernel, backend.dialect());
  if (!candidate) {
    return report(tally, fmt::format("no naive candidate: {}", candidate.error().text()), toml);
  }
  auto gate = gate::Gate::open(kernel, backend, options);
  if (!gate) {
    return report(tally, "gate: " + gate.error().text(), toml);
  }
  record::Recipe recipe;
  recipe.sizes = kernel->timed.front();
  const auto verdict = gate->validate({*candidate, {}, {}, {}}, recipe, record::Depth::screen);
  if (!verdict && verdict.error().message.starts_with("the reference can say nothing")) {
    ++tally.undecided; // a random quotient by what may be 0: the gate is right to ask for another expression
    return;
  }
  if (!verdict) {
    return report(tally, "gate: " + verdict.error().text(), toml);
  }
  if (verdict->status != record::Status::correct) {
    report(tally,
           fmt::format("the naive candidate on {} is {}: {}\n{}", backend.name(), record::name_of(verdict->status),
                       verdict->reason, verdict->log),
           toml);
  }
}

void try_right_ones(std::size_t wanted, const std::vector<const backend::Backend*>& backends, Random& random,
                    Tally& tally)
{
  ExpressionWriter writer(random);
  while (tally.statements < wanted) {
    const std::string toml = writer.kernel_toml(std::min(k_statements, wanted - tally.statements));
    tally.statements += std::min(k_statements, wanted - tally.statements);
    ++tally.kernels;
    auto kernel = kernel::parse_kernel(toml, "fuzz.toml");
    if (!kernel) {
      report(tally, "refused: " + kernel.error().text(), toml);
      continue;
    }
    const auto reference = kernel::Reference::build(*kernel, fs::temp_directory_path() / "hone-fuzz-cache");
    if (!reference) {
      report(tally, "reference: " + reference.error().text(), toml);
      continue;
    }
    compare_elements(*kernel, *reference, kernel->timed.front(), random, toml, tally);
    const auto shared = std::make_shared<const kernel::Kernel>(std::move(*kernel));
    for (const backend::Backend* backend : backends) {
      judge_naive(shared, *backend, random, toml, tally);
    }
    fmt::print("{} statements, {} failures\n", tally.statements, tally.failures);
    std::fflush(stdout);
  }
}

// One small change of the kind that people make: a character lost, doubled, swapped or mistaken for another.
std::string broken(std::string text, Random& random)
{
  static constexpr std::string_view k_characters = "()[],.:;=<>+-*/%&|!#\"'\\ \n_azAZ09$\x01\x7f\xc3";
  const std::uint64_t changes = 1 + random.below(3);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::size_t at = static_cast<std::size_t>(random.below(text.size()));
    switch (random.below(4)) {
    case 0:
      text.erase(at, 1 + static_cast<std::size_t>(random.below(3)));
      break;
    case 1:
      text.insert(at, 1, k_characters[static_cast<std::size_t>(random.below(k_characters.size()))]);
      break;
    case 2:
      text.insert(at, text.substr(at, static_cast<std::size_t>(random.below(12))));
      break;
    default:
      text[at] = k_characters[static_cast<std::size_t>(random.below(k_characters.size()))];
      break;
    }
  }
  return text;
}

void try_broken_ones(std::size_t wanted, Random& random, Tally& tally)
{
  ExpressionWriter writer(random);
  std::size_t refused = 0;
  std::size_t understood = 0;
  while (refused < wanted) {
    const std::string toml = writer.kernel_toml(1);
    const std::size_t begin = toml.find("\"\"\"\n") + 4;
    const std::size_t end = toml.find("\n\"\"\"", begin);
    const std::string text = toml.substr(0, begin) + broken(toml.substr(begin, end - begin), random) + toml.substr(end);
    const auto kernel = kernel::parse_kernel(text, "fuzz.toml");
    if (kernel) {
      ++understood; // the change made another right text
      continue;
    }
    ++refused;
    const Error& error = kernel.error();
    const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
    const bool placed =
      error.place.file == "fuzz.toml" && error.place.line >= 1 && error.place.line <= lines && error.place.column >= 1;
    if (error.message.empty() || !placed) {
      report(tally, "an error without a place or a message: " + error.text(), text);
    }
  }
  fmt::print("{} broken texts refused, {} changes made another right text\n", refused, understood);
}

std::vector<const backend::Backend*> backends_of(int argc, char** argv)
{
  std::vector<const backend::Backend*> out;
  for (const backend::Backend* backend : backend::backends()) {
    bool wanted = argc <= 3;
    for (int i = 3; i < argc; ++i) {
      wanted = wanted || backend->name() == argv[i];
    }
    if (const auto device = backend->probe(); wanted && !device) {
      fmt::print("without {}: {}\n", backend->name(), device.error().message);
    } else if (wanted) {
      out.push_back(backend);
    }
  }
  return out;
}

} // namespace

int main(int argc, char** argv)
{
  const std::size_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  Random random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  Tally tally;
  try_broken_ones(wanted, random, tally);
  try_right_ones(wanted, backends_of(argc, argv), random, tally);
  fmt::print(
    "{} statements in {} kernels ({} times refused for want of bounds), {} elements ({:.2f} % without a bound), "
    "{} failures\n",
    tally.statements, tally.kernels, tally.undecided, tally.elements,
    100.0 * static_cast<double>(tally.without_bound) / static_cast<double>(std::max<std::size_t>(tally.elements, 1)),
    tally.failures);
  return tally.failures == 0 ? 0 : 1;
}
