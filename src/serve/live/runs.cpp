#include "serve/live/runs.h"

#include "app/model_setup.h"
#include "app/report_files.h"
#include "serve/kernel_folders.h"
#include "store/holder.h"
#include "util/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace hone::serve {

namespace {

constexpr std::size_t k_id_digits = 8;

// Of the files that a run writes with each step.
std::vector<fs::path> written_files(const LiveRun& run)
{
  std::vector<fs::path> files{run.workflow / "journal.db", run.workflow / "journal.db-wal"};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(run.state / "episodes", ignored)) {
    files.push_back(entry.path());
  }
  return files;
}

std::int64_t seconds_since_1970(fs::file_time_type time)
{
  const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

std::int64_t last_written(const LiveRun& run)
{
  std::int64_t last = 0;
  for (const fs::path& file : {run.workflow / "journal.db", run.workflow / "journal.db-wal"}) {
    std::error_code error;
    if (const auto time = fs::last_write_time(file, error); !error) {
      last = std::max(last, seconds_since_1970(time));
    }
  }
  return last;
}

} // namespace

std::string Runs::stamp(const LiveRun& run)
{
  std::string text = store::holder_of(run.workflow);
  for (const fs::path& file : written_files(run)) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    const auto time = fs::last_write_time(file, error);
    text += error ? "\n-" : fmt::format("\n{} {}", size, time.time_since_epoch().count());
  }
  return sha256(text).substr(0, 2 * k_id_digits);
}

void Runs::add(const fs::path& folder, const std::string& shown, const fs::path& state,
               std::vector<LiveRun>& into) const
{
  std::error_code error;
  const auto kernel = fs::exists(state, error) ? kernel::load_kernel(folder) : fail("");
  const auto keys = kernel ? store::Workflow::list(state) : fail("");
  if (!keys) {
    return;
  }
  for (const store::Workflow::Key& key : *keys) {
    if (key.kernel_hash != kernel->hash) {
      continue;
    }
    const auto workflow = store::Workflow::open_to_read(state, *kernel, key);
    if (!workflow) {
      continue;
    }
    const fs::path& place = workflow->folder();
    into.push_back({fmt::format("{}-{}", place.filename().string(), sha256(place.string()).substr(0, k_id_digits)),
                    shown, key.backend, folder, state, place, key});
  }
}

std::vector<LiveRun> Runs::list() const
{
  std::vector<LiveRun> runs;
  const std::string& state = m_flags.text("state");
  const KernelFolders folders = kernel_folders(m_roots);
  for (const fs::path& folder : folders.own) {
    add(folder, m_roots.shown(folder), state.empty() ? folder / ".hone" : fs::path(state), runs);
  }
  for (const fs::path& folder : folders.shipped) {
    const std::string name = folder.filename().string();
    if (!state.empty()) {
      add(folder, name, state, runs);
      continue;
    }
    add(folder, name, folder / ".hone", runs);
    add(folder, name, m_roots.first() / ".hone", runs); // where `hone mcp` works on shipped kernels
  }
  std::ranges::stable_sort(runs, std::greater(), last_written);
  return runs;
}

std::optional<LiveRun> Runs::find(const std::string& id) const
{
  std::vector<LiveRun> runs = list();
  const auto found = std::ranges::find(runs, id, &LiveRun::id);
  return found == runs.end() ? std::nullopt : std::optional(std::move(*found));
}

Result<app::Workbench> Runs::bench(const LiveRun& run) const
{
  HONE_TRY(app::Settings settings, app::Settings::load(run.folder));
  settings.override_from_flag("backend", run.backend);
  settings.override_from_flag("state", run.state.string());
  return app::open_workbench(app::Context{std::move(settings), {}}, {run.folder.string(), {}});
}

Result<RunView> Runs::view(const LiveRun& run) const
{
  HONE_TRY(const app::Workbench bench, this->bench(run));
  HONE_TRY(const store::Workflow workflow, store::Workflow::open_to_read(run.state, *bench.kernel, run.key));
  RunView view;
  view.spending = app::spent_on_models(workflow);
  HONE_TRY(const std::vector<store::Checkpoint> checkpoints, workflow.checkpoints());
  if (!checkpoints.empty()) {
    HONE_TRY(view.report, app::gather_report(bench, workflow));
  }
  app::Settings settings = m_flags;
  settings.override_from_flag("state", run.state.string());
  app::Context context{std::move(settings), {}};
  app::EpisodesRequest request;
  request.kernel.kernel = run.folder.string();
  if (auto episodes = app::episodes(context, request)) { // a damaged one is no reason to show nothing
    for (app::KeptEpisode& episode : *episodes) {
      const Json& about = episode.transcript.about;
      if (about.value("backend", "") == run.backend && about.value("kernel", "") == bench.kernel->name) {
        view.episodes.push_back(std::move(episode));
      }
    }
  }
  return view;
}

RunLine Runs::line(const LiveRun& run)
{
  const std::string now = stamp(run);
  {
    const std::lock_guard lock(m_mutex);
    if (const auto known = m_lines.find(run.id); known != m_lines.end() && known->second.first == now) {
      return known->second.second;
    }
  }
  RunLine line;
  line.holder = store::holder_of(run.workflow);
  line.changed = last_written(run);
  const auto view = this->view(run);
  if (!view) {
    line.note = view.error().message;
  } else if (view->report) {
    const report::RunFigures figures = report::run_figures(*view->report);
    line.gain = figures.gain;
    line.tried = figures.tried;
    line.failed = figures.failed;
  }
  const std::lock_guard lock(m_mutex);
  m_lines[run.id] = {now, line};
  return line;
}

} // namespace hone::serve
