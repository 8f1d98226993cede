// judge_attacks FOLDER [OPTION...]: puts the attacks of tests/attacks through the gate, those of one kernel in one
// gate.
//   --build          only those that end before anything of them is called; without it, only the others
//   --set WORD       default, rest (what is not in the default set), or all
//   --group NAME     only those of this kernel, or of `opencl`, or of `own` (kernels that belong to one attack);
//   repeatable
//   --but NAME       not those of this group; repeatable
//   --shard I/N      only every Nth, from the Ith on, counted from 0
//   --name GLOB      only those with such names; also $ATTACKS
//   --print          says how each ends instead of holding it against its `expect`
#include "attack.h"
#include "gate/lint.h"
#include "util/fs.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fnmatch.h>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unistd.h>

namespace hone::attacks {
namespace {

struct Options {
  fs::path folder;
  bool build = false;
  bool print = false;
  std::string set = "all";
  std::string name = "*";
  std::set<std::string> groups, but;
  std::size_t shard = 0, shards = 1;
};

Result<Options> options_from(std::span<char*> words)
{
  if (words.empty()) {
    return fail("give the folder of the attacks");
  }
  Options options;
  options.folder = words[0];
  if (const char* name = std::getenv("ATTACKS")) {
    options.name = name;
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = words[i];
    if (word == "--build" || word == "--print") {
      (word == "--build" ? options.build : options.print) = true;
      continue;
    }
    if (i + 1 == words.size()) {
      return fail(fmt::format("'{}' is no option, or its value is missing", word));
    }
    const std::string value = words[++i];
    if (word == "--set" && (value == "default" || value == "rest" || value == "all")) {
      options.set = value;
    } else if (word == "--name") {
      options.name = value;
    } else if (word == "--group") {
      options.groups.insert(value);
    } else if (word == "--but") {
      options.but.insert(value);
    } else if (word == "--shard" && std::sscanf(value.c_str(), "%zu/%zu", &options.shard, &options.shards) == 2
               && options.shards > 0) {
      continue;
    } else {
      return fail(fmt::format("'{} {}' is not understood", word, value));
    }
  }
  return options;
}

std::vector<Attack> chosen(const std::vector<Attack>& attacks, const Options& options, const Detectors& detectors)
{
  std::vector<Attack> some;
  for (const Attack& attack : attacks) {
    if (ends_at_build(attack, detectors) == options.build
        && (options.set == "all" || attack.in_default_set == (options.set == "default"))
        && (options.groups.empty() || options.groups.contains(attack.group()))
        && !options.but.contains(attack.group())) {
      some.push_back(attack);
    }
  }
  // Neighbours by kernel, so that a gate serves many; a shard takes every Nth of each.
  std::ranges::stable_sort(some, {}, &Attack::group);
  std::vector<Attack> shard;
  for (std::size_t i = options.shard; i < some.size(); i += options.shards) {
    if (fnmatch(options.name.c_str(), some[i].name.c_str(), 0) == 0) {
      shard.push_back(some[i]);
    }
  }
  return shard;
}

bool is_installed(const std::string& program)
{
  const char* path = std::getenv("PATH");
  return std::ranges::any_of(split(path != nullptr ? path : "/usr/bin:/bin", ':'), [&](const std::string& folder) {
    return access((fs::path(folder) / program).c_str(), X_OK) == 0;
  });
}

// A kernel with what it takes to judge its attacks, or why it is refused.
struct Harness {
  std::string kernel_name;
  const backend::Backend* backend = nullptr;
  std::shared_ptr<const kernel::Kernel> kernel;
  std::optional<gate::Gate> gate;
  std::string refusal;
};

Result<gate::Ceilings> ceilings_of(const backend::Backend& backend, const backend::DeviceInfo& device)
{
  const fs::path file = gate::ceilings_file(backend.name());
  if (auto kept = gate::load_ceilings(file, device.fingerprint)) {
    return kept;
  }
  HONE_TRY(gate::Ceilings measured, gate::measure_ceilings(backend));
  HONE_CHECK(gate::save_ceilings(measured, file));
  return measured;
}

Result<void> open_gate(Harness& harness)
{
  HONE_TRY(const backend::DeviceInfo device, harness.backend->probe());
  gate::GateOptions options;
  options.cache = cache_folder();
  HONE_TRY(options.ceilings, ceilings_of(*harness.backend, device));
  HONE_TRY(gate::Gate gate, gate::Gate::open(harness.kernel, *harness.backend, std::move(options)));
  harness.gate.emplace(std::move(gate));
  return {};
}

Result<Harness> open_harness(const Attack& attack, const backend::Backend& backend)
{
  Harness harness{attack.kernel, &backend, {}, {}, {}};
  const bool own = attack.kernel == "own";
  HONE_TRY(kernel::Kernel kernel,
           kernel::load_kernel(own ? attack.folder / "kernel" : share_folder() / "kernels" / attack.kernel));
  harness.kernel = std::make_shared<const kernel::Kernel>(std::move(kernel));
  gate::LintOptions lint;
  lint.cache = cache_folder();
  if (const auto proven = gate::require_lint(*harness.kernel, lint); !proven) {
    harness.refusal = proven.error().text();
    return harness;
  }
  HONE_CHECK(open_gate(harness));
  return harness;
}

Result<record::Contender> contender_in(const kernel::Kernel& kernel, const fs::path& folder)
{
  HONE_TRY(kernel::Candidate candidate, kernel::load_candidate(kernel, folder));
  kernel::TuningPoint point = candidate.plan.tuning.defaults();
  return record::Contender{std::move(candidate), std::move(point), {}, {}};
}

// How one run ended, and all that a person would be shown of it.
struct Run {
  Answer answer;
  std::string text;
  bool gained = true; // whether it was faster than what it was compared with
  double seconds = 0;
};

Result<Run> judged(Harness& harness, const Attack& attack, const fs::path& candidate, bool ends_at_build)
{
  if (!harness.gate) {
    return Run{{"refused", {}, harness.refusal}, harness.refusal};
  }
  const auto contender = contender_in(*harness.kernel, candidate);
  if (!contender) {
    return Run{{std::string(record::name_of(record::Status::constraints)), {}, contender.error().text()},
               contender.error().text()};
  }
  record::Recipe recipe;
  recipe.threads = attack.threads;
  recipe.sizes = harness.kernel->timed.front();
  for (const std::string& size : attack.sizes) {
    const std::size_t equals = size.find('=');
    recipe.sizes[size.substr(0, equals)] = std::atoll(size.c_str() + equals + 1);
  }
  Result<record::Verdict> verdict;
  if (ends_at_build) {
    verdict = harness.gate->validate(*contender, recipe, record::Depth::glance);
  } else if (!attack.against.empty()) {
    recipe.regime = record::Regime::hot;
    HONE_TRY(const record::Contender other,
             contender_in(*harness.kernel, attack.folder.parent_path() / attack.against / "candidate"));
    verdict = harness.gate->judge(*contender, other, recipe, record::Depth::promote, true);
  } else if (attack.timing) {
    verdict = harness.gate->measure(*contender, recipe, record::Depth::promote, true);
  } else {
    verdict = harness.gate->validate(*contender, recipe, record::Depth::promote);
  }
  if (!verdict) { // nobody judged
    return Run{{"refused", {}, verdict.error().text()}, verdict.error().text()};
  }
  const bool gained = std::ranges::any_of(verdict->comparisons, [](const record::ComparisonResult& comparison) {
    return comparison.regime == record::Regime::hot && comparison.verdict == record::Comparison::fast;
  });
  return Run{answer_of(*verdict), record::to_json(*verdict).dump(), gained};
}

Result<Run> timed(Harness& harness, const Attack& attack, const fs::path& candidate, bool ends_at_build)
{
  const auto begin = std::chrono::steady_clock::now();
  HONE_TRY(Run run, judged(harness, attack, candidate, ends_at_build));
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return run;
}

// Whether nothing is to be said against it.
bool is_as_expected(const Attack& attack, const Detectors& detectors, const std::string& word, const Run& run)
{
  std::string bad = complaint(attack, detectors, word, run.answer);
  if (bad.empty() && run.seconds > attack.deadline) {
    bad = fmt::format("took {:.1f} s; {} s are allowed", run.seconds, attack.deadline);
  }
  if (bad.empty() && !attack.secret.empty() && run.text.find(attack.secret) != std::string::npos) {
    bad = fmt::format("'{}' leaked", attack.secret);
  }
  if (!bad.empty()) {
    fmt::print(stderr, "FAILED  {}{}: {}\n        {}, {}: {}\n", attack.name, word.empty() ? "" : ": " + word, bad,
               run.answer.status, run.answer.check, run.answer.reason);
  }
  return bad.empty();
}

// A gate remembers what it validated: whoever asks again needs another one.
Result<bool> repeat(Harness& harness, const Attack& attack, const Options& options, const Detectors& detectors,
                    const fs::path& candidate, const std::string& word)
{
  const std::string label = word.empty() ? attack.name : attack.name + ": " + word;
  for (int i = 0; i < attack.repeat; ++i) {
    for (int left = attack.tries; left > 0; --left) {
      if (i > 0 || left < attack.tries) {
        HONE_CHECK(open_gate(harness));
      }
      HONE_TRY(const Run run, timed(harness, attack, candidate, options.build));
      if (options.print) {
        fmt::print("{}|{}|{}|{:.2f}|{}\n", label, run.answer.status, run.answer.check, run.seconds, run.answer.reason);
        break;
      }
      fmt::print("  {:<44} {:<12} {:.1f} s\n", label, run.answer.status, run.seconds);
      if (!attack.against.empty() && run.answer.status == record::name_of(record::Status::correct) && !run.gained) {
        fmt::print("  {}: no gain on a busy machine\n", label);
        break;
      }
      if (left > 1 && !complaint(attack, detectors, word, run.answer).empty()) {
        continue;
      }
      if (!is_as_expected(attack, detectors, word, run)) {
        return false;
      }
      break;
    }
  }
  return true;
}

Result<bool> repeat_each(Harness& harness, const Attack& attack, const Options& options, const Detectors& detectors)
{
  if (attack.each.empty()) {
    return repeat(harness, attack, options, detectors, attack.folder / "candidate", {});
  }
  bool good = true;
  for (const std::string& word : attack.each) {
    HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("hone-attack"));
    const fs::path candidate = folder.path() / "candidate";
    fs::copy(attack.folder / "candidate", candidate, fs::copy_options::recursive);
    HONE_CHECK(write_file(candidate / "macros.h", fmt::format("#pragma once\n#define EACH {}\n", word)));
    HONE_TRY(const bool as_expected, repeat(harness, attack, options, detectors, candidate, word));
    good = good && as_expected;
  }
  return good;
}

// Why it cannot be tried here; empty: it can.
std::string missing(const Attack& attack, const backend::Backend& backend)
{
  if (!attack.needs.empty() && !is_installed(attack.needs)) {
    return attack.needs + " is not installed";
  }
  if (attack.is_for_opencl()) {
    const auto device = backend.probe();
    return device ? "" : device.error().message;
  }
  return {};
}

Result<bool> judge_all(const Options& options)
{
  HONE_TRY(const Detectors detectors, load_detectors(options.folder / "detectors"));
  HONE_TRY(const std::vector<Attack> all, load_attacks(options.folder, detectors));
  std::optional<Harness> harness;
  int tried = 0, failed = 0;
  for (const Attack& attack : chosen(all, options, detectors)) {
    HONE_TRY(const backend::Backend* backend, backend::find_backend(attack.is_for_opencl() ? "opencl" : "cpu"));
    if (const std::string why = missing(attack, *backend); !why.empty()) {
      fmt::print("  {} skipped: {}\n", attack.name, why);
      continue;
    }
    if (!harness || harness->kernel_name != attack.kernel || harness->backend != backend || attack.kernel == "own") {
      harness.reset();
      HONE_TRY(Harness opened, open_harness(attack, *backend));
      harness.emplace(std::move(opened));
    }
    HONE_TRY(const bool good, repeat_each(*harness, attack, options, detectors));
    ++tried;
    failed += good ? 0 : 1;
    std::fflush(stdout);
  }
  fmt::print("{} attacks tried, {} failed\n", tried, failed);
  return failed == 0;
}

} // namespace
} // namespace hone::attacks

int main(int count, char** words)
{
  using namespace hone::attacks;
  ::setenv("HONE_CANARY", "planted", 1); // for reads-the-environment
  const auto options = options_from(std::span(words, static_cast<std::size_t>(count)).subspan(1));
  if (!options) {
    fmt::print(stderr, "judge_attacks: {}\n", options.error().text());
    return 2;
  }
  const auto good = judge_all(*options);
  if (!good) {
    fmt::print(stderr, "judge_attacks: {}\n", good.error().text());
    return 2;
  }
  return *good ? 0 : 1;
}
