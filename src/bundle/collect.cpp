#include "bundle/bundle.h"
#include "bundle/kernel_file_name.h"

#include <fmt/format.h>

namespace hone::bundle {

namespace {

// The files of a kernel folder that are exported: the kernel, its own first candidates and its own steps. Plain files
// only: a link may lead outside, and editors leave temporary files.
Result<std::map<std::string, std::string>> kernel_files(const fs::path& folder)
{
  std::vector<fs::path> found{folder / "kernel.toml", folder / "reference.cpp"};
  for (const char* below : {"start", "transformations"}) {
    std::error_code failed;
    for (fs::recursive_directory_iterator at(folder / below, failed), end; !failed && at != end; at.increment(failed)) {
      found.push_back(at->path());
    }
  }
  std::map<std::string, std::string> files;
  for (const fs::path& file : found) {
    std::error_code failed;
    const std::string name = file.lexically_relative(folder).generic_string();
    if (fs::symlink_status(file, failed).type() == fs::file_type::regular && is_kernel_file_name(name)) {
      HONE_TRY(files[name], read_file(file));
    }
  }
  return files;
}

Result<BundledExchange> exchange_of(StepAnswers answers, const llm::AnswerStore& store)
{
  BundledExchange exchange{std::move(answers.text), {}};
  for (AnswerMade& made : answers.answers) {
    HONE_TRY(std::optional<llm::StoredAnswer> stored, store.find(made.request));
    if (stored) {
      exchange.answers.push_back({std::move(made), std::move(*stored)});
    } else if (made.fault != rewrite::name_of(rewrite::AnswerFault::refused)) { // which left nothing to keep
      return fail(fmt::format("an answer to the step '{}' is not kept any more", exchange.text.name),
                  fmt::format("it was in {}: without it the step cannot be repeated", store.folder().string()));
    }
  }
  return exchange;
}

} // namespace

Result<Bundle> collect_bundle(const kernel::Kernel& kernel, const lower::Dialect& dialect,
                              const store::Workflow& workflow, const std::vector<std::string>& path,
                              const llm::AnswerStore& answers)
{
  Bundle bundle{kernel.name, kernel.hash, dialect, {}, {}};
  HONE_TRY(bundle.kernel_files, kernel_files(kernel.folder));
  for (const std::string& id : path) {
    BundledStep step;
    HONE_TRY(step.checkpoint, workflow.find(id));
    if (!bundle.steps.empty() && step.checkpoint.record.engine == "model") {
      HONE_TRY(auto asked, remembered_answers(workflow, step.checkpoint.transformation,
                                              bundle.steps.back().checkpoint.candidate, step.checkpoint.candidate));
      if (asked) {
        HONE_TRY(step.exchange, exchange_of(std::move(*asked), answers));
      }
    }
    bundle.steps.push_back(std::move(step));
  }
  return bundle;
}

} // namespace hone::bundle
