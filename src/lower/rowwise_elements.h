// What a pass does at one column (or at one vector of them), without the loops around it. (internal to the room)
#pragma once

#include "lower/lanes.h"
#include "lower/rowwise_code.h"
#include "lower/vector_text.h"

#include <memory>

namespace hone::lower {

class RowElements {
public:
  // `at` is the column (of a vector, the first one), `count` the number of columns left.
  RowElements(RowCode& code, std::size_t level, Lanes lanes, const std::string& at, const std::string& count,
              ProgramBlock& ahead);

  // All tasks. `part` spells the variable that a vector reduction collects in: "sum" -> "sum_parts[v]".
  Result<ProgramBlock> write(const RowPass& pass, const std::function<std::string(const std::string&)>& part);

private:
  Result<void> take_up(const kernel::Expr& expression, bool waiting_only);
  Result<void> ensure(const std::string& target);
  Result<std::string> value(const kernel::Expr& expression);
  Result<void> take(const RowTask& task, const std::string& into);
  Result<void> take_vector(const RowTask& task, const std::string& into);
  Result<void> run_along(const RowTask& task, const std::string& before);
  Result<void> store(const RowTask& task);
  Result<std::string> position(const std::string& tensor);
  Result<std::string> waiting_element(const RowTarget& target);
  Result<std::string> in_memory_suffix(const RowTarget& target) const;
  std::string type() const;

  RowCode& m_code;
  std::size_t m_level;
  Lanes m_lanes;
  std::string m_at;
  std::string m_count;
  ProgramBlock& m_ahead;         // in front of the loops
  std::set<std::string> m_names; // in use here
  ExpressionText m_text;
  VectorText m_vectors;
  ProgramBlock m_block;
  std::set<std::string> m_ready; // targets whose value is in a variable
};

} // namespace hone::lower
