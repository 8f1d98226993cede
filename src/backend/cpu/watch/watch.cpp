#include "backend/cpu/watch/watch.h"

#include "backend/cpu/candidate_files.h"
#include "backend/cpu/compile_log.h"
#include "backend/cpu/module_assembly.h"
#include "backend/cpu/probe.h"
#include "backend/cpu/watch/call_files.h"
#include "backend/cpu/watch/guarded_variables.h"
#include "backend/cpu/watch/included_headers.h"
#include "backend/cpu/watch/sanitizer_hooks.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::backend::cpu {
namespace {

constexpr const char* k_watched_object = "device.o";
constexpr const char* k_library = "device.so";
constexpr const char* k_assembly = "device.s";
constexpr const char* k_plain_object = "plain.o";
constexpr const char* k_instrumented_assembly = "instrumented.s";
constexpr const char* k_instrumented_object = "instrumented.o";
constexpr const char* k_instrumented_library = "instrumented.so";
constexpr const char* k_guarded_object = "guarded.o";
constexpr const char* k_guarded_library = "guarded.so";
constexpr const char* k_findings = "findings.txt";

// Little optimisation: more of it removes reads.
std::vector<std::string> watched_compile_command(const BuildInput& input, const std::vector<std::string>& sanitizer,
                                                 const char* object, bool bare, bool intrinsics)
{
  std::vector<std::string> words{k_compiler};
  const auto add = [&words](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  add(compiler_flags());
  add(macros_of(input));
  add(sanitizer);
  if (!bare) {
    add({"-DHONE_PLAIN_ACCESSES"});
  }
  if (!bare && intrinsics) {
    add({"-I.", "-include", "hone_watched.h"});
  }
  add({"-Werror=invalid-memory-model"}); // such operations are not instrumented
  add({"-O1", "-fPIC", "-fvisibility=default", "-I.", "-include", k_prototypes_file, "-c", "device.cpp", "-o", object});
  return words;
}

// Calls before each load and store of the candidate's own code, and in place of atomic operations.
const std::vector<std::string>& thread_sanitizer()
{
  static const std::vector<std::string> flags{"-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0",
                                              "-U__SANITIZE_THREAD__"};
  return flags;
}

bool is_library(std::string_view name)
{
  return name == k_library || name == k_instrumented_library || name == k_guarded_library;
}

class AccessWatch final : public Inspector {
public:
  std::string_view name() const override { return "watched"; }
  std::string_view way() const override
  {
    return "groups in random order, some interleaved with others, some atomic exchanges in vain";
  }
  std::string missing() const override { return missing_inspector(); }
  double most_work() const override { return 4e6; }
  std::size_t most_accesses() const override { return 20'000'000; }
  bool takes_all() const override { return true; }
  std::vector<std::string> output_names(std::size_t argument) const override
  {
    return {fmt::format("instrumented{}", argument), fmt::format("result{}", argument)};
  }

  Result<std::vector<CompileJob>> build_jobs(const BuildInput& input, const Module& timed, bool bare) const override
  {
    // From the assembly of the timed module: compiled again, with other files beside it, the code could differ.
    HONE_TRY(std::string assembly, stored_assembly(timed));
    const std::string program = inspector_program();
    CompileJob instrumented;
    instrumented.files = {{k_assembly, std::move(assembly)}};
    instrumented.commands = {assemble_command(k_assembly, k_plain_object),
                             {program, "--instrument", k_assembly, k_instrumented_assembly},
                             assemble_command(k_instrumented_assembly, k_instrumented_object),
                             {program, "--verify", k_instrumented_object, k_plain_object},
                             watched_link_command(k_instrumented_object, k_instrumented_library)};
    instrumented.outputs = {k_instrumented_library};
    instrumented.readable = readable_to_run_inspector();

    CompileJob watched;
    HONE_TRY(watched.files, candidate_files(input));
    const bool intrinsics =
      may_include_intrinsics(watched.files["device.cpp"]) || may_include_intrinsics(watched.files["macros.h"]);
    watched.outputs = {k_library};
    CompileJob guarded = watched;
    guarded.outputs = {k_guarded_library};
    watched.commands = {watched_compile_command(input, thread_sanitizer(), k_watched_object, bare, intrinsics),
                        watched_link_command(k_watched_object, k_library)};
    guarded.commands = {
      watched_compile_command(input, GuardedVariables::compiler_flags(), k_guarded_object, bare, intrinsics),
      watched_link_command(k_guarded_object, k_guarded_library)};
    std::vector<CompileJob> jobs; // not an initializer list, which copies
    jobs.reserve(3);
    jobs.push_back(std::move(instrumented));
    jobs.push_back(std::move(watched));
    jobs.push_back(std::move(guarded));
    return jobs;
  }

  Result<CompileJob> job(const InspectionInput& input) const override
  {
    const kernel::Kernel& kernel = input.build.kernel;
    CompileJob job;
    job.files = call_files(input);
    job.commands = {{inspector_program()}};
    std::string watch = fmt::format("{} {} {}", input.seed, input.most_accesses, kernel.arguments.size());
    job.outputs = {k_findings};
    for (std::size_t i = 0; i < kernel.arguments.size() && input.most_accesses == 0 && !input.build.plan.prepares;
         ++i) {
      if (kernel::is_written(kernel.arguments[i].role)) {
        const std::vector<std::string> names = output_names(i);
        job.outputs.insert(job.outputs.end(), names.begin(), names.end());
        watch += fmt::format(" {}", i);
      }
    }
    job.files["watch.txt"] = watch + "\n";
    job.readable = readable_to_run_inspector();
    return job;
  }

  std::optional<CompileJob> together(const std::vector<CompileJob>& jobs) const override
  {
    CompileJob all;
    all.commands = {{inspector_program(), "--each"}};
    all.readable = jobs.at(0).readable;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      for (const auto& [name, text] : jobs[i].files) {
        if (!is_library(name)) {
          all.files[name_together(i, name)] = text;
        } else if (all.files.emplace(name, text).first->second != text) {
          return std::nullopt;
        }
      }
      for (const std::string& name : jobs[i].outputs) {
        all.outputs.push_back(name_together(i, name));
      }
      all.commands.front().push_back(name_together(i, ""));
    }
    return all;
  }

  Result<std::vector<InspectionFinding>> findings(const std::map<std::string, std::string>& outputs) const override
  {
    const auto lines = outputs.find(k_findings);
    return watch_findings(lines == outputs.end() ? "" : lines->second);
  }
};

} // namespace

