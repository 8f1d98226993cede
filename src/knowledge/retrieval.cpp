#include "knowledge/retrieval.h"

#include "knowledge/database.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

namespace hone::knowledge {
namespace {

// Weights count pieces of evidence. What came from elsewhere counts as a few pieces at most, so that some of one's own
// outweigh it.
constexpr double k_before_evidence = 0.5; // weight of what is expected without any
constexpr double k_most_from_elsewhere = 4;
constexpr double k_least_similarity = 0.05;
constexpr std::size_t k_most_donors = 12; // states
constexpr double k_deviation = 0.35;      // of gains, before any are known: half of them within a quarter
constexpr double k_deviation_weight = 2;
constexpr double k_within = 1.645; // standard deviations: 90 %
constexpr double k_failing = 0.1;  // before anything is known
constexpr double k_failing_weight = 1;
constexpr double k_half_confident = 2; // pieces of evidence
constexpr double k_expected_within = 0.9;

struct Donor {
  std::string state;
  double similarity = 1;
};

// States like the one that is asked about, the nearest first; itself has similarity 1.
std::vector<Donor> donors_of(Base::Opened& opened, const Question& question, std::size_t& alike)
{
  std::vector<Donor> donors;
  for (const auto& [id, signature] : signatures_like(opened, question.signature)) {
    const double similarity = id == question.state ? 1 : knowledge::similarity(question.signature, signature);
    if (similarity >= k_least_similarity) {
      donors.push_back({id, similarity});
    }
  }
  alike = donors.size();
  const auto rank = [&](const Donor& one) { return std::pair(one.state != question.state, -one.similarity); };
  const auto end = donors.begin() + static_cast<std::ptrdiff_t>(std::min(donors.size(), k_most_donors));
  std::partial_sort(donors.begin(), end, donors.end(),
                    [&](const Donor& a, const Donor& b) { return rank(a) < rank(b); });
  donors.erase(end, donors.end());
  return donors;
}

// What is held by changes about a technique, in a state or everywhere; the state's own goes first.
struct Held {
  double value = 0;
  std::string change;
};

struct HeldAll {
  std::optional<Held> confidence, prediction, deprecated;
};

HeldAll held(Base::Opened& opened, const std::string& state, const std::string& technique)
{
  HeldAll all;
  for_rows(
    opened,
    "SELECT kind, value, change FROM holding WHERE technique = ? AND (state = ? OR state = '') "
    "AND kind IN ('confidence', 'prediction', 'deprecate') ORDER BY state",
    [&](SQLite::Statement& row) {
      const std::string kind = row.getColumn(0).getString();
      Held one{row.getColumn(1).getDouble(), row.getColumn(2).getString()};
      (kind == "confidence" ? all.confidence : kind == "prediction" ? all.prediction : all.deprecated) = std::move(one);
    },
    technique, state);
  return all;
}

// Weighted sums over states.
struct Pool {
  double weight = 0, sum = 0, squares = 0, failed = 0;
  double return_weight = 0, return_sum = 0;

  void add(const Aggregate& all, double scale, std::int64_t now)
  {
    const double age = all.weight > 0 ? all.weight_at(now) / all.weight : 1;
    weight += scale * age * all.weight;
    sum += scale * age * all.sum;
    squares += scale * age * all.squares;
    failed += scale * all.failed_at(now);
    return_weight += scale * age * static_cast<double>(all.returns);
    return_sum += scale * age * all.return_sum;
  }
  void scale_to(double most)
  {
    const double all = weight + failed;
    const double factor = all > most ? most / all : 1;
    for (double* one : {&weight, &sum, &squares, &failed}) {
      *one *= factor;
    }
    const double returns = return_weight > most ? most / return_weight : 1;
    return_weight *= returns;
    return_sum *= returns;
  }
};

class Ranking {
public:
  Ranking(Base::Opened& opened, const Question& question)
    : m_opened(opened), m_question(question), m_now(question.now != 0 ? question.now : seconds_of(utc_now()))
  {
  }

