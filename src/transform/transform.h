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

namespace hone {

enum class Region { macros, device, launch };

std::string_view name_of(Region region);

// One edit of one region: the whole instruction a person or a model needs.
struct Pass {
  std::string name;
  Region region = Region::device;
  std::string instruction; // Markdown
};

struct TransformationParameter {
  std::string name; // the macro it introduces
  std::vector<std::int64_t> values;
  std::string meaning;
};

struct Transformation {
  std::string name;                   // "cache-tiling"; the file's name without .md
  std::string intent;                 // one sentence
  std::string bottleneck;             // what it relieves: "memory latency", "L1 bandwidth", "instruction count", ...
  std::vector<KernelClass> classes;   // empty: all
  std::vector<std::string> backends;  // empty: all
  std::vector<DataType> types;        // empty: all
  std::vector<std::string> after;     // transformations that must have been carried out before
  std::vector<std::string> conflicts; // transformations that must not have been
  std::vector<TransformationParameter> parameters;
  std::vector<Pass> passes;
  std::string body; // the whole Markdown text: snippets, pitfalls, how to check
  fs::path file;

  std::string hash() const;
};

Result<Transformation> parse_transformation(std::string_view text, const std::string& origin);

// All transformations visible for a kernel: shipped ones, then the kernel's own (nearest wins by name).
Result<std::vector<Transformation>> load_catalogue(const fs::path& shipped, const fs::path& kernel_folder);
Result<const Transformation*> find_transformation(const std::vector<Transformation>& catalogue, std::string_view name);

// Why a transformation does not apply to this kernel and backend after `done`; nothing when it does.
std::optional<std::string> reason_against(const Transformation& transformation, const Kernel& kernel,
                                          std::string_view backend, const std::vector<std::string>& done);

// Mistakes in a transformation file (missing sections, unknown names), for `hone transforms check`.
std::vector<Error> check_transformation(const fs::path& file);

} // namespace hone
