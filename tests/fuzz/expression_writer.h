// Writes random statements of the expression language, well-typed by construction, over one fixed set of arguments.
#pragma once

#include "util/random.h"

#include <string>
#include <vector>

namespace hone {

class ExpressionWriter {
public:
  explicit ExpressionWriter(Random& random) : m_random(random) {}

  // A kernel.toml with `count` statements, each an output of its own (a few read intermediates).
  std::string kernel_toml(std::size_t count);

private:
  struct Index {
    std::string name;
    std::string extent; // a size symbol
  };

  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(m_random.below(count)); }
  bool chance(int percent) { return m_random.below(100) < static_cast<std::uint64_t>(percent); }
  template <class T> const T& one_of(const std::vector<T>& from) { return from[pick(from.size())]; }

  std::string number(int depth);
  std::string number_leaf();
  std::string function(int depth);
  std::string reduction(int depth);
  std::string integer(int depth);
  std::string condition(int depth);
  std::string subscript(const std::string& extent);
  std::string guarded_neighbour();
  std::string statement(std::size_t position);

  Random& m_random;
  std::vector<Index> m_open;
  int m_names = 0;
  std::string m_arguments; // of the outputs
};

} // namespace hone
