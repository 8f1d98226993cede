// Groups of a cluster: their numbers, their barrier, each other's shared memory; and groups that wait for each other by
// flags in global memory.
#include "small_program.h"

namespace hone::emulate {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* k_place = ".shared .align 16 .b8 block[512];\n.shared .align 8 .b64 ready;\n";
constexpr const char* k_cluster_sync = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

Tune of_two(std::uint64_t seed = 0)
{
  return [seed](LaunchRequest& request) {
    request.cluster = {2, 1, 1};
    request.seed = seed;
  };
}

// The element of the output is the thread's own among all groups.
std::string in_cluster(const std::string& body)
{
  return with_body(
    "mov.u32 %r30, %ctaid.x;\nmov.u32 %r31, %ntid.x;\nmad.lo.u32 %r32, %r30, %r31, %r1;\nmul.wide.u32 "
    "%rd3, %r32, 4;\nadd.s64 %rd1, %rd0, %rd3;\nmov.u32 %r20, %cluster_ctarank;\nxor.b32 %r21, %r20, 1;\n"
      + body,
    k_place);
}

TEST(Cluster, NumbersOfGroups)
{
  const Ran ran = run(in_cluster("mov.u32 %r2, %clusterid.x;\nmad.lo.u32 %r2, %r2, 10, %r20;\nmov.u32 %r3, "
                                 "%cluster_nctarank;\nmad.lo.u32 %r2, %r3, 100, %r2;\nmov.u32 %r3, %nclusterid.x;\n"
                                 "mad.lo.u32 %r2, %r3, 1000, %r2;\nmov.u32 %r3, %cluster_ctaid.x;\nmad.lo.u32 %r2, "
                                 "%r3, 10000, %r2;\nmov.pred %p1, %is_explicit_cluster;\n@%p1 add.u32 %r2, %r2, "
                                 "100000;\nst.global.b32 [%rd1], %r2;"),
                      1, 4, of_two());
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_THAT(ran.output, testing::ElementsAre(102200, 112201, 102210, 112211));
}

TEST(Cluster, AGridIsAMultipleOfItsClusters)
{
  EXPECT_THAT(findings_of(run(in_cluster(""), 1, 3, of_two())), HasSubstr("no multiple of its clusters"));
}

// Every group stores its rank + 7 and reads the other's.
const std::string k_exchange = "mov.b32 %r5, block;\nadd.u32 %r6, %r20, 7;\nst.shared.b32 [%r5], %r6;\n";
const std::string k_remote_load =
  "mapa.shared::cluster.u32 %r7, block, %r21;\nld.shared::cluster.b32 %r2, [%r7];\nst.global.b32 [%rd1], %r2;\n";

TEST(Cluster, AnExchangeNeedsTheClustersBarrierOnBothSides)
{
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const Ran right = run(in_cluster(k_exchange + k_cluster_sync + k_remote_load + k_cluster_sync), 1, 2, of_two(seed));
    EXPECT_THAT(findings_of(right), IsEmpty()) << seed;
    EXPECT_THAT(right.output, testing::ElementsAre(8, 7));
    EXPECT_THAT(findings_of(run(in_cluster(k_exchange + k_remote_load + k_cluster_sync), 1, 2, of_two(seed))),
                testing::AnyOf(HasSubstr("race"), HasSubstr("nobody stored")));
    EXPECT_THAT(findings_of(run(in_cluster(k_exchange + k_cluster_sync + k_remote_load), 1, 2, of_two(seed))),
                testing::AnyOf(HasSubstr("leaves without an order"), HasSubstr("which has left")));
  }
}

TEST(Cluster, GenericAddressesAndUpdatesReachOtherGroups)
{
  const Ran ran =
    run(in_cluster("mov.b32 %r5, block;\nmov.b32 %r6, 0;\nst.shared.b32 [%r5], %r6;\n" + std::string(k_cluster_sync)
                   + "cvt.u64.u32 %rd4, %r5;\ncvta.shared.u64 %rd4, %rd4;\nmapa.u64 %rd5, %rd4, 0;\n"
                     "atom.add.u32 %r2, [%rd5], 5;\nred.relaxed.cluster.shared::cluster.add.u32 [%r7], 1;\n"
                   + k_cluster_sync + "ld.shared.b32 %r2, [%r5];\nst.global.b32 [%rd1], %r2;"),
        1, 2, [](LaunchRequest& request) {
          request.cluster = {2, 1, 1};
        });
  // %r7 is 0: the own block.
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_THAT(ran.output, testing::ElementsAre(11, 1));
}

