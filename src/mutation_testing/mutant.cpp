#include "mutation_testing/mutant.h"

#include "lower/lower.h"
#include "mutation_testing/operator.h"
#include "util/did_you_mean.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::mutation_testing {

namespace {

// The changed expression in the original's schedule; a plain candidate's in its own plain loops. An error where that
// schedule cannot print it, which is no mutant then.
Result<kernel::Candidate> lowered(const MutantRequest& request, kernel::Program program)
{
  kernel::Kernel changed = request.kernel;
  changed.program = std::move(program);
  HONE_TRY(const lower::Schedule schedule, lower::parse_schedule(request.original.schedule, "schedule.toml"));
  return lower::lower_schedule(changed, schedule.done.empty() ? lower::naive_schedule(changed) : schedule,
                               request.dialect);
}

Result<kernel::Candidate> edited(const MutantRequest& request, const std::string& file, const TextMutation& mutation)
{
  std::map<std::string, std::string> files = request.original.files;
  files[file] = with_replacements(files[file], mutation.replacements);
  return kernel::make_candidate(request.kernel, std::move(files));
}

class Maker {
public:
  explicit Maker(const MutantRequest& request)
    : m_request(request), m_code(request.original.device_source()), m_seen{request.original.hash()}
  {
  }

  std::vector<Mutant> by(const MutationOperator& one)
  {
    std::vector<Mutant> out;
    const CodeSubject subject{m_request.kernel, m_code, m_request.dialect.work_items};
    if (one.in_program != nullptr && !m_request.original.schedule.empty()) {
      for (ProgramMutation& mutation : one.in_program(m_request.kernel)) {
        add(one, mutation.change, lowered(m_request, std::move(mutation.program)), out);
      }
    }
    for (const TextMutation& mutation : one.in_code != nullptr ? one.in_code(subject) : std::vector<TextMutation>{}) {
      add(one, mutation.change, edited(m_request, m_request.dialect.device_file, mutation), out);
    }
    if (one.in_plan != nullptr) {
      const std::string name = "launch.toml";
      for (const TextMutation& mutation : one.in_plan(m_request.original.files.at(name))) {
        add(one, mutation.change, edited(m_request, name, mutation), out);
      }
    }
    return out;
  }

private:
  void add(const MutationOperator& one, const std::string& change, Result<kernel::Candidate> candidate,
           std::vector<Mutant>& out)
  {
    if (candidate && m_seen.insert(candidate->hash()).second) {
      out.push_back({std::string(one.name), change, std::move(*candidate)});
    }
  }

  const MutantRequest& m_request;
  SourceCode m_code;
  std::set<std::string> m_seen; // hashes of the original and of all mutants so far
};

// As many as wanted, in the order they had.
std::vector<Mutant> drawn(std::vector<Mutant> all, std::size_t limit, Random& random)
{
  if (limit == 0 || all.size() <= limit) {
    return all;
  }
  std::vector<std::size_t> positions(all.size());
  std::ranges::generate(positions, [next = std::size_t{0}]() mutable { return next++; });
  std::shuffle(positions.begin(), positions.end(), random);
  positions.resize(limit);
  std::ranges::sort(positions);
  std::vector<Mutant> out;
  for (const std::size_t position : positions) {
    out.push_back(std::move(all[position]));
  }
  return out;
}

Result<void> check_names(const std::vector<std::string>& wanted)
{
  std::vector<std::string> known;
  for (const MutationOperator& one : mutation_operators()) {
    known.emplace_back(one.name);
  }
  for (const std::string& name : wanted) {
    if (std::ranges::find(known, name) == known.end()) {
      return fail(fmt::format("there is no mutation operator '{}'", name),
                  did_you_mean(name, known, "the operators are: " + join(known, ", ")), Place{"--operator", 0, 0});
    }
  }
  return {};
}

} // namespace

Result<std::vector<Mutant>> make_mutants(const MutantRequest& request)
{
  HONE_CHECK(check_names(request.only));
  Maker maker(request);
  Random random(request.seed);
  std::vector<Mutant> out;
  for (const MutationOperator& one : mutation_operators()) {
    const bool wanted = request.only.empty() || std::ranges::find(request.only, one.name) != request.only.end();
    if (!wanted) {
      continue;
    }
    for (Mutant& mutant : drawn(maker.by(one), request.limit, random)) {
      out.push_back(std::move(mutant));
    }
  }
  return out;
}

} // namespace hone::mutation_testing
