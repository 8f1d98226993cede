#include "lower/window_tile.h"

#include "lower/rowwise_program.h"
#include "lower/vector_text.h"
#include "lower/words.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

constexpr double k_short_range = 8; // loops of so few rounds are written out by the compiler

class WindowTileWriter {
public:
  WindowTileWriter(const WindowCode& code, const PackedWindows* packing, TilePlace place)
    : m_code(code), m_view(code.view), m_packing(packing), m_part(place == TilePlace::edge),
      m_edge(place == TilePlace::edge && packing == nullptr), m_q(code.local("q")), m_v(code.local("v")),
      m_sum(code.local(code.view.op == kernel::ReduceOp::sum   ? "sum"
                       : code.view.op == kernel::ReduceOp::max ? "largest"
                                                               : "smallest")),
      m_first(code.local("first")), m_last(code.local("last"))
  {
    for (const WindowLoad& load : m_view.loads) {
      m_held[load.node] = m_view.loads.size() == 1
                            ? code.local(load.load->name + "_here")
                            : code.local(fmt::format("{}_here_{}", load.load->name, m_held.size()));
    }
  }

  Result<ProgramBlock> write()
  {
    ProgramBlock block = start();
    HONE_TRY(ProgramBlock term, this->term());
    std::size_t next = m_view.ranges.size();
    // From the innermost loop outwards, each with the conditions that need its index.
    for (; next > 0; --next) {
      HONE_TRY(term, guarded(std::move(term), next));
      const kernel::IndexRange& range = m_view.ranges[next - 1];
      const std::string lower = range.lower ? m_code.integer(range.lower) : "0";
      ProgramBlock looped;
      if (range.upper->kind == kernel::ExprKind::number && range.upper->number <= k_short_range) {
        looped.push_back(pragma("GCC unroll 8"));
      }
      looped.push_back(loop(m_code.counter(), m_code.variables.at(range.name), lower, m_code.integer(range.upper), "1",
                            std::move(term)));
      term = std::move(looped);
    }
    HONE_TRY(term, guarded(std::move(term), 0));
    append(block, std::move(term));
    HONE_TRY(ProgramBlock stores, this->stores());
    append(block, std::move(stores));
    return block;
  }

private:
  ProgramBlock each_vector(ProgramBlock body) const
  {
    return {pragma(k_unroll_registers), loop("int", m_v, "0", m_code.local("vectors"), "1", std::move(body))};
  }

  ProgramBlock each_channel(ProgramBlock body) const
  {
    return {pragma("GCC unroll 32"), loop("int", m_q, "0", m_code.local("channels"), "1", std::move(body))};
  }

  std::string collector() const { return fmt::format("{}[{}][{}]", m_sum, m_q, m_v); }
  std::string neutral() const
  {
    return m_view.op == kernel::ReduceOp::sum ? "0" : m_view.op == kernel::ReduceOp::max ? "-INFINITY" : "INFINITY";
  }

  ProgramBlock start() const
  {
    const std::string declared = fmt::format("{} {}[{}][{}]", m_code.vector(), m_sum, m_code.most_channels, "VECTORS");
    if (m_view.op == kernel::ReduceOp::sum) {
      return {statement(declared + " = {};")};
    }
    ProgramBlock out = {statement(declared + ";")};
    append(out, each_channel(each_vector(
                  {statement(fmt::format("{} = hone_broadcast(({}){});", collector(), m_code.number(), neutral()))})));
    return out;
  }

  // The reduction's indices that are known where `depth` loops are open.
  bool is_known(const kernel::Expr& condition, std::size_t depth) const
  {
    for (std::size_t r = depth; r < m_view.ranges.size(); ++r) {
      if (names_index(condition, m_view.ranges[r].name)) {
        return false;
      }
    }
    return true;
  }