TEST(Cluster, AddressesOfOtherGroupsAreNotTheOwnWindow)
{
  const Ran ran = run(
    in_cluster("mov.b32 %r5, block;\ncvt.u64.u32 %rd4, %r5;\ncvta.shared.u64 %rd4, %rd4;\nmapa.u64 %rd5, %rd4, %r21;\n"
               "isspacep.shared::cta %p1, %rd5;\nisspacep.shared::cluster %p2, %rd5;\nselp.u32 %r2, 1, 0, %p1;\n@%p2 "
               "add.u32 %r2, %r2, 2;\ngetctarank.u64 %r3, %rd5;\nmad.lo.u32 %r2, %r3, 10, %r2;\nst.global.b32 "
               "[%rd1], %r2;"),
    1, 2, of_two());
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_THAT(ran.output, testing::ElementsAre(12, 2));
  EXPECT_THAT(findings_of(run(in_cluster("mapa.shared::cluster.u32 %r7, block, 2;"), 1, 2, of_two())),
              HasSubstr("block 2 of a cluster of 2"));
}

TEST(Cluster, BarriersTakeTurns)
{
  EXPECT_THAT(findings_of(run(in_cluster("barrier.cluster.arrive;\nbarrier.cluster.arrive;"), 1, 2, of_two())),
              HasSubstr("arrive twice"));
  EXPECT_THAT(findings_of(run(in_cluster("barrier.cluster.wait;"), 1, 2, of_two())), HasSubstr("have not arrived"));
  // Who has left is not waited for.
  EXPECT_THAT(findings_of(run(in_cluster("setp.eq.u32 %p1, %r20, 0;\n@%p1 exit;\n" + std::string(k_cluster_sync)), 1, 2,
                              of_two())),
              IsEmpty());
  EXPECT_THAT(findings_of(run(in_cluster("setp.eq.u32 %p1, %r20, 0;\n@%p1 bra wait;\nloop:\nnanosleep.u32 20;\nbra "
                                         "loop;\nwait:\n"
                                         + std::string(k_cluster_sync)),
                              1, 2, of_two())),
              HasSubstr("hang"));
}

// The first group waits at its mbarrier for the second, which stores to it by then.
std::string remote_arrival(const std::string& first_sync, const std::string& arrival)
{
  return in_cluster(
    "mov.b32 %r5, ready;\nmov.b32 %r6, block;\nsetp.ne.u32 %p1, %r20, 0;\nmbarrier.init.shared.b64 [%r5], "
    "1;\nfence.mbarrier_init.release.cluster;\n"
    + first_sync
    + "@%p1 bra other;\nwait:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;\n@!%p2 bra "
      "wait;\nld.shared.b32 %r2, [%r6];\nst.global.b32 [%rd1], %r2;\nbra done;\nother:\n"
      "mapa.shared::cluster.u32 %r7, ready, 0;\nmapa.shared::cluster.u32 %r8, block, 0;\n"
    + arrival + "\ndone:\n" + k_cluster_sync);
}
const std::string k_arrival = "mov.b32 %r9, 41;\nst.shared::cluster.b32 [%r8], %r9;\nmbarrier.arrive.release.cluster."
                              "shared::cluster.b64 _, [%r7];";

TEST(Cluster, AnArrivalAtAnotherGroupsBarrier)
{
  const std::string relaxed = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n";
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const Ran right = run(remote_arrival(k_cluster_sync, k_arrival), 1, 2, of_two(seed));
    EXPECT_THAT(findings_of(right), IsEmpty());
    EXPECT_EQ(right.output[0], 41U);
    EXPECT_THAT(findings_of(run(remote_arrival(relaxed, k_arrival), 1, 2, of_two(seed))), IsEmpty());
    EXPECT_THAT(findings_of(run(remote_arrival("", k_arrival), 1, 2, of_two(seed))),
                testing::AnyOf(HasSubstr("nothing shows that it has begun"), HasSubstr("uninitialised")));
  }
}

