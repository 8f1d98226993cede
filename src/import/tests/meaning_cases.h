// A table of functions and the statements that they mean.
#pragma once

#include "harness.h"

#include <gtest/gtest.h>

#include <ostream>

namespace hone::import {

struct MeaningCase {
  const char* name;
  const char* code;
  const char* statements;
  const char* shape = ""; // of one argument: "A=m,n", and its role behind a blank; empty: not looked at
};

inline void PrintTo(const MeaningCase& one, std::ostream* out)
{
  *out << one.name;
}

inline std::string name_of(const testing::TestParamInfo<MeaningCase>& tested)
{
  return tested.param.name;
}

inline void expect_meaning(const MeaningCase& one, const std::string& file = "test.c")
{
  const auto answer = kernel_from_text(request_for(file), one.code);
  EXPECT_EQ(meaning_of(answer), one.statements);
  const std::string shape = one.shape;
  if (!shape.empty()) {
    const std::string argument = shape.substr(0, shape.find('='));
    const kernel::Kernel kernel = kernel_in(answer);
    const kernel::Argument* const found = kernel.find_argument(argument);
    ASSERT_NE(found, nullptr);
    std::vector<std::string> extents;
    for (const kernel::ExprPtr& extent : found->shape) {
      extents.push_back(kernel::to_text(*extent));
    }
    const std::string role = found->role == kernel::Role::inout    ? "inout"
                             : found->role == kernel::Role::output ? "output"
                                                                   : "input";
    EXPECT_EQ(argument + "=" + join(extents, ",") + " " + role, shape);
  }
}

} // namespace hone::import