  // The conditions that neither a column nor a channel decides, in the outermost place where they can be asked.
  Result<ProgramBlock> guarded(ProgramBlock body, std::size_t depth)
  {
    ExpressionText text = m_code.text();
    std::vector<std::string> asked;
    for (const WindowCondition& condition : m_view.conditions) {
      const bool here = is_known(*condition.text, depth) && (depth == 0 || !is_known(*condition.text, depth - 1));
      const bool answered = m_packing != nullptr && m_packing->covers(condition);
      if (condition.index.empty() && here && !answered) {
        HONE_TRY(std::string one, text.integer_text(*condition.text));
        asked.push_back(condition.text->name == "||" ? "(" + one + ")" : std::move(one));
      }
    }
    return asked.empty() ? std::move(body) : ProgramBlock{guard(join(asked, " && "), std::move(body))};
  }

  // The lanes whose terms count, from m_first to before m_last.
  ProgramBlock lanes_that_count() const
  {
    std::string first = m_code.column;
    std::string last = m_code.columns;
    for (const WindowCondition& condition : m_view.conditions) {
      if (condition.index != m_view.column.name) {
        continue;
      }
      std::string& side = condition.is_lower() ? first : last;
      side =
        fmt::format("hone_{}({}, {})", condition.is_lower() ? "max" : "min", side, m_code.integer(condition.bound()));
    }
    return {m_code.constant(m_first, fmt::format("{} - {}", first, m_code.column)),
            m_code.constant(m_last, fmt::format("{} - {}", last, m_code.column))};
  }

  ExpressionText channel_text() const
  {
    ExpressionText text = m_code.text();
    if (!m_code.channel.empty()) {
      text.indices[m_view.channel.front().name] = m_code.channel + " + " + m_q;
    }
    for (const auto& [node, variable] : m_held) {
      text.indices[node] = variable + "[" + m_v + "]";
    }
    text.indices[k_collected] = collector();
    return text;
  }

  std::string from_lane(const std::string& edge) const
  {
    return fmt::format("{} - {} * {}", edge, m_v, m_code.lanes());
  }

  // Vector m_v of what a load holds for the tile's columns.
  Result<std::string> vector_of(const WindowLoad& load) const
  {
    if (m_packing != nullptr) {
      HONE_TRY(const std::string from, m_packing->address());
      return fmt::format("hone_load({} + {} * {})", from, m_v, m_code.lanes());
    }
    ExpressionText text = channel_text();
    HONE_TRY(const std::string at, text.position(*load.load));
    const std::string stride = load.stride == 1 ? "" : fmt::format(" * {}", load.stride);
    const std::string address = fmt::format("{} + {} + {} * {}{}", load.load->name, at, m_v, m_code.lanes(), stride);
    return m_edge ? fmt::format("hone_load_between({}, {}, {}, {})", address, load.stride, from_lane(m_first),
                                from_lane(m_last))
                  : fmt::format("hone_load_every({}, {})", address, load.stride);
  }

  Result<ProgramBlock> loads(bool by_channel) const
  {
    ProgramBlock block;
    for (const WindowLoad& load : m_view.loads) {
      if (load.by_channel != by_channel) {
        continue;
      }
      const std::string& held = m_held.at(load.node);
      HONE_TRY(const std::string value, vector_of(load));
      block.push_back(statement(fmt::format("{} {}[VECTORS];", m_code.vector(), held)));
      append(block, each_vector({statement(fmt::format("{}[{}] = {};", held, m_v, value))}));
    }
    return block;
  }

  // What one round of the innermost loop does.
  Result<ProgramBlock> term()
  {
    ProgramBlock block;
    if (m_edge) {
      block = lanes_that_count();
    }
    HONE_TRY(ProgramBlock shared, loads(false));
    HONE_TRY(ProgramBlock channel, loads(true));
    append(block, std::move(shared));
    HONE_TRY(ProgramBlock taken, take(channel));
    append(channel, std::move(taken));
    HONE_TRY(channel, if_channel_counts(std::move(channel)));
    append(block, each_channel(std::move(channel)));
    if (!m_edge) {
      return block;
    }
    ProgramBlock inner(std::make_move_iterator(block.begin() + 2), std::make_move_iterator(block.end()));
    block.resize(2);
    block.push_back(guard(m_first + " < " + m_last, std::move(inner)));
    return block;
  }

