#include "gate/validate/watching.h"

#include "backend/inspector.h"
#include "gate/cpus.h"
#include "inputs/inputs.h"
#include "inputs/stress_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace hone::gate {
namespace {

constexpr std::size_t k_most_together = 6; // brief calls in one jail, which takes longer to set up than they do
constexpr std::size_t k_tried_often = 2;   // sizes at which calls are watched whole
constexpr std::size_t k_families_there = 6;
constexpr std::chrono::milliseconds k_glance(2); // between looks for one that has ended
constexpr std::size_t k_most_at_once = 4;
constexpr std::size_t k_waiting = 1; // beside them: no CPU is idle until the next one is set up

// A candidate may do on some values what it does not on others: kinds of values, none again before all had their turn.
class FamilyDraw {
public:
  explicit FamilyDraw(Validation& validation) : m_validation(validation) {}

  // Where what is computed is checked, too, and sums are long, not all kinds are fit; where a tool is slow, there is no
  // time for them.
  std::vector<inputs::ValueFamily> families_for(const backend::Inspector& inspector, const WatchedCall& place)
  {
    const bool quick = inspector.most_accesses() > 0, whole = place.most_accesses == 0;
    const bool often = whole && m_places++ < k_tried_often;
    if (!quick || (whole && inputs::has_long_sums(m_validation.kernel(), place.sizes))) {
      return {inputs::ValueFamily::normal};
    }
    std::vector<inputs::ValueFamily> families;
    if (often) {
      families.push_back(inputs::ValueFamily::normal);
    }
    while (families.size() < (often ? k_families_there : 1)) {
      families.push_back(draw());
    }
    return families;
  }

private:
  inputs::ValueFamily draw()
  {
    if (m_left.empty()) {
      m_left = m_validation.wanted(inputs::all_value_families());
      std::shuffle(m_left.begin(), m_left.end(), m_validation.random());
    }
    const inputs::ValueFamily family = m_left.back();
    m_left.pop_back();
    return family;
  }

  Validation& m_validation;
  std::size_t m_places = 0;
  std::vector<inputs::ValueFamily> m_left;
};

} // namespace

Watching::Watching(Validation& validation, std::string skipped)
  : m_validation(validation), m_cpus(usable_cpus().size()), m_skipped(std::move(skipped))
{
}

Result<std::unique_ptr<Watching>> Watching::begin(Validation& validation)
{
  const backend::Inspector* inspector = validation.setting().backend->inspector();
  std::unique_ptr<Watching> watching(new Watching(validation, inspector != nullptr ? inspector->missing() : ""));
  if (inspector == nullptr) {
    return watching;
  }
  watching->m_check = fmt::format("memory accesses ({})", inspector->name());
  if (watching->m_skipped.empty()) {
    HONE_CHECK(watching->choose(*inspector));
  }
  return watching;
}

Result<void> Watching::choose(const backend::Inspector& inspector)
{
  HONE_TRY(const auto prepared, m_validation.setting().prepare(m_validation.setting().recipe->sizes));
  if (prepared && !(*prepared)->contender.library.empty()) {
    return {}; // what is not the candidate's is not watched
  }
  HONE_TRY(m_places, choose_watched_calls(m_validation, inspector));
  if (m_places.empty()) {
    m_skipped = "every size on which the kernel means something would take too long";
  }
  m_runs = std::make_unique<WatchedRuns>(m_validation, inspector, m_places, at_once());
  m_quick = inspector.most_accesses() > 0;
  FamilyDraw draw(m_validation);
  for (std::size_t i = 0; i < m_places.size(); ++i) {
    for (const inputs::ValueFamily family : draw.families_for(inspector, m_places[i])) {
      m_left.emplace_back(i, family);
    }
  }
  // Behind the first places the longest calls come first: they go on while others are set up.
  const auto others = std::ranges::find_if(m_left, [](const auto& call) { return call.first >= k_tried_often; });
  std::stable_sort(others, m_left.end(), [this](const auto& a, const auto& b) {
    return m_places[a.first].most_accesses > m_places[b.first].most_accesses;
  });
  std::ranges::reverse(m_left);
  return m_left.empty() ? Result<void>() : m_runs->build_ahead(m_left.back().first);
}

