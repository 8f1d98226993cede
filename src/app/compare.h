// Checkpoints or candidate folders, or one and the libraries, side by side under one recipe.
#pragma once

#include "app/sweep.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::app {

struct CompareRequest {
  KernelRequest kernel;
  std::string a; // checkpoint or candidate folder
  // Each the same; or a library in each of its settings; or "libraries".
  std::vector<std::string> others;
  bool explain = false; // also A against a copy of itself
  std::string sweep;    // further sizes to be compared at, as parse_sweep() reads them
};

// A against a copy of itself, by regime: how far apart two of the same come out here, now.
using Bands = std::map<record::Regime, record::ComparisonResult>;

struct ComparedRival {
  std::string name; // what A was compared with
  record::Record record;
  Bands bands; // where they were asked for
  std::optional<Sweep> sweep;
  std::string library = {}; // "OpenBLAS 0.3.34, SkylakeX"; empty for candidates
};

// One of several in the order of speed, in the deciding regime.
struct RankedContender {
  std::string name;
  double speed = 1; // over A's
  Interval ci95{1, 1};
};

// The fastest, judged in full against the next one.
struct Winner {
  std::string name, next;
  record::ComparisonResult comparison;
};

std::optional<record::ComparisonResult> band_in(const Bands& bands, record::Regime regime);

struct CompareResult {
  std::string kernel, backend;
  std::string accuracy; // how outputs are compared: "elementwise"
  std::string a;
  std::vector<ComparedRival> rivals;    // as far as it came
  bool single = false;                  // B is one checkpoint or folder, and no library
  bool correct = true;                  // A was so each time
  bool stopped = false;                 // before the last rival
  std::vector<RankedContender> ranking; // fastest first; empty where there are only two
  std::optional<Winner> winner;
  std::vector<std::string> refused; // "NAME: why": would have won, and are not correct
};

// "mine is the fastest: 1.05x [1.04, 1.06] the speed of best, the next one", or that no one is.
std::string winner_text(const CompareResult& result);

// `each` is called with every rival once it is compared.
Result<CompareResult> compare(Context& context, const CompareRequest& request,
                              const std::function<void(const ComparedRival&)>& each);
Json to_json(const CompareResult& result);

} // namespace hone::app
