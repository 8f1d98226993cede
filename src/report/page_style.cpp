#include "report/page_style.h"

#include "report/format.h"
#include "report/parts.h"

#include <fmt/format.h>

namespace hone::report {

namespace {

constexpr std::string_view k_policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

constexpr std::string_view k_style = R"css(
:root {
  color-scheme: light dark;
  --ground: #f6f5f3; --surface: #ffffff; --sunken: #f3f2ef; --ink: #191b20; --muted: #626873; --faint: #8b909a;
  --edge: #e5e3de; --accent: #cf4a0c; --accent-soft: #fdeee4; --blue: #2563c9; --violet: #7446d8;
  --good: #16794a; --good-soft: #e3f4ea; --bad: #b42e27; --bad-soft: #fdeae8; --warn: #8a5a00; --warn-soft: #fbf0d6;
  --shadow: 0 1px 2px rgba(25, 27, 32, .05), 0 6px 22px rgba(25, 27, 32, .05);
  --mono: ui-monospace, "SF Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101216; --surface: #181b21; --sunken: #13161b; --ink: #eceef2; --muted: #a0a7b4; --faint: #7b8290;
    --edge: #2a2e37; --accent: #ff8a4c; --accent-soft: #34211a; --blue: #6ea8ff; --violet: #b192ff;
    --good: #5fd199; --good-soft: #15301f; --bad: #ff8f86; --bad-soft: #3a1d1b; --warn: #eebd5a; --warn-soft: #352a12;
    --shadow: none;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body {
  margin: 0; background: var(--ground); color: var(--ink); line-height: 1.55; font-size: 16px;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word;
}
main, .masthead > div, footer { max-width: 1120px; margin: 0 auto; padding: 0 24px; }
code, pre { font-family: var(--mono); font-size: .86em; }
h1, h2, h3 { line-height: 1.2; letter-spacing: -.015em; margin: 0; }
h2 { font-size: 1.4rem; }
p { margin: 0; }
a { color: inherit; }
.muted { color: var(--muted); }
.lead { color: var(--muted); max-width: 68ch; margin-top: 6px; }

.masthead { background: var(--surface); border-bottom: 1px solid var(--edge); padding: 26px 0 34px; }
.brand { display: flex; align-items: center; gap: 9px; font-weight: 650; font-size: .92rem; color: var(--muted); }
.brand svg { width: 20px; height: 20px; }
.brand-mark { fill: var(--accent); }
h1 { font-size: clamp(1.9rem, 5vw, 2.7rem); margin-top: 26px; overflow-wrap: anywhere; }
.summary { color: var(--muted); font-size: 1.06rem; margin-top: 6px; }
.expression {
  display: block; margin-top: 16px; padding: 11px 15px; background: var(--sunken); border: 1px solid var(--edge);
  border-radius: 10px; overflow-x: auto; white-space: pre; font-size: .92rem; width: fit-content; max-width: 100%;
}
.chips { display: flex; flex-wrap: wrap; gap: 8px; margin: 16px 0 0; padding: 0; list-style: none; font-size: .84rem; }
.chips li { border: 1px solid var(--edge); border-radius: 99px; padding: 3px 12px; }
.chips span { color: var(--muted); margin-right: 5px; }

section { margin-top: 52px; }
.card {
  background: var(--surface); border: 1px solid var(--edge); border-radius: 16px; box-shadow: var(--shadow);
  margin-top: 18px; padding: 22px;
}
.hero { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 7fr); gap: 44px; align-items: center;
  padding: 34px; margin-top: 34px; }
.hero-number { font-size: clamp(3.6rem, 11vw, 6rem); font-weight: 750; letter-spacing: -.045em; line-height: 1;
  color: var(--accent); }
.hero-words { font-size: 1.16rem; font-weight: 600; margin-top: 10px; }
.hero-note { color: var(--muted); font-size: .89rem; margin-top: 6px; }
.bars { display: grid; gap: 13px; }
.bar-head { display: flex; justify-content: space-between; gap: 12px; font-size: .9rem; margin-bottom: 5px; }
.bar-head b { font-weight: 650; white-space: nowrap; }
.bar { height: 12px; border-radius: 6px; background: var(--sunken); overflow: hidden; display: block; width: 100%; }
.bar rect { fill: var(--faint); }
.bar-ours rect { fill: var(--accent); } .bar-library rect { fill: var(--blue); } .bar-ceiling rect { fill: var(--violet); }
.stats { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 16px; margin-top: 16px; }
.stat { background: var(--surface); border: 1px solid var(--edge); border-radius: 14px; padding: 16px 18px;
  box-shadow: var(--shadow); }
.stat dt { color: var(--muted); font-size: .84rem; }
.stat dd { margin: 3px 0 0; font-size: 1.5rem; font-weight: 680; letter-spacing: -.02em; }
.stat p { color: var(--muted); font-size: .8rem; }

.chart { display: block; width: 100%; height: auto; font-size: 11.5px; overflow: visible; }
.chart-narrow { display: none; }
.grid { stroke: var(--edge); stroke-width: 1; }
.tick, .axis { fill: var(--muted); font-size: 11px; }
.axis { fill: var(--faint); }
.ceiling { stroke: var(--violet); stroke-width: 1.5; stroke-dasharray: 6 4; }
.library { stroke: var(--blue); stroke-width: 1.5; stroke-dasharray: 2 3; }
.ceiling-label { fill: var(--violet); font-weight: 600; } .library-label { fill: var(--blue); font-weight: 600; }
.climb { fill: none; stroke: var(--accent); stroke-width: 2.5; stroke-linejoin: round; }
.ground { fill: var(--accent); opacity: .07; }
.label { fill: var(--ink); font-weight: 550; paint-order: stroke; stroke: var(--surface); stroke-width: 3px; stroke-linejoin: round; }
.p-path { fill: var(--accent); stroke: var(--surface); stroke-width: 1.5; }
.p-branch { fill: var(--surface); stroke: var(--accent); stroke-width: 1.8; }
.p-again { fill: var(--surface); stroke: var(--good); stroke-width: 1.8; }
.p-over { fill: var(--faint); opacity: .75; }
.p-failed { stroke: var(--bad); stroke-width: 1.8; fill: none; }
.p-untimed { stroke: var(--faint); stroke-width: 1.8; fill: none; }
.whisker { stroke-width: 1.6; fill: none; }
.p-path.whisker { stroke: var(--accent); } .p-over.whisker { stroke: var(--faint); }
.hit { outline: none; cursor: default; } .hit > circle { fill: transparent; }
.hit:focus-visible > circle { stroke: var(--ink); stroke-width: 1.5; }
.tip { opacity: 0; pointer-events: none; transition: opacity .12s; }
.hit:hover .tip, .hit:focus .tip { opacity: 1; }
.tip rect { fill: var(--ink); } .tip text { fill: var(--ground); font-size: 11.5px; } .tip .tip-name { font-weight: 700; }
.legend { display: flex; flex-wrap: wrap; gap: 6px 20px; margin: 14px 0 0; padding: 0; list-style: none;
  font-size: .84rem; color: var(--muted); }
.legend svg { width: 18px; height: 12px; margin-right: 7px; vertical-align: -1px; overflow: visible; }

.pill { display: inline-block; border-radius: 99px; padding: 1px 9px; font-size: .74rem; font-weight: 650;
  background: var(--sunken); color: var(--muted); white-space: nowrap; letter-spacing: .01em; }
.pill-correct, .pill-FAST { background: var(--good-soft); color: var(--good); }
.pill-SLOW, .pill-compile, .pill-runtime, .pill-timeout, .pill-correctness, .pill-rejected, .pill-constraints {
  background: var(--bad-soft); color: var(--bad); }
.pill-AMBG { background: var(--warn-soft); color: var(--warn); }
.pill-best { background: var(--accent-soft); color: var(--accent); }

.graph { display: flex; }
.rails-svg { flex: none; display: block; }
.rail { fill: none; stroke: var(--faint); stroke-width: 2; opacity: .6; }
.rail-path { fill: none; stroke: var(--accent); stroke-width: 2.5; }
.node { fill: var(--surface); stroke: var(--faint); stroke-width: 2; } .node-path { fill: var(--accent); }
.rails { list-style: none; margin: 0; padding: 0; flex: 1; min-width: 0; }
.rails li { height: 44px; display: flex; align-items: center; gap: 14px; color: var(--muted); }
.rails li + li { border-top: 1px solid var(--edge); }
.rails .on { color: var(--ink); } .rails .on .g-name { font-weight: 620; }
.g-name { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.rails code { color: var(--faint); } .g-facts { text-align: right; white-space: nowrap; min-width: 130px; font-size: .92rem; }

.tabs { margin-top: 18px; }
.tabs > input { position: absolute; opacity: 0; pointer-events: none; }
.tabs > label { display: inline-block; padding: 6px 14px; margin: 0 4px 10px 0; border-radius: 99px; font-size: .86rem;
  border: 1px solid var(--edge); background: var(--surface); color: var(--muted); cursor: pointer; }
.tabs > input:checked + label { background: var(--ink); border-color: var(--ink); color: var(--ground); }
.tabs > input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
#show-path:checked ~ .steps > .step:not(.is-path), #show-rest:checked ~ .steps > .step:not(.is-rest),
#show-failed:checked ~ .steps > .step:not(.is-failed) { display: none; }
.steps { background: var(--surface); border: 1px solid var(--edge); border-radius: 16px; box-shadow: var(--shadow); overflow: hidden; }
.step-row { display: grid; align-items: center; gap: 4px 14px; padding: 11px 20px;
  grid-template-columns: 30px minmax(0, 1fr) 98px 58px 190px 84px 84px 62px 14px; }
.steps-head { font-size: .78rem; color: var(--muted); border-bottom: 1px solid var(--edge); background: var(--sunken); }
.step + .step { border-top: 1px solid var(--edge); }
.step > summary { cursor: pointer; list-style: none; }
.step > summary::-webkit-details-marker { display: none; }
.step > summary:hover { background: var(--sunken); }
.step > summary:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.c-number { color: var(--faint); } .c-name { font-weight: 600; overflow-wrap: anywhere; }
.c-name small { display: block; color: var(--muted); font-weight: 400; font-size: .78rem; }
.c-ratio small { color: var(--muted); margin-left: 5px; white-space: nowrap; }
.c-right { text-align: right; } .c-open::before { content: "\203A"; color: var(--faint); display: block; font-size: 1.2rem; line-height: 1; }
.step[open] .c-open::before { transform: rotate(90deg); }
.is-rest .c-name, .is-failed .c-name { font-weight: 500; color: var(--muted); }
.only-narrow { display: none; }
.evidence { padding: 6px 20px 24px 64px; display: grid; gap: 18px; font-size: .92rem; }
.evidence h3 { font-size: .8rem; color: var(--muted); letter-spacing: .02em; margin-bottom: 6px; font-weight: 650; }
.reason { border-left: 3px solid var(--bad); background: var(--bad-soft); padding: 9px 14px; border-radius: 0 8px 8px 0; }
.reason.calm { border-color: var(--faint); background: var(--sunken); }
.checks { list-style: none; margin: 0; padding: 0; display: grid; gap: 3px 22px; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); }
.checks li { padding-left: 22px; position: relative; } .checks small { display: block; color: var(--muted); }
.checks li::before { position: absolute; left: 0; content: "\2713"; color: var(--good); font-weight: 700; }
.checks .bad::before { content: "\2717"; color: var(--bad); } .checks .bad { color: var(--bad); }
.checks .bad small { color: var(--bad); }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { text-align: left; font-weight: 600; font-size: .8rem; color: var(--muted); }
th, td { padding: 8px 18px 8px 0; border-bottom: 1px solid var(--edge); vertical-align: top; }
tr:last-child > td, tr:last-child > th { border-bottom: 0; }
td:last-child, th:last-child { padding-right: 0; }
.num { text-align: right; white-space: nowrap; }
.facts th { width: 34%; font-weight: 500; color: var(--muted); font-size: .9rem; }
.facts td { overflow-wrap: anywhere; }
pre { margin: 0; background: var(--sunken); border: 1px solid var(--edge); border-radius: 10px; padding: 13px 16px; overflow-x: auto; line-height: 1.5; tab-size: 4; }
.log { max-height: 360px; overflow: auto; }

.change { background: var(--surface); border: 1px solid var(--edge); border-radius: 12px; margin-top: 10px; overflow: hidden; }
.change > summary { cursor: pointer; padding: 12px 18px; display: flex; gap: 14px; align-items: baseline; flex-wrap: wrap; }
.change > summary::before { content: "\203A"; color: var(--faint); font-size: 1.2rem; line-height: 1; }
.change[open] > summary::before { transform: rotate(90deg); }
.change > summary b { font-weight: 620; } .change > summary:hover { background: var(--sunken); }
.change .spread { margin-left: auto; display: flex; gap: 10px; font-family: var(--mono); font-size: .82rem; }
.plus { color: var(--good); } .minus { color: var(--bad); }
.diff { border: 0; border-top: 1px solid var(--edge); border-radius: 0; padding: 8px 0; background: var(--surface); max-height: 620px; overflow: auto; }
.diff code { display: block; width: max-content; min-width: 100%; font-size: .82rem; }
.diff span { display: block; padding: 0 18px; white-space: pre; min-height: 1.5em; }
.d-add { background: var(--good-soft); color: var(--good); } .d-del { background: var(--bad-soft); color: var(--bad); }
.d-hunk { color: var(--violet); } .d-file { color: var(--muted); font-weight: 700; background: var(--sunken); }

.two { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 18px; align-items: start; }
.spent { width: 100%; height: 16px; display: block; border-radius: 8px; margin-bottom: 14px; }
.s0 { fill: var(--accent); background: var(--accent); } .s1 { fill: var(--blue); background: var(--blue); }
.s2 { fill: var(--violet); background: var(--violet); } .s3 { fill: var(--good); background: var(--good); }
.s4 { fill: var(--warn); background: var(--warn); } .s5 { fill: var(--faint); background: var(--faint); }
.dot { display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin-right: 7px; }
.words { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 14px 40px; margin: 0; }
.words dt { font-weight: 650; } .words dd { margin: 2px 0 0; color: var(--muted); font-size: .93rem; }
.command { font-size: .95rem; margin-top: 12px; }
.command i { color: var(--faint); font-style: normal; user-select: none; }
footer { margin-top: 64px; padding-top: 18px; padding-bottom: 44px; color: var(--faint); font-size: .84rem; }

@media (max-width: 940px) {
  .step-row { grid-template-columns: 26px minmax(0, 1fr) auto auto; }
  .steps-head { display: none; }
  .c-number { grid-row: 1; } .c-name { grid-row: 1; }
  .c-ratio { grid-column: 2 / -1; } .c-time, .c-spent { display: none; }
  .only-narrow { display: inline; } .c-open { display: none; }
  .evidence { padding: 4px 20px 22px; }
}
@media (max-width: 720px) {
  body { font-size: 15.5px; }
  main, .masthead > div, footer { padding-left: 16px; padding-right: 16px; }
  section { margin-top: 42px; }
  .hero { grid-template-columns: minmax(0, 1fr); gap: 26px; padding: 24px 18px; margin-top: 22px; }
  .stats, .two, .words { grid-template-columns: minmax(0, 1fr); }
  .stats { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px; } .stat { padding: 12px 14px; }
  .stat dd { font-size: 1.12rem; }
  .card { padding: 16px; border-radius: 14px; }
  .chart-card { padding: 14px 8px; }
  .chart-wide { display: none; } .chart-narrow { display: block; max-width: 520px; margin: 0 auto; }
  .chart-card .legend { padding: 0 8px; }
  .graph-card { padding: 8px 14px 8px 2px; } .rails code { display: none; } .g-facts { min-width: 0; }
  .step-row { padding: 11px 14px; } .evidence { padding: 4px 14px 20px; }
  .change > summary { padding: 11px 14px; } .change .spread { margin-left: 0; }
  .checks { grid-template-columns: minmax(0, 1fr); }
}
@media print { .card, .stat, .steps { box-shadow: none; } .tabs > label { display: none; } }
)css";

} // namespace

std::string_view style_sheet()
{
  return k_style;
}

std::string page_head(std::string_view title)
{
  return fmt::format(
    R"(<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta http-equiv="Content-Security-Policy" content="{}"><title>{}</title><style>{}</style></head>)",
    k_policy, escape_html(title), k_style);
}

} // namespace hone::report
