// What tools look at, and what several of them need: built and listed once, whichever asks first.
#pragma once

#include "backend/access_counts.h"
#include "backend/listing.h"
#include "catalogue/catalogue.h"
#include "gate/gate.h"
#include "record/record.h"
#include "tools/listing.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace hone::tools {

// A candidate, and what it is called.
struct Subject {
  std::string name; // "best", "mine/"
  record::Contender contender;
};

// What a compiler made of a candidate, and what it said.
struct CompiledText {
  Listing listing;
  std::string remarks; // about loops; empty where it writes none
  std::string printed;
};

struct BenchSpec {
  std::shared_ptr<const kernel::Kernel> kernel;
  const backend::Backend* backend = nullptr;
  gate::Gate* gate = nullptr; // of the two above; outlives the bench
  Subject subject;
  std::optional<Subject> against;                   // what `compare` compares it with
  record::Recipe recipe;                            // sizes and threads
  fs::path cache;                                   // reports by content; empty: none are kept
  std::function<Result<gate::Ceilings>()> ceilings; // of the device, measured where they were not yet
  std::vector<catalogue::Transformation> catalogue; // steps that a tool may point to
  std::vector<std::string> done;                    // steps that led to the candidate
  std::uint64_t seed = 1;                           // of a call's inputs
  std::stop_token stop;
};

// Wide because each thing that tools share has an accessor.
class Bench {
public:
  explicit Bench(BenchSpec spec) : m_spec(std::move(spec)) {}
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  const BenchSpec& spec() const { return m_spec; }
  const kernel::Kernel& kernel() const { return *m_spec.kernel; }
  const backend::Backend& backend() const { return *m_spec.backend; }
  gate::Gate& gate() { return *m_spec.gate; }
  std::string subject_text() const; // "best (4f1c2a90b3) of matmul on cpu, k=512 m=512 n=512"
  std::string content() const;      // SHA-256 over candidate, point, kernel, sizes, threads and environment

  // The candidate at the recipe's sizes. An error: it does not build, with the compiler's first complaint.
  Result<const gate::BuiltCandidate*> built();
  backend::BuildInput build_input(const gate::BuiltCandidate& built) const;
  // Its code with lines of its source.
  Result<const CompiledText*> compiled_text();
  // The loop that does most of the arithmetic: in a call where accesses can be counted, else as the code says. Empty:
  // there is none.
  Result<HotLoop> hot_loop();
  // How often it goes round in a call: at least once for each access beside it where it has none; 1 where nothing is
  // counted, 0 where warps are.
  double rounds(const HotLoop& loop);
  Result<const gate::Ceilings*> ceilings();
  // What a call does to memory, through this machine's caches or those given.
  Result<const backend::AccessCounts*> accesses(const std::vector<backend::CacheLevel>& levels);
  // Another bench for what the subject is compared with; nullptr: nothing.
  Bench* other();
  // The subject's time against the other's, run in turns. An error: one of them is not correct.
  Result<const record::ComparisonResult*> compared();
  // Seconds of a call where data come from memory (cold) or the nearest cache (hot): measured once, against itself.
  Result<const record::Verdict*> timed();

private:
  const backend::AccessCounts* counts_if_any(); // nullptr: not here
  BenchSpec m_spec;
  std::optional<gate::BuiltCandidate> m_built;
  std::optional<CompiledText> m_compiled;
  std::optional<gate::Ceilings> m_ceilings;
  std::optional<backend::AccessCounts> m_accesses;
  std::vector<backend::CacheLevel> m_levels; // of them
  std::optional<record::Verdict> m_timed;
  std::unique_ptr<Bench> m_other;
  std::optional<record::ComparisonResult> m_compared;
};

} // namespace hone::tools