Result<SessionResult<void>> Watching::start_next()
{
  std::vector<std::pair<std::size_t, inputs::ValueFamily>> calls;
  do {
    if (m_runs->seen(m_left.back().first).skipped.empty()) {
      calls.push_back(m_left.back());
    }
    m_left.pop_back();
  } while (!m_left.empty() && !calls.empty() && calls.size() < k_most_together && m_places[calls.back().first].brief
           && m_places[m_left.back().first].brief);
  return m_runs->start(calls);
}

std::size_t Watching::at_once() const
{
  return std::clamp<std::size_t>(m_cpus - 1, 1, k_most_at_once);
}

Result<void> Watching::go_on()
{
  while (m_begun && !m_ended && !m_left.empty() && m_runs->going_on() < at_once() + k_waiting) {
    HONE_TRY(SessionResult<void> started, start_next());
    if (!started) {
      m_ended = std::move(started.error());
    }
  }
  return {};
}

// All calls at so many places, the first ones. Nothing else goes on then.
Result<SessionResult<void>> Watching::carry_out(std::size_t places)
{
  if (!m_runs) {
    return SessionResult<void>();
  }
  m_runs->use_another();
  HONE_TRY(SessionResult<void> done, carry_out_at_once(places, at_once() + 1));
  if (done) {
    m_runs->use_one_fewer();
  }
  return done;
}

Result<SessionResult<void>> Watching::carry_out_at_once(std::size_t places, std::size_t most)
{
  while (!m_ended && !m_left.empty() && m_left.back().first < places) {
    while (m_runs->going_on() >= most + k_waiting) { // the first may well be the longest
      if (m_runs->is_first_over()) {
        HONE_SESSION_CHECK(m_runs->finish_first());
      } else {
        std::this_thread::sleep_for(k_glance);
      }
    }
    HONE_SESSION_CHECK(start_next());
  }
  while (!m_runs->empty()) {
    HONE_SESSION_CHECK(m_runs->finish_first());
  }
  return SessionResult<void>();
}

Result<SessionResult<void>> Watching::finish_first_places()
{
  m_begun = true;
  return m_quick ? carry_out(k_tried_often) : SessionResult<void>();
}

Result<SessionResult<void>> Watching::finish()
{
  m_begun = true;
  HONE_SESSION_CHECK(carry_out(m_places.size()));
  if (m_ended) {
    return Ended{std::move(*m_ended)};
  }
  note_what_was_seen();
  return SessionResult<void>();
}

void Watching::note_what_was_seen()
{
  if (!m_skipped.empty()) {
    m_validation.note(m_check, "skipped: " + m_skipped);
    m_validation.note_that_nothing_ran(m_skipped);
  }
  std::string where, remarks;
  for (std::size_t i = 0; i < m_places.size(); ++i) {
    const auto& [seen, skipped] = m_runs->seen(i);
    if (!skipped.empty()) {
      m_validation.note(m_check, fmt::format("skipped at sizes {}: {}", kernel::to_text(m_places[i].sizes), skipped));
      continue;
    }
    where += (where.empty() ? "" : "; ") + kernel::to_text(m_places[i].sizes);
    remarks += seen;
  }
  if (!where.empty()) {
    m_validation.note(m_check, fmt::format("no race, nothing out of bounds (sizes {}){}", where, remarks));
  }
}

Result<SessionResult<void>> validate_memory_accesses(Validation& validation)
{
  HONE_CHECK(validation.watch_beside());
  return validation.watching()->finish();
}

} // namespace hone::gate
