#include "app/doctor.h"

#include "backend/inspector.h"
#include "backend/library/library.h"
#include "gate/gate.h"
#include "llm/providers.h"
#include "llm/spending.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace hone::app {

namespace {

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

void find_tools(std::vector<MachineFinding>& findings)
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

void find_layers(std::vector<MachineFinding>& findings)
{
  for (const gate::IsolationLayer& layer : gate::isolation_layers()) {
    const bool needed = layer.name == "landlock" || layer.name == "seccomp";
    findings.push_back({"isolation: " + layer.name, layer.active, needed, layer.detail});
  }
}

void find_backends(std::vector<MachineFinding>& findings)
{
  for (const backend::Backend* backend : backend::backends()) {
    const auto device = backend->probe();
    findings.push_back({fmt::format("backend {}", backend->name()), device.has_value(), backend->name() == "cpu",
                        device ? device->name : device.error().text()});
    if (const backend::Inspector* inspector = backend->inspector()) {
      const std::string missing = inspector->missing();
      findings.push_back({fmt::format("memory accesses on {}", backend->name()), missing.empty(), false,
                          missing.empty() ? std::string(inspector->name()) : missing});
    }
  }
}

// What matrix products are compared with.
void find_libraries(std::vector<MachineFinding>& findings)
{
  const std::vector<backend::FoundLibrary> libraries = backend::libraries_found();
  for (const backend::FoundLibrary& library : libraries) {
    findings.push_back({"library " + library.name, true, false,
                        library.facts.empty() ? library.file : fmt::format("{} ({})", library.facts, library.file)});
  }
  if (libraries.empty()) {
    findings.push_back({"libraries", false, false,
                        "none to compare with: apt-get install libopenblas0-pthread libdnnl2 libblis4-pthread"});
  }
}

void find_folders(std::vector<MachineFinding>& findings)
{
  std::error_code error;
  const bool complete = fs::exists(share_folder() / "transformations", error);
  findings.push_back({"shared files", complete, true,
                      complete
                        ? fmt::format("{} (kernels, transformations, docs)", share_folder().string())
                        : fmt::format("'{}' does not hold transformations/: set HONE_SHARE, or install Hone again",
                                      share_folder().string())});
  fs::create_directories(cache_folder(), error);
  const bool writable = !error && ::access(cache_folder().c_str(), W_OK) == 0;
  findings.push_back({"cache folder", writable, true,
                      writable ? cache_folder().string()
                               : fmt::format("'{}' cannot be written: set XDG_CACHE_HOME", cache_folder().string())});
}

std::string first_names(const std::vector<std::string>& names)
{
  constexpr std::size_t k_shown = 8;
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), k_shown)));
  return join(shown, ", ") + (names.size() > k_shown ? fmt::format(" and {} more", names.size() - k_shown) : "");
}

// Whether the model is served, and one short answer of it.
void find_model(const Context& context, std::vector<MachineFinding>& findings)
{
  const std::string& words = context.settings.text("model");
  if (words.empty()) {
    return;
  }
  const auto note = [&](bool good, const std::string& detail) {
    findings.push_back({"model " + words, good, true, detail});
  };
  const auto setting = llm::model_setting(words, context.settings.text("model-url"), llm::process_environment());
  auto provider = setting ? llm::make_provider(*setting, llm::system_services()) : std::unexpected(setting.error());
  if (!provider) {
    return note(false, provider.error().text());
  }
  if (setting->base_url.empty()) {
    return note(true, "needs no server");
  }
  const auto names = (*provider)->models(context.stop);
  if (names && !names->empty() && std::ranges::find(*names, setting->model) == names->end()) {
    return note(false, fmt::format("{} does not serve it, but {}", setting->base_url, first_names(*names)));
  }
  if (!names && names.error().kind == llm::ModelFailure::Kind::infrastructure) {
    return note(false, names.error().error.text());
  } // not every server lists its models: the question decides
  llm::ModelRequest question;
  question.model = setting->model;
  question.messages = {{llm::ModelMessage::Role::user, "Answer with the word ready."}};
  question.most_tokens = 2000; // reasoning counts, too
  const auto answer = (*provider)->ask(question, {{}, {}, context.stop});
  if (!answer) {
    return note(false, answer.error().error.text());
  }
  const auto prices = llm::read_prices(share_folder() / "prices.toml", config_folder() / "prices.toml");
  const bool priced = prices && prices->usd(answer->model, answer->usage);
  note(true, fmt::format("{} answered in {:.1f} s{}", answer->model, answer->seconds,
                         priced ? "" : "; its price is not known (prices.toml): --max-usd cannot be kept"));
}

} // namespace

bool Diagnosis::sound() const
{
  return std::ranges::all_of(findings, [](const MachineFinding& finding) { return finding.good || !finding.needed; });
}

Diagnosis diagnose(const Context& context)
{
  Diagnosis diagnosis;
  find_tools(diagnosis.findings);
  find_layers(diagnosis.findings);
  find_backends(diagnosis.findings);
  find_libraries(diagnosis.findings);
  find_folders(diagnosis.findings);
  find_model(context, diagnosis.findings);
  return diagnosis;
}

Json to_json(const Diagnosis& diagnosis)
{
  Json list = Json::array();
  for (const MachineFinding& finding : diagnosis.findings) {
    list.push_back(
      {{"name", finding.name}, {"ok", finding.good}, {"needed", finding.needed}, {"detail", finding.detail}});
  }
  return {{"sound", diagnosis.sound()}, {"findings", list}};
}

} // namespace hone::app
