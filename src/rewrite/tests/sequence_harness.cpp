#include "sequence_harness.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

namespace hone::rewrite {

namespace {

// Memory whose end touches a page that must not be touched: reads and writes past the end stop the test.
class GuardedBuffer {
public:
  explicit GuardedBuffer(std::size_t bytes)
  {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    m_mapped = (bytes + page - 1) / page * page + page;
    m_base =
      static_cast<std::byte*>(mmap(nullptr, m_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(m_base + m_mapped - page, page, PROT_NONE);
    m_data = m_base + m_mapped - page - bytes;
  }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  ~GuardedBuffer() { munmap(m_base, m_mapped); }
  std::byte* data() const { return m_data; }

private:
  std::byte* m_base = nullptr;
  std::byte* m_data = nullptr;
  std::size_t m_mapped = 0;
};

// As hone.h lays it out.
constexpr double k_most_work = 2e8; // of a problem, flops and bytes: many symbols make a large one

struct GroupOfLaunch {
  std::int64_t id[3];
  std::int64_t count[3];
  void* shared;
  std::int64_t shared_bytes;
};

template <class T> double number_at(const std::byte* data, std::size_t at)
{
  T value = 0;
  std::memcpy(&value, data + at * sizeof value, sizeof value);
  return static_cast<double>(value);
}

double element_at(kernel::DataType type, const std::byte* data, std::size_t at)
{
  if (type == kernel::DataType::i32) {
    return number_at<std::int32_t>(data, at);
  }
  if (type == kernel::DataType::bf16) {
    std::uint16_t upper = 0;
    std::memcpy(&upper, data + at * sizeof upper, sizeof upper);
    return std::bit_cast<float>(std::uint32_t{upper} << 16);
  }
  if (type == kernel::DataType::f16) {
    return number_at<_Float16>(data, at);
  }
  if (type == kernel::DataType::i8 || type == kernel::DataType::u8) {
    return type == kernel::DataType::i8 ? number_at<std::int8_t>(data, at) : number_at<std::uint8_t>(data, at);
  }
  if (type == kernel::DataType::i64) {
    std::int64_t value = 0;
    std::memcpy(&value, data + at * sizeof value, sizeof value);
    return static_cast<double>(value);
  }
  if (type == kernel::DataType::f64) {
    double value = 0;
    std::memcpy(&value, data + at * sizeof value, sizeof value);
    return value;
  }
  float value = 0;
  std::memcpy(&value, data + at * sizeof value, sizeof value);
  return value;
}

// Bytes of all values, the largest and smallest often; bf16 by cutting off what a float has more.
void fill_narrow(kernel::DataType type, std::byte* data, std::size_t count, Random* random)
{
  for (std::size_t at = 0; at < count; ++at) {
    const std::uint64_t drawn = random == nullptr ? 0 : random->next();
    if (type == kernel::DataType::bf16) {
      const auto value = random == nullptr ? std::nanf("") : static_cast<float>(random->uniform() * 2 - 1);
      const auto upper = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
      std::memcpy(data + at * sizeof upper, &upper, sizeof upper);
    } else if (type == kernel::DataType::f16) {
      const auto value = static_cast<_Float16>(random == nullptr ? std::nan("") : random->uniform() * 2 - 1);
      std::memcpy(data + at * sizeof value, &value, sizeof value);
    } else if (type == kernel::DataType::i32) {
      const std::int32_t value = random == nullptr ? -77 : static_cast<std::int32_t>(drawn);
      std::memcpy(data + at * sizeof value, &value, sizeof value);
    } else {
      const std::uint8_t extreme = (drawn & 0x100) != 0 ? 0x80 : 0x7f;
      data[at] = static_cast<std::byte>((drawn & 0x600) == 0 ? extreme : static_cast<std::uint8_t>(drawn));
    }
  }
}

// Floats from `domain` cut to [-1, 1], integers from all of it; without `random`, what no result is.
void fill(kernel::DataType type, std::byte* data, std::size_t count, Random* random, kernel::Domain domain)
{
  if (kernel::size_of(type) < 4 || type == kernel::DataType::i32) {
    fill_narrow(type, data, count, random);
    return;
  }
  const double low = std::max(domain.low, -1.0);
  const double high = std::max(std::min(domain.high, 1.0), low);
  for (std::size_t at = 0; at < count; ++at) {
    if (type == kernel::DataType::i64) {
      const std::int64_t whole =
        random == nullptr
          ? -77
          : static_cast<std::int64_t>(domain.low)
              + static_cast<std::int64_t>(random->below(static_cast<std::uint64_t>(domain.high - domain.low) + 1));
      std::memcpy(data + at * sizeof whole, &whole, sizeof whole);
      continue;
    }
    const double value = random != nullptr ? low + random->uniform() * (high - low) : std::nan("");
    if (type == kernel::DataType::f64) {
      std::memcpy(data + at * sizeof value, &value, sizeof value);
    } else {
      const auto narrow = static_cast<float>(value);
      std::memcpy(data + at * sizeof narrow, &narrow, sizeof narrow);
    }
  }
}

// A candidate inside a file with many others: its macros end with it, its names are its own.
std::string enclosed(const SequenceCase& one, std::size_t number)
{
  std::string text = fmt::format("namespace case_{} {{\n", number);
  for (const auto& [name, value] : one.point) {
    text += fmt::format("#define {} {}\n", name, value);
  }
  for (const kernel::LaunchSpec& launch : one.candidate.plan.launches) {
    text += fmt::format("#define {0} case_{1}_{0}\n", launch.kernel, number);
  }
  std::string code = one.candidate.files.at("macros.h") + one.candidate.device_source();
  for (const std::string line :
       {"#pragma once\n", "#include \"hone.h\"\n", "#include \"hone_lanes.h\"\n", "#include \"hone_math.h\"\n",
        "#include \"hone_window.h\"\n", "#include \"macros.h\"\n"}) {
    code = replace_all(code, line, "");
  }
  text += code + "}\n";
  for (const std::string& line : split(text, '\n')) {
    if (trim(line).starts_with("#define ")) {
      const std::string name = split(trim(line), ' ')[1];
      text += "#undef " + name.substr(0, name.find('(')) + "\n";
    }
  }
  return text;
}

struct Library {
  void* handle = nullptr;
  TemporaryFolder folder;
};

Result<Library> compile(const std::vector<SequenceCase>& cases, const std::vector<std::string>& flags)
{
  HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("hone-sequences-"));
  std::string source = "#include \"hone.h\"\n#include \"hone_math.h\"\n#include \"hone_window.h\"\n";
  for (std::size_t number = 0; number < cases.size(); ++number) {
    source += enclosed(cases[number], number);
  }
  HONE_CHECK(write_file(folder.path() / "cases.cpp", source));
  ProcessRequest request;
  request.argv = {"g++", "-std=c++23", "-O1", "-shared", "-fPIC", "-I", HONE_SOURCE_ROOT "/src/backend/cpu/include"};
  request.argv.insert(request.argv.end(), flags.begin(), flags.end());
  request.argv.insert(request.argv.end(), {"cases.cpp", "-o", "cases.so"});
  request.folder = folder.path();
  request.deadline = std::chrono::milliseconds(300'000);
  HONE_TRY(const ProcessOutcome outcome, run_process(request));
  if (!outcome.ok()) {
    return fail("the generated sources do not compile: " + outcome.err.substr(0, 4000));
  }
  void* handle = dlopen((folder.path() / "cases.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(std::string("cannot load the generated code: ") + dlerror());
  }
  return Library{handle, std::move(folder)};
}

// Pointers and 64-bit integers travel alike, and a callee ignores what it does not take.
using Entry = void (*)(const GroupOfLaunch*, std::intptr_t, std::intptr_t, std::intptr_t, std::intptr_t, std::intptr_t,
                       std::intptr_t, std::intptr_t, std::intptr_t, std::intptr_t, std::intptr_t);

void launch_all_groups(Entry entry, const kernel::ResolvedLaunch& launch, const std::vector<std::intptr_t>& values)
{
  std::vector<std::intptr_t> a = values;
  a.resize(10, 0);
  const auto bytes = static_cast<std::size_t>((launch.shared_bytes + 63) / 64 * 64);
  const GuardedBuffer shared(bytes);
  for (std::int64_t flat = launch.groups() - 1; flat >= 0; --flat) {
    const GroupOfLaunch group{
      {flat % launch.grid[0], flat / launch.grid[0] % launch.grid[1], flat / (launch.grid[0] * launch.grid[1])},
      {launch.grid[0], launch.grid[1], launch.grid[2]},
      shared.data(),
      launch.shared_bytes};
    entry(&group, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
  }
}

// Inputs and expected outputs of a kernel on some sizes, shared by all its cases.
struct Problem {
  kernel::Sizes sizes;
  std::vector<std::unique_ptr<GuardedBuffer>> buffers; // one per argument
  std::vector<std::size_t> elements;
  std::vector<std::vector<std::byte>> old_contents; // of what is updated; empty for all else
  std::vector<kernel::ReferenceOutput> expected;
};

Result<Problem> make_problem(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                             const kernel::Reference& reference, Random& random)
{
  Problem problem;
  problem.sizes = sizes;
  std::vector<const std::byte*> inputs;
  for (const kernel::Argument& argument : kernel.arguments) {
    HONE_TRY(const std::int64_t count, kernel::elements_of(argument, sizes));
    problem.elements.push_back(static_cast<std::size_t>(count));
    problem.buffers.push_back(
      std::make_unique<GuardedBuffer>(static_cast<std::size_t>(count) * kernel::size_of(argument.type)));
    const bool output = argument.role == kernel::Role::output;
    HONE_TRY(const kernel::Domain domain, kernel::domain_of(argument, sizes));
    fill(argument.type, problem.buffers.back()->data(), problem.elements.back(), output ? nullptr : &random, domain);
    std::byte* const data = problem.buffers.back()->data();
    inputs.push_back(output ? nullptr : data);
    const std::size_t bytes = problem.elements.back() * kernel::size_of(argument.type);
    problem.old_contents.emplace_back(data, data + (argument.role == kernel::Role::inout ? bytes : 0));
  }
  HONE_TRY(problem.expected, reference.evaluate(sizes, inputs));
  return problem;
}

Result<void> run_one(const SequenceCase& one, std::size_t number, void* library, Problem& problem)
{
  const kernel::Kernel& kernel = *one.kernel;
  HONE_TRY(const kernel::ResolvedPlan plan,
           kernel::resolve_plan(kernel, one.candidate, problem.sizes, one.point, harness_device_facts()));
  std::vector<std::unique_ptr<GuardedBuffer>> scratch;
  for (const kernel::ResolvedScratch& buffer : plan.scratch) {
    scratch.push_back(
      std::make_unique<GuardedBuffer>(static_cast<std::size_t>(buffer.elements) * kernel::size_of(buffer.type)));
    fill(buffer.type, scratch.back()->data(), static_cast<std::size_t>(buffer.elements), nullptr, {});
  }
  for (const std::size_t output : kernel.outputs()) {
    fill(kernel.arguments[output].type, problem.buffers[output]->data(), problem.elements[output], nullptr, {});
    std::ranges::copy(problem.old_contents[output], problem.buffers[output]->data());
  }
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    const std::string symbol = fmt::format("case_{}_{}", number, launch.kernel);
    const auto entry = reinterpret_cast<Entry>(dlsym(library, symbol.c_str()));
    if (entry == nullptr) {
      return fail(symbol + " is missing");
    }
    std::vector<std::intptr_t> values;
    for (const kernel::ResolvedArgument& argument : launch.args) {
      const bool tensor = argument.kind == kernel::ResolvedArgument::Kind::tensor;
      values.push_back(argument.kind == kernel::ResolvedArgument::Kind::integer
                         ? static_cast<std::intptr_t>(argument.integer)
                         : reinterpret_cast<std::intptr_t>(tensor ? problem.buffers[argument.position]->data()
                                                                  : scratch[argument.position]->data()));
    }
    launch_all_groups(entry, launch, values);
  }
  const std::vector<std::size_t> outputs = kernel.outputs();
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const kernel::DataType type = kernel.arguments[outputs[o]].type;
    for (std::size_t at = 0; at < problem.elements[outputs[o]]; ++at) {
      const double got = element_at(type, problem.buffers[outputs[o]]->data(), at);
      const double error = std::abs(got - problem.expected[o].values[at]);
      if (!(error <= problem.expected[o].bounds[at])) {
        return fail(fmt::format("element {} is {} instead of {}", at, got, problem.expected[o].values[at]));
      }
    }
  }
  return {};
}

bool legal_point(const SequenceCase& one, const kernel::TuningPoint& point)
{
  const Result<kernel::ResolvedPlan> plan =
    kernel::resolve_plan(*one.kernel, one.candidate, one.kernel->timed.front(), point, harness_device_facts());
  return plan.has_value();
}

kernel::TuningPoint random_point(const SequenceCase& one, Random& random)
{
  const kernel::TuningSpace& space = one.candidate.plan.tuning;
  for (int attempt = 0; attempt < 200; ++attempt) {
    kernel::TuningPoint point;
    for (const kernel::TuningParameter& parameter : space.parameters) {
      point[parameter.name] = parameter.values[random.below(parameter.values.size())];
    }
    if (legal_point(one, point)) {
      return point;
    }
  }
  return space.defaults();
}

} // namespace

std::string SequenceCase::label() const
{
  return fmt::format("{}: {} | {}", kernel->name, join(steps, " "), kernel::to_text(point));
}

kernel::PlanScope harness_device_facts()
{
  return {{"device.units", 1}, {"device.shared_per_block", 4 << 20}, {"device.vector_bytes", 64}};
}

Result<SequenceCase> make_case(const kernel::Kernel& kernel, const lower::Dialect& dialect,
                               const std::vector<std::string>& steps, Random& random)
{
  lower::Schedule schedule = lower::naive_schedule(kernel);
  for (const std::string& step : steps) {
    HONE_TRY(schedule, rewrite_schedule(std::move(schedule), step, {kernel, dialect}));
  }
  SequenceCase out{&kernel, steps, {}, {}};
  HONE_TRY(out.candidate, lower::lower_schedule(kernel, schedule, dialect));
  out.point = random_point(out, random);
  return out;
}

Result<SequenceCase> random_case(const kernel::Kernel& kernel, const lower::Dialect& dialect, std::size_t longest,
                                 Random& random)
{
  std::vector<std::string> order;
  for (const Rewrite& rewrite : rewrites()) {
    order.emplace_back(rewrite.name);
  }
  std::shuffle(order.begin(), order.end(), random);
  lower::Schedule schedule = lower::naive_schedule(kernel);
  std::vector<std::string> steps;
  // Again from the front after each step: what needed it may be legal now.
  for (bool found = true; found && steps.size() < longest;) {
    found = false;
    for (const std::string& step : order) {
      if (Result<lower::Schedule> next = rewrite_schedule(schedule, step, {kernel, dialect})) {
        schedule = std::move(*next);
        steps.push_back(step);
        found = true;
        break;
      }
    }
  }
  return make_case(kernel, dialect, steps, random);
}

Result<std::vector<std::string>> run_cases(const std::vector<SequenceCase>& cases, const SequenceRun& run)
{
  HONE_TRY(const Library library, compile(cases, run.flags));
  Random random(run.seed);
  std::map<const kernel::Kernel*, kernel::Reference> references;
  std::map<const kernel::Kernel*, std::vector<Problem>> problems;
  std::vector<std::string> failures;
  for (std::size_t number = 0; number < cases.size(); ++number) {
    const kernel::Kernel& kernel = *cases[number].kernel;
    if (!problems.contains(&kernel)) {
      HONE_TRY(const kernel::Reference reference, kernel::Reference::build(kernel, cache_folder()));
      for (const std::vector<std::int64_t>& extents : run.extents) {
        kernel::Sizes sizes;
        for (std::size_t s = 0; s < kernel.symbols.size(); ++s) {
          sizes[kernel.symbols[s]] = extents[s % extents.size()];
        }
        HONE_TRY(const kernel::Work work, kernel::work_of(kernel, sizes));
        if (work.total() > k_most_work) {
          continue;
        }
        HONE_TRY(Problem problem, make_problem(kernel, sizes, reference, random));
        problems[&kernel].push_back(std::move(problem));
      }
    }
    for (Problem& problem : problems[&kernel]) {
      const Result<void> outcome = run_one(cases[number], number, library.handle, problem);
      if (!outcome) {
        failures.push_back(
          fmt::format("{} on {}: {}", cases[number].label(), kernel::to_text(problem.sizes), outcome.error().message));
        break;
      }
    }
  }
  dlclose(library.handle);
  return failures;
}

std::string wrong_results(const std::vector<SequenceCase>& cases, const std::vector<std::vector<std::int64_t>>& extents)
{
  const Result<std::vector<std::string>> failures = run_cases(cases, {{"-march=native"}, extents});
  return failures ? join(*failures, "\n") : failures.error().text();
}

} // namespace hone::rewrite
