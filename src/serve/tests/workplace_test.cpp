// Where agents may read and write; where a wrong candidate differs.
#include "serve/mismatch.h"
#include "serve/workplace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::serve;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const fs::path k_kernels = fs::path(HONE_SOURCE_ROOT) / "kernels";

// A root with a kernel, and a folder beside it that is none of the server's business.
struct Tree {
  TemporaryFolder folder = std::move(*TemporaryFolder::create("hone-roots"));
  fs::path root = folder.path() / "root", outside = folder.path() / "root-not";
  Tree()
  {
    fs::create_directories(root / "mine");
    fs::create_directories(outside);
    fs::copy(k_kernels / "matmul" / "kernel.toml", root / "mine");
    fs::copy(k_kernels / "matmul" / "kernel.toml", outside);
  }
};

} // namespace

// An agent would read or write what it was not given: by dots, links, absolute paths, or a name that begins alike.
TEST(Roots, KeepPathsInside)
{
  const Tree tree;
  const auto roots = Roots::open({tree.root});
  ASSERT_TRUE(roots);
  EXPECT_TRUE(roots->inside("mine/new"));
  EXPECT_TRUE(roots->inside(fs::canonical(tree.root) / "x" / ".." / "y"));
  fs::create_symlink(tree.outside, tree.root / "link");
  for (const fs::path& wrong : {fs::path(".."), fs::path("mine/../../root-not"), fs::path("/etc/passwd"), tree.outside,
                                fs::path("link/kernel.toml"), fs::path("")}) {
    EXPECT_FALSE(roots->inside(wrong)) << wrong;
  }
  EXPECT_TRUE(roots->folder_inside("mine"));
  fs::create_symlink(tree.outside / "kernel.toml", tree.root / "mine" / "device.cpp");
  const auto refused = roots->folder_inside("mine");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("a link to the outside"));
  EXPECT_FALSE(Roots::open({tree.root / "mine" / "kernel.toml"}));
}

// A kernel that Hone ships would get a workflow beside it, in a folder that is not the user's.
TEST(Workplace, FindsKernelsAndTheirState)
{
  const Tree tree;
  const Workplace place(*Roots::open({tree.root}), false, {});
  const auto mine = place.kernel({{"kernel", "mine"}, {"sizes", {{"m", 8}}}, {"backend", "cpu"}, {"threads", 2}});
  ASSERT_TRUE(mine) << mine.error().text();
  EXPECT_EQ(mine->state, fs::canonical(tree.root) / "mine" / ".hone");
  EXPECT_THAT(mine->request.sizes, ElementsAre("m=8"));
  EXPECT_EQ(mine->settings.text("threads"), "2");
  const auto shipped = place.kernel({{"kernel", "softmax"}});
  ASSERT_TRUE(shipped) << shipped.error().text();
  EXPECT_EQ(shipped->state, fs::canonical(tree.root) / ".hone");
  EXPECT_FALSE(place.kernel({{"kernel", "../root-not"}}));
  EXPECT_FALSE(place.kernel({{"kernel", "mine"}, {"threads", "no number"}}));
}

// Without --allow-writes a kernel's own files could be changed.
TEST(Workplace, WritesWhereItMay)
{
  const Tree tree;
  const Workplace careful(*Roots::open({tree.root}), false, {}), free(*Roots::open({tree.root}), true, {});
  const auto kernel = careful.kernel({{"kernel", "mine"}});
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(careful.folder_to_write(*kernel, "mine/.hone/shipped/a"));
  EXPECT_FALSE(careful.folder_to_write(*kernel, "mine/start/cpu"));
  EXPECT_TRUE(free.folder_to_write(*kernel, "mine/start/cpu"));
  EXPECT_FALSE(free.folder_to_write(*kernel, "mine/.hone/../../../root-not"));
  for (const char* name : {"", "..", "a/b", "a b", ".hidden"}) {
    EXPECT_FALSE(check_scratch_name(name)) << name;
    EXPECT_FALSE(careful.candidate(*kernel, std::string(k_scratch) + name)) << name;
  }
  EXPECT_EQ(careful.candidate(*kernel, "best"), "best");
  EXPECT_FALSE(careful.candidate(*kernel, "../root-not"));
}

// An agent would have to read the place of a mismatch out of a sentence, and get it wrong.
TEST(Mismatch, IsReadFromWhatTheGateSays)
{
  const auto found = mismatch_in("C: last column of every row; C[12, 7]: got 1.5, expected -1.25e+03 +- 1e-06");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->argument, "C");
  EXPECT_THAT(found->index, ElementsAre(12, 7));
  EXPECT_EQ(found->got, 1.5);
  EXPECT_EQ(found->expected, -1250);
  EXPECT_EQ(found->tolerance, 1e-6);
  EXPECT_THAT(mismatch_in("total: got nan, expected 3 +- 0.1")->index, ElementsAre());
  EXPECT_FALSE(mismatch_in("guard bands were written to"));
  record::Verdict verdict;
  verdict.reason = "total: got nan, expected 3 +- 0.1";
  EXPECT_EQ(mismatch_json(verdict)["got"], "nan");
}
