// What keeps a tile, a vector or a window inside the tensor is left out: masks of loads and stores, minima at the ends
// of blocks, guards around stores, returns of work-items beyond the end, conditions of the expression.
#include "mutation_testing/clipping.h"
#include "mutation_testing/operator.h"
#include "mutation_testing/program_sites.h"

#include <fmt/format.h>

#include <map>
#include <memory>

namespace hone::mutation_testing {

namespace {

Replacement without(const SourceCode& code, const Call& call, std::size_t arguments)
{
  return {code[call.arguments[call.arguments.size() - arguments - 1].last].begin, code[call.close].begin, ""};
}

// What takes a masked access's place, and how many arguments at its end say what is masked; nothing for other calls.
std::vector<Replacement> unmasked(const SourceCode& code, const Call& call)
{
  const CodeToken& name = code[call.name];
  const std::size_t part = name.text.find("_part");
  const bool access = name.text.starts_with("hone_load") || name.text.starts_with("hone_store");
  const std::size_t arguments = call.arguments.size();
  if (access && part != std::string::npos && arguments >= 2) {
    return {{name.begin, name.end, name.text.substr(0, part) + name.text.substr(part + 5)}, without(code, call, 1)};
  }
  if (name.text == "hone_load_between" && arguments == 4) {
    return {{name.begin, name.end, "hone_load_every"}, without(code, call, 2)};
  }
  const bool keep =
    (name.text == "hone_keep" && arguments == 3) || (name.text == "hone_keep_between" && arguments == 4);
  if (keep) { // the brackets stay around what was masked
    return {{name.begin, name.end, ""}, without(code, call, arguments - 1)};
  }
  return {};
}

// All masks of a block at once: one of them alone may be there twice.
void drop_masks(const SourceCode& code, std::vector<TextMutation>& out)
{
  std::map<std::size_t, TextMutation> blocks;
  for (const Call& call : code.calls()) {
    const std::vector<Replacement> replacements = unmasked(code, call);
    if (replacements.empty()) {
      continue;
    }
    TextMutation& block = blocks[code.enclosing_brace(call.name)];
    block.change += (block.change.empty() ? "without masks: " : ", ") + code.words({call.name, call.close + 1});
    block.replacements.insert(block.replacements.end(), replacements.begin(), replacements.end());
  }
  for (auto& [brace, mutation] : blocks) {
    out.push_back(std::move(mutation));
  }
}

// The extent is a bound elsewhere, too: of a tile's choice, or of a mask's sessions (extent - at).
bool is_asked_again(const SourceCode& code, TokenRange extent)
{
  const std::string words = code.words(extent);
  for (std::size_t at = 1; at + extent.size() < code.size(); ++at) {
    const TokenRange here{at, at + extent.size()};
    const bool compared = code.is(at - 1, "<=") || code.is(at - 1, ">=");
    const bool counted = code.is(here.last, "-") && code.is_name(here.last + 1);
    if ((compared || counted) && code.words(here) == words) {
      return true;
    }
  }
  return false;
}

// hone_min(start + TILE, extent) at the end of a block: the extent no longer counts.
void drop_minima(const SourceCode& code, std::vector<TextMutation>& out)
{
  for (const Call& call : code.calls()) {
    const std::string& name = code[call.name].text;
    if ((name != "hone_min" && name != "min") || call.arguments.size() != 2 || call.name < 2) {
      continue;
    }
    const bool declared =
      code.is(call.name - 1, "=") && code.is(call.close + 1, ";") && code[call.name - 2].text.ends_with("end");
    const bool bound = code.is(call.name - 1, "<") && code.is(call.close + 1, ";");
    if ((declared || bound) && !is_asked_again(code, call.arguments[1])) {
      const std::string kept = code.words(call.arguments[0]);
      out.push_back({fmt::format("{} -> {}", code.words({call.name, call.close + 1}), kept),
                     {{code[call.name].begin, code[call.close].end, kept}}});
    }
  }
}

// if (beyond) { return; } never returns; if (i + r < end) { store } always stores.
void drop_guards(const CodeSubject& subject, std::vector<TextMutation>& out)
{
  const SourceCode& code = subject.code;
  for (const Condition& condition : code.conditions()) {
    const TokenRange inside = condition.condition;
    const auto has = [&](std::string_view text) { return code.has(inside, text); };
    const bool leaves = condition.body.size() == 2 && code.is(condition.body.first, "return");
    const bool has_else = code.is(condition.body.last + 1, "else");
    const bool store = (has("+") || subject.work_items) && has("<") && !has("&&") && !has("||") && !has("==")
                       && !has_else && condition.body.size() > 0;
    // Of one element alone every work-item computes the same.
    const bool beyond = leaves && !code.is(inside.last - 1, "1") && (has(">=") || has(">"));
    if (beyond || store) {
      const std::string text = code.words(inside);
      const char* now = beyond ? "0" : "1";
      TextMutation mutation{fmt::format("if ({}) -> if ({})", text, now),
                            {{code[inside.first].begin, code[inside.last - 1].end, now}}};
      // Rows below the edge are kept inside twice: by the guard, and by the row that they name.
      for (const Call& minimum : clamped_indices(code, condition.body)) {
        const std::string kept = code.words(minimum.arguments[0]);
        mutation.change += fmt::format(", {} -> {}", code.words({minimum.name, minimum.close + 1}), kept);
        mutation.replacements.push_back({code[minimum.name].begin, code[minimum.close].end, kept});
      }
      out.push_back(std::move(mutation));
    }
  }
}

std::vector<TextMutation> in_code(const CodeSubject& subject)
{
  std::vector<TextMutation> out;
  drop_masks(subject.code, out);
  drop_minima(subject.code, out);
  drop_guards(subject, out);
  return out;
}

// One side of each && of a condition at a time, and the whole of it.
std::vector<ProgramMutation> in_program(const kernel::Kernel& kernel)
{
  std::vector<ProgramMutation> out;
  visit_sites(kernel.program, [&](const ProgramSite& site) {
    const kernel::Expr& node = *site.node;
    if (site.part == SitePart::condition && node.kind == kernel::ExprKind::binary && node.name == "&&") {
      for (const kernel::ExprPtr& kept : node.args) {
        if (!agree_on_small_sizes(*site.condition, *site.condition_with(kept), site.scope)) {
          out.push_back(
            {fmt::format("{} -> {}", kernel::to_text(node), kernel::to_text(*kept)), site.replaced_by(kept)});
        }
      }
    }
    if (node.kind == kernel::ExprKind::reduce && node.args.size() > 1 && node.args[1]
        && !agree_on_small_sizes(*node.args[1], *kernel::make_number(1, true), site.scope)) {
      auto open = std::make_shared<kernel::Expr>(node);
      open->args.pop_back();
      out.push_back(
        {fmt::format("without: where {}", kernel::to_text(*node.args[1])), site.replaced_by(std::move(open))});
    }
  });
  return out;
}

} // namespace

MutationOperator missing_edge_mask()
{
  return {"missing-edge-mask", "what keeps an edge inside the tensor is left out", in_code, in_program};
}

} // namespace hone::mutation_testing
