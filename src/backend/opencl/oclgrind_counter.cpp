#include "backend/opencl/oclgrind_counter.h"

#include "backend/opencl/oclgrind.h"
#include "util/text.h"

#include <array>
#include <charconv>
#include <utility>

namespace hone::backend::opencl {
namespace {

constexpr const char* k_counts = "counts.txt";

// "1,024" -> 1024; 0 where there is none.
std::int64_t number_with_commas(std::string_view text)
{
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      digits += c;
    } else if (c != ',') {
      break;
    }
  }
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

class OclgrindCounter final : public AccessCounter {
public:
  std::string_view name() const override { return "oclgrind"; }
  std::string missing() const override { return oclgrind().missing(); }
  std::vector<CacheLevel> levels() const override { return {}; }
  std::size_t most_accesses() const override { return 0; } // whole calls only
  Result<std::vector<CompileJob>> build_jobs(const BuildInput&, const Module&) const override
  {
    return std::vector<CompileJob>();
  }
  Result<CompileJob> job(const InspectionInput& input, const std::vector<CacheLevel>& levels) const override
  {
    if (!levels.empty()) {
      return fail("caches are not modelled on the opencl backend", "leave the argument `caches` out");
    }
    HONE_TRY(CompileJob job, oclgrind().job(input));
    job.commands.front().emplace_back("count");
    job.outputs = {k_counts};
    return job;
  }
  Result<AccessCounts> counts(const std::map<std::string, std::string>& outputs) const override
  {
    const auto found = outputs.find(k_counts);
    AccessCounts counts = counts_in(found == outputs.end() ? "" : found->second);
    if (counts.sites.empty()) {
      return fail("oclgrind has counted nothing", "the Debian package oclgrind prints counts; is it another version?");
    }
    return counts;
  }
};

} // namespace

AccessCounts counts_in(std::string_view printed)
{
  constexpr std::array<std::pair<std::string_view, MemoryKind>, 4> k_memories{{{"global", MemoryKind::buffer},
                                                                               {"local", MemoryKind::shared},
                                                                               {"private", MemoryKind::stack},
                                                                               {"constant", MemoryKind::constants}}};
  AccessCounts counts;
  counts.has_lines = false;
  for (const auto& [word, kind] : k_memories) {
    AccessSite site;
    site.memory = kind;
    site.buffer = kind == MemoryKind::buffer ? "global memory" : "";
    for (const std::string& line : split(printed, '\n')) {
      const std::size_t dash = line.find(" - ");
      const std::string_view what =
        dash == std::string::npos ? std::string_view() : trim(line).substr(trim(line).find(" - ") + 3);
      const bool loads = what.starts_with("load "), stores = what.starts_with("store ");
      if ((!loads && !stores) || !what.substr(what.find(' ') + 1).starts_with(word)) {
        continue;
      }
      const std::int64_t times = number_with_commas(trim(line));
      const std::size_t open = what.find('(');
      const std::int64_t bytes = open == std::string_view::npos ? 0 : number_with_commas(what.substr(open + 1));
      (loads ? site.loads : site.stores) += times;
      (loads ? site.bytes_loaded : site.bytes_stored) += bytes;
    }
    if (site.accesses() > 0) {
      counts.total += site;
      if (kind == MemoryKind::stack) {
        counts.stack += site;
      }
      counts.sites.push_back(std::move(site));
    }
  }
  counts.notes = {"counted by oclgrind, which knows no lines of the source and models no caches",
                  "the code is not optimised, so that private variables count too, which a driver keeps in registers"};
  return counts;
}

const AccessCounter& oclgrind_counter()
{
  static const OclgrindCounter counter;
  return counter;
}

} // namespace hone::backend::opencl
