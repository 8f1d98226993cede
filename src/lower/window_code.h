// Names and texts that all parts of a window's code share. (internal to the room)
#pragma once

#include "lower/candidate_text.h"
#include "lower/expression_text.h"
#include "lower/lanes.h"
#include "lower/schedule.h"
#include "lower/window_view.h"

#include <map>
#include <string>

namespace hone::lower {

struct WindowCode {
  // `joined`: the view's columns are numbered pixels, and the rows that they come from are no loops.
  WindowCode(const kernel::Kernel& the_kernel, const Schedule& the_schedule, const Dialect& the_dialect,
             WindowView the_view, bool joined = false);

  const kernel::Kernel& kernel;
  const Schedule& schedule;
  const Dialect& dialect;
  WindowView view;
  std::map<std::string, std::string> variables; // of the statement's indices

  std::string column, channel;       // variables; channel "" where there is none
  std::string columns, channels_end; // their extents
  std::string most_channels;         // of a tile: a tuning parameter, or "1"
  std::string rows;                  // per group: a tuning parameter, or "1"

  std::string joined_row;            // the index of the rows that were joined; "" where they are walked
  std::string rows_begin, rows_end;  // variables: the group's block of rows
  std::string length;                // variable: of a line of packed windows
  std::vector<ParameterText> extras; // what functions get besides, where they mention it

  std::string lanes() const { return vector_lanes(view.type); }
  std::string vector() const { return vector_type(view.type); }
  std::string number() const { return type_text(view.type, dialect); }
  std::string counter() const { return index_type(dialect); }
  // A local variable that nothing of the kernel is called.
  std::string local(const std::string& wanted) const;
  ExpressionText text() const;
  std::string integer(const kernel::ExprPtr& expression) const; // an expression over sizes and indices
  std::string wide(const std::string& text) const;              // as an operand of hone_min and hone_max
  ProgramNode constant(const std::string& name, const std::string& value) const;

  // The parameters of a function with such a body: tensors, sizes, and variables of indices.
  std::vector<ParameterText> parameters(const std::string& body) const;
};

// "static inline void NAME(HEAD, ...)" around a body, and the statement that calls it, with $ in the place of HEAD's
// arguments.
struct WindowFunction {
  ProgramNode definition;
  std::string call;

  ProgramNode call_with(const std::string& arguments) const;
};
WindowFunction window_function(const WindowCode& code, const std::string& name, const std::string& head,
                               const std::vector<std::string>& given, ProgramBlock body);

} // namespace hone::lower
