// Expressions of the kernel language, spelled in C.
#pragma once

#include "kernel/kernel.h"
#include "lower/dialect.h"
#include "lower/loop_program.h"
#include "util/util.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace hone::lower {

// The counter type of loops and the type of size parameters.
std::string index_type(const Dialect& dialect);
// The type that sums and element-wise work of a statement are done in.
kernel::DataType compute_type(const kernel::Kernel& kernel, const kernel::Statement& statement);

// What a variable that holds a reduction is called: "sum", "product", "largest" or "smallest".
std::string name_of_result(kernel::ReduceOp op);

// A variable name for every index of the statement, none of them a size symbol, tensor or word of the language:
// index m of extent m becomes i, n becomes j, k becomes p.
std::map<std::string, std::string> index_variables(const kernel::Kernel& kernel, const kernel::Statement& statement);
// The same for statements that share loops: an index has one variable in all of them.
std::map<std::string, std::string> index_variables(const kernel::Kernel& kernel,
                                                   std::span<const kernel::Statement> statements);

class ExpressionText {
public:
  ExpressionText(const kernel::Kernel& kernel, const Dialect& dialect, kernel::DataType compute)
    : m_kernel(kernel), m_dialect(dialect), m_compute(compute)
  {
  }

  // Text that stands for an index, and for the hole of an epilogue.
  std::map<std::string, std::string> indices;
  std::string hole;
  // Names for numbers that have one in macros.h.
  std::map<double, std::string> constants;
  // Positions are written NAME_AT(subscripts), a macro, where there are two subscripts or more.
  bool index_macros = false;

  // The value; reductions inside it become loops appended to `before`.
  Result<std::string> value(const kernel::Expr& expression, ProgramBlock& before);
  // Row-major position of a load in its tensor, "0" for a scalar.
  Result<std::string> position(const kernel::Expr& load);
  Result<std::string> position(const std::string& tensor, const std::vector<std::string>& subscripts);
  // A subscript or a bound: an integer expression without reductions.
  Result<std::string> integer_text(const kernel::Expr& expression);
  // An integer with reductions: their loops go to `before`.
  Result<std::string> whole(const kernel::Expr& expression, ProgramBlock& before);
  // The statement that stores a value at a position of the target, converted to the target's type.
  Result<std::string> store(const std::string& target, kernel::DataType type, const std::string& at,
                            const kernel::Expr& value, ProgramBlock& before);

private:
  struct Piece; // text and how tightly it binds
  Result<Piece> write(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> wide(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_binary(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_logical(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_call(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_integer_call(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_select(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_cast(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_reduction(const kernel::Expr& expression, ProgramBlock& before);
  Result<Piece> write_load(const kernel::Expr& expression);
  Result<std::string> as_value(const kernel::Expr& expression, ProgramBlock& before, int loosest);
  std::string start_of(kernel::ReduceOp op, bool integer) const;
  ProgramBlock take(const kernel::Expr& reduce, const std::string& name, const std::string& body, bool integer);
  std::string literal(double number) const;
  std::string fresh(const std::string& name);                     // a name for a local variable
  const std::string* known(const kernel::Expr& expression) const; // the variable that holds a reduction already

  const kernel::Kernel& m_kernel;
  const Dialect& m_dialect;
  kernel::DataType m_compute;
  std::map<std::string, int> m_names; // local variables so far, by what they are called
  // Reductions computed so far, innermost block last: a formula that names one twice uses its variable again.
  std::vector<std::map<const kernel::Expr*, std::string>> m_known =
    std::vector<std::map<const kernel::Expr*, std::string>>(1);
};

} // namespace hone::lower
