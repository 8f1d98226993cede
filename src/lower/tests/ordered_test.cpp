// Loops that are run in order, as plain loops.
#include "lower/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string body_of(const std::string& expression, const std::string& role, const Dialect& dialect)
{
  const Result<kernel::Kernel> kernel =
    kernel::parse_kernel("[kernel]\nname = \"steps\"\n[compute]\nexpr = \"\"\"\n" + expression
                           + "\n\"\"\"\n[arguments]\nx = { type = \"f32\", shape = [\"n\"] }\n"
                             "y = { type = \"f32\", shape = [\"n\"], role = \""
                           + role + "\" }\n[sizes]\ntimed = [ { n = 8 } ]\n",
                         "steps");
  EXPECT_TRUE(kernel) << kernel.error().text();
  const Result<kernel::Candidate> candidate = naive_candidate(*kernel, dialect);
  EXPECT_TRUE(candidate) << candidate.error().text();
  EXPECT_EQ(candidate->plan.launches.size(), 1U);
  return candidate->device_source();
}

std::string on_cpu(const std::string& expression, const std::string& role = "output")
{
  return body_of(expression, role, cpu_dialect(64, true));
}

// Zeros cost a pass over the output: only where something may be read, or left, before it is written.
TEST(OrderedLoops, OutputsBeginWithZerosOnlyWhereTheyHaveTo)
{
  const std::string zeros = "y[element] = 0";
  EXPECT_THAT(on_cpu("for t < n { y[t] = x[t] + select(t > 0, y[t - 1], 0) }"), Not(HasSubstr(zeros)));
  EXPECT_THAT(on_cpu("for t < n { y[t] = x[t] + y[n - 1 - t] }"), HasSubstr(zeros));
  EXPECT_THAT(on_cpu("for 1 <= t < n { y[t] = x[t] }"), HasSubstr(zeros));
  EXPECT_THAT(on_cpu("for t < n { y[t] = x[t] where t > 1 }"), HasSubstr(zeros));
  EXPECT_THAT(on_cpu("for 1 <= t < n { y[t] = x[t] + y[t] }", "inout"), Not(HasSubstr(zeros)));
  // Each round computes all of z before it is read.
  EXPECT_THAT(on_cpu("for t < n { z[i < n] = x[i] * x[t]; y[t] = sum(i < n, z[i]) }"), Not(HasSubstr("z[element]")));
}

TEST(OrderedLoops, WhatReadsItsNeighboursIsComputedAside)
{
  const std::string aside = on_cpu("for t < n { y[1 <= i < n] = y[i - 1] + x[t] }", "inout");
  EXPECT_THAT(aside, HasSubstr("y_next[i]"));
  EXPECT_THAT(aside, HasSubstr("y[i] = y_next[i];"));
  EXPECT_THAT(on_cpu("for t < n { y[1 <= i < n] = y[i] + x[t] }", "inout"), Not(HasSubstr("y_next")));
  EXPECT_THAT(on_cpu("for t < n, 1 <= i < n { y[i] = y[i - 1] + x[t] }", "inout"), Not(HasSubstr("y_next")));
}

TEST(OrderedLoops, LoopsAreSharedAndLocalVariablesAreNot)
{
  const std::string text =
    on_cpu("for t < n {\n  s = sum(k <= t, x[k])\n  r = sum(t <= k < n, x[k])\n  y[t] = s * r\n}");
  EXPECT_EQ(text.find("for (int64_t t ="), text.rfind("for (int64_t t ="));
  EXPECT_THAT(text, HasSubstr("    {\n      float sum = 0.0f;"));
}

TEST(OrderedLoops, OneWorkItemRunsThemOnADevice)
{
  const std::string text =
    body_of("for t < n { y[t] = x[t] + select(t > 0, y[t - 1], 0) }", "output", opencl_dialect());
  EXPECT_THAT(text, Not(HasSubstr("get_global_id")));
  EXPECT_THAT(text, HasSubstr("for (long t = 0; t < n; ++t)"));
}

} // namespace
} // namespace hone::lower
