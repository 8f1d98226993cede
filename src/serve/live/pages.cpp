#include "serve/live/pages.h"

#include "agent/transcript.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::serve {

namespace {

using report::escape_html;

constexpr std::size_t k_most_turns = 200;  // of an episode, the last ones
constexpr std::size_t k_most_result = 400; // characters of what an action came to

constexpr std::string_view k_style = R"css(
.live { display: flex; gap: 14px; align-items: center; justify-content: space-between; flex-wrap: wrap;
  max-width: 1120px; margin: 0 auto; padding: 12px 24px; font-size: .9rem; color: var(--muted); }
.live a { font-weight: 600; }
.live-state::before { content: ""; display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin-right: 8px;
  background: var(--faint); }
.is-running .live-state::before, .live-state.is-running::before { background: var(--good); animation: pulse 1.6s infinite; }
@keyframes pulse { 50% { opacity: .35; } }
@media (prefers-reduced-motion: reduce) { .is-running .live-state::before, .live-state.is-running::before { animation: none; } }
.lost { color: var(--bad); }
.runs td a { font-weight: 620; overflow-wrap: anywhere; }
.empty { padding: 40px 0; }
.turn { border-top: 1px solid var(--edge); padding: 10px 0; font-size: .92rem; }
.turn b { font-family: var(--mono); font-size: .86em; }
.turn p { color: var(--muted); white-space: pre-wrap; overflow-wrap: anywhere; margin-top: 3px; }
.turn.bad b { color: var(--bad); }
)css";

std::string page(std::string_view title, std::string_view body)
{
  return fmt::format(R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{}</title><style>{}{}</style><script src="/live.js" defer></script></head>
<body>{}</body></html>
)",
                     escape_html(title), report::style_sheet(), k_style, body);
}

std::string bar(std::string_view left, std::string_view right)
{
  return fmt::format(R"(<nav class="live">{}{}</nav>)", left, right);
}

std::string state_of(const std::string& holder)
{
  return holder.empty()
           ? std::string(R"(<span class="live-state">not running</span>)")
           : fmt::format(R"(<span class="live-state is-running">running, process {}</span>)", escape_html(holder));
}

std::string ago(std::int64_t seconds)
{
  if (seconds < 60) {
    return fmt::format("{} s ago", std::max<std::int64_t>(seconds, 0));
  }
  if (seconds < 3600) {
    return fmt::format("{} min ago", seconds / 60);
  }
  return seconds < 48 * 3600 ? fmt::format("{} h ago", seconds / 3600) : fmt::format("{} days ago", seconds / 86400);
}

std::string row(const LiveRun& run, const RunLine& line, std::int64_t now)
{
  const std::string result = !line.note.empty()  ? escape_html(line.note)
                             : line.gain.empty() ? "nothing judged yet"
                                                 : escape_html(line.gain);
  return fmt::format(
    R"(<tr><td><a href="/run/{}">{}</a></td><td>{}</td><td>{}</td><td class="num">{}</td><td class="num">{}</td><td class="num">{}</td><td class="num">{}</td></tr>)",
    escape_html(run.id), escape_html(run.kernel), escape_html(run.backend), state_of(line.holder), result, line.tried,
    line.failed, ago(now - line.changed));
}

std::string pages_of(const ListPage& list)
{
  if (list.all <= list.on_a_page) {
    return {};
  }
  std::string links = R"(<p class="lead">)";
  for (std::size_t first = 0; first < list.all; first += list.on_a_page) {
    const std::size_t last = std::min(first + list.on_a_page, list.all);
    links += first == list.first ? fmt::format("{} to {} ", first + 1, last)
                                 : fmt::format(R"(<a href="/?first={}">{} to {}</a> )", first, first + 1, last);
  }
  return links + "</p>";
}

std::string stat(std::string_view name, std::string_view value, std::string_view note)
{
  return fmt::format(R"(<div class="stat"><dt>{}</dt><dd>{}</dd><p>{}</p></div>)", name, escape_html(value),
                     escape_html(note));
}

std::string cost(const RunView& view)
{
  double device_s = 0;
  if (view.report) {
    for (const auto& [phase, seconds] : view.report->spent) {
      device_s += seconds;
    }
  }
  const llm::ModelSpending& model = view.spending;
  std::string html = R"(<section id="cost"><h2>Cost</h2><dl class="stats">)";
  html += stat("Building, checking, measuring", fmt::format("{:.0f} s", device_s), "all runs of this workflow");
  if (model.asked > 0) {
    html += stat("Answers of models", std::to_string(model.asked), fmt::format("{:.0f} s of waiting", model.seconds));
    html += stat("Tokens", std::to_string(model.usage.prompt_tokens + model.usage.answer_tokens),
                 fmt::format("{} of prompts, {} of answers{}", model.usage.prompt_tokens, model.usage.answer_tokens,
                             model.usage.estimated ? ", estimated" : ""));
    html += stat("Price", model.usd_known ? fmt::format("{:.2f} USD", model.usd) : "not known",
                 model.usd_known ? "" : "prices.toml has no price of it");
  }
  return html + "</dl></section>";
}

std::string shortened(const std::string& text)
{
  return text.size() <= k_most_result ? text : text.substr(0, k_most_result) + " ...";
}

std::string turn_html(const agent::Turn& turn)
{
  std::string html;
  if (turn.message.role == llm::ModelMessage::Role::assistant) {
    if (!turn.message.text.empty()) {
      html += fmt::format(R"(<div class="turn"><p>{}</p></div>)", escape_html(shortened(turn.message.text)));
    }
    for (const llm::ToolCall& call : turn.message.calls) {
      html += fmt::format(R"(<div class="turn"><b>{}</b> <code>{}</code></div>)", escape_html(call.name),
                          escape_html(shortened(call.arguments)));
    }
  } else if (turn.message.role == llm::ModelMessage::Role::tool) {
    html += fmt::format(R"(<div class="turn{}"><p>{}</p></div>)", turn.failed ? " bad" : "",
                        escape_html(shortened(turn.message.text)));
  }
  return html;
}

