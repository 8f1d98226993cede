// Records -> one self-contained HTML page (no network), Markdown, CSV, JSON. Knows nothing of how records came about.
#pragma once

#include "record/record.h"
#include "report/csv.h"
#include "report/study_page.h" // the page of a study; "report/parts.h": parts of pages, for one that lives
#include "store/store.h"
#include "util/json.h"

#include <string>
#include <vector>

namespace hone::report {

struct BaselineFigure {
  std::string name, setting;
  double ratio = 0; // baseline's time / best's time: > 1 means ours is faster
  Interval ci95;
};

// What bounds a call on this device; zeros where it was not measured.
struct Roofline {
  double gflops = 0;                    // of arithmetic, on all threads of the recipe
  std::map<std::string, double> gbytes; // GB/s by level: "L2", "DRAM"
  double bytes = 0;                     // that a call must move at least
  std::string bound_by;                 // the level that bounds it; empty: arithmetic
};

struct ReportInput {
  std::string kernel_name, kernel_summary, expression;
  std::string backend, device;
  std::map<std::string, std::string> environment; // shown as a table
  record::Recipe recipe;
  std::string accuracy;                       // how outputs are compared: "elementwise"
  std::vector<store::Checkpoint> checkpoints; // oldest first
  std::vector<store::Step> steps;
  std::string start, best; // checkpoint ids
  std::vector<BaselineFigure> baselines;
  double flops = 0;   // per call
  double floor_s = 0; // best possible seconds per call on this device; 0: unknown
  Roofline roofline;
  std::map<std::string, double> spent;
  std::map<std::string, std::string> diffs; // checkpoint id -> unified diff against its parent
};

std::string html_report(const ReportInput& input);
std::string markdown_report(const ReportInput& input);
std::string csv_report(const ReportInput& input);
Json json_report(const ReportInput& input);

} // namespace hone::report