  Answer answer()
  {
    Answer answer;
    m_donors = donors_of(m_opened, m_question, answer.states);
    collect();
    for (const Option& option : options()) {
      Estimate estimate = estimate_of(option);
      if (!estimate.deprecated || m_question.deprecated_too) {
        answer.estimates.push_back(std::move(estimate));
      }
    }
    std::ranges::stable_sort(answer.estimates, std::greater(),
                             [](const Estimate& one) { return std::pair(!one.deprecated, one.worth()); });
    if (answer.estimates.size() > m_question.most) {
      answer.estimates.resize(m_question.most);
    }
    for (Estimate& estimate : answer.estimates) {
      name_evidence(estimate);
    }
    return answer;
  }

private:
  void collect()
  {
    static const std::string sql = fmt::format("SELECT {} FROM aggregates WHERE state = ?", k_aggregate_columns);
    for (std::size_t i = 0; i < m_donors.size(); ++i) {
      for_rows(
        m_opened, sql.c_str(),
        [&](SQLite::Statement& row) {
          Aggregate all = aggregate_in(row, 0);
          const std::string name = all.technique;
          m_aggregates[name].emplace_back(i, std::move(all));
        },
        m_donors[i].state);
    }
  }

  std::vector<Option> options() const
  {
    if (!m_question.options.empty()) {
      return m_question.options;
    }
    std::vector<Option> all;
    for (const auto& [name, ignored] : m_aggregates) {
      all.push_back({name, 0});
    }
    return all;
  }

  Estimate estimate_of(const Option& option)
  {
    Estimate estimate;
    estimate.technique = option.technique;
    Pool own, others;
    std::int64_t own_tries = 0, other_tries = 0, predicted = 0, within = 0;
    if (const auto found = m_aggregates.find(option.technique); found != m_aggregates.end()) {
      for (const auto& [donor, all] : found->second) {
        const double similarity = m_donors[donor].similarity;
        const bool is_own = m_donors[donor].state == m_question.state;
        (is_own ? own : others).add(all, similarity * similarity, m_now);
        (is_own ? own_tries : other_tries) += all.tries;
        predicted += is_own ? all.predicted : 0;
        within += is_own ? all.within : 0;
        if (is_own) {
          estimate.reward = all.rewards / static_cast<double>(all.tries);
          estimate.tries = all.weight_at(m_now) + all.failed_at(m_now);
        }
        estimate.used.push_back({all.state,
                                 similarity,
                                 similarity * similarity * (all.weight_at(m_now) + all.failed_at(m_now)),
                                 all.mean(),
                                 all.tries,
                                 all.failures,
                                 {}});
      }
    }
    others.scale_to(k_most_from_elsewhere);
    const HeldAll changes = held(m_opened, m_question.state, option.technique);
    combine(option, own, others, changes, estimate);
    // How often predictions held here, beside how often they should.
    const double calibration =
      (static_cast<double>(within) + 2 * k_expected_within) / (static_cast<double>(predicted) + 2) / k_expected_within;
    const double evidence = own.weight + own.failed + others.weight + others.failed;
    estimate.confidence = evidence / (evidence + k_half_confident) * std::min(1.0, calibration)
                          * (changes.confidence ? std::clamp(changes.confidence->value, 0.0, 1.0) : 1);
    estimate.deprecated = changes.deprecated && changes.deprecated->value > 0;
    for (const std::optional<Held>* one : {&changes.confidence, &changes.prediction, &changes.deprecated}) {
      if (*one) {
        estimate.changes.push_back((*one)->change);
      }
    }
    estimate.why =
      own_tries + other_tries == 0
        ? "no evidence: what is expected of it without any"
        : fmt::format("{} of {} tries here and {} in {} other states measured{}", own_tries - own_failures(option),
                      own_tries, other_tries, estimate.used.size() - (own_tries > 0 ? 1 : 0),
                      estimate.deprecated ? "; deprecated" : "");
    return estimate;
  }

  std::int64_t own_failures(const Option& option) const
  {
    const auto found = m_aggregates.find(option.technique);
    for (const auto& [donor, all] : found->second) {
      if (m_donors[donor].state == m_question.state) {
        return all.failures;
      }
    }
    return 0;
  }