Result<std::vector<InspectionFinding>> watch_findings(std::string_view lines)
{
  using Kind = InspectionFinding::Kind;
  std::vector<InspectionFinding> findings;
  bool complete = false; // the last line is the program's own
  for (const std::string& line : split(lines, '\n')) {
    complete = line == "end" || (complete && line.empty());
    if (line.starts_with("race ")) {
      findings.push_back({Kind::race, line.substr(5)});
    } else if (line.starts_with("read ")) {
      findings.push_back({Kind::read_out_of_bounds, line.substr(5)});
    } else if (line.starts_with("write ")) {
      findings.push_back({Kind::write_out_of_bounds, line.substr(6)});
    } else if (line.starts_with("unwritten ")) {
      findings.push_back({Kind::unwritten_read, line.substr(10)});
    } else if (line.starts_with("hidden ")) {
      findings.push_back({Kind::hidden_code, line.substr(7)});
    } else if (line.starts_with("crash ")) {
      findings.push_back({Kind::crash, line.substr(6)});
    } else if (line.starts_with("part ")) {
      findings.push_back({Kind::other, line.substr(5)});
    }
  }
  if (!complete) {
    findings.push_back({Kind::crash, "it ended the process before the call was over"});
  }
  return findings;
}

const Inspector& access_watch()
{
  static const AccessWatch watch;
  return watch;
}

} // namespace hone::backend::cpu
