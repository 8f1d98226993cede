#include "report/checkpoint_graph.h"

#include "report/format.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace hone::report {

namespace {

constexpr double k_row = 44; // must agree with .rails li in the style sheet
constexpr double k_lane = 22;
constexpr double k_inset = 16;

struct Node {
  const store::Checkpoint* checkpoint = nullptr;
  std::size_t row = 0;
  std::size_t lane = 0;
  const Node* parent = nullptr;
  bool on_path = false;

  double x() const { return k_inset + k_lane * static_cast<double>(lane); }
  double y() const { return k_row * (static_cast<double>(row) + 0.5); }
};

// Which rows of each lane are in use, so that branches do not run over each other.
class Lanes {
public:
  std::size_t free_from(std::size_t row) const
  {
    std::size_t lane = 1;
    for (auto used = m_used.find(lane); used != m_used.end() && used->second > row; used = m_used.find(lane)) {
      ++lane;
    }
    return lane;
  }
  // Nothing came after this row in its lane.
  bool open_after(std::size_t lane, std::size_t row) const
  {
    const auto used = m_used.find(lane);
    return used != m_used.end() && used->second == row;
  }
  void use(std::size_t lane, std::size_t last_row) { m_used[lane] = std::max(m_used[lane], last_row); }

private:
  std::map<std::size_t, std::size_t> m_used; // lane -> last row in use
};

std::vector<Node> lay_out(const ReportInput& input, const ClimbSummary& summary)
{
  std::set<const store::Checkpoint*> path(summary.path.begin(), summary.path.end());
  std::map<std::string, const Node*> by_id;
  Lanes lanes;
  std::vector<Node> nodes;
  nodes.reserve(input.checkpoints.size()); // nodes point to each other
  for (const store::Checkpoint& checkpoint : input.checkpoints) {
    const auto parent = by_id.find(checkpoint.parent);
    Node node{&checkpoint, nodes.size(), 0, parent == by_id.end() ? nullptr : parent->second,
              path.contains(&checkpoint)};
    if (!node.on_path) {
      const bool goes_on =
        node.parent != nullptr && !node.parent->on_path && lanes.open_after(node.parent->lane, node.parent->row);
      const std::size_t from = node.parent != nullptr ? node.parent->row : node.row;
      node.lane = goes_on ? node.parent->lane : lanes.free_from(from);
      lanes.use(node.lane, node.row);
    }
    nodes.push_back(node);
    by_id[checkpoint.id] = &nodes.back();
  }
  return nodes;
}

std::string edge(const Node& node)
{
  if (node.parent == nullptr) {
    return "";
  }
  const Node& from = *node.parent;
  const char* css = node.on_path ? "rail-path" : "rail";
  if (from.lane == node.lane) {
    return fmt::format(R"(<path class="{}" d="M{:.1f} {:.1f}V{:.1f}"/>)", css, node.x(), from.y(), node.y());
  }
  return fmt::format(
    R"(<path class="{0}" d="M{1:.1f} {2:.1f}C{1:.1f} {3:.1f} {4:.1f} {2:.1f} {4:.1f} {5:.1f}V{6:.1f}"/>)", css,
    from.x(), from.y(), from.y() + k_row * 0.7, node.x(), from.y() + k_row * 0.9, node.y());
}

std::string text_row(const ReportInput& input, const ClimbSummary& summary, const Node& node)
{
  const record::Record& record = node.checkpoint->record;
  const record::TimeEstimate* time = deciding_time(record, input.recipe.regime);
  const record::ComparisonResult* comparison = deciding_comparison(record, input.recipe.regime);
  std::string facts;
  if (comparison != nullptr && node.parent != nullptr) {
    facts += fmt::format("<b>{}</b> ", ratio_text(comparison->ratio));
  }
  if (time != nullptr) {
    facts += format_seconds(time->median);
  }
  const char* badge = node.checkpoint == summary.best    ? R"( <span class="pill pill-best">best</span>)"
                      : node.checkpoint == summary.start ? R"( <span class="pill">start</span>)"
                                                         : "";
  return fmt::format(R"(<li{}><span class="g-name">{}{}</span><code>{}</code><span class="g-facts">{}</span></li>)",
                     node.on_path ? R"( class="on")" : "", escape_html(step_name(record)), badge,
                     escape_html(short_id(node.checkpoint->id)), facts);
}

} // namespace

std::string checkpoint_graph(const ReportInput& input, const ClimbSummary& summary)
{
  const auto nodes = lay_out(input, summary);
  std::size_t lanes = 1;
  std::string edges;
  std::string dots;
  std::string rows;
  for (const Node& node : nodes) {
    lanes = std::max(lanes, node.lane + 1);
    edges += edge(node);
    dots += fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}"/>)", node.on_path ? "node-path" : "node",
                        node.x(), node.y(), node.checkpoint == summary.best ? 7 : 5);
    rows += text_row(input, summary, node);
  }
  const double width = 2 * k_inset + k_lane * static_cast<double>(lanes - 1);
  const double height = k_row * static_cast<double>(nodes.size());
  return fmt::format(
    R"(<div class="graph"><svg class="rails-svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" aria-hidden="true">{2}{3}</svg><ol class="rails">{4}</ol></div>)",
    width, height, edges, dots, rows);
}

} // namespace hone::report