TEST(Cluster, AnArrivalThatIsRelaxedTellsNothing)
{
  const std::string arrival = "mov.b32 %r9, 41;\nst.shared::cluster.b32 [%r8], %r9;\nmbarrier.arrive.relaxed.cluster."
                              "shared::cluster.b64 _, [%r7];";
  std::string text = remote_arrival(k_cluster_sync, arrival);
  text.replace(text.find("8.5"), 3, "8.6");
  EXPECT_THAT(findings_of(run(text, 1, 2, of_two())), HasSubstr("race"));
}

TEST(Cluster, AStoreThatReportsToABarrier)
{
  const std::string store = "mov.b32 %r9, 42;\nst.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r8], "
                            "%r9, [%r7];\nmbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r7], ";
  const Ran right = run(remote_arrival(k_cluster_sync, store + "4;"), 1, 2, of_two());
  EXPECT_THAT(findings_of(right), IsEmpty());
  EXPECT_EQ(right.output[0], 42U);
  const std::string wrong = findings_of(run(remote_arrival(k_cluster_sync, store + "8;"), 1, 2, of_two()));
  EXPECT_THAT(wrong, HasSubstr("bytes missing: 4"));
  EXPECT_THAT(wrong, HasSubstr("block (0, 0, 0)"));
}

// The first group stores 5 and raises a flag in the output's second element; the second waits for it.
std::string by_flag(const std::string& raise, const std::string& wait)
{
  return in_cluster(
    "setp.ne.u32 %p1, %r30, 0;\n@%p1 bra other;\nmov.b32 %r2, 5;\nmov.b32 %r4, 1;\nst.global.b32 [%rd0], "
    "%r2;\n"
    + raise + "\nbra done;\nother:\n" + wait
    + "\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra other;\nld.global.b32 %r2, [%rd0];\nst.global.b32 "
      "[%rd0+8], %r2;\ndone:");
}

Ran with_flag(const std::string& raise, const std::string& wait, std::uint32_t resident, std::uint64_t seed = 0)
{
  return run(by_flag(raise, wait), 1, 3, [=](LaunchRequest& request) {
    request.grid[0] = 2;
    request.resident = resident;
    request.seed = seed;
  });
}

TEST(Flags, MakeAnOrderBetweenGroups)
{
  const std::string release = "st.release.gpu.global.b32 [%rd0+4], %r4;",
                    acquire = "ld.acquire.gpu.global.b32 %r3, [%rd0+4];";
  const std::string fence = "fence.acq_rel.gpu;\n", relaxed = "st.relaxed.gpu.global.b32 [%rd0+4], %r4;";
  const std::string volatile_load = "ld.volatile.global.b32 %r3, [%rd0+4];\n";
  for (const std::uint32_t resident : {1, 2}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      const Ran ran = with_flag(release, acquire, resident, seed);
      EXPECT_THAT(findings_of(ran), IsEmpty());
      EXPECT_EQ(ran.output[2], 5U);
      EXPECT_THAT(findings_of(with_flag(fence + relaxed, acquire, resident, seed)), IsEmpty());
      EXPECT_THAT(findings_of(with_flag("membar.gl;\nst.volatile.global.b32 [%rd0+4], %r4;", volatile_load + fence,
                                        resident, seed)),
                  IsEmpty());
      EXPECT_THAT(findings_of(with_flag("atom.acq_rel.gpu.global.exch.b32 %r5, [%rd0+4], %r4;",
                                        "atom.acquire.gpu.global.cas.b32 %r3, [%rd0+4], 7, 7;", resident, seed)),
                  IsEmpty());
      // One half is missing, or does not reach the other group.
      EXPECT_THAT(findings_of(with_flag(relaxed, acquire, resident, seed)), HasSubstr("race"));
      EXPECT_THAT(findings_of(with_flag(release, volatile_load, resident, seed)), HasSubstr("race"));
      EXPECT_THAT(findings_of(with_flag("fence.acq_rel.cta;\n" + relaxed, acquire, resident, seed)), HasSubstr("race"));
      EXPECT_THAT(findings_of(with_flag("st.release.cta.global.b32 [%rd0+4], %r4;", acquire, resident, seed)),
                  HasSubstr("race"));
      EXPECT_THAT(findings_of(with_flag(fence + "st.global.b32 [%rd0+4], %r4;", acquire, resident, seed)),
                  HasSubstr("race"));
    }
  }
}

