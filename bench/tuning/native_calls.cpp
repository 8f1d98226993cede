#include "native_calls.h"

#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/mman.h>
#include <sys/resource.h>

namespace hone {

namespace {

constexpr std::size_t k_line = 64;
constexpr std::size_t k_most_arguments = 14; // more than a function takes are passed and not looked at

// Laid out as hone_group in src/backend/cpu/include/hone.h, which is written for candidates.
struct Group {
  std::int64_t id[3];
  std::int64_t count[3];
  void* shared;
  std::int64_t shared_bytes;
};

double cpu_seconds_of_children()
{
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t aligned(const void* address)
{
  return (reinterpret_cast<std::uint64_t>(address) + k_line - 1) / k_line * k_line;
}

template <std::size_t... Is>
void call(std::uint64_t entry, const Group& group, const std::uint64_t* values, std::index_sequence<Is...>)
{
  using Function = void (*)(const Group*, decltype(static_cast<void>(Is), std::uint64_t{})...);
  reinterpret_cast<Function>(entry)(&group, values[Is]...);
}

} // namespace

double cpu_seconds_of_thread()
{
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Result<NativeCompiler> NativeCompiler::open()
{
  HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("hone-bench"));
  return NativeCompiler(std::move(folder));
}

Result<NativeCompiler::Built> NativeCompiler::build(const backend::BuildInput& input)
{
  HONE_TRY(const backend::Backend* backend, backend::find_backend("cpu"));
  HONE_TRY(const backend::CompileJob job, backend->compile_job(input));
  for (const auto& [name, text] : job.files) {
    HONE_CHECK(write_file(m_folder.path() / name, text));
  }
  const double before = cpu_seconds_of_children();
  for (const std::vector<std::string>& words : job.commands) {
    std::string command = "cd '" + m_folder.path().string() + "' &&";
    for (const std::string& word : words) {
      command += " '" + word + "'";
    }
    if (std::system(command.c_str()) != 0) {
      return fail("a point could not be compiled: " + kernel::to_text(input.point), "try it with hone run");
    }
  }
  Built built;
  built.cpu_s = cpu_seconds_of_children() - before;
  std::map<std::string, std::string> outputs;
  for (const std::string& name : job.outputs) {
    HONE_TRY(outputs[name], read_file(m_folder.path() / name));
  }
  auto module = backend->load(input, outputs);
  if (!module) {
    return fail("a point could not be loaded: " + module.error().reason);
  }
  built.module = std::move(*module);
  return built;
}

Result<NativeArena> NativeArena::make(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  NativeArena arena;
  Random random(1);
  for (const kernel::Argument& argument : kernel.arguments) {
    if (argument.type != kernel::DataType::f32) {
      return fail("only tensors of f32 can be recorded, not " + argument.name);
    }
    HONE_TRY(const std::int64_t elements, kernel::elements_of(argument, sizes));
    Tensor tensor;
    tensor.written = kernel::is_written(argument.role);
    tensor.values.resize(static_cast<std::size_t>(elements) + 64);
    for (float& value : tensor.values) {
      value = static_cast<float>(random.uniform());
    }
    arena.m_tensors.push_back(std::move(tensor));
  }
  return arena;
}

std::uint64_t NativeArena::address(std::size_t argument) const
{
  return aligned(m_tensors.at(argument).values.data());
}

double NativeArena::output_sum() const
{
  double sum = 0;
  for (const Tensor& tensor : m_tensors) {
    for (std::size_t i = 0; tensor.written && i < tensor.values.size(); ++i) {
      sum += static_cast<double>(tensor.values[i]) * static_cast<double>(1 + i % 7);
    }
  }
  return sum;
}

void NativeArena::clear_outputs()
{
  for (Tensor& tensor : m_tensors) {
    if (tensor.written) {
      std::ranges::fill(tensor.values, 0.0F);
    }
  }
}

NativeCall::NativeCall(const backend::Module& module, kernel::ResolvedPlan plan, const NativeArena& arena)
  : m_bytes(module.image.size() + 64), m_entries(module.entries), m_plan(std::move(plan))
{
  void* memory = mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return;
  }
  m_code = memory;
  std::memcpy(m_code, module.image.data(), module.image.size());
  for (const kernel::ResolvedScratch& scratch : m_plan.scratch) {
    m_scratch.emplace_back(scratch.bytes() / sizeof(float) + 64);
  }
  for (const kernel::ResolvedLaunch& launch : m_plan.launches) {
    m_shared.resize(std::max(m_shared.size(), static_cast<std::size_t>(launch.shared_bytes) + k_line));
    std::vector<std::uint64_t> values(k_most_arguments, 0);
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
      const kernel::ResolvedArgument& argument = launch.args[i];
      if (argument.kind == kernel::ResolvedArgument::Kind::tensor) {
        values.at(i) = arena.address(argument.position);
      } else if (argument.kind == kernel::ResolvedArgument::Kind::scratch) {
        values.at(i) = aligned(m_scratch[argument.position].data());
      } else {
        values.at(i) = static_cast<std::uint64_t>(argument.integer);
      }
    }
    m_arguments.push_back(std::move(values));
  }
}

NativeCall::~NativeCall()
{
  if (m_code != nullptr) {
    munmap(m_code, m_bytes);
  }
}

void NativeCall::run() const
{
  for (std::size_t i = 0; i < m_plan.launches.size(); ++i) {
    const auto& grid = m_plan.launches[i].grid;
    Group group{{0, 0, 0},
                {grid[0], grid[1], grid[2]},
                reinterpret_cast<void*>(aligned(m_shared.data())),
                m_plan.launches[i].shared_bytes};
    const std::uint64_t entry = reinterpret_cast<std::uint64_t>(m_code) + m_entries[i];
    for (group.id[2] = 0; group.id[2] < grid[2]; ++group.id[2]) {
      for (group.id[1] = 0; group.id[1] < grid[1]; ++group.id[1]) {
        for (group.id[0] = 0; group.id[0] < grid[0]; ++group.id[0]) {
          call(entry, group, m_arguments[i].data(), std::make_index_sequence<k_most_arguments>());
        }
      }
    }
  }
}

double NativeCall::seconds(int calls) const
{
  const double begin = cpu_seconds_of_thread();
  for (int i = 0; i < calls; ++i) {
    run();
  }
  return cpu_seconds_of_thread() - begin;
}

} // namespace hone
