#include "lower/element_intervals.h"
#include "lower/linear_form.h"

#include <gtest/gtest.h>

namespace hone::lower {
namespace {

kernel::ExprPtr number(int value)
{
  return kernel::make_number(value, true);
}

kernel::ExprPtr index(const char* name)
{
  return kernel::make_index(name);
}

kernel::ExprPtr binary(const char* op, kernel::ExprPtr left, kernel::ExprPtr right)
{
  return kernel::make_binary(op, std::move(left), std::move(right));
}

std::string text(const LinearForm& form)
{
  return kernel::to_text(*form.expression());
}

// A bound that is printed with what cancels is read wrong by people, and one that loses a term is wrong.
TEST(LinearForm, TakesTogetherWhatIsAddedSeveralTimes)
{
  const auto form =
    linear_form(binary("-", binary("+", binary("*", number(2), index("i")), binary("/", index("n"), number(2))),
                       binary("+", index("i"), number(3))));
  EXPECT_EQ(text(form), "i + n / 2 - 3");
  EXPECT_EQ(form.factor_of("i"), 1);
  EXPECT_EQ(form.factor_of("j"), 0);
  EXPECT_FALSE(form.factor_of("n")); // in a quotient
  EXPECT_EQ(text(form - form), "0");
  EXPECT_EQ(text(form.with("i", linear_form(binary("+", index("r"), number(4))))), "n / 2 + r + 1");
  EXPECT_EQ(text(scaled(linear_form(index("i")), -1)), "0 - i");
  EXPECT_EQ(text(linear_constant(5) - linear_form(index("i"))), "5 - i");
}

std::string spelled(const std::optional<ColumnInterval>& interval)
{
  if (!interval) {
    return "none";
  }
  std::string out;
  for (const LinearForm& lower : interval->lowers) {
    out += ">=" + text(lower) + " ";
  }
  for (const LinearForm& upper : interval->uppers) {
    out += "<" + text(upper) + " ";
  }
  return out + (interval->guards.empty() ? "" : "if " + kernel::to_text(*all_of(interval->guards)));
}

// A column too many reads outside of a tensor, and one too few is computed by another branch.
TEST(ColumnIntervals, FollowFromConditions)
{
  const LinearForm columns = linear_form(index("n"));
  const auto j = index("j");
  const auto of = [&](const kernel::ExprPtr& condition) { return spelled(interval_of(condition, "j", columns)); };
  const auto inside = binary("&&", binary("<=", number(1), j), binary("<", j, binary("-", index("n"), number(1))));
  EXPECT_EQ(of(inside), ">=1 <n - 1 ");
  EXPECT_EQ(of(binary("&&", binary("<", index("i"), index("m")), binary(">", j, index("i")))), ">=i + 1 if i < m");
  EXPECT_EQ(of(binary("==", j, index("i"))), ">=i <i + 1 ");
  EXPECT_EQ(of(binary("!=", j, number(0))), ">=1 ");
  EXPECT_EQ(of(binary("!=", j, binary("-", index("n"), number(1)))), "<n - 1 ");
  EXPECT_EQ(of(binary("!=", j, number(3))), "none");
  // 2 j + 1 >= 6 from j = 3 on, and 2 j + 1 < 7 up to j = 2.
  const auto odd = binary("+", binary("*", number(2), j), number(1));
  EXPECT_EQ(of(binary(">=", odd, number(6))), ">=3 ");
  EXPECT_EQ(of(binary("<", odd, number(7))), "<3 ");
  EXPECT_EQ(of(binary("<", binary("*", j, j), number(7))), "none");
}

} // namespace
} // namespace hone::lower
