// Turns the syntax of one expression into typed nodes, within a scope of indices and tensors. (internal to the room)
#pragma once

#include "kernel/binder.h"
#include "kernel/expression.h"
#include "kernel/expression_syntax.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hone::kernel {

struct LibraryFunction;

// A tensor that expressions may load.
struct KnownTensor {
  std::vector<ExprPtr> shape; // over size symbols
  DataType type = DataType::f32;
  std::string unreadable; // why it cannot be loaded here; empty when it can
};

class ExpressionBuilder {
public:
  ExpressionBuilder(std::span<const std::string> symbols, DataType accumulate, std::vector<Error>& errors)
    : m_symbols(symbols), m_accumulate(accumulate), m_errors(errors)
  {
  }

  std::map<std::string, KnownTensor, std::less<>> tensors;

  Result<ExprPtr> build(const SyntaxPtr& syntax);
  Result<ExprPtr> build_condition(const SyntaxPtr& syntax);

  // Opens an index; its extent may follow from the loads that are built until its scope is closed.
  Result<void> open_index(const Binder& binder);
  // States where a plain index runs: its extent follows from the shape, or must agree with it.
  Result<void> note_extent(const std::string& index, const ExprPtr& extent, const std::string& reason,
                           const Place& place);
  std::size_t open_indices() const { return m_scope.size(); }
  const IndexRange& innermost_index() const { return m_scope.back().range; } // one has to be open
  bool is_open(std::string_view index) const { return find_index(index) != nullptr; }
  // Closes all indices opened since there were `first`; error when one has no range.
  Result<std::vector<IndexRange>> close_indices(std::size_t first);
  void drop_indices(std::size_t first) { m_scope.resize(first); }

private:
  // An index in scope. Its extent may come to be known only from the loads of the body.
  struct OpenIndex {
    IndexRange range;
    bool explicit_upper = false;
    std::string reason; // "dimension 2 of B", for messages about conflicts
  };

  Result<ExprPtr> build_name(const Syntax& syntax);
  Result<ExprPtr> build_load(const Syntax& syntax);
  Result<ExprPtr> build_unary(const Syntax& syntax);
  Result<ExprPtr> build_binary(const Syntax& syntax);
  Result<ExprPtr> build_call(const Syntax& syntax);
  Result<ExprPtr> build_function(const Syntax& syntax);
  Result<ExprPtr> build_library_call(const Syntax& syntax, const LibraryFunction& function);
  Result<ExprPtr> build_select(const Syntax& syntax, std::vector<ExprPtr> args);
  Result<ExprPtr> build_cast(const Syntax& syntax, DataType type);
  Result<ExprPtr> build_reduce(const Syntax& syntax, ReduceOp op);
  Result<ExprPtr> build_body(const Syntax& syntax, ReduceOp op, std::size_t first);
  Result<ExprPtr> build_bound(const SyntaxPtr& syntax, bool plus_one);
  Result<ExprPtr> build_subscript(const SyntaxPtr& syntax, const std::string& tensor, std::size_t dimension,
                                  const ExprPtr& extent);
  Result<Binder> binder_of(const Syntax& syntax, const std::string& reduction) const;
  bool is_reduction(const Syntax& call) const;

  const OpenIndex* find_index(std::string_view name) const;
  bool is_symbol(std::string_view name) const;
  std::unexpected<Error> unknown_name(const Syntax& syntax) const;
  std::unexpected<Error> unknown_function(const Syntax& syntax) const;

  std::span<const std::string> m_symbols;
  DataType m_accumulate;
  std::vector<Error>& m_errors;
  std::vector<OpenIndex> m_scope;                           // innermost last
  std::map<std::string, ExprPtr, std::less<>> m_parameters; // of the library function whose definition is built
};

} // namespace hone::kernel
