// hone doctor: what holds on this machine, and what to do about the rest.
#include "backend/inspector.h"
#include "cli/workbench.h"

#include <fmt/format.h>

#include <cstdlib>
#include <unistd.h>

namespace hone::cli {

namespace {

struct Finding {
  std::string name;
  bool good = false;
  bool needed = true;
  std::string detail;
};

bool in_path(const std::string& program)
{
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

void find_tools(std::vector<Finding>& findings)
{
  for (const char* tool : {"g++", "ld", "objcopy"}) {
    const bool found = in_path(tool);
    findings.push_back(
      {fmt::format("tool {}", tool), found, true, found ? "found" : "missing: apt-get install g++ binutils"});
  }
  std::error_code ignored;
  const bool musl = fs::exists("/usr/lib/x86_64-linux-musl/libc.a", ignored);
  findings.push_back({"musl's libm for candidates", musl, true, musl ? "found" : "missing: apt-get install musl-dev"});
}

void find_layers(std::vector<Finding>& findings)
{
  for (const IsolationLayer& layer : isolation_layers()) {
    const bool needed = layer.name == "landlock" || layer.name == "seccomp";
    findings.push_back({"isolation: " + layer.name, layer.active, needed, layer.detail});
  }
}

void find_backends(std::vector<Finding>& findings)
{
  for (const Backend* backend : backends()) {
    const auto device = backend->probe();
    findings.push_back({fmt::format("backend {}", backend->name()), device.has_value(), backend->name() == "cpu",
                        device ? device->name : device.error().text()});
    if (const Inspector* inspector = backend->inspector()) {
      const std::string missing = inspector->missing();
      findings.push_back({fmt::format("memory accesses on {}", backend->name()), missing.empty(), false,
                          missing.empty() ? std::string(inspector->name()) : missing});
    }
  }
}

void find_folders(std::vector<Finding>& findings)
{
  std::error_code error;
  fs::create_directories(cache_folder(), error);
  const bool writable = !error && ::access(cache_folder().c_str(), W_OK) == 0;
  findings.push_back({"cache folder", writable, true,
                      writable ? cache_folder().string()
                               : fmt::format("'{}' cannot be written: set XDG_CACHE_HOME", cache_folder().string())});
}

Result<Exit> diagnose(Context& context)
{
  std::vector<Finding> findings;
  find_tools(findings);
  find_layers(findings);
  find_backends(findings);
  find_folders(findings);

  bool sound = true;
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const Finding& finding : findings) {
    sound = sound && (finding.good || !finding.needed);
    const Tone tone = finding.good ? Tone::good : finding.needed ? Tone::bad : Tone::warning;
    rows.push_back({context.terminal.paint(tone, finding.good     ? "ok  "
                                                 : finding.needed ? "FAIL"
                                                                  : "none"),
                    finding.name, finding.detail});
    list.push_back(
      {{"name", finding.name}, {"ok", finding.good}, {"needed", finding.needed}, {"detail", finding.detail}});
  }
  context.terminal.out(aligned_table(rows));
  context.terminal.out(sound ? "This machine can run Hone."
                             : "Hone cannot work here until what is marked FAIL is mended.");
  context.print_json({{"sound", sound}, {"findings", list}});
  return sound ? Exit::ok : Exit::missing;
}

} // namespace

void add_doctor(CommandLine& line)
{
  line.add("doctor", "Check tools, isolation layers, devices and folders of this machine", {"hone doctor"}, diagnose);
}

} // namespace hone::cli
