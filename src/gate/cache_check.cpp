#include "gate/cache_check.h"

#include "gate/build.h"
#include "gate/gate.h"
#include "util/json.h"
#include "util/temporary.h"

#include <algorithm>

namespace hone::gate {

namespace {

class Check {
public:
  explicit Check(bool repair) : m_repair(repair) {}

  void take_in(const fs::path& file, const Result<void>& sound)
  {
    ++m_result.files;
    if (!sound) {
      add({Finding::Kind::damage, file.string(), sound.error().message, "it is never used and made again when needed"});
    }
  }

  void take_in_abandoned(const fs::path& folder)
  {
    for (const fs::path& file : abandoned_in(folder)) {
      add({Finding::Kind::leftover, file.string(), "half written by a process that ended", "nobody reads it"});
    }
  }

  CacheCheck result() && { return std::move(m_result); }

private:
  void add(Finding finding)
  {
    std::error_code error;
    if (!m_repair) {
      finding.way_out += ": `hone fsck --repair` removes it";
    } else if (fs::remove(finding.where, error); error) {
      finding.way_out = "it cannot be removed: " + error.message();
    } else {
      finding.way_out = "removed";
      finding.mended = true;
    }
    m_result.findings.push_back(std::move(finding));
  }

  bool m_repair = false;
  CacheCheck m_result;
};

std::vector<fs::path> files_in(const fs::path& folder)
{
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && !is_temporary_name(entry->path().filename().string())) {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

Result<void> check_module_file(const fs::path& file)
{
  HONE_TRY(const std::string bytes, read_file(file));
  HONE_TRY([[maybe_unused]] const backend::Module module, unpack_module(bytes, file.filename().string()));
  return {};
}

Result<void> check_ceilings_file(const fs::path& file)
{
  HONE_TRY(const std::string text, read_file(file));
  HONE_TRY(const Json json, parse_json(text, file.string()));
  HONE_TRY([[maybe_unused]] const Ceilings ceilings, ceilings_from_json(json));
  return {};
}

bool holds_ceilings(const std::string& name)
{
  return name.starts_with("ceilings-") && name.ends_with(".json");
}

} // namespace

CacheCheck check_cache(const fs::path& folder, bool repair)
{
  Check check(repair);
  for (const fs::path& file : files_in(folder)) {
    if (!kernel::reference_key_of(file).empty()) {
      check.take_in(file, kernel::check_reference_file(file));
    } else if (holds_ceilings(file.filename().string())) {
      check.take_in(file, check_ceilings_file(file));
    }
  }
  const fs::path modules = folder / "modules";
  for (const fs::path& file : files_in(modules)) {
    check.take_in(file, check_module_file(file));
  }
  check.take_in_abandoned(folder);
  check.take_in_abandoned(modules);
  check.take_in_abandoned(folder / "lint");
  return std::move(check).result();
}

} // namespace hone::gate
