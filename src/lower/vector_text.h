// Expressions of a row program as vector code: neighbouring columns in one register, for the CPU.
#pragma once

#include "lower/expression_text.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace hone::lower {

// True when an expression has other values in other columns.
bool varies(const kernel::Expr& expression);

class VectorText {
public:
  // `count` is how many lanes count, "" for all. `scalar` prints what is the same in all columns, and positions.
  VectorText(const kernel::Kernel& kernel, ExpressionText& scalar, kernel::DataType compute, std::string count)
    : m_kernel(kernel), m_scalar(scalar), m_compute(compute), m_count(std::move(count))
  {
  }

  std::function<std::string(const std::string&)> fresh; // a name for a local variable
  std::function<std::string(const std::string&)> hoist; // gives a number's text a name ahead of the loop
  std::int64_t widest_stride = 1;                       // columns may lie so many elements apart

  // A vector; what it needs before it goes to `before`. An error says what has no vector form.
  Result<std::string> value(const kernel::Expr& expression, ProgramBlock& before);
  // `suffix`: of the loading function, such as "_bf16" where elements are widened.
  std::string load(const std::string& tensor, const std::string& at, const std::string& suffix = "") const;
  std::string store(const std::string& tensor, const std::string& at, const std::string& value,
                    const std::string& suffix = "") const;

private:
  struct Piece;
  std::string load_strided(const std::string& tensor, const std::string& at, std::int64_t stride) const;
  Result<Piece> write(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_varying(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_load(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_binary(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_call(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_byte(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_whole_division(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_extremum(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_select(const kernel::Expr& expression, ProgramBlock& before);
  Result<std::string> lanes_of(const kernel::Expr& expression, ProgramBlock& before);
  void count_uses(const kernel::Expr& expression);

  const kernel::Kernel& m_kernel;
  ExpressionText& m_scalar;
  kernel::DataType m_compute;
  std::string m_count;
  bool m_maybe = false; // inside a branch: what is not taken there must be safe to compute anyway
  std::map<const kernel::Expr*, int> m_uses;
  std::map<const kernel::Expr*, std::string> m_named; // nodes that stand in several places
  std::map<std::string, std::string> m_loaded;        // by position
};

} // namespace hone::lower
