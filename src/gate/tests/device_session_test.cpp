// The whole contract on a device that shares no memory and has a clock of its own.
#include "backend/runner/device_words.h"
#include "fake_device.h"
#include "session_bench.h"

#include <gmock/gmock.h>

#include <cstring>

namespace hone::gate::test {
namespace {

using backend::runner::MemoryOperation;
using testing::HasSubstr;

constexpr std::int64_t k_device_extent = 1000;
constexpr std::uint32_t k_first[] = {0};

// C = 2 * A + B, each group its part.
void add_twice(const FakeGroup& group)
{
  const std::int64_t n = group.integers[3];
  const std::int64_t part = (n + group.count[0] - 1) / group.count[0];
  for (std::int64_t i = group.id[0] * part; i < std::min(n, (group.id[0] + 1) * part); ++i) {
    group.at<float>(k_c)[i] = 2 * group.at<const float>(k_a)[i] + group.at<const float>(k_b)[i];
  }
}

class DeviceSession : public testing::Test {
protected:
  DeviceSession() { m_device.kernels["kernel"] = add_twice; }

  // An arena of one size, in the memory of the last one.
  void make_arena(std::int64_t n, std::size_t sets = 1, bool shared_inputs = false)
  {
    m_plan = plan_of(n, 3);
    m_module = fake_module(m_plan);
    ArenaSpec spec;
    spec.kernel = &m_kernel;
    spec.sizes = {{"n", n}};
    spec.sets = sets;
    spec.shared_inputs = shared_inputs;
    spec.spare_room = true;
    spec.scratch_bytes = scratch_bytes_of(m_plan);
    spec.layout_seed = 7;
    auto arena = Arena::create(spec, std::exchange(m_arena, std::nullopt));
    ASSERT_TRUE(arena) << arena.error().text();
    m_arena.emplace(std::move(*arena));
    fill(sets);
  }

  void fill(std::size_t sets)
  {
    Random random(m_fills++);
    for (std::size_t set = 0; set < sets; ++set) {
      fill_inputs(*m_arena, set, m_fills + set);
      m_arena->poison(set, random);
    }
  }

  SessionSpec spec() const
  {
    SessionSpec spec;
    spec.backend = &m_backend;
    spec.module = &m_module;
    spec.plan = &m_plan;
    spec.call_deadline = std::chrono::seconds(10);
    spec.stop = m_stop.get_token();
    return spec;
  }

  void open(std::int64_t n = k_device_extent, std::size_t sets = 1)
  {
    make_arena(n, sets);
    auto session = RunnerSession::open(spec(), *m_arena);
    ASSERT_TRUE(session) << session.error().text();
    ASSERT_TRUE(*session) << (*session).error().reason;
    m_session.emplace(std::move(**session));
  }

