// What all calls work on: the roots, the settings and the jobs; how a call's words become kernels and candidates.
// (internal to the serve room)
#pragma once

#include "app/workbench.h"
#include "serve/jobs.h"
#include "serve/roots.h"

#include <mutex>
#include <set>
#include <string>

namespace hone::serve {

// A kernel that a call names, with the settings that hold for it.
struct KernelInUse {
  std::string name; // as list_kernels calls it
  app::KernelRequest request;
  app::Settings settings;
  fs::path folder;
  fs::path state; // folder of its workflows, where scratch candidates lie too

  fs::path scratch() const { return state / "scratch"; }
};

// The one way to name a candidate that a call has written: "scratch/NAME".
constexpr std::string_view k_scratch = "scratch/";

class Workplace {
public:
  Workplace(Roots roots, bool allow_writes, app::Settings flags)
    : m_roots(std::move(roots)), m_allow_writes(allow_writes), m_flags(std::move(flags))
  {
  }

  const Roots& roots() const { return m_roots; }
  Jobs& jobs() { return m_jobs; }

  // Folder of a kernel below the roots, or of a shipped one.
  Result<fs::path> kernel_folder(const std::string& name) const;
  // Reads "kernel", "sizes" and the members of `arguments` that settings have (backend, threads, seed, ...).
  Result<KernelInUse> kernel(const Json& arguments) const;
  // The name under which use cases know a candidate: "scratch/mine" and other paths become checked folders.
  Result<std::string> candidate(const KernelInUse& kernel, const std::string& name) const;
  // A folder to write to: one in the workflow's folder, or any below the roots where writing is allowed.
  Result<fs::path> folder_to_write(const KernelInUse& kernel, const std::string& path) const;

  // Proves the kernel's check in the background, once, so that the first candidate need not wait for it.
  void prepare(const KernelInUse& kernel);

private:
  Roots m_roots;
  bool m_allow_writes;
  app::Settings m_flags;
  std::mutex m_mutex;
  std::set<std::string> m_prepared; // kernel folders and backends
  Jobs m_jobs;
};

// A name for a folder in scratch: letters, digits, '-' and '_'.
Result<void> check_scratch_name(const std::string& name);

} // namespace hone::serve
