#include "backend/opencl/oclgrind.h"

#include "backend/launches_to_run.h"
#include "backend/opencl/program_text.h"
#include "util/util.h"

#include <fmt/format.h>

#include <regex>
#include <set>

namespace hone::backend::opencl {
namespace {

constexpr const char* k_library = "/usr/lib/oclgrind/liboclgrind-rt.so";
constexpr const char* k_program = "hone-opencl-inspector";
constexpr const char* k_findings = "findings.txt";
constexpr std::size_t k_most_findings = 20;

InspectionFinding::Kind kind_of(std::string_view heading)
{
  using Kind = InspectionFinding::Kind;
  if (heading.find("data race") != std::string_view::npos || heading.find("divergence") != std::string_view::npos) {
    return Kind::race;
  }
  if (heading.starts_with("Invalid write")) {
    return Kind::write_out_of_bounds;
  }
  return heading.starts_with("Invalid read") ? Kind::read_out_of_bounds : Kind::other;
}

// One message: its heading and what the lines below it name.
struct Message {
  std::string heading;
  std::vector<std::string> places;   // "device.cl:7:3"
  std::vector<std::string> entities; // "work-item 3,0,0 of group 0,0,0"

  void read(const std::string& line)
  {
    static const std::regex place(R"(^\s*At line ([0-9]+) \(column ([0-9]+)\) of ([^ ]+):$)");
    static const std::regex entity(R"(ntity:\s+Global\([0-9,]+\) Local\(([0-9,]+)\) Group\(([0-9,]+)\))");
    std::smatch match;
    if (std::regex_search(line, match, place)) {
      places.push_back(fmt::format("{}:{}:{}", match[3].str(), match[1].str(), match[2].str()));
    } else if (std::regex_search(line, match, entity)) {
      entities.push_back(fmt::format("work-item {} of group {}", match[1].str(), match[2].str()));
    }
  }

  // The same for every work-item that does it.
  std::string identity() const { return what() + join(places, " "); }

  std::string text() const
  {
    std::string out = places.empty() ? what() : places.front() + ": " + what();
    if (places.size() > 1) {
      out += fmt::format(" with {}", places[1]);
    }
    return entities.empty() ? out : fmt::format("{} ({})", out, join(entities, ", "));
  }

private:
  // "Invalid read of size 4 at global memory address 0x1000" -> "invalid read of size 4 at global memory"
  std::string what() const
  {
    static const std::regex address(" address 0x[0-9a-f]+.*$");
    std::string out = std::regex_replace(heading, address, "");
    if (!out.empty()) {
      out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
    }
    return out;
  }
};

std::vector<Message> messages_in(std::string_view log)
{
  std::vector<Message> messages;
  for (const std::string& line : split(log, '\n')) {
    if (line.empty() || line.starts_with("Oclgrind:")) {
      continue;
    }
    if (line.front() != '\t') {
      messages.push_back({line, {}, {}});
    } else if (!messages.empty()) {
      messages.back().read(line);
    }
  }
  return messages;
}

class Oclgrind final : public Inspector {
public:
  std::string_view name() const override { return "oclgrind"; }
  std::string_view way() const override { return "groups one after another, each with local memory of its own"; }
  std::vector<std::string> output_names(std::size_t argument) const override
  {
    return {fmt::format("result{}", argument)};
  }
  double most_work() const override { return 2e5; }

  std::string missing() const override
  {
    std::error_code ignored;
    return fs::exists(k_library, ignored) ? "" : "oclgrind is not installed (Debian package oclgrind)";
  }

  Result<CompileJob> job(const InspectionInput& input) const override
  {
    const kernel::Kernel& kernel = input.build.kernel;
    CompileJob job;
    auto text = opencl_program_text(input.build);
    if (!text) {
      return fail(text.error().reason);
    }
    job.files["program.cl"] = std::move(*text);
    job.files["launches.txt"] = to_text(launches_to_run(kernel, input.build.plan));
    std::size_t number = 0;
    const auto add_buffer = [&](std::size_t size, std::span<const std::byte> contents) {
      job.files["buffers.txt"] += fmt::format("{}\n", size);
      if (!contents.empty()) {
        job.files[fmt::format("buffer{}", number)].assign(reinterpret_cast<const char*>(contents.data()),
                                                          contents.size());
      }
      ++number;
    };
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      const std::span<const std::byte> bytes = input.arguments.at(i);
      const bool output = kernel.arguments[i].role == kernel::Role::output;
      add_buffer(bytes.size(), output ? std::span<const std::byte>() : bytes);
    }
    for (std::size_t i = 0; i < input.build.plan.scratch.size(); ++i) {
      add_buffer(input.build.plan.scratch[i].bytes(), input.scratch.at(i));
    }
    const std::string program = libexec_folder() / k_program;
    // As it is written: an optimiser leaves out reads whose values are not used.
    job.commands = {{program, k_library, fmt::format("{} -cl-opt-disable", k_build_options)}};
    job.outputs = {k_findings};
    for (std::size_t i = 0; i < kernel.arguments.size() && !input.build.plan.prepares; ++i) {
      if (kernel::is_written(kernel.arguments[i].role)) {
        job.outputs.push_back(output_names(i).front());
      }
    }
    job.readable = {program, "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system"};
    return job;
  }

  Result<std::vector<InspectionFinding>> findings(const std::map<std::string, std::string>& outputs) const override
  {
    const auto log = outputs.find(k_findings);
    return findings_in(log == outputs.end() ? "" : log->second);
  }
};

} // namespace

Result<std::vector<InspectionFinding>> findings_in(std::string_view log)
{
  std::vector<InspectionFinding> findings;
  std::set<std::string> seen;
  for (const Message& message : messages_in(log)) {
    if (message.heading.starts_with("OCLGRIND FATAL ERROR")) {
      return fail("oclgrind does not know everything that this program does");
    }
    if (findings.size() < k_most_findings && seen.insert(message.identity()).second) {
      findings.push_back({kind_of(message.heading), message.text()});
    }
  }
  return findings;
}

const Inspector& oclgrind()
{
  static const Oclgrind inspector;
  return inspector;
}

} // namespace hone::backend::opencl
