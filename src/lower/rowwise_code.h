// The code of a row program's passes: plain loops, or loops over vectors of columns. (internal to the room)
#pragma once

#include "lower/expression_text.h"
#include "lower/rowwise_program.h"

#include <map>
#include <set>
#include <string>

namespace hone::lower {

// What all passes of a launch share.
struct RowCode {
  RowCode(const kernel::Kernel& the_kernel, const Dialect& the_dialect, const RowProgram& the_program);

  const kernel::Kernel& kernel;
  const Dialect& dialect;
  const RowProgram& program;
  std::map<std::string, std::string> names; // of a program's index nodes: variables
  std::string column;                       // the variable
  std::string columns_begin;                // "": passes go over whole rows; else over a block of them
  std::string columns_end;
  std::string vectors; // tuning parameter: vectors per step; "" for plain loops

  ExpressionText text() const;
  std::string number_type() const { return type_text(program.compute, dialect); }
  std::string counter() const { return index_type(dialect); }
  // A name for a local variable of the row, and one for a variable of an inner block, which others may have too.
  std::string fresh(const std::string& wanted) { return fresh(wanted, m_used); }
  static std::string fresh(const std::string& wanted, std::set<std::string>& used);
  const std::set<std::string>& used() const { return m_used; }

  bool streaming = false; // whole vectors go to outputs past the caches
  std::string waiting;    // the variable of the row in group->shared; as a target's buffer it stands for that row

  std::string lane_vector = "v";           // counts the vectors of a step
  std::string lane_column = "at";          // the first column of such a vector
  std::map<std::string, std::string> full; // columns that fill whole steps: variable by definition

private:
  void name_indices();
  std::set<std::string> m_used;
};

// One row: its passes with what comes between them.
Result<ProgramBlock> row_body(RowCode& code);
// True when all passes have a vector form.
bool all_vectors(const RowCode& code);
// True when at least one of the passes has a vector form; else the first reason why not.
Result<void> check_vectors(const RowCode& code);

// One pass, in plain loops or with vectors; an error says what has no vector form.
Result<ProgramBlock> scalar_pass(RowCode& code, std::size_t level, const RowPass& pass);
Result<ProgramBlock> vector_pass(RowCode& code, std::size_t level, const RowPass& pass);

} // namespace hone::lower