std::string episodes_html(const std::vector<app::KeptEpisode>& episodes)
{
  if (episodes.empty()) {
    return {};
  }
  std::string html =
    R"(<section id="episodes"><h2>Episodes</h2><p class="lead">What a model did as the policy agent: its
words, the actions that it asked for, and what they came to.</p>)";
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    const agent::Transcript& transcript = episodes[i].transcript;
    const agent::Episode& episode = transcript.episode;
    html += fmt::format(
      R"(<details class="change"{}><summary><b>{}</b> <span class="muted">{}</span><span class="spread">{} calls, {} tokens</span></summary><div class="evidence">)",
      i + 1 == episodes.size() ? " open" : "", escape_html(episode.model),
      transcript.ended ? escape_html(agent::name_of(episode.end)) : "goes on, or was interrupted", episode.spent.calls,
      episode.spent.prompt_tokens + episode.spent.answer_tokens);
    const std::size_t turns = episode.turns.size();
    const std::size_t first = turns > k_most_turns ? turns - k_most_turns : 0;
    if (first > 0) {
      html += fmt::format(R"(<p class="muted">{} earlier turns are left out: hone episodes shows all</p>)", first);
    }
    for (std::size_t turn = first; turn < turns; ++turn) {
      html += turn_html(episode.turns[turn]);
    }
    html += "</div></details>";
  }
  return html + "</section>";
}

} // namespace

std::string list_page(const ListPage& list)
{
  std::string body = bar("<b>Hone</b>", fmt::format("<span>{} run{}</span>", list.all, list.all == 1 ? "" : "s"));
  body +=
    R"(<main><section><h2>Runs</h2><p class="lead">Workflows below the folders of this server, the last written first. Gain: of the best over the start.</p>)";
  if (list.runs.empty()) {
    body += R"(<div class="card empty">There is no run yet. Start one: <code>hone optimize KERNEL</code></div>)";
  } else {
    body +=
      R"(<div class="card scroll"><table class="runs"><thead><tr><th>kernel</th><th>backend</th><th>state</th><th class="num">gain</th><th class="num">tried</th><th class="num">refused</th><th class="num">written</th></tr></thead><tbody>)";
    for (const auto& [run, line] : list.runs) {
      body += row(run, line, list.now);
    }
    body += "</tbody></table></div>" + pages_of(list);
  }
  return page("Runs of Hone", body + "</section></main>");
}

std::string run_page(const LiveRun& run, const std::string& holder, const RunView& view)
{
  std::string body = bar(R"(<a href="/">all runs</a>)", state_of(holder));
  if (view.report) {
    std::string content = report::report_content(*view.report);
    const std::size_t end = content.rfind("</main>");
    content.insert(end, cost(view) + episodes_html(view.episodes));
    body += content;
  } else {
    body += fmt::format(
      R"(<main><section><h2>{}</h2><p class="lead">Nothing is judged yet: the start of the climb is being measured, or was never.</p></section>{}{}</main>)",
      escape_html(run.kernel), cost(view), episodes_html(view.episodes));
  }
  return page(fmt::format("{} on {}", run.kernel, run.backend), body);
}

std::string message_page(std::string_view title, std::string_view text)
{
  return page(title, bar(R"(<a href="/">all runs</a>)", "")
                       + fmt::format(R"(<main><section><h2>{}</h2><p class="lead">{}</p></section></main>)",
                                     escape_html(title), escape_html(text)));
}

std::string_view live_script()
{
  return R"js('use strict';
// Every two seconds: has the page changed? Then its body is replaced; what was unfolded or chosen stays so.
let tag = null;
const period = 2000;
const key = (element, i) => (element.id || element.className) + '/' + i;
function stateOf(root) {
  const state = {};
  root.querySelectorAll('details').forEach((d, i) => { state['d' + key(d, i)] = d.open; });
  root.querySelectorAll('input[type=radio]').forEach((r, i) => { state['r' + key(r, i)] = r.checked; });
  return state;
}
function restore(root, state) {
  root.querySelectorAll('details').forEach((d, i) => { const s = state['d' + key(d, i)]; if (s !== undefined) d.open = s; });
  root.querySelectorAll('input[type=radio]').forEach((r, i) => { const s = state['r' + key(r, i)]; if (s) r.checked = s; });
}
async function look() {
  try {
    const answer = await fetch(location.href, { cache: 'no-store', headers: tag ? { 'If-None-Match': tag } : {} });
    document.body.classList.remove('lost');
    if (answer.status === 200) {
      const changed = tag !== null;
      tag = answer.headers.get('ETag');
      const text = await answer.text();
      if (changed) {
        const next = new DOMParser().parseFromString(text, 'text/html');
        const state = stateOf(document), focused = document.activeElement && document.activeElement.id;
        document.body.replaceChildren(...next.body.childNodes);
        document.title = next.title;
        restore(document, state);
        if (focused) { const again = document.getElementById(focused); if (again) again.focus({ preventScroll: true }); }
        document.body.dataset.updates = String(1 + Number(document.body.dataset.updates || 0));
      }
    } else if (answer.status !== 304) {
      throw new Error(answer.status);
    }
  } catch (error) {
    document.body.classList.add('lost');
    const state = document.querySelector('.live > :last-child');
    if (state) state.textContent = 'the server does not answer any more';
  }
  setTimeout(look, document.hidden ? 5 * period : period);
}
look();
)js";
}

} // namespace hone::serve
