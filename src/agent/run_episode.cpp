#include "agent/agent.h"
#include "agent/call_text.h"
#include "util/did_you_mean.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace hone::agent {
namespace {

using Clock = std::chrono::steady_clock;
using Role = llm::ModelMessage::Role;

constexpr int k_most_without_calls = 3;     // answers in a row
constexpr int k_most_refusals = 2;          // in a row
constexpr double k_share_kept = 0.6;        // of the context, when results are left out
constexpr std::size_t k_short_result = 240; // characters: leaving these out saves nothing
constexpr std::size_t k_newest_kept = 4;    // turns that are always shown whole
constexpr std::string_view k_left_out = "[left out to save room: ask again if it is needed]";

double since(Clock::time_point begin)
{
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool is_about_tools(const llm::ModelFailure& failure)
{
  const std::string& words = failure.error.message;
  return failure.kind == llm::ModelFailure::Kind::configuration
         && (words.contains("tool") || words.contains("function"));
}

class Conversation {
public:
  explicit Conversation(const EpisodeSpec& spec) : m_spec(spec), m_begin(Clock::now())
  {
    m_episode.model = spec.model;
    m_episode.system = spec.system;
    std::ranges::transform(spec.actions, std::back_inserter(m_episode.tools), tool_of);
    const bool was_text = std::ranges::any_of(spec.earlier, [](const Turn& turn) { return !turn.raw.empty(); });
    m_episode.calls_in_text = spec.form == CallForm::text || (spec.form == CallForm::automatic && was_text);
  }

  Result<Episode> run()
  {
    HONE_CHECK(say({Role::user, m_spec.task}));
    while (!m_over) {
      HONE_TRY(std::optional<Turn> answer, next_answer());
      if (!answer) {
        break;
      }
      HONE_CHECK(carry_out(answer->message.calls));
    }
    return std::move(m_episode);
  }

private:
  // The turn that stands next in the episode that goes on, if it is of this role.
  const Turn* earlier(Role role)
  {
    const std::size_t at = m_episode.turns.size();
    return at < m_spec.earlier.size() && m_spec.earlier[at].message.role == role ? &m_spec.earlier[at] : nullptr;
  }

  Result<void> keep(Turn turn, bool is_new)
  {
    add(m_episode.spent, turn);
    m_episode.turns.push_back(std::move(turn));
    return is_new && m_spec.turn ? m_spec.turn(m_episode.turns.back()) : Result<void>();
  }

  Result<void> say(llm::ModelMessage message)
  {
    const Turn* known = earlier(Role::user);
    return known != nullptr ? keep(*known, false) : keep(Turn{.message = std::move(message)}, true);
  }

  void end(EpisodeEnd end, std::string why)
  {
    m_over = true;
    m_episode.end = end;
    m_episode.why = std::move(why);
  }

  bool end_at_limits()
  {
    const EpisodeSpent& spent = m_episode.spent;
    const Limits& limits = m_spec.limits;
    if (m_spec.stop.stop_requested()) {
      end(EpisodeEnd::stopped, "stopped");
    } else if (spent.calls >= limits.calls) {
      end(EpisodeEnd::calls, fmt::format("the limit of {} calls is reached", limits.calls));
    } else if (limits.tokens && spent.prompt_tokens + spent.answer_tokens >= *limits.tokens) {
      end(EpisodeEnd::tokens, fmt::format("the limit of {} tokens is reached", *limits.tokens));
    } else if (limits.device_seconds && spent.device_s >= *limits.device_seconds) {
      end(EpisodeEnd::device_seconds,
          fmt::format("the limit of {:g} device seconds is reached", *limits.device_seconds));
    } else if (is_out_of_time()) {
      end(EpisodeEnd::wall_seconds, time_is_over());
    }
    return m_over;
  }

  bool is_out_of_time() const { return m_spec.limits.wall_seconds && since(m_begin) >= *m_spec.limits.wall_seconds; }
  std::string time_is_over() const
  {
    return fmt::format("the limit of {:g} s is reached", *m_spec.limits.wall_seconds);
  }

  // What is left, for the model.
  std::string left() const
  {
    const EpisodeSpent& spent = m_episode.spent;
    std::string text = fmt::format("{} calls", std::max(0, m_spec.limits.calls - spent.calls - 1));
    if (m_spec.limits.tokens) {
      text += fmt::format(", {} tokens",
                          std::max<std::int64_t>(0, *m_spec.limits.tokens - spent.prompt_tokens - spent.answer_tokens));
    }
    if (m_spec.limits.wall_seconds) {
      text += fmt::format(", {:.0f} s", std::max(0.0, *m_spec.limits.wall_seconds - since(m_begin)));
    }
    return text;
  }

  // Nothing: the episode is over.
  Result<std::optional<Turn>> next_answer()
  {
    if (const Turn* known = earlier(Role::assistant)) {
      const Turn turn = *known;
      HONE_CHECK(keep(turn, false));
      m_calls_so_far += static_cast<int>(turn.message.calls.size());
      return turn;
    }
    for (;;) {
      if (end_at_limits()) {
        return std::nullopt;
      }
      const llm::ModelRequest request = this->request();
      const auto answer = ask(request);
      if (answer) {
        m_refusals = 0;
        return taken(*answer);
      }
      if (m_spec.form == CallForm::automatic && !m_episode.calls_in_text && is_about_tools(answer.error())) {
        if (m_spec.progress) {
          m_spec.progress("the server takes no tools: calls stand in the text from here on");
        }
        m_episode.calls_in_text = true;
      } else if (answer.error().kind == llm::ModelFailure::Kind::answer && ++m_refusals < k_most_refusals) {
        continue; // as another sample
      } else {
        end_without_answer(answer.error());
        return std::nullopt;
      }
    }
  }

  // Until the time is over, too: a person, or a server that hangs, may never answer.
  llm::ModelResult<llm::ModelAnswer> ask(const llm::ModelRequest& request)
  {
    std::stop_source over;
    const std::stop_callback asked_to_stop(m_spec.stop, [&over] { over.request_stop(); });
    std::jthread timer;
    if (m_spec.limits.wall_seconds) {
      const auto end =
        m_begin
        + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*m_spec.limits.wall_seconds));
      timer = std::jthread([&over, end](const std::stop_token& answered) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_until(lock, answered, end, [] { return false; });
        if (!answered.stop_requested()) {
          over.request_stop();
        }
      });
    }
    return m_spec.provider->ask(request, {m_spec.text, m_spec.progress, over.get_token()});
  }

  void end_without_answer(const llm::ModelFailure& failure)
  {
    using Kind = llm::ModelFailure::Kind;
    const EpisodeEnd reason = failure.kind == Kind::answer    ? EpisodeEnd::no_answer
                              : failure.kind != Kind::stopped ? EpisodeEnd::unreachable
                              : m_spec.stop.stop_requested()  ? EpisodeEnd::stopped
                              : is_out_of_time()              ? EpisodeEnd::wall_seconds
                                                              : EpisodeEnd::tokens; // its budget is spent
    end(reason, reason == EpisodeEnd::wall_seconds ? time_is_over() : failure.error.text());
  }

  Result<std::optional<Turn>> taken(const llm::ModelAnswer& answer)
  {
    CallText text = read_calls(answer.text, m_calls_so_far + 1);
    Turn turn;
    turn.message = {Role::assistant, text.prose, answer.calls.empty() ? std::move(text.calls) : answer.calls};
    for (std::size_t i = 0; i < turn.message.calls.size(); ++i) { // some servers give none
      llm::ToolCall& call = turn.message.calls[i];
      call.id = call.id.empty() ? std::to_string(m_calls_so_far + 1 + static_cast<int>(i)) : call.id;
    }
    turn.raw = m_episode.calls_in_text ? answer.text : "";
    turn.reasoning = answer.reasoning.empty() ? std::move(text.reasoning) : answer.reasoning;
    turn.usage = answer.usage;
    turn.seconds = answer.seconds;
    m_calls_so_far += static_cast<int>(turn.message.calls.size());
    const bool is_cut = answer.finish == llm::ModelAnswer::Finish::cut_off;
    m_complaint = is_cut
                    ? fmt::format("Your answer was cut off after {} tokens: be shorter.", answer.usage.answer_tokens)
                    : "Your answer asked for no action. Ask for one; when you are done, ask for `finish`.";
    HONE_CHECK(keep(turn, true));
    return turn;
  }

  Result<void> carry_out(const std::vector<llm::ToolCall>& calls)
  {
    if (calls.empty()) {
      if (++m_without_calls >= k_most_without_calls) {
        end(EpisodeEnd::no_calls, fmt::format("{} answers in a row asked for no action", m_without_calls));
        return {};
      }
      return say({Role::user, m_complaint});
    }
    m_without_calls = 0;
    for (const llm::ToolCall& call : calls) {
      const Turn* known = earlier(Role::tool);
      const Turn recorded = known != nullptr ? *known : Turn();
      if (m_over || (known == nullptr && m_episode.spent.calls >= m_spec.limits.calls)) { // each call needs a result
        Turn refused{.message = {Role::tool, "Not carried out: the episode is over.", {}, call.id}, .failed = true};
        HONE_CHECK(keep(known != nullptr ? recorded : std::move(refused), known == nullptr));
        continue;
      }
      HONE_TRY(Turn result, result_of(call));
      if (result.finished) {
        end(EpisodeEnd::finished, "the model finished");
      }
      HONE_CHECK(keep(known != nullptr ? recorded : std::move(result), known == nullptr));
    }
    return {};
  }

  Result<Turn> result_of(const llm::ToolCall& call)
  {
    const auto begin = Clock::now();
    Turn turn{.message = {Role::tool, "", {}, call.id}};
    const auto action = std::ranges::find(m_spec.actions, call.name, &Action::name);
    ActionOutcome outcome{.failed = true};
    if (action == m_spec.actions.end()) {
      std::vector<std::string> names;
      std::ranges::transform(m_spec.actions, std::back_inserter(names), &Action::name);
      outcome.text =
        call.name.empty()
          ? "Error: the call is not a JSON object with \"name\" and \"arguments\"."
          : fmt::format("Error: there is no action '{}': {}", call.name,
                        did_you_mean(call.name, names, fmt::format("there are {}", fmt::join(names, ", "))));
    } else if (auto arguments = read_arguments(*action, call.arguments); !arguments) {
      outcome.text = "Error: " + arguments.error().message;
    } else {
      HONE_TRY(outcome, action->run(*arguments));
    }
    turn.message.text = fmt::format("{}{}(left: {})", outcome.text, outcome.text.ends_with('\n') ? "" : "\n", left());
    turn.failed = outcome.failed;
    turn.finished = outcome.finished;
    turn.device_s = outcome.device_s;
    turn.seconds = since(begin);
    return turn;
  }

  llm::ModelRequest request()
  {
    llm::ModelRequest request;
    request.model = m_spec.model;
    request.system = m_spec.system;
    request.most_tokens = m_spec.most_tokens;
    request.temperature = m_spec.temperature;
    request.seed = m_spec.seed;
    request.sample = m_spec.sample * k_most_refusals + m_refusals;
    if (m_episode.calls_in_text) {
      request.system += "\n" + calls_explained(m_episode.tools);
    } else {
      request.tools = m_episode.tools;
    }
    fill_messages(request);
    if (llm::estimate_prompt_tokens(request) > m_spec.context_tokens) {
      while (m_left_out + k_newest_kept < m_episode.turns.size()
             && static_cast<double>(llm::estimate_prompt_tokens(request))
                  > k_share_kept * static_cast<double>(m_spec.context_tokens)) {
        ++m_left_out;
        fill_messages(request);
      }
    }
    return request;
  }

  void fill_messages(llm::ModelRequest& request) const
  {
    request.messages.clear();
    std::vector<std::string> results;
    const auto flush = [&] {
      if (!results.empty()) {
        request.messages.push_back({Role::user, results_text(results)});
        results.clear();
      }
    };
    for (std::size_t i = 0; i < m_episode.turns.size(); ++i) {
      const Turn& turn = m_episode.turns[i];
      llm::ModelMessage message = turn.message;
      if (message.role == Role::tool && i < m_left_out && message.text.size() > k_short_result) {
        message.text = k_left_out;
      }
      if (!m_episode.calls_in_text) {
        request.messages.push_back(std::move(message));
      } else if (message.role == Role::tool) {
        results.push_back(std::move(message.text));
      } else {
        flush();
        const bool own = message.role == Role::assistant && !turn.raw.empty();
        request.messages.push_back({message.role, own ? turn.raw : message.text});
      }
    }
    flush();
  }

  const EpisodeSpec& m_spec;
  Clock::time_point m_begin;
  Episode m_episode;
  bool m_over = false;
  int m_without_calls = 0;
  int m_refusals = 0;
  int m_calls_so_far = 0;
  std::size_t m_left_out = 0;                     // results of turns before this one are not shown any more
  std::string m_complaint = "Ask for an action."; // about an answer without calls
};

} // namespace

std::string_view name_of(CallForm form)
{
  switch (form) {
  case CallForm::native:
    return "native";
  case CallForm::text:
    return "text";
  case CallForm::automatic:
    break;
  }
  return "auto";
}

std::optional<CallForm> call_form_named(std::string_view name)
{
  for (const CallForm form : {CallForm::automatic, CallForm::native, CallForm::text}) {
    if (name_of(form) == name) {
      return form;
    }
  }
  return std::nullopt;
}

Result<Episode> run_episode(const EpisodeSpec& spec)
{
  return Conversation(spec).run();
}

} // namespace hone::agent
