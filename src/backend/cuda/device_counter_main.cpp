// hone-device-counter: runs a whole plan once on the emulated device and counts what its warps do. Runs in the jail, in
// the job's folder: program.ptx, launches.txt, clusters.txt, buffers.txt, the contents of buffers and count.txt in,
// counts.json out.
#include "backend/launch_list.h"
#include "emulate/emulate.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace hone;
using Json = nlohmann::json;

std::string contents_of(const std::string& file)
{
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Buffer {
  std::string name;
  std::size_t bytes = 0;
  std::uintptr_t begin = 0;
};

class Count {
public:
  // "" or what went wrong.
  std::string run()
  {
    std::istringstream settings(contents_of("count.txt"));
    settings >> m_most_instructions >> m_cache.bytes >> m_cache.ways;
    auto program = emulate::Program::load(contents_of("program.ptx"));
    if (!program) {
      return program.error().message;
    }
    if (!make_buffers()) {
      return "there is no memory for the call's buffers";
    }
    std::istringstream clusters(contents_of("clusters.txt"));
    for (const backend::ListedLaunch& launch : backend::launches_from(contents_of("launches.txt"))) {
      m_groups += static_cast<std::uint64_t>(launch.groups[0] * launch.groups[1] * launch.groups[2]);
      std::array<std::uint32_t, 3> cluster{};
      clusters >> cluster[0] >> cluster[1] >> cluster[2];
      if (!m_whole) {
        continue;
      }
      fill(launch);
      if (std::string trouble = carry_out(*program, launch, cluster); !trouble.empty()) {
        return trouble;
      }
    }
    return "";
  }

  Json result() const
  {
    Json lines = Json::array();
    for (const auto& [key, line] : m_lines) {
      lines.push_back({{"file", std::get<0>(key)},
                       {"line", std::get<1>(key)},
                       {"opcode", std::get<2>(key)},
                       {"buffer", std::get<3>(key)},
                       {"class", emulate::name_of(line.kind)},
                       {"warps", line.warps},
                       {"lanes", line.lanes},
                       {"requests", line.requests},
                       {"sectors", line.sectors},
                       {"wanted", line.wanted_bytes},
                       {"turns", line.wavefronts},
                       {"least_turns", line.least_wavefronts},
                       {"parted", line.parted},
                       {"memory_reads", line.memory_reads},
                       {"memory_writes", line.memory_writes}});
    }
    return {{"cache", {m_cache.bytes, m_cache.ways}},
            {"groups_run", m_groups_run},
            {"groups", m_groups},
            {"whole", m_whole},
            {"lines", std::move(lines)}};
  }

private:
  bool make_buffers()
  {
    std::istringstream list(contents_of("buffers.txt"));
    for (Buffer buffer; list >> buffer.bytes >> buffer.name;) {
      buffer.begin = m_memory.allocate(std::max<std::size_t>(buffer.bytes, 1));
      if (buffer.begin == 0) {
        return false;
      }
      const std::string contents = contents_of("buffer" + std::to_string(m_buffers.size()));
      std::memset(reinterpret_cast<void*>(buffer.begin), 0, buffer.bytes);
      std::memcpy(reinterpret_cast<void*>(buffer.begin), contents.data(), std::min(contents.size(), buffer.bytes));
      m_buffers.push_back(buffer);
    }
    return true;
  }

  void fill(const backend::ListedLaunch& launch)
  {
    for (const backend::ListedFill& one : launch.fills) {
      const Buffer& buffer = m_buffers.at(static_cast<std::size_t>(one.buffer));
      const auto step = static_cast<std::size_t>(one.element_bytes);
      for (std::size_t at = 0; at + step <= buffer.bytes; at += step) {
        std::memcpy(reinterpret_cast<void*>(buffer.begin + at), &one.pattern, step);
      }
    }
  }

  std::string carry_out(const emulate::Program& program, const backend::ListedLaunch& launch,
                        const std::array<std::uint32_t, 3>& cluster)
  {
    const emulate::Entry* const entry = program.find(launch.kernel);
    if (entry == nullptr || launch.arguments.size() > entry->parameters.size()) {
      return "launch.toml launches " + launch.kernel + ", which the program does not have with these arguments";
    }
    emulate::LaunchRequest request;
    request.program = &program;
    request.entry = launch.kernel;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      request.grid[axis] = static_cast<std::uint32_t>(launch.groups[axis]);
      request.block[axis] = static_cast<std::uint32_t>(launch.block[axis]);
    }
    if (cluster[0] * cluster[1] * cluster[2] > 1) {
      request.cluster = cluster;
    }
    request.dynamic_shared_bytes = static_cast<std::size_t>(launch.shared_bytes);
    request.most_instructions = m_most_instructions;
    request.checks = false;
    request.counts = true;
    request.cache = m_cache;
    request.parameters.resize(entry->parameter_bytes);
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const backend::ListedArgument& argument = launch.arguments[i];
      const std::uint64_t value = argument.buffer ? m_buffers.at(static_cast<std::size_t>(argument.value)).begin
                                                  : static_cast<std::uint64_t>(argument.value);
      std::memcpy(request.parameters.data() + entry->parameters[i].offset, &value,
                  std::min(entry->parameters[i].bytes, sizeof value));
    }
    const emulate::LaunchResult result = emulate::launch(request, m_memory);
    for (const emulate::Finding& finding : result.findings) {
      if (finding.kind != emulate::FindingKind::hang || result.counts.warp_instructions == 0) {
        return finding.text;
      }
    }
    m_whole = m_whole && result.finished;
    m_groups_run += result.groups_run;
    for (const emulate::LineCounts& line : result.counts.lines) {
      add(line);
    }
    return "";
  }

  void add(const emulate::LineCounts& line)
  {
    std::string name;
    for (const Buffer& buffer : m_buffers) {
      if (line.first_address >= buffer.begin && line.first_address < buffer.begin + buffer.bytes) {
        name = buffer.name;
      }
    }
    const bool known = line.place.line > 0;
    const auto slash = line.place.file.rfind('/');
    const std::string file = !known ? "" : line.place.file.substr(slash == std::string::npos ? 0 : slash + 1);
    emulate::LineCounts& sum = m_lines[{file, known ? line.place.line : 0, line.opcode, name}];
    sum += line;
    sum.kind = line.kind;
  }

  emulate::GlobalMemory m_memory;
  emulate::CacheSizes m_cache;
  std::uint64_t m_most_instructions = 0, m_groups = 0, m_groups_run = 0;
  bool m_whole = true;
  std::vector<Buffer> m_buffers;
  std::map<std::tuple<std::string, int, std::string, std::string>, emulate::LineCounts> m_lines;
};

} // namespace

int main()
{
  Count count;
  if (const std::string trouble = count.run(); !trouble.empty()) {
    std::fprintf(stderr, "%s\n", trouble.c_str());
    return 1;
  }
  std::ofstream("counts.json") << count.result().dump();
  return 0;
}
