// The workflows that the live page shows: found on the disk, read while others write to them. (internal to the serve
// room)
#pragma once

#include "app/episodes.h"
#include "llm/spending.h"
#include "report/parts.h"
#include "serve/roots.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace hone::serve {

// Where a run lies.
struct LiveRun {
  std::string id;     // of its page: "matmul-cpu-1a2b3c4d5e6f-0f3c21aa"
  std::string kernel; // as people call it: a path below the first root
  std::string backend;
  fs::path folder, state, workflow;
  store::Workflow::Key key;
};

// One line of the list.
struct RunLine {
  std::string holder;       // the process that is at work on it; empty: none
  std::int64_t changed = 0; // seconds since 1970: when something was last written
  int tried = 0, failed = 0;
  std::string gain; // empty: nothing is judged yet
  std::string note; // why it cannot be read; usually empty
};

// All of a run. Without `report`: no checkpoint is there yet.
struct RunView {
  std::optional<report::ReportInput> report;
  llm::ModelSpending spending;
  std::vector<app::KeptEpisode> episodes; // of this backend, oldest first
};

class Runs {
public:
  Runs(Roots roots, app::Settings flags) : m_roots(std::move(roots)), m_flags(std::move(flags)) {}

  // What was written to last comes first.
  std::vector<LiveRun> list() const;
  std::optional<LiveRun> find(const std::string& id) const;
  RunLine line(const LiveRun& run);
  Result<RunView> view(const LiveRun& run) const;
  // Another text whenever something of the run changed.
  static std::string stamp(const LiveRun& run);

private:
  void add(const fs::path& folder, const std::string& shown, const fs::path& state, std::vector<LiveRun>& into) const;
  Result<app::Workbench> bench(const LiveRun& run) const;

  Roots m_roots;
  app::Settings m_flags;
  std::mutex m_mutex;
  std::map<std::string, std::pair<std::string, RunLine>> m_lines; // by id: stamp, what was read then
};

} // namespace hone::serve
