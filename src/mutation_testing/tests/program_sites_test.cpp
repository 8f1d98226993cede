#include "mutation_testing/program_sites.h"
#include "mutation_testing/tests/shipped.h"

#include <gtest/gtest.h>

#include <map>

namespace hone::mutation_testing {
namespace {

TEST(ProgramSites, EveryPlaceCanHoldSomethingElse)
{
  const kernel::Kernel kernel = shipped("softmax");
  std::vector<std::string> texts;
  visit_sites(kernel.program, [&](const ProgramSite& site) {
    if (site.node->kind == kernel::ExprKind::load && site.node->name == "top") {
      const kernel::Program changed = site.replaced_by(kernel::make_number(7, true));
      texts.push_back(kernel::to_text(changed.statements[1]));
    }
  });
  EXPECT_EQ(texts, (std::vector<std::string>{"weight[i, j] = exp(X[i, j] - 7)"}));
}

TEST(ProgramSites, SubscriptsConditionsAndValuesAreToldApart)
{
  std::map<SitePart, int> count;
  visit_sites(shipped("conv2d").program, [&](const ProgramSite& site) {
    ++count[site.part];
    EXPECT_EQ(site.condition != nullptr, site.part == SitePart::condition);
  });
  EXPECT_EQ(count[SitePart::value], 4); // the sum, the product, two loads
  EXPECT_GT(count[SitePart::subscript], 8);
  EXPECT_GT(count[SitePart::condition], 8);
}

// The row (y + 1 - r) / 2 of a transposed convolution never reaches h: the comparison says nothing.
TEST(ProgramSites, ConditionsThatAgreeEverywhereAreFound)
{
  std::map<std::string, bool> agrees;
  visit_sites(shipped("conv2d-transposed").program, [&](const ProgramSite& site) {
    if (site.part == SitePart::condition && (site.node->name == "<" || site.node->name == ">=")) {
      auto changed = std::make_shared<kernel::Expr>(*site.node);
      changed->name = site.node->name == "<" ? "<=" : ">";
      agrees[kernel::to_text(*site.node)] =
        agree_on_small_sizes(*site.condition, *site.condition_with(changed), site.scope);
    }
  });
  EXPECT_EQ(agrees, (std::map<std::string, bool>{{"(y + 1 - r) / 2 < h", true},
                                                 {"y + 1 - r >= 0", false},
                                                 {"(x + 1 - s) / 2 < w", true},
                                                 {"x + 1 - s >= 0", false}}));
}

} // namespace
} // namespace hone::mutation_testing