  FakeDevice m_device;
  FakeDeviceBackend m_backend{m_device};
  kernel::Kernel m_kernel = axpy_kernel();
  kernel::ResolvedPlan m_plan;
  backend::Module m_module;
  std::stop_source m_stop;
  std::uint64_t m_fills = 1;
  std::optional<Arena> m_arena;
  std::optional<RunnerSession> m_session; // goes first
};

// A wrong direction, a wrong set or a forgotten copy leaves poison where the result should be.
TEST_F(DeviceSession, computes_in_memory_of_the_devices_own)
{
  open(k_device_extent, 3);
  const std::uint32_t sets[] = {2, 0, 2};
  const auto timing = m_session->run_block(sets);
  ASSERT_TRUE(timing) << timing.error().reason;
  EXPECT_TRUE(output_is_right(*m_arena, 0));
  EXPECT_FALSE(output_is_right(*m_arena, 1));
  EXPECT_TRUE(output_is_right(*m_arena, 2));
  EXPECT_EQ(m_device.calls, 3);
  EXPECT_EQ(m_device.requests[MemoryOperation::push], 4) << "two inputs of two sets";
  EXPECT_EQ(m_device.requests[MemoryOperation::poison], 2) << "poison is made on the device";
  EXPECT_EQ(m_device.requests[MemoryOperation::pull], 2);
}

TEST_F(DeviceSession, pushes_only_what_the_parent_has_changed)
{
  open();
  ASSERT_TRUE(m_session->run_block(k_first));
  m_device.requests.clear();
  ASSERT_TRUE(m_session->run_block(k_first));
  EXPECT_EQ(m_device.requests[MemoryOperation::push], 0);
  EXPECT_EQ(m_device.requests[MemoryOperation::poison], 0);
  m_arena->tensor(0, k_a)[0] ^= std::byte{1};
  ASSERT_TRUE(m_session->run_block(k_first));
  EXPECT_EQ(m_device.requests[MemoryOperation::push], 1);
  EXPECT_TRUE(output_is_right(*m_arena, 0));
}

// What the parent wrote over poison must arrive, not the poison: calls are made on what other calls left.
TEST_F(DeviceSession, brings_what_was_written_over_poison)
{
  m_device.kernels["kernel"] = [](const FakeGroup& group) { group.at<float>(k_c)[group.id[0]] += 1; };
  open();
  auto* values = reinterpret_cast<float*>(m_arena->tensor(0, k_c).data());
  std::fill_n(values, k_device_extent, 5.0F);
  ASSERT_TRUE(m_session->run_block(k_first));
  EXPECT_EQ(values[0], 6);
  EXPECT_EQ(values[3], 5);
}

TEST_F(DeviceSession, finds_other_poison_in_every_call)
{
  m_device.kernels["kernel"] = [](const FakeGroup&) {};
  open();
  ASSERT_TRUE(m_session->run_block(k_first));
  const auto output = m_arena->tensor(0, k_c);
  const std::vector<std::byte> first(output.begin(), output.end());
  fill(1);
  ASSERT_TRUE(m_session->run_block(k_first));
  const auto again = m_arena->tensor(0, k_c);
  EXPECT_FALSE(std::ranges::equal(first, again));
}

TEST_F(DeviceSession, fills_buffers_on_the_device)
{
  make_arena(k_device_extent);
  m_plan.launches[0].fills = {{{kernel::ResolvedArgument::Kind::tensor, k_c, 0}, 3}};
  m_device.kernels["kernel"] = [](const FakeGroup& group) { group.at<float>(k_c)[group.id[0]] += 1; };
  auto session = RunnerSession::open(spec(), *m_arena);
  ASSERT_TRUE(session && *session);
  ASSERT_TRUE((*session)->run_block(k_first));
  const auto* values = reinterpret_cast<const float*>(m_arena->tensor(0, k_c).data());
  EXPECT_EQ(values[0], 4);
  EXPECT_EQ(values[k_device_extent - 1], 3);
}

struct FaultCase {
  FakeFault fault;
  record::Status status;
  const char* reason;
};

class DeviceFault : public DeviceSession, public testing::WithParamInterface<FaultCase> {};

TEST_P(DeviceFault, ends_the_session_with_its_reason)
{
  m_device.fault = GetParam().fault;
  m_device.good_calls = 2;
  open();
  std::optional<SessionEnd> end;
  int blocks = 0;
  for (; blocks < 4 && !end; ++blocks) {
    fill(1);
    if (const auto timing = m_session->run_block(k_first); !timing) {
      end = timing.error();
    } else {
      EXPECT_TRUE(output_is_right(*m_arena, 0)) << "block " << blocks;
    }
  }
  ASSERT_TRUE(end);
  EXPECT_EQ(blocks, 3) << "two calls were good";
  EXPECT_EQ(record::name_of(end->status), record::name_of(GetParam().status));
  EXPECT_THAT(end->reason, HasSubstr(GetParam().reason));
  EXPECT_FALSE(m_session->run_block(k_first)) << "a session that has ended stays so";
}

INSTANTIATE_TEST_SUITE_P(All, DeviceFault,
                         testing::Values(FaultCase{FakeFault::lost, record::Status::runtime, "the device was lost"},
                                         FaultCase{FakeFault::dies, record::Status::runtime, "killed by SIGSEGV"},
                                         FaultCase{FakeFault::hangs, record::Status::timeout, "no answer after 10 s"},
                                         FaultCase{FakeFault::corrupt_guard, record::Status::rejected,
                                                   "wrote out of bounds: 4 bytes past the end of C"},
                                         FaultCase{FakeFault::writes_input, record::Status::rejected,
                                                   "wrote to input: A, set 0"}));

TEST_F(DeviceSession, refuses_a_clock_that_says_more_than_has_passed)
{
  m_device.fault = FakeFault::lying_clock;
  open();
  const auto timing = m_session->run_block(k_first);
  ASSERT_FALSE(timing);
  EXPECT_EQ(timing.error().status, record::Status::rejected);
  EXPECT_THAT(timing.error().reason, HasSubstr("impossible: the device's clock says"));
}

TEST_F(DeviceSession, counts_by_the_devices_clock_where_it_has_one)
{
  open(k_device_extent, 2);
  const std::uint32_t sets[] = {0, 1};
  const auto timing = m_session->run_block(sets);
  ASSERT_TRUE(timing);
  EXPECT_DOUBLE_EQ(timing->device_s, 2e-3);
  EXPECT_DOUBLE_EQ(timing->counted_s(), 2e-3);
  EXPECT_GT(timing->wall_s, timing->device_s);
}

TEST_F(DeviceSession, counts_by_the_wall_clock_elsewhere)
{
  m_device.capabilities.clock = backend::DeviceClock::wall;
  open();
  const auto timing = m_session->run_block(k_first);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->device_s, 0);
  EXPECT_GE(timing->counted_s(), 1e-3);
}

// Work that a call leaves on the device counts, and is done before outputs are read.
TEST_F(DeviceSession, waits_for_what_calls_leave_on_the_device)
{
  m_device.asynchronous = true;
  m_device.capabilities.clock = backend::DeviceClock::wall;
  open(k_device_extent, 2);
  const std::uint32_t sets[] = {0, 1};
  const auto timing = m_session->run_block(sets);
  ASSERT_TRUE(timing);
  EXPECT_GE(timing->wall_s, 2e-3);
  EXPECT_TRUE(output_is_right(*m_arena, 0));
  EXPECT_TRUE(output_is_right(*m_arena, 1));
  EXPECT_EQ(m_device.synchronisations, 1);
}

TEST_F(DeviceSession, takes_a_late_answer_within_the_deadline)
{
  m_device.fault = FakeFault::late;
  open();
  const auto timing = m_session->run_block(k_first);
  ASSERT_TRUE(timing) << timing.error().reason;
  EXPECT_GE(timing->wall_s, 50e-3);
  EXPECT_TRUE(output_is_right(*m_arena, 0));
}

TEST_F(DeviceSession, ends_where_the_device_has_no_memory)
{
  m_device.fault = FakeFault::out_of_memory;
  make_arena(k_device_extent);
  const auto session = RunnerSession::open(spec(), *m_arena);
  ASSERT_TRUE(session) << session.error().text();
  ASSERT_FALSE(*session);
  EXPECT_THAT((*session).error().log, HasSubstr("cannot allocate that much memory"));
}

// The same runner computes at other sizes, and nothing of the former job is there any more.
TEST_F(DeviceSession, takes_another_job)
{
  open(k_device_extent);
  ASSERT_TRUE(m_session->run_block(k_first));
  const auto values = m_arena->tensor(0, k_c);
  const std::vector<std::byte> former(values.begin(), values.end());
  for (const std::int64_t n : {k_device_extent / 2, 3 * k_device_extent, k_device_extent}) {
    make_arena(n, 2);
    auto session = RunnerSession::open(spec(), *m_arena, std::exchange(m_session, std::nullopt));
    ASSERT_TRUE(session) << session.error().text();
    ASSERT_TRUE(*session) << (*session).error().reason;
    m_session.emplace(std::move(**session));
    const std::uint32_t sets[] = {1, 0};
    const auto timing = m_session->run_block(sets);
    ASSERT_TRUE(timing) << timing.error().reason;
    EXPECT_TRUE(output_is_right(*m_arena, 0));
    EXPECT_TRUE(output_is_right(*m_arena, 1));
  }
  EXPECT_EQ(m_device.starts, 1);
  EXPECT_EQ(m_device.rebinds, 3);

  m_device.kernels["kernel"] = [](const FakeGroup&) {};
  make_arena(k_device_extent);
  auto session = RunnerSession::open(spec(), *m_arena, std::exchange(m_session, std::nullopt));
  ASSERT_TRUE(session && *session);
  ASSERT_TRUE((*session)->run_block(k_first));
  const auto left = m_arena->tensor(0, k_c);
  EXPECT_FALSE(std::ranges::equal(former, left));
}

TEST_F(DeviceSession, starts_anew_where_the_runner_cannot_take_the_job)
{
  open(k_device_extent);
  make_arena(std::int64_t{3} << 19); // of which no file has room
  auto session = RunnerSession::open(spec(), *m_arena, std::exchange(m_session, std::nullopt));
  ASSERT_TRUE(session && *session);
  ASSERT_TRUE((*session)->run_block(k_first));
  EXPECT_TRUE(output_is_right(*m_arena, 0));
  EXPECT_EQ(m_device.starts, 2);
  EXPECT_EQ(m_device.rebinds, 0);
}

TEST_F(DeviceSession, starts_anew_after_a_failure)
{
  m_device.fault = FakeFault::lost;
  open();
  ASSERT_FALSE(m_session->run_block(k_first));
  m_device.fault = FakeFault::none;
  make_arena(k_device_extent);
  auto session = RunnerSession::open(spec(), *m_arena, std::exchange(m_session, std::nullopt));
  ASSERT_TRUE(session && *session);
  EXPECT_TRUE((*session)->run_block(k_first));
  EXPECT_EQ(m_device.starts, 2);
}

TEST_F(DeviceSession, ends_a_block_between_calls_when_it_is_cancelled)
{
  open(k_device_extent, 5);
  m_device.during_call = [this] {
    if (m_device.calls == 2) {
      m_session->cancel();
    }
  };
  const std::uint32_t sets[] = {0, 1, 2, 3, 4};
  const auto timing = m_session->run_block(sets);
  ASSERT_TRUE(timing) << timing.error().reason;
  EXPECT_TRUE(timing->cancelled);
  EXPECT_EQ(m_device.calls, 2);
  EXPECT_TRUE(output_is_right(*m_arena, 1));
  m_device.during_call = nullptr;
  fill(5);
  const auto next = m_session->run_block(sets); // the session goes on
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->cancelled);
  EXPECT_TRUE(output_is_right(*m_arena, 4));
}

TEST_F(DeviceSession, cancels_when_the_job_is_stopped)
{
  m_device.fault = FakeFault::hangs_in_call;
  open();
  m_stop.request_stop();
  const auto timing = m_session->run_block(k_first);
  ASSERT_TRUE(timing) << timing.error().reason;
  EXPECT_TRUE(timing->cancelled);
}

// Who does not react is ended by the deadline.
TEST_F(DeviceSession, kills_what_cannot_be_cancelled)
{
  m_device.fault = FakeFault::hangs;
  open();
  m_stop.request_stop();
  const auto timing = m_session->run_block(k_first);
  ASSERT_FALSE(timing);
  EXPECT_EQ(timing.error().status, record::Status::timeout);
}

} // namespace
} // namespace hone::gate::test
