#include "serve/workplace.h"

#include "app/kernel_path.h"
#include "serve/arguments.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::serve {

namespace {

// Arguments of tools that are settings of the same name but for '_' in place of '-'.
constexpr const char* k_settings[] = {"backend", "threads", "regime", "seed", "budget", "policy", "strategy"};

} // namespace

Result<fs::path> Workplace::kernel_folder(const std::string& name) const
{
  std::error_code error;
  const fs::path shipped_ones = share_folder() / "kernels";
  const bool is_plain = !name.empty() && name.find('/') == std::string::npos && !name.starts_with('.');
  if (is_plain && !fs::exists(m_roots.first() / name, error)
      && fs::exists(shipped_ones / name / "kernel.toml", error)) {
    return fs::canonical(shipped_ones / name, error);
  }
  HONE_TRY(const fs::path path, m_roots.inside(name));
  HONE_TRY(const fs::path folder, m_roots.folder_inside(app::folder_of(path)));
  if (!fs::exists(folder / "kernel.toml", error)) {
    return fail(fmt::format("there is no kernel '{}': '{}' has no kernel.toml", printable(name), folder.string()),
                "the tool list_kernels names those there are", Place{"kernel", 0, 0});
  }
  return folder;
}

Result<KernelInUse> Workplace::kernel(const Json& arguments) const
{
  KernelInUse use;
  use.name = text_in(arguments, "kernel");
  HONE_TRY(use.folder, kernel_folder(use.name));
  use.request.kernel = use.folder.string();
  use.request.sizes = sizes_in(arguments);
  HONE_TRY(use.settings, app::Settings::load(use.folder));
  for (const app::Setting& setting : m_flags.all()) {
    if (m_flags.is_from_flag(setting.name)) {
      use.settings.override_from_flag(setting.name, setting.value);
    }
  }
  for (const char* name : k_settings) {
    if (arguments.contains(name)) {
      const Json& value = arguments[name];
      use.settings.override_from_flag(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  // Nothing is written beside kernels that are not the user's.
  if (use.settings.text("state").empty() && !m_roots.holds(use.folder)) {
    use.settings.override_from_flag("state", (m_roots.first() / ".hone").string());
  }
  HONE_CHECK(use.settings.check());
  const std::string& state = use.settings.text("state");
  use.state = state.empty() ? use.folder / ".hone" : fs::absolute(state);
  std::error_code error;
  if (const fs::path real = fs::weakly_canonical(use.state, error);
      !use.settings.is_from_flag("state") && (error || !m_roots.holds(real))) {
    return fail(
      fmt::format("the folder of workflows '{}' is outside the folders that this server may use", use.state.string()),
      "start `hone mcp --state DIR` with the folder that is meant", Place{use.state.string(), 0, 0});
  }
  return use;
}

Result<void> check_scratch_name(const std::string& name)
{
  const bool good = !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (!good) {
    return fail(fmt::format("'{}' is no name for a scratch candidate", printable(name.substr(0, 80))),
                "use letters, digits, '-' and '_', 64 at most");
  }
  return {};
}

void Workplace::prepare(const KernelInUse& kernel)
{
  {
    const std::lock_guard lock(m_mutex);
    if (!m_prepared.insert(kernel.folder.string() + " " + kernel.settings.text("backend")).second) {
      return;
    }
  }
  m_jobs.start("prepare", kernel.name,
               [settings = kernel.settings, request = kernel.request](app::Observer& observer,
                                                                      std::stop_token stop) -> Result<Outcome> {
                 app::Context context{settings, std::move(stop), &observer};
                 HONE_TRY(const app::Workbench bench, app::open_workbench(context, request));
                 HONE_CHECK(app::prove_check(bench, context));
                 return Outcome{"the kernel's check tells right from wrong", Json::object()};
               });
}

Result<std::string> Workplace::candidate(const KernelInUse& kernel, const std::string& name) const
{
  if (name.starts_with(k_scratch)) {
    const std::string own = name.substr(k_scratch.size());
    HONE_CHECK(check_scratch_name(own));
    const fs::path folder = kernel.scratch() / own;
    std::error_code error;
    if (!fs::exists(folder / "launch.toml", error) || fs::is_symlink(folder, error)) {
      return fail(fmt::format("there is no candidate '{}'", name), "write it with the tool write_candidate",
                  Place{"candidate", 0, 0});
    }
    return folder.string();
  }
  std::error_code error;
  if (name.find('/') == std::string::npos && !fs::exists(name, error)) {
    return name; // of a checkpoint, or "naive"
  }
  if (name.find('/') == std::string::npos && !m_roots.holds(fs::weakly_canonical(name, error))) {
    return fail(fmt::format("'{}' is a folder outside those that this server may use", printable(name)),
                "give the id of the checkpoint, if that is meant");
  }
  if (name.find('/') == std::string::npos) {
    return name;
  }
  HONE_TRY(const fs::path folder, m_roots.folder_inside(name));
  return folder.string();
}

Result<fs::path> Workplace::folder_to_write(const KernelInUse& kernel, const std::string& path) const
{
  std::error_code error;
  const fs::path wanted =
    fs::weakly_canonical(fs::path(path).is_absolute() ? fs::path(path) : m_roots.first() / path, error);
  if (!error && lies_in(wanted, fs::weakly_canonical(kernel.state, error))) {
    return wanted;
  }
  HONE_TRY(const fs::path folder, m_roots.inside(path));
  if (!m_allow_writes) {
    return fail(fmt::format("this server writes nothing outside the folder of workflows '{}'", kernel.state.string()),
                "leave the folder out, or start `hone mcp --allow-writes`", Place{printable(path), 0, 0});
  }
  return folder;
}

} // namespace hone::serve
