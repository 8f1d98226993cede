#include "backend/cpu/watch/inspector/inspection_job.h"

#include <fstream>
#include <iterator>
#include <span>
#include <sstream>

namespace hone::backend::cpu {
namespace {

constexpr std::size_t k_max_instrumented = 1'000'000; // accesses of a whole call; each costs ten times another one
constexpr std::size_t k_instrumented_share = 15;      // one for so many accesses of device.so
constexpr std::size_t k_guarded_share = 8;            // the same for guarded.so

} // namespace

std::string file_contents(const std::string& path)
{
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string text(file ? static_cast<std::size_t>(file.tellg()) : 0, '\0');
  file.seekg(0).read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

std::size_t InspectionOptions::max_accesses_of(Instrumentation instrumentation) const
{
  switch (instrumentation) {
  case Instrumentation::assembly:
    return covers_call() ? k_max_instrumented : max_accesses / k_instrumented_share;
  case Instrumentation::address_sanitizer:
    return max_accesses / k_guarded_share;
  default:
    return max_accesses;
  }
}

std::string InspectionJob::result_file(Instrumentation instrumentation, std::size_t buffer) const
{
  return path((instrumentation == Instrumentation::assembly ? "instrumented" : "result") + std::to_string(buffer));
}

InspectionOptions InspectionJob::options() const
{
  InspectionOptions options;
  std::istringstream words(file_contents(path("watch.txt")));
  words >> options.seed >> options.max_accesses >> options.arguments;
  options.results.assign(std::istream_iterator<std::size_t>(words), {});
  return options;
}

std::vector<ListedLaunch> InspectionJob::launches() const
{
  return launches_from(file_contents(path("launches.txt")));
}

std::vector<BufferFacts> InspectionJob::buffers() const
{
  std::vector<BufferFacts> buffers;
  std::istringstream lines(file_contents(path("buffers.txt")));
  for (BufferFacts facts; lines >> facts.bytes >> facts.element_bytes >> facts.writable >> facts.empty >> facts.name;) {
    buffers.push_back(facts);
  }
  return buffers;
}

void InspectionJob::load_contents(WatchedMemory& memory) const
{
  for (std::size_t i = 0; i < memory.count(); ++i) {
    const std::span<std::byte> bytes = memory.bytes_of(i);
    std::ifstream(path("buffer" + std::to_string(i)), std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

void InspectionJob::write_results(WatchedMemory& memory) const
{
  for (const std::size_t i : options().results) {
    const std::span<std::byte> bytes = memory.bytes_of(i);
    std::ofstream(result_file(memory.instrumentation(), i), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

} // namespace hone::backend::cpu
