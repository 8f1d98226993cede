// Flat subscripts: i * n + j as a row and a column. (internal to the room)
#pragma once

#include "import/interpreter.h"

#include <map>
#include <string>
#include <vector>

namespace hone::import {

// Where an array is subscripted: what holds there, and where the indices run.
struct Access {
  const Facts& facts;
  const std::map<std::string, kernel::IndexRange>& ranges;
};

bool is_positive(const Polynomial& p); // every term is added, and there is one
// The atoms of a subscript that are no sizes: indices, and what is read from data.
std::vector<std::string> moving_atoms(const Polynomial& p);
bool holds_only_sizes(const Polynomial& p);

// Products of the inner extents, the outermost dimension first; the last is 1.
std::vector<Polynomial> strides_of(const std::vector<kernel::ExprPtr>& shape);

// flat = sum of subscript * stride, each subscript in its dimension as far as `at` tells.
std::vector<Polynomial> split_by(const Polynomial& flat, const std::vector<Polynomial>& strides, const Access& at);

} // namespace hone::import
