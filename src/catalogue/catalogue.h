// The catalogue of natural transformations: optimisation steps in plain language, as Markdown files with a TOML head.
// Knows what a step says and when it applies; not who carries it out.
#pragma once

#include "kernel/kernel.h"
#include "util/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::catalogue {

enum class Region { macros, device, launch };

std::string_view name_of(Region region);

// One edit of one region: the whole instruction a person or a model needs.
struct Pass {
  std::string name;
  Region region = Region::device;
  std::string instruction; // Markdown
  bool others_too = false; // other files may change with it
};

// When a step pays off; a policy judges it accordingly.
enum class Speed {
  faster,  // expected to be faster at once
  neutral, // a refactoring that opens the way for others; kept when it does not cost anything
  later,   // often slower by itself and pays with the steps that follow; policies look ahead
};

std::string_view name_of(Speed speed);

struct TransformationParameter {
  std::string name; // the macro it introduces
  std::vector<std::int64_t> values;
  std::string meaning;
};

struct Transformation {
  std::string name;       // "cache-tiling"; the file's name without .md
  std::string intent;     // one sentence
  std::string bottleneck; // what it relieves: "memory latency", "L1 bandwidth", "instruction count", ...
  std::vector<kernel::KernelClass> classes; // empty: all
  std::vector<std::string> backends;        // empty: all
  std::vector<kernel::DataType> types;      // empty: all
  std::vector<std::string> after;           // transformations that must have been carried out before; "a or b": one of them
  std::vector<std::string> conflicts;       // transformations that must not have been
  Speed speed = Speed::faster;
  std::vector<TransformationParameter> parameters;
  std::vector<Pass> passes;
  std::string body;   // the whole Markdown text: snippets, pitfalls, how to check
  std::string source; // the file as it stands, head and body
  fs::path file;      // empty when parsed from memory

  std::string hash() const; // SHA-256 of `source`
};

// The format is in transformations/README.md. `origin` names the text in errors; the first mistake is returned.
Result<Transformation> parse_transformation(std::string_view text, const std::string& origin);

// All transformations visible for a kernel, by name: those in `shipped`, and the kernel's own in
// KERNEL_FOLDER/transformations, which win where names are the same. README.md is not one.
Result<std::vector<Transformation>> load_catalogue(const fs::path& shipped, const fs::path& kernel_folder);
Result<const Transformation*> find_transformation(const std::vector<Transformation>& catalogue, std::string_view name);

// A step described by one sentence ("use a lookup table for exp"): one pass, on any files. Its name is made of the
// sentence's words. An error if there are none.
Result<Transformation> free_transformation(std::string_view sentence);
// Whether this is a sentence, and not the name of a step.
bool is_sentence(std::string_view text);

// What the file of a new step is drafted from.
struct Draft {
  std::string sentence;
  std::string backend;                             // "": all
  std::optional<kernel::KernelClass> kernel_class; // nothing: all
  std::string difference;                          // an example of the change: a unified diff of candidate files
  std::vector<TransformationParameter> parameters; // that came with it; meanings may be empty
};

// The text of a right transformation file. What only its author can say stands there in square brackets.
Result<std::string> draft_transformation(const Draft& draft);

// Why a transformation does not apply to this kernel and backend after `done`; nothing when it does. Only what the
// head says is judged here; an engine may still refuse a candidate.
std::optional<std::string> why_not_applicable(const Transformation& transformation, const kernel::Kernel& kernel,
                                              std::string_view backend, const std::vector<std::string>& done);

// All mistakes in a transformation file (missing sections, unknown names), each with its place; empty when it is
// right. Names of other transformations are looked up beside the file and among the shipped ones.
std::vector<Error> check_transformation(const fs::path& file);

// "catalogue/schema.h" is public too: the JSON schema of the head.

} // namespace hone::catalogue