// Every group counts itself; who comes last reads what all have stored.
std::string last_group(const std::string& fence)
{
  return in_cluster("mov.b32 %r5, 3;\nst.global.b32 [%rd1], %r5;\n" + fence + "atom.global.add.u32 %r6, [%rd0+16], 1;\n"
                    + fence
                    + "setp.ne.u32 %p1, %r6, 3;\n@%p1 exit;\nld.global.v4.b32 {%r7, %r8, %r9, %r10}, [%rd0];\nadd.u32 "
                      "%r7, %r7, %r8;\nadd.u32 %r7, %r7, %r9;\nadd.u32 %r7, %r7, %r10;\nst.global.b32 [%rd0], %r7;");
}

TEST(Flags, TheLastGroupSeesAllOthers)
{
  const auto few = [](std::uint32_t resident, std::uint64_t seed) {
    return [=](LaunchRequest& request) {
      request.grid[0] = 4;
      request.resident = resident;
      request.seed = seed;
    };
  };
  for (const std::uint32_t resident : {1, 2, 4}) {
    for (const std::uint64_t seed : {0, 5}) {
      const Ran ran = run(last_group("fence.acq_rel.gpu;\n"), 1, 5, few(resident, seed));
      EXPECT_THAT(findings_of(ran), IsEmpty()) << resident;
      EXPECT_EQ(ran.output[0], 12U);
      EXPECT_THAT(findings_of(run(last_group(""), 1, 5, few(resident, seed))), HasSubstr("race"));
    }
  }
}

// A barrier of the whole grid by a counter: only a cooperative launch comes to its end.
TEST(Flags, AGridThatWaitsForItself)
{
  const std::string body = in_cluster(
    "st.global.b32 [%rd1], %r30;\nfence.acq_rel.gpu;\nred.global.add.u32 [%rd0+16], 1;\nwait:\n"
    "ld.relaxed.gpu.global.b32 %r3, [%rd0+16];\nsetp.lt.u32 %p1, %r3, 4;\n@%p1 bra wait;\nfence.acq_rel.gpu;\n"
    "xor.b32 %r4, %r30, 1;\nmul.wide.u32 %rd4, %r4, 4;\nadd.s64 %rd5, %rd0, %rd4;\nld.global.b32 %r2, "
    "[%rd5];\nfence.acq_rel.gpu;\nred.global.add.u32 [%rd0+20], 1;\nagain:\nld.acquire.gpu.global.b32 %r3, "
    "[%rd0+20];\nsetp.lt.u32 %p1, %r3, 4;\n@%p1 bra again;\nst.global.b32 [%rd1], %r2;");
  const auto grid = [](bool cooperative) {
    return [=](LaunchRequest& request) {
      request.grid[0] = 4;
      request.cooperative = cooperative;
      request.most_instructions = 20'000;
    };
  };
  const Ran ran = run(body, 1, 6, grid(true));
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_THAT(ran.output, testing::ElementsAre(1, 0, 3, 2, 4, 4));
  EXPECT_THAT(findings_of(run(body, 1, 6, grid(false))), HasSubstr("hang"));
  // Without the second barrier, a store meets the other group's load.
  std::string early = body;
  early.replace(early.find("setp.lt.u32 %p1, %r3, 4;\n@%p1 bra again;"), 24, "setp.lt.u32 %p1, %r3, 0;");
  EXPECT_THAT(findings_of(run(early, 1, 6, grid(true))), HasSubstr("race"));
}

} // namespace
} // namespace hone::emulate
