// Integer expressions as a constant plus multiples of parts, so that bounds print short. (internal to the room)
#pragma once

#include "kernel/kernel.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone::lower {

struct LinearForm {
  struct Term {
    kernel::ExprPtr part; // an index, an extent, or what is no sum and no multiple (n / 2)
    std::int64_t factor = 1;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms; // different parts, no factor is 0

  // How often an index is added; nothing where a part that is not the index itself names it.
  std::optional<std::int64_t> factor_of(const std::string& index) const;
  LinearForm without(const std::string& index) const;
  LinearForm with(const std::string& index, const LinearForm& replacement) const;
  kernel::ExprPtr expression() const;
};

LinearForm operator+(LinearForm a, const LinearForm& b);
LinearForm operator-(LinearForm a, const LinearForm& b);
LinearForm scaled(LinearForm form, std::int64_t factor);
LinearForm linear_constant(std::int64_t constant);

// Every integer expression has one.
LinearForm linear_form(const kernel::ExprPtr& expression);

} // namespace hone::lower
