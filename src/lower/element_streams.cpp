#include "lower/element_block.h"
#include "lower/element_code.h"

#include <fmt/format.h>

namespace hone::lower {

namespace {

// What one row adds to its vector of sums.
Result<ProgramBlock> one_row(ElementCode& code, const ElementReduction& reduction, const std::string& lanes)
{
  const kernel::Expr& reduce = *reduction.reduce;
  ElementBlock words(code, {code.i, code.j, lanes, {}});
  HONE_TRY(const std::string body, words.value(*reduce.args[0]));
  HONE_TRY(ProgramNode taken, taken_in(reduce.op, reduction.name, body, true, code.compute));
  words.statements.push_back(std::move(taken));
  if (reduce.args.size() == 1) {
    return std::move(words.statements);
  }
  HONE_TRY(const std::string condition, code.condition(*reduce.args[1], code.i));
  return ProgramBlock{guard(condition, std::move(words.statements))};
}

} // namespace

Result<RowSums> sums_of_rows(ElementCode& code, const ElementReduction& reduction, const kernel::Expr& rest,
                             const RowStream& stream)
{
  const kernel::Expr& reduce = *reduction.reduce;
  const std::string& j = code.j;
  const std::string sums = stream.sums.empty() ? code.fresh("sums") : stream.sums, full = code.fresh("full");
  const std::string place =
    stream.begin == "0" ? fmt::format("&{}[{}]", sums, j) : fmt::format("&{}[{} - {}]", sums, j, stream.begin);
  RowSums out;
  if (stream.sums.empty()) {
    out.before = {statement(fmt::format("{0}* const {1} = ({0}*)group->shared;", code.number(), sums))};
  }
  append(out.before, {statement(fmt::format("const {0} {1} = {2} + ({3} - {2}) / {4} * {4};", code.counter(), full,
                                            stream.begin, stream.end, code.lanes())),
                      loop(code.counter(), j, stream.begin, stream.end, code.lanes(),
                           {statement(fmt::format("hone_store({}, hone_broadcast({}));", place,
                                                  neutral_of(reduce.op, code.compute)))})});

  const std::string& p = code.variables.at(reduce.ranges.back().name);
  const std::string first = code.fresh(p + "_first");
  const auto columns = [&](const auto& body) -> Result<ProgramBlock> {
    HONE_TRY(ProgramBlock whole, body(""));
    HONE_TRY(ProgramBlock part, body(fmt::format("{} - {}", stream.end, j)));
    return ProgramBlock{loop(code.counter(), j, stream.begin, full, code.lanes(), std::move(whole)),
                        loop(code.counter(), j, full, stream.end, code.lanes(), std::move(part))};
  };
  const auto rows = [&](const std::string& count) {
    return columns([&](const std::string& lanes) -> Result<ProgramBlock> {
      HONE_TRY(ProgramBlock term, one_row(code, reduction, lanes));
      term.insert(term.begin(), statement(fmt::format("const {} {} = {}{};", code.counter(), p, first,
                                                      count.empty() ? "" : " + " + stream.row)));
      ProgramBlock step = {statement(fmt::format("{} {} = hone_load({});", code.vector(), reduction.name, place))};
      append(step, unrolled(stream.row, count, std::move(term)));
      step.push_back(statement(fmt::format("hone_store({}, {});", place, reduction.name)));
      return step;
    });
  };
  HONE_TRY(ProgramBlock several, rows(code.options.rows));
  HONE_TRY(ProgramBlock single, rows(""));
  HONE_TRY(TermRange terms, term_range(code, reduce.ranges.back(), {}));
  if (!stream.rows_begin.empty()) {
    terms.begin = stream.rows_begin;
    terms.end = stream.rows_end;
  }
  ProgramBlock walk = terms.before;
  walk.push_back(statement(fmt::format("{} {} = {};", code.counter(), first, terms.begin)));
  walk.push_back(braced(fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", first, code.options.rows, terms.end),
                        std::move(several)));
  walk.push_back(braced(fmt::format("for (; {0} < {1}; ++{0})", first, terms.end), std::move(single)));
  for (std::size_t r = reduce.ranges.size() - 1; r-- > 0;) {
    HONE_TRY(const TermRange outer, term_range(code, reduce.ranges[r], {}));
    ProgramBlock around = outer.before;
    around.push_back(
      loop(code.counter(), code.variables.at(reduce.ranges[r].name), outer.begin, outer.end, "1", std::move(walk)));
    walk = std::move(around);
  }
  out.rows = std::move(walk);

  HONE_TRY(out.behind, columns([&](const std::string& lanes) -> Result<ProgramBlock> {
             const std::map<std::string, std::string> nodes{{reduction.node, reduction.name}};
             ElementBlock words(code, {code.i, j, lanes, nodes});
             HONE_TRY(const std::string text, words.value(rest));
             HONE_TRY(const std::string store, words.store(text));
             ProgramBlock step = {
               statement(fmt::format("const {} {} = hone_load({});", code.vector(), reduction.name, place))};
             append(step, std::move(words.statements));
             step.push_back(statement(store));
             return step;
           }));
  return out;
}

} // namespace hone::lower
