// An exported climb: one file, NAME.hone, with a kernel, the checkpoints of a path, and the requests and answers of a
// model on the way. It is data: reading it runs nothing, and its candidates are judged like any other.
//
// On disk it is zstd-compressed JSON, bounded in size; docs/models.md describes it for those who share one.
#pragma once

#include "bundle/step_answers.h"
#include "kernel/kernel.h"
#include "llm/answer_store.h"
#include "lower/dialect.h"
#include "store/store.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::bundle {

constexpr const char* k_bundle_ending = ".hone";

// An answer with its request, and what became of it.
struct BundledAnswer {
  AnswerMade made;
  llm::StoredAnswer stored;
};

// The requests to a model for one checkpoint, with their answers.
struct BundledExchange {
  StepText text;
  std::vector<BundledAnswer> answers; // in their order
};

struct BundledStep {
  store::Checkpoint checkpoint;
  std::optional<BundledExchange> exchange; // nothing: no model was involved
};

struct Bundle {
  std::string kernel_name, kernel_hash;
  lower::Dialect dialect;                          // of the device that its steps were carried out for
  std::map<std::string, std::string> kernel_files; // "kernel.toml", "reference.cpp", "start/cpu/device.cpp", ...
  std::vector<BundledStep> steps;                  // from a start, each the parent of the next; not empty
};

// The bytes of a file. An error where something in it is no UTF-8 text.
Result<std::string> bundle_bytes(const Bundle& bundle);

// A bundle whose kernel has not been read: its candidates can only be read with their kernel.
struct PackedBundle {
  std::string kernel_name, kernel_hash, backend;
  int vector_bytes = 0;
  bool masked_memory = false;
  std::map<std::string, std::string> kernel_files; // names that lead out of a folder are refused
  Json steps;
};
// `origin` names the file in errors.
Result<PackedBundle> unpack_bundle(std::string_view bytes, const std::string& origin);
// Writes the kernel's files into an empty folder.
Result<void> write_kernel_files(const PackedBundle& packed, const fs::path& folder);
// The rest, for the kernel that was read from those files. An error where it is another kernel, where files are not
// those of their record, and where a record asks for what Hone never asks for.
Result<Bundle> read_bundle(PackedBundle packed, const kernel::Kernel& kernel, const std::string& origin);

// What `path` (ids, from a start) came from. An error where an answer is not kept any more.
Result<Bundle> collect_bundle(const kernel::Kernel& kernel, const lower::Dialect& dialect,
                              const store::Workflow& workflow, const std::vector<std::string>& path,
                              const llm::AnswerStore& answers);

// Public too: "bundle/repeat_steps.h", which repeats the steps without a model.

} // namespace hone::bundle