  void combine(const Option& option, const Pool& own, const Pool& others, const HeldAll& changes,
               Estimate& estimate) const
  {
    const double weight = own.weight + others.weight + k_before_evidence;
    // A correction is for what was expected from elsewhere: one's own measurements need none.
    const double shift = changes.prediction ? changes.prediction->value : 0;
    const double mean =
      (own.sum + others.sum + k_before_evidence * option.gain + shift * (others.weight + k_before_evidence)) / weight;
    const double squares = own.squares + others.squares;
    const double known = own.weight + others.weight;
    const double spread = known > 0 ? std::max(0.0, squares / known - std::pow((own.sum + others.sum) / known, 2)) : 0;
    const double variance =
      (known * spread + k_deviation_weight * k_deviation * k_deviation) / (known + k_deviation_weight);
    const double reach = k_within * std::sqrt(variance * (1 + 1 / weight));
    estimate.gain = {mean, {mean - reach, mean + reach}};
    const double returns = own.return_weight + others.return_weight;
    estimate.returned = std::max(mean, (own.return_sum + others.return_sum + k_before_evidence * option.gain)
                                         / (returns + k_before_evidence));
    const double tries = known + own.failed + others.failed;
    estimate.failing = (own.failed + others.failed + k_failing * k_failing_weight) / (tries + k_failing_weight);
  }

  void name_evidence(Estimate& estimate)
  {
    std::ranges::stable_sort(estimate.used, std::greater(), &Used::weight);
    for (Used& used : estimate.used) {
      for_rows(
        m_opened, "SELECT id FROM evidence WHERE state = ? AND technique = ? ORDER BY at DESC LIMIT ?",
        [&](SQLite::Statement& row) { used.evidence.push_back(row.getColumn(0).getString()); }, used.state,
        estimate.technique, k_named);
    }
  }

  Base::Opened& m_opened;
  const Question& m_question;
  std::int64_t m_now;
  std::vector<Donor> m_donors;
  std::map<std::string, std::vector<std::pair<std::size_t, Aggregate>>> m_aggregates; // by technique; donor
};

// Each word quoted, so that none is an operator.
std::string quoted(const std::string& words)
{
  std::string text;
  for (const std::string& word : split(words, ' ')) {
    if (!trim(word).empty()) {
      text += (text.empty() ? "\"" : " \"") + replace_all(word, "\"", "\"\"") + "\"";
    }
  }
  return text;
}

} // namespace

Result<Answer> rank(const Base& base, const Question& question)
{
  const auto begin = std::chrono::steady_clock::now();
  auto answer = guarded("read", base.file(), [&] { return Ranking(base.opened(), question).answer(); });
  if (answer) {
    answer->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return answer;
}

Result<std::vector<Hit>> search_words(const Base& base, const std::string& words, std::size_t most)
{
  const std::string query = quoted(words);
  std::vector<Hit> hits;
  if (query.empty()) {
    return hits;
  }
  HONE_CHECK(guarded("read", base.file(), [&] {
    for_rows(
      base.opened(), "SELECT kind, name, text FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
      [&](SQLite::Statement& row) {
        hits.push_back({row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getString()});
      },
      query, static_cast<std::int64_t>(most));
  }));
  return hits;
}

Json to_json(const Answer& answer)
{
  Json estimates = Json::array();
  for (const Estimate& one : answer.estimates) {
    Json used = Json::array();
    for (const Used& state : one.used) {
      used.push_back({{"state", state.state},
                      {"similarity", state.similarity},
                      {"weight", state.weight},
                      {"gain", state.gain},
                      {"tries", state.tries},
                      {"failures", state.failures},
                      {"evidence", state.evidence}});
    }
    estimates.push_back({{"technique", one.technique},
                         {"gain", one.gain.value},
                         {"gain_interval", {one.gain.interval.low, one.gain.interval.high}},
                         {"speedup", std::exp(one.gain.value)},
                         {"returned", one.returned},
                         {"failing", one.failing},
                         {"confidence", one.confidence},
                         {"reward", one.reward},
                         {"tries", one.tries},
                         {"deprecated", one.deprecated},
                         {"why", one.why},
                         {"used", std::move(used)},
                         {"changes", one.changes}});
  }
  return {{"estimates", std::move(estimates)}, {"states_alike", answer.states}, {"seconds", answer.seconds}};
}

} // namespace hone::knowledge
