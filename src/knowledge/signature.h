// What a state of a candidate is described by: the kind of kernel, where it runs, and what bounds it.
#pragma once

#include "kernel/kernel.h"
#include "tools/report.h"
#include "util/json.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone::knowledge {

// An empty member is not known; in a question it stands for any.
struct Signature {
  std::string kernel_class; // "contraction", as kernel/kernel_class.h names it
  std::string backend;      // "cpu"
  std::string device;       // fingerprint
  std::string device_name;  // "AMD EPYC 9R14"
  std::string types;        // of the inputs: "f32", "f16 f32"
  std::string shape;        // of the data of a call: "large square"
  std::string bottleneck;   // that weighs most: "strided access"; "none": nothing stood out
  // Levels of bottlenecks, by their names: 1 (low) to 4 (very high); what is missing is 0.
  std::map<std::string, int> traits;

  bool operator==(const Signature&) const = default;
};

// Kind of kernel, types and shape; what bounds the candidate is added by add_findings().
Signature signature_of(const kernel::Kernel& kernel, const kernel::Sizes& sizes);
// What the tool `explain` found.
void add_findings(Signature& signature, const tools::Report& report);

// "strided access very high, latency chain low"; empty where there are none.
std::string traits_text(const Signature& signature);
std::string_view level_name(int level); // "absent", "low", "medium", "high", "very high"

// How much of what was learned in one holds in the other: 1 where they are the same, 0 where nothing does.
double similarity(const Signature& a, const Signature& b);
// Kinds of kernels that tell anything about this one, itself included; empty for "": all.
std::vector<std::string> related_classes(const std::string& kernel_class);
// Whether both are the same state: all words are the same, and the levels lie close together.
bool is_same_state(const Signature& a, const Signature& b);

Json to_json(const Signature& signature);
Signature signature_from(const Json& json); // throws Json's exceptions

} // namespace hone::knowledge
