// Expressions of the kernel language as values of a loop program. (internal to the room)
#pragma once

#include "kernel/kernel.h"
#include "lower/device/program.h"
#include "util/result.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hone::lower::device {

class ExpressionValues {
public:
  ExpressionValues(const kernel::Kernel& kernel, kernel::DataType compute) : m_kernel(kernel), m_compute(compute) {}

  std::map<std::string, Value> indices; // what stands for each
  // Parts that have been computed already, by their text: what stands for them.
  std::map<std::string, Value> known;
  // An index whose values are neighbours, one in each lane, and how many; "" for none. `indices` has the first lane's.
  std::string vector_index, lanes;

  // In the type that is computed in; loops of reductions go to `before`.
  Result<Value> value(const kernel::Expr& expression, Block& before);
  // An integer or a condition.
  Result<Value> whole(const kernel::Expr& expression, Block& before);
  // Where a range begins and ends, as places.
  Result<std::pair<Value, Value>> bounds(const kernel::IndexRange& range, Block& before);
  // A reduction in steps: the variable that holds it begins with a number and takes in one value after the other.
  static Value start_of(kernel::ReduceOp op, const Type& type);
  static Node take_in(kernel::ReduceOp op, const Value& place, const Value& value);
  // A name that neither the kernel nor anything else in this function has.
  std::string fresh(const std::string& name);
  Type number_type() const { return scalar(m_compute); }

  // Row-major place of an element, with subscripts as values.
  Result<Value> position(const std::string& tensor, const std::vector<Value>& subscripts);
  // The store of a value at a place of a tensor, converted to what the tensor holds.
  Result<Node> store(const std::string& target, kernel::DataType type, Value position, const kernel::Expr& value,
                     Block& before);

private:
  Result<Value> write(const kernel::Expr& expression, Block& before);
  Result<Value> write_load(const kernel::Expr& expression, Block& before);
  Result<Value> write_binary(const kernel::Expr& expression, Block& before);
  Result<Value> write_logical(const kernel::Expr& expression, Block& before);
  Result<Value> write_call(const kernel::Expr& expression, Block& before);
  Result<Value> write_select(const kernel::Expr& expression, Block& before);
  Result<Value> write_cast(const kernel::Expr& expression, Block& before);
  Result<Value> write_reduction(const kernel::Expr& expression, Block& before);
  // Wide integers, or numbers of the computed type, as the expression is one or the other.
  Result<Value> operand(const kernel::Expr& expression, bool integer, Block& before);
  Result<Value> vector_load(const kernel::Expr& expression, kernel::DataType stored, Block& before);
  bool varies(const kernel::Expr& expression) const; // from lane to lane

  const kernel::Kernel& m_kernel;
  kernel::DataType m_compute;
  std::map<std::string, int> m_names;
  std::vector<std::map<const kernel::Expr*, Value>> m_known =
    std::vector<std::map<const kernel::Expr*, Value>>(1); // reductions, innermost block last
};

} // namespace hone::lower::device
