// Proves the checker of a kernel before it judges anyone: solutions that compute nothing must fail the very check that
// candidates go through, honest implementations must pass it. A kernel for which this does not hold is refused.
//
// Sizes and values are drawn from the kernel's hash, so that the answer is the same each time.
#pragma once

#include "kernel/kernel.h"
#include "util/json.h"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace hone::gate {

// To be counted up with every change to families of values, to the check of outputs, or to what is tried here: passes
// that were remembered under another version count for nothing.
constexpr int k_lint_version = 12;

struct LintOptions {
  fs::path cache; // compiled references and modules, and which kernels have passed; empty: nothing is kept
  std::stop_token stop;
  std::function<void(std::string_view)> progress; // what is being tried; may be empty
};

// What one solution, one input or one implementation showed.
struct LintRow {
  enum class Outcome { proven, not_applicable, refused };

  std::string subject; // "zeros", "copy of A", "A", "sums from the last term to the first"
  std::string output;  // which output was replaced; empty where it is about all of them
  Outcome outcome = Outcome::not_applicable;
  std::string reason; // why it does not apply, or what it means for the kernel
  int calls = 0;      // tried
  int noticed = 0;    // of these, where the check failed
  int excused = 0;    // and where an honest one was beyond its bounds, but no farther than rounding takes it
  // The first call in which the check failed; where it never did, the one in which it came nearest to that.
  std::string values; // family
  kernel::Sizes sizes;
  double error = 0; // the largest error over its bound in that call
};

std::string_view name_of(LintRow::Outcome outcome); // "proven", "not applicable", "refused"

struct LintReport {
  std::vector<LintRow> degenerate;   // must be noticed
  std::vector<LintRow> inputs;       // changing each alone must make what was right before wrong
  std::vector<LintRow> honest;       // must never be noticed
  std::vector<kernel::Sizes> sizes;  // tried
  std::string remark;                // where these stand for others; may be empty
  std::vector<std::string> refusals; // in words; empty: the check can be relied on
  double seconds = 0;

  bool passed() const { return refusals.empty(); }
};

// An Error means that the proof could not be carried out, not that the kernel is refused.
Result<LintReport> lint_kernel(const kernel::Kernel& kernel, const LintOptions& options);

// For those who are about to have candidates judged: an Error with the kernel's place where it is refused. A kernel
// that has passed under this cache folder passes at once. Returns why nothing could be tried; "" where it is proven.
Result<std::string> require_lint(const kernel::Kernel& kernel, const LintOptions& options);

Json to_json(const LintReport& report);

} // namespace hone::gate
