// Runs a C function on symbols instead of numbers. (internal to the room)
//
// Scalars hold expressions, arrays hold lists of writes ("for all i in a range: C[i, j] = value"). A loop is run once,
// with a symbol for its index; what it leaves behind is then summarised: a scalar that the iteration adds to becomes a
// sum over the loop, a write whose place moves with the index becomes a write for all indices. What fits none of these
// forms is an error that names it.
//
// It runs twice. The survey only notes how arrays are subscripted, from which their shapes follow (shapes.h); the
// second run knows the shapes.
#pragma once

#include "import/c_syntax.h"
#include "import/facts.h"
#include "import/terms.h"

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace hone::import {

// A number, or a pointer into an array: the array's first subscripts and an offset for the next.
struct CValue {
  kernel::ExprPtr number;
  std::string array;
  std::vector<kernel::ExprPtr> subscripts;
  kernel::ExprPtr offset;
};

struct ForeignArray {
  std::string name;
  CType type;
  bool argument = false;
  bool on_stack = false;
  std::vector<kernel::ExprPtr> declared; // extents that follow from the type; null for the others
  std::vector<kernel::ExprPtr> shape;    // from the survey; of a flat array perhaps more dimensions than declared
  Place place;
};

// An access to an array, as the survey saw it.
struct ArrayAccess {
  std::string array;
  std::vector<kernel::ExprPtr> subscripts; // as declared: one for a flat array
  Facts facts;                             // what holds there
  bool written = false;
  Place place;
};

// A statement of the kernel before its names are chosen.
struct DraftStatement {
  std::string target;
  std::vector<kernel::IndexRange> indices;
  kernel::ExprPtr value;
  kernel::ExprPtr guard; // may be null
  bool intermediate = false;
  std::vector<kernel::SerialLoop> loops;   // around it
  std::vector<kernel::ExprPtr> subscripts; // inside loops: one per dimension; else empty
};

struct Survey {
  std::map<std::string, ForeignArray> arrays; // by name
  std::vector<ArrayAccess> accesses;
  std::vector<std::set<std::string>> written;       // arrays per loop, in the order in which loops are met
  std::set<std::string> sizes_in_bounds;            // sizes that bound loops or stand in values: no mere strides
  std::map<std::string, kernel::IndexRange> ranges; // of every index
  std::set<std::string> integers;                   // integer parameters that are values and no sizes
  std::vector<kernel::ExprPtr> asserted;            // conditions on sizes that the code asserts
  bool narrow = false;                              // arithmetic in float or narrower stands somewhere
  std::vector<Error> errors;
};

struct Semantics {
  std::vector<DraftStatement> statements;
  std::set<std::string> inout;   // arguments that are read before they are written
  std::set<std::string> written; // arguments
  std::string result;            // the output that the function returns; empty: none
  bool narrow = false;           // arithmetic in float or narrower stands somewhere
  bool wide = false;             // arithmetic in double
  std::set<std::string> double_accumulators;
};

// What an earlier survey found out about parameters.
struct Assumptions {
  std::map<std::string, kernel::ExprPtr> sizes; // that stand for another expression, such as a leading dimension
  std::set<std::string> integers;               // integer parameters that are values and no sizes
};

bool is_memory_call(const CNode& node); // memset() and its like
// The value as a variable of the type holds it: a whole number is written as a float where it holds floats.
kernel::ExprPtr of_type(const kernel::ExprPtr& value, const CType& type);

std::map<std::string, std::string> assigned_in(const CNode& node); // declarations of scalars, and their names
// Whether the first statement that names a variable gives it a new value.
bool begins_anew_in(const CNode& body, const std::string& declaration);

class Interpreter {
public:
  Interpreter(const CFile& file, const CFunction& function, Assumptions assumed);

  Survey survey();
  Result<Semantics> interpret(const Survey& survey);
  // The same with loops that are run in order where iterations depend on each other.
  Result<Semantics> interpret_in_order(const Survey& survey);

private:
  // for all vars in their ranges where the guard holds: array[subscripts] = value
  struct Write {
    std::string array;
    std::vector<kernel::IndexRange> vars;
    std::vector<kernel::ExprPtr> subscripts;
    kernel::ExprPtr guard; // null: always
    kernel::ExprPtr value;
    std::size_t depth = 0; // loops around it when it was made
    Place place;
  };
  struct Read { // of what earlier iterations may have written
    std::string array;
    std::vector<kernel::ExprPtr> subscripts;
    Facts facts;
    Place place;
  };
  struct Frame { // the function, or one iteration of a loop
    std::size_t number = 0;
    kernel::IndexRange range;
    bool descending = false;
    std::vector<Write> writes;
    std::set<std::string> arrays;         // that the loop writes
    std::map<std::string, CValue> before; // scalars that the loop assigns
    std::vector<Read> reads;
    Place place;
  };
  // A value that each iteration combines with one element: sum, product, max, min; or a condition, with || or &&.
  struct Accumulation {
    kernel::ReduceOp op = kernel::ReduceOp::sum;
    bool condition = false; // the elements are 0 and 1
    kernel::ExprPtr element;
    kernel::ExprPtr guard; // may be null
  };
  struct Accumulator { // of a loop, with its value at the beginning and at the end of an iteration
    std::string mark;
    std::string after;
    Accumulation accumulation;
    kernel::ExprPtr before;
  };
  struct Header {
    std::string declaration; // of the variable that counts
    std::string name;
    kernel::ExprPtr lower, upper; // of the index
    bool descending = false;
    kernel::ExprPtr start, step;                // the variable is start + step * index; null: it is the index
    kernel::ExprPtr window_lower, window_upper; // further bounds of the variable; may be null
    kernel::ExprPtr end;                        // of the variable behind the loop; null: not known
    std::optional<CValue> pointer;              // a variable that is a pointer
    const CNode* body = nullptr;
    CNodePtr without_step; // the body of a `while` whose last statement steps
  };
  struct Bound {
    Polynomial end;
  };

  // interpreter.cpp: the frame around it all
  Result<void> begin();
  Result<void> declare_number(const CParameter& parameter);
  Result<void> declare_array(const CParameter& parameter);
  void declare_tables();
  Result<void> finish();
  Result<DraftStatement> output(const ForeignArray& array);
  Result<void> order_outputs(std::vector<DraftStatement> outputs);
  std::string fresh_index(const std::string& name);
  kernel::ExprPtr materialised(const kernel::ExprPtr& value, const std::string& name,
                               const std::vector<kernel::IndexRange>& vars, const kernel::ExprPtr& guard);
  kernel::ExprPtr rectangular(const kernel::ExprPtr& bound, bool upper) const;

  // evaluation.cpp: expressions
  Result<CValue> evaluate(const CNode& node);
  Result<kernel::ExprPtr> number(const CNode& node);
  Result<kernel::ExprPtr> number_where(const kernel::ExprPtr& test, bool holds, const CNode& node);
  Result<kernel::ExprPtr> condition(const CNode& node);
  kernel::ExprPtr literal(const CNode& node) const;
  Result<CValue> name(const CNode& node);
  Result<CValue> cast(const CNode& node);
  static kernel::ExprPtr narrowed(const kernel::ExprPtr& value, const CType& to);
  static kernel::ExprPtr wrapped(const kernel::ExprPtr& value, const CType& type);
  Result<CValue> unary(const CNode& node);
  Result<CValue> stepped(const CNode& node);
  Result<CValue> binary(const CNode& node);
  Result<CValue> subscript(const CNode& node);
  Result<CValue> element(CValue pointer, const kernel::ExprPtr& index, const Place& place, bool as_place);
  Result<CValue> place_of(const CNode& node); // of an array element, for assigning to it
  Result<CValue> moved(CValue pointer, const std::string& op, const kernel::ExprPtr& by, const Place& place) const;
  Result<kernel::ExprPtr> computed(const std::string& op, kernel::ExprPtr left, kernel::ExprPtr right,
                                   const CType& type, const Place& place);
  bool is_wide(const kernel::Expr& value) const;
  Result<kernel::ExprPtr> shifted(const std::string& op, const kernel::ExprPtr& left, const kernel::ExprPtr& right,
                                  const Place& place) const;

  // calls.cpp
  Result<CValue> call(const CNode& node);
  Result<void> set_memory(const CNode& node);
  Result<CValue> inlined(const CFunction& function, const CNode& node);
  Result<CValue> mathematical(const CNode& node, std::vector<kernel::ExprPtr> args);
  Result<void> note_arithmetic(const CType& type, const Place& place);

  // statements.cpp
  // `tail`: nothing follows in this iteration or function, so that a return or continue may stand there.
  Result<void> run(const CNode& node, bool tail);
  Result<void> run_block(std::span<const CNodePtr> statements, bool tail);
  Result<void> run_statement(const CNode& node, bool tail);
  Result<void> run_assertion(const CNode& asserted);
  Result<void> run_if(const CNode& node, std::span<const CNodePtr> rest, bool tail);
  Result<void> run_branches(const kernel::ExprPtr& condition, const std::function<Result<void>()>& then,
                            const std::function<Result<void>()>& otherwise);
  Result<void> declare(const CNode& variable);
  Result<void> fill(const ForeignArray& array, const CNode& values, std::vector<kernel::ExprPtr> subscripts);
  Result<void> assign(const CNode& node);
  Result<void> store(const CNode& target, kernel::ExprPtr value, const std::string& op, const Place& place);
  Result<void> assign_scalar(const CNode& name, const CValue& value, const std::string& op, const Place& place);

  // loop_header.cpp
  Result<Header> header_of(const CNode& node);
  Result<void> begin_loop(const CNode* initial, const std::string& counter);
  Result<kernel::ExprPtr> position(const CNode& node, const std::string& array);
  Result<kernel::ExprPtr> step_of(const CNode& step);
  Result<Bound> bound_of(const CNode& test, const Header& header, bool up);
  static void rebase(Header& header);
  Result<Header> checked(Header header, const CNode& node) const;
  // loops.cpp
  Result<void> run_for(const CNode& node);
  Result<void> run_loop(const Header& header, const std::map<std::string, CValue>& outside, const Place& place);
  void bind_index(const Header& header, const Frame& frame);
  void leave_index(const Header& header, const std::map<std::string, CValue>& outside);
  kernel::ExprPtr window_of(const Header& header) const;
  kernel::ExprPtr moved_by(const CNode& node, const std::string& declaration, const std::set<std::string>& moving);
  std::map<std::string, CValue> follow_counters(const CNode& body, Frame& frame,
                                                const std::map<std::string, std::string>& assigned);
  // loop_summary.cpp
  Result<void> summarise(Frame frame);
  Result<void> summarise_scalars(Frame& frame, std::vector<Accumulator>& cells);
  bool merge_tiles(Write& write, const kernel::IndexRange& loop, std::map<std::string, kernel::IndexRange>& tiles);
  Result<void> summarise_writes(Frame& frame, std::vector<Accumulator>& cells);
  std::optional<Accumulation> accumulation(const kernel::ExprPtr& after, const std::string& mark) const;
  Result<kernel::ExprPtr> resolved(const kernel::ExprPtr& value, const Frame& frame,
                                   const std::vector<Accumulator>& cells);
  kernel::ExprPtr so_far(const Frame& frame, const Accumulator& cell, bool inclusive);
  kernel::ExprPtr over_the_loop(const Frame& frame, const Accumulator& cell) const;
  kernel::ExprPtr combined(const Accumulation& accumulation, const kernel::ExprPtr& before,
                           kernel::IndexRange range) const;
  Result<void> check_independence(const Frame& frame) const;

  // ordered.cpp, ordered_statements.cpp
  Result<void> run_in_order(const CNode& node, bool tail);
  void forget_locals(const CNode& node, const std::map<std::string, CValue>& before);
  Result<void> run_if_in_order(const CNode& node, bool tail);
  Result<void> run_serial(const CNode& node);
  Result<void> carry_scalars(const Header& header, const std::map<std::string, std::string>& assigned);
  Result<void> keep_scalar(const std::string& declaration, CValue& value);
  Result<void> flush();
  Result<void> emit_together(std::vector<DraftStatement> statements);
  void join_guard(Write& one) const;
  Result<DraftStatement> statement_of(Write one);
  void emit(DraftStatement statement);
  void begin_with_zeros(const ForeignArray& array);
  Result<void> check_values() const;
  void drop_idle_cells();
  bool is_scalar_argument(const std::string& name) const;

  // memory.cpp
  Result<kernel::ExprPtr> read(std::size_t level, const std::string& array,
                               const std::vector<kernel::ExprPtr>& subscripts, const Place& place);
  Result<kernel::ExprPtr> read_writes(std::size_t level, std::size_t count, const std::string& array,
                                      const std::vector<kernel::ExprPtr>& subscripts, const Place& place);
  Result<kernel::ExprPtr> initial(const std::string& array, const std::vector<kernel::ExprPtr>& subscripts) const;
  void write(Write write);
  struct Match {
    kernel::ExprPtr condition; // null: always
    std::map<std::string, kernel::ExprPtr> vars;
  };
  Result<std::optional<Match>> match(const Write& write, const std::vector<kernel::ExprPtr>& subscripts) const;
  bool divides_off(const Write& write, const LinearIn& split) const;
  bool never_alias(const std::vector<kernel::ExprPtr>& a, const std::vector<kernel::ExprPtr>& b,
                   const Facts& facts) const;
  Write earlier(const Frame& frame, const Write& write, Facts& facts) const;
  std::vector<kernel::ExprPtr> shaped(const ForeignArray& array, const std::vector<kernel::ExprPtr>& subscripts) const;

  bool surveying() const { return m_survey != nullptr; }

  const CFile* m_file; // pointers, so that a state can be kept and come back
  const CFunction* m_function;
  Assumptions m_assumed;

  Survey* m_survey = nullptr; // while surveying
  Survey m_known;             // afterwards
  Semantics m_semantics;

  std::map<std::string, ForeignArray> m_arrays;
  std::map<std::string, CValue> m_scalars;            // by declaration
  std::map<std::string, std::string> m_names;         // declaration -> name, for people
  std::map<std::string, CType> m_types;               // of scalars, by declaration
  std::map<std::string, kernel::IndexRange> m_ranges; // of every index that was made
  std::vector<kernel::IndexRange> m_scope;            // of the loops around
  std::vector<Frame> m_frames;
  Facts m_facts;
  std::size_t m_loops = 0;
  int m_fresh = 0;
  int m_local_arrays = 0;
  std::set<std::string> m_not_understood; // variables whose declarations were not
  std::vector<std::string> m_calls;       // functions being inlined
  std::optional<CValue> m_returned;
  std::size_t m_call_frames = 1;              // frames when the function that runs was entered
  bool m_deciding = false;                    // a condition is being evaluated: sums in it get names
  bool m_finishing = false;                   // what the arguments hold at the end is being looked up
  bool m_ordered = false;                     // loops are run in order where they have to be
  std::vector<kernel::SerialLoop> m_serial;   // the loops around that are
  kernel::ExprPtr m_guard;                    // of the branches around; null: none
  std::map<std::string, std::string> m_cells; // declaration -> the tensor that keeps the scalar
  std::set<std::string> m_carried;            // scalars that the loops around keep in their cells
  const CNode* m_body = nullptr;              // of the innermost loop that is run in order
  std::size_t m_block_start = 0;              // the first statement of the outermost loop
  std::size_t m_barrier = 0;                  // writes before it were made outside the branch that runs
};

} // namespace hone::import