  Result<ProgramBlock> if_channel_counts(ProgramBlock body) const
  {
    ExpressionText text = channel_text();
    std::vector<std::string> asked;
    for (const WindowCondition& condition : m_view.conditions) {
      if (m_edge && !m_view.channel.empty() && condition.index == m_view.channel.front().name) {
        HONE_TRY(std::string one, text.integer_text(*condition.text));
        asked.push_back(std::move(one));
      }
    }
    return asked.empty() ? std::move(body) : ProgramBlock{guard(join(asked, " && "), std::move(body))};
  }

  VectorText vectors(ExpressionText& text, ProgramBlock& ahead, const std::string& count)
  {
    VectorText out(m_code.kernel, text, m_view.type, count);
    out.fresh = [this](const std::string& wanted) { return fresh(wanted); };
    out.hoist = [this, &ahead](const std::string& value) {
      const std::string name = fresh("fixed");
      ahead.push_back(statement(fmt::format("const {} {} = {};", m_code.number(), name, value)));
      return name;
    };
    return out;
  }

  // The collectors take the term in.
  Result<ProgramBlock> take(ProgramBlock& ahead)
  {
    ExpressionText text = channel_text();
    VectorText vector = vectors(text, ahead, "");
    ProgramBlock block;
    HONE_TRY(std::string body, vector.value(*m_view.body, block));
    if (m_edge) {
      body = fmt::format("hone_keep_between({}, {}, {}, {})", body, from_lane(m_first), from_lane(m_last), neutral());
    }
    const char* larger = m_view.op == kernel::ReduceOp::max ? "max" : "min";
    block.push_back(statement(m_view.op == kernel::ReduceOp::sum
                                ? fmt::format("{} += {};", collector(), body)
                                : fmt::format("{0} = hone_{1}({2}, {0});", collector(), larger, body)));
    return each_vector(std::move(block));
  }

  Result<ProgramBlock> stores()
  {
    const std::string at = m_code.local("at");
    ExpressionText text = channel_text();
    text.indices[k_column] = at;
    ProgramBlock ahead;
    VectorText vector = vectors(text, ahead, m_part ? m_code.columns + " - " + at : "");
    ProgramBlock block = {m_code.constant(at, fmt::format("{} + {} * {}", m_code.column, m_v, m_code.lanes()))};
    HONE_TRY(const std::string value, vector.value(*m_view.epilogue, block));
    std::vector<std::string> subscripts;
    for (const kernel::IndexRange& range : m_view.statement->indices) {
      subscripts.push_back(range.name == m_view.column.name ? at : text.indices.at(range.name));
    }
    HONE_TRY(const std::string position, text.position(m_view.statement->target, subscripts));
    block.push_back(statement(vector.store(m_view.statement->target, position, value)));
    append(ahead, each_vector(std::move(block)));
    return each_channel(std::move(ahead));
  }

  std::string fresh(const std::string& wanted)
  {
    std::string name = m_code.local(wanted);
    for (int number = 2; std::ranges::find(m_names, name) != m_names.end(); ++number) {
      name = m_code.local(fmt::format("{}_{}", wanted, number));
    }
    m_names.push_back(name);
    return name;
  }

  const WindowCode& m_code;
  const WindowView& m_view;
  const PackedWindows* m_packing;
  bool m_part; // lanes beyond the last column are not stored
  bool m_edge; // terms of some lanes do not count
  std::string m_q, m_v, m_sum, m_first, m_last;
  std::map<std::string, std::string> m_held; // of a load's node: the array of its vectors
  std::vector<std::string> m_names;
};

} // namespace

Result<ProgramBlock> window_tile(const WindowCode& code, const PackedWindows* packing, TilePlace place)
{
  return WindowTileWriter(code, packing, place).write();
}

} // namespace hone::lower
