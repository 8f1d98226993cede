// hone knowledge list | show | query | why | check | export | import | merge | forget.
#include "app/knowledge.h"

#include "cli/format.h"
#include "cli/kernel_options.h"
#include "cli/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iostream>

namespace hone::cli {

namespace {

namespace kb = hone::knowledge;

struct KnowledgeOptions {
  std::string verb = "list";
  std::vector<std::string> names;
  std::string kernel;
  std::vector<std::string> sizes;
  kb::Filter filter;
  double older_than_days = 0;
  std::size_t most = 0; // 0: the usual
  bool again = false;
};

std::string speedup(double gain)
{
  return ratio_text(std::exp(gain));
}

std::string gain_range(const kb::Gain& gain)
{
  return fmt::format("{} [{} to {}]", speedup(gain.value), speedup(gain.interval.low), speedup(gain.interval.high));
}

std::string percent(double share)
{
  return fmt::format("{:.0f} %", 100 * share);
}

std::string state_words(const kb::State& state)
{
  const kb::Signature& of = state.signature;
  const std::string bound = of.bottleneck.empty() ? "not profiled" : of.bottleneck;
  return fmt::format("{} {} on {} ({}): {}", of.shape, of.kernel_class,
                     of.device_name.empty() ? of.device : of.device_name, of.types, bound);
}

std::string measured_text(const kb::Evidence& evidence)
{
  return evidence.gain ? fmt::format("{} {}", evidence.comparison, gain_range(*evidence.gain)) : evidence.failure;
}

template <class Kind> Json array_of(const std::vector<Kind>& entries)
{
  Json array = Json::array();
  for (const Kind& entry : entries) {
    array.push_back(kb::to_json(kb::Entry(entry)));
  }
  return array;
}

Result<Exit> list_overview(Context& context, const kb::Base& base)
{
  HONE_TRY(const kb::Counts counts, base.counts());
  context.terminal.out(fmt::format(
    "{}: {} states, {} techniques, {} pieces of evidence ({} of failures), {} updates; site {}", base.file().string(),
    counts.states, counts.techniques, counts.evidence, counts.failures, counts.changes, base.site()));
  context.terminal.out("more: hone knowledge list states, techniques, evidence, failures or updates");
  context.print_json({{"file", base.file().string()},
                      {"site", base.site()},
                      {"states", counts.states},
                      {"techniques", counts.techniques},
                      {"evidence", counts.evidence},
                      {"failures", counts.failures},
                      {"updates", counts.changes}});
  return Exit::ok;
}

Result<Exit> list_states(Context& context, const kb::Base& base, const kb::Filter& filter)
{
  HONE_TRY(const std::vector<kb::State> all, kb::states(base, filter));
  std::vector<std::vector<std::string>> rows{{"state", "what it is", "levels"}};
  for (const kb::State& state : all) {
    rows.push_back({state.id.substr(0, 10), state_words(state), kb::traits_text(state.signature)});
  }
  context.terminal.out(aligned_table(rows));
  context.print_json({{"states", array_of(all)}});
  return Exit::ok;
}

Result<Exit> list_techniques(Context& context, const kb::Base& base, const kb::Filter& filter)
{
  HONE_TRY(const std::vector<kb::Technique> all, kb::techniques(base, filter));
  std::vector<std::vector<std::string>> rows{{"technique", "kind", "description"}};
  for (const kb::Technique& technique : all) {
    rows.push_back({technique.name, std::string(name_of(technique.kind)), technique.description});
  }
  context.terminal.out(aligned_table(rows));
  context.print_json({{"techniques", array_of(all)}});
  return Exit::ok;
}

Result<Exit> list_evidence(Context& context, const kb::Base& base, const kb::Filter& filter)
{
  HONE_TRY(const std::vector<kb::Evidence> all, kb::evidence(base, filter));
  std::vector<std::vector<std::string>> rows{
    {"evidence", "time", "kernel", "state", "technique", "measured", "predicted"}};
  for (const kb::Evidence& one : all) {
    rows.push_back({one.id.substr(0, 10), when_text(one.time_utc), one.kernel, one.state.substr(0, 10), one.technique,
                    measured_text(one), one.predicted ? speedup(one.predicted->value) : "-"});
  }
  context.terminal.out(aligned_table(rows));
  context.print_json({{"evidence", array_of(all)}});
  return Exit::ok;
}

Result<Exit> list_failures(Context& context, const kb::Base& base, const kb::Filter& filter)
{
  HONE_TRY(const std::vector<kb::KnownFailure> all, kb::failures(base, filter));
  std::vector<std::vector<std::string>> rows{{"times", "state", "technique", "kind", "what was said"}};
  Json array = Json::array();
  for (const kb::KnownFailure& one : all) {
    rows.push_back({fmt::format("{}", one.times), one.state.substr(0, 10), one.technique, one.kind, one.detail});
    array.push_back({{"times", one.times},
                     {"state", one.state},
                     {"technique", one.technique},
                     {"kind", one.kind},
                     {"detail", one.detail},
                     {"evidence", one.evidence}});
  }
  context.terminal.out(aligned_table(rows));
  context.print_json({{"failures", std::move(array)}});
  return Exit::ok;
}

void print_changes(const Terminal& terminal, const std::vector<kb::Change>& all)
{
  for (const kb::Change& one : all) {
    const std::string about = one.technique.empty() ? "" : " " + one.technique;
    const std::string where = one.state.empty() ? "everywhere" : "in " + one.state.substr(0, 10);
    terminal.out(fmt::format("{} {} {}{} {}, by {}{}", one.id.substr(0, 10), when_text(one.time_utc), name_of(one.kind),
                             about, where, one.method,
                             one.run.empty() ? "" : fmt::format(", run {} round {}", one.run, one.round)));
    terminal.out("  " + replace_all(one.text, "\n", "\n  "));
  }
}

Result<Exit> list_changes(Context& context, const kb::Base& base, const kb::Filter& filter)
{
  HONE_TRY(const std::vector<kb::Change> all, kb::changes(base, filter));
  print_changes(context.terminal, all);
  context.print_json({{"updates", array_of(all)}});
  return Exit::ok;
}

Result<Exit> list_entries(Context& context, const kb::Base& base, const KnowledgeOptions& options)
{
  const std::string what = options.names.empty() ? "" : options.names.front();
  if (what.empty()) {
    return list_overview(context, base);
  }
  if (what == "states") {
    return list_states(context, base, options.filter);
  }
  if (what == "techniques") {
    return list_techniques(context, base, options.filter);
  }
  if (what == "evidence") {
    return list_evidence(context, base, options.filter);
  }
  if (what == "failures") {
    return list_failures(context, base, options.filter);
  }
  if (what == "updates") {
    return list_changes(context, base, options.filter);
  }
  return fail(fmt::format("there is no list of '{}'", what), "say states, techniques, evidence, failures or updates",
              Place{"hone knowledge list", 0, 0});
}

Result<Exit> show_entry(Context& context, const kb::Base& base, const std::string& id)
{
  HONE_TRY(const std::optional<kb::Entry> entry, base.find(id));
  if (!entry) {
    return fail(fmt::format("there is no entry '{}'", id), "`hone knowledge list states` shows ids",
                Place{"NAME", 0, 0});
  }
  const Json json = kb::to_json(*entry);
  context.terminal.out(json.dump(2));
  if (const auto* evidence = std::get_if<kb::Evidence>(&*entry); evidence != nullptr && !evidence->after.empty()) {
    context.terminal.out(fmt::format("the code that changed: hone diff KERNEL {} {} --state {}",
                                     evidence->before.substr(0, 10), evidence->after.substr(0, 10),
                                     fs::path(evidence->place).parent_path().string()));
  }
  context.print_json(json);
  return Exit::ok;
}

void print_ranking(const Terminal& terminal, const kb::Answer& answer)
{
  std::vector<std::vector<std::string>> rows{{"technique", "expected", "in the end", "fails", "confidence", "used"}};
  for (const kb::Estimate& one : answer.estimates) {
    std::size_t evidence = 0;
    for (const kb::Used& used : one.used) {
      evidence += static_cast<std::size_t>(used.tries);
    }
    rows.push_back({one.technique + (one.deprecated ? " (deprecated)" : ""), gain_range(one.gain),
                    speedup(one.returned), percent(one.failing), fmt::format("{:.2f}", one.confidence),
                    fmt::format("{} pieces of evidence, {} states", evidence, one.used.size())});
  }
  terminal.out(aligned_table(rows));
}

Result<Exit> query(Context& context, const kb::Base& base, const KnowledgeOptions& options)
{
  const KnowledgeQuestion question{options.kernel, options.sizes, options.filter, join(options.names, " "),
                                   options.most == 0 ? 10 : options.most};
  HONE_TRY(const KnowledgeAnswer answer, ask_knowledge(context, base, question));
  if (answer.ranked.estimates.empty() && answer.hits.empty()) {
    context.terminal.out("nothing is known about that");
  } else if (!answer.ranked.estimates.empty()) {
    print_ranking(context.terminal, answer.ranked);
    context.terminal.out(fmt::format("from {} states like the one that was asked about, in {}", answer.ranked.states,
                                     format_seconds(answer.ranked.seconds)));
  }
  for (const kb::Hit& hit : answer.hits) {
    context.terminal.out(
      fmt::format("{} {}: {}", hit.kind, hit.kind == "technique" ? hit.name : hit.name.substr(0, 10), hit.text));
  }
  context.print_json(to_json(answer));
  return Exit::ok;
}

// Why a technique is expected to gain what it is expected to: evidence by state, updates with their texts, failures.
Result<Exit> why(Context& context, const kb::Base& base, KnowledgeOptions options)
{
  if (options.names.empty() && options.filter.run.empty()) {
    return fail("`hone knowledge why` needs a technique, or --run", "hone knowledge why cache-tiling",
                Place{"NAME", 0, 0});
  }
  const Terminal& terminal = context.terminal;
  options.filter.technique = options.names.empty() ? "" : options.names.front();
  Json json = Json::object();
  if (!options.filter.technique.empty()) {
    const KnowledgeQuestion question{options.kernel, options.sizes, options.filter, "", 1};
    HONE_TRY(const KnowledgeAnswer answer, ask_knowledge(context, base, question));
    for (const kb::Estimate& one : answer.ranked.estimates) {
      terminal.out(fmt::format("{}: {} expected, {} in the end, {} fail, confidence {:.2f}{}", one.technique,
                               gain_range(one.gain), speedup(one.returned), percent(one.failing), one.confidence,
                               one.deprecated ? ", deprecated" : ""));
      for (const kb::Used& used : one.used) {
        std::vector<std::string> ids;
        std::ranges::transform(used.evidence, std::back_inserter(ids), [](const auto& id) { return id.substr(0, 10); });
        terminal.out(
          fmt::format("  state {}, {:.0f} % alike: {} on average, tries: {}, failed: {}, weight {:.2f}; evidence {}",
                      used.state.substr(0, 10), 100 * used.similarity, speedup(used.gain), used.tries, used.failures,
                      used.weight, join(ids, ", ")));
      }
    }
    json = to_json(answer);
  }
  HONE_TRY(const std::vector<kb::Change> updates, kb::changes(base, options.filter));
  if (!updates.empty()) {
    terminal.out("updates, the newest first:");
    print_changes(terminal, updates);
  } else {
    terminal.out("no update says anything about it");
  }
  json["updates"] = array_of(updates);
  context.print_json(json);
  return Exit::ok;
}

Result<Exit> check_base(Context& context, const kb::Base& base)
{
  HONE_TRY(const std::vector<std::string> findings, kb::check(base));
  for (const std::string& finding : findings) {
    context.terminal.out(finding);
  }
  if (findings.empty()) {
    context.terminal.out("sound: " + base.file().string());
  }
  context.print_json({{"file", base.file().string()}, {"findings", findings}});
  return findings.empty() ? Exit::ok : Exit::negative;
}

Result<Exit> export_base(Context& context, const kb::Base& base, const KnowledgeOptions& options)
{
  const std::string file = options.names.empty() || options.names.front() == "-" ? "" : options.names.front();
  if (file.empty()) {
    HONE_CHECK(kb::export_lines(base, options.filter, [](std::string_view line) -> Result<void> {
      print_out(line);
      return {};
    }));
    return Exit::ok;
  }
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  const auto cannot = [&] {
    return fail(fmt::format("cannot write {}", file),
                "name a file in a folder that you can write to, with room on its disk");
  };
  if (!out) {
    return cannot();
  }
  HONE_TRY(const std::int64_t count, kb::export_lines(base, options.filter, [&](std::string_view line) -> Result<void> {
             out << line;
             return out ? Result<void>() : cannot();
           }));
  out.close();
  if (!out) {
    return cannot();
  }
  context.terminal.out(fmt::format("wrote {} entries to {}", count, file));
  context.print_json({{"file", file}, {"entries", count}});
  return Exit::ok;
}

Exit told(Context& context, const kb::Brought& brought, const std::string& from)
{
  context.terminal.out(
    fmt::format("{}: {} entries, {} added, {} known already{}", from, brought.read, brought.added, brought.known,
                brought.forgotten > 0
                  ? fmt::format(", {} left out that were forgotten here (--again brings them back)", brought.forgotten)
                  : ""));
  context.print_json({{"from", from},
                      {"entries", brought.read},
                      {"added", brought.added},
                      {"known", brought.known},
                      {"forgotten", brought.forgotten}});
  return Exit::ok;
}

Result<std::string> file_named(const KnowledgeOptions& options)
{
  if (options.names.empty()) {
    return fail(fmt::format("`hone knowledge {}` needs a file", options.verb), "hone knowledge --help shows examples",
                Place{"NAME", 0, 0});
  }
  return options.names.front();
}

Result<Exit> import_file(Context& context, const KnowledgeOptions& options)
{
  HONE_TRY(const std::string file, file_named(options));
  std::ifstream in;
  if (file != "-") {
    in.open(file, std::ios::binary);
    if (!in) {
      return fail(fmt::format("cannot read {}", file),
                  "name a file that `hone knowledge export` wrote, or - for standard input", Place{"NAME", 0, 0});
    }
  }
  HONE_TRY(kb::Base base, open_knowledge(context));
  HONE_TRY(const kb::Brought brought,
           kb::import_lines(base, file == "-" ? std::cin : in, file == "-" ? "standard input" : file, options.again));
  return told(context, brought, file);
}

Result<Exit> merge_file(Context& context, const KnowledgeOptions& options)
{
  HONE_TRY(const std::string file, file_named(options));
  HONE_TRY(const std::optional<kb::Base> other, kb::Base::open_existing(file));
  if (!other) {
    return fail(fmt::format("there is no knowledge base {}", file), "name the file of another base",
                Place{"NAME", 0, 0});
  }
  HONE_TRY(kb::Base base, open_knowledge(context));
  HONE_TRY(const kb::Brought brought, kb::merge(base, *other, options.again));
  return told(context, brought, file);
}

Result<Exit> forget_some(Context& context, kb::Base base, const KnowledgeOptions& options)
{
  auto forgotten = kb::forget(base, options.filter);
  if (!forgotten && options.filter.is_empty()) {
    forgotten.error().place = Place{"hone knowledge forget", 0, 0};
  }
  HONE_TRY(const kb::Forgotten gone, std::move(forgotten));
  context.terminal.out(
    fmt::format("forgot {} pieces of evidence, {} states, {} updates", gone.evidence, gone.states, gone.changes));
  context.print_json({{"evidence", gone.evidence}, {"states", gone.states}, {"updates", gone.changes}});
  return Exit::ok;
}

std::string time_before(double days)
{
  const std::time_t then = std::time(nullptr) - static_cast<std::time_t>(days * 86'400);
  std::tm parts{};
  ::gmtime_r(&then, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

Result<Exit> run_knowledge(Context& context, KnowledgeOptions options)
{
  if (options.most > 0) {
    options.filter.most = options.most;
  }
  if (options.older_than_days > 0) {
    options.filter.before = time_before(options.older_than_days);
  }
  if (options.verb == "import") {
    return import_file(context, options);
  }
  if (options.verb == "merge") {
    return merge_file(context, options);
  }
  HONE_TRY(kb::Base base, existing_knowledge(context));
  if (options.verb == "list") {
    return list_entries(context, base, options);
  }
  if (options.verb == "show") {
    HONE_TRY(const std::string id, options.names.empty()
                                     ? fail("`hone knowledge show` needs an id or a technique",
                                            "`hone knowledge list states` shows ids", Place{"NAME", 0, 0})
                                     : Result<std::string>(options.names.front()));
    return show_entry(context, base, id);
  }
  if (options.verb == "query") {
    return query(context, base, options);
  }
  if (options.verb == "why") {
    return why(context, base, options);
  }
  if (options.verb == "check") {
    return check_base(context, base);
  }
  if (options.verb == "export") {
    return export_base(context, base, options);
  }
  return forget_some(context, std::move(base), options);
}

} // namespace

void add_knowledge(CommandLine& line)
{
  auto options = std::make_shared<KnowledgeOptions>();
  CLI::App* command =
    line.add("knowledge", "What was learned in climbs: look at it, ask it, carry it from site to site",
             {"hone knowledge list", "hone knowledge list evidence --technique cache-tiling",
              "hone knowledge query --kernel matmul", "hone knowledge query strided access",
              "hone knowledge why cache-tiling", "hone knowledge export ours.jsonl", "hone knowledge import ours.jsonl",
              "hone knowledge merge other/knowledge.db", "hone knowledge forget --older-than 365"},
             [options](Context& context) { return run_knowledge(context, *options); });
  command->add_option("VERB", options->verb, "list, show, query, why, check, export, import, merge or forget")
    ->check(CLI::IsMember({"list", "show", "query", "why", "check", "export", "import", "merge", "forget"}));
  command->add_option(
    "NAME", options->names,
    "list: states, techniques, evidence, failures or updates; show: an id or a technique; query: words; "
    "why: a technique; export, import, merge: a file (- for standard input or output)");
  line.add_setting(command, "knowledge", "the base; default: knowledge.db in $XDG_DATA_HOME/hone");
  command->add_option("--kernel", options->kernel, "query, why: what to expect on this kernel, on this device");
  command->add_option("--size", options->sizes, "of the kernel, as in n=1024");
  line.add_setting(command, "backend", "of the kernel: cpu, opencl, hlsl, cuda or hip");
  kb::Filter& filter = options->filter;
  command->add_option("--in-state", filter.state, "only this state: an id or its first digits");
  command->add_option("--technique", filter.technique, "only this technique");
  command->add_option("--of-kernel", filter.kernel, "only evidence of this kernel: its name or hash");
  command->add_option("--class", filter.kernel_class, "only this kind of kernel: contraction, row-reduction, map, ...");
  command->add_option("--on", filter.backend, "only states on this backend");
  command->add_option("--device", filter.device, "only this device: a part of its name, or its fingerprint");
  command->add_option("--types", filter.types, "only kernels of these element types: f32");
  command->add_option("--shape", filter.shape, "only this shape: large square, small long, ...");
  command->add_option("--bottleneck", filter.bottleneck, "only what is bound by this");
  command->add_option("--failure", filter.failure, "only failures of this kind: compile, correctness, ..., any");
  command->add_option("--site", filter.site, "only what was made there");
  command->add_option("--run", filter.run, "only what one run of the policy blaster found");
  command->add_option("--older-than", options->older_than_days, "only what is older than so many days")
    ->check(CLI::PositiveNumber);
  command->add_option("--most", options->most, "so many entries at most");
  command->add_flag("--again", options->again, "import, merge: also what was forgotten here");
}

} // namespace hone::cli
