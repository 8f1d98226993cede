#include "gate/session_end.h"

#include "backend/cpu/runner_extension.h"

#include <fmt/format.h>
#include <seccomp.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace hone::gate {
namespace {

constexpr std::uint64_t k_stack_area = 0x7fff'f800'0000; // the kernel's own mappings lie below, the stack above
constexpr std::uint64_t k_address_end = 0x8000'0000'0000;
constexpr std::uint64_t k_below_stack = 1 << 20; // where a stack that is too deep goes on

bool in_a_stack(const ArenaLayout& layout, std::uint64_t address)
{
  const std::uint64_t other_end = layout.other_stack_end;
  const std::uint64_t workers_end = backend::runner::cpu::k_worker_stack_area
                                    + backend::runner::k_most_workers * backend::runner::cpu::k_worker_stack_step;
  return (address >= k_stack_area && address < k_address_end)
         || (address >= backend::runner::cpu::k_worker_stack_area && address < workers_end)
         || (address < other_end && other_end - address < backend::runner::cpu::k_worker_stack_bytes + k_below_stack);
}

std::string signal_name(int signal)
{
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

SessionEnd describe_memory_fault(int signal, const ReplyClaims& claims, const ArenaLayout& layout)
{
  const std::string prefix = fmt::format("killed by {}", signal_name(signal));
  if (claims.state != backend::runner::State::faulted || claims.signal != signal) {
    return {record::Status::runtime, prefix, {}};
  }
  if (claims.fault_fetch) {
    return {record::Status::runtime, fmt::format("{} jumping to {:#x}", prefix, claims.fault_address), {}};
  }
  const Touch touch = describe_address(layout, claims.fault_address);
  if (touch.near_tensor && claims.fault_write) {
    return {record::Status::rejected,
            fmt::format("{} writing {}{}", prefix, touch.in_input ? "to input: " : "", touch.place),
            {}};
  }
  if (touch.near_tensor) {
    return {record::Status::runtime, fmt::format("{} reading {}", prefix, touch.place), {}};
  }
  if (in_a_stack(layout, claims.fault_address)) {
    return {record::Status::runtime, fmt::format("{}: ran out of stack (8 MiB)", prefix), {}};
  }
  return {record::Status::runtime,
          fmt::format("{} {} address {:#x}", prefix, claims.fault_write ? "writing to" : "reading from",
                      claims.fault_address),
          {}};
}

SessionEnd describe_blocked_call(const ReplyClaims& claims)
{
  const bool known = claims.state == backend::runner::State::blocked;
  return {record::Status::rejected,
          known ? fmt::format("blocked system call {}", system_call_name(claims.blocked_call))
                : std::string("blocked system call"),
          {}};
}

SessionEnd describe_refusal(const ReplyClaims& claims)
{
  if (claims.refusal == backend::runner::RefusalKind::compile) {
    return {record::Status::compile, "the platform refused to load it", claims.text};
  }
  return {record::Status::runtime, claims.text, {}};
}

SessionEnd describe_exit(const backend::ProcessEnd& end, const ReplyClaims& claims)
{
  if (end.status == backend::runner::k_exit_blocked && claims.state == backend::runner::State::blocked) {
    return describe_blocked_call(claims);
  }
  if (end.status == backend::runner::k_exit_blocked && claims.state == backend::runner::State::faulted
      && claims.signal == SIGABRT) {
    return {record::Status::runtime, "called abort()", {}};
  }
  if (end.status == backend::runner::k_exit_refused && claims.state == backend::runner::State::refused) {
    return describe_refusal(claims);
  }
  return {record::Status::runtime, fmt::format("exited with status {} instead of returning", end.status), {}};
}

} // namespace

ReplyClaims read_claims(const backend::runner::Reply& reply)
{
  const auto copy = std::make_unique<backend::runner::Reply>();
  std::memcpy(static_cast<void*>(copy.get()), &reply, sizeof reply);
  ReplyClaims claims;
  claims.state = copy->state;
  claims.refusal = copy->refusal;
  claims.signal = static_cast<int>(std::min<std::uint32_t>(copy->signal, 64));
  claims.fault_address = copy->fault_address;
  claims.fault_write = copy->fault_write != 0;
  claims.fault_fetch = copy->fault_fetch != 0;
  claims.blocked_call = copy->blocked_call;
  claims.text.assign(copy->text, std::min(copy->text_bytes, backend::runner::k_reply_text_bytes));
  std::erase_if(claims.text, [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; });
  return claims;
}

SessionEnd describe_end(const backend::ProcessEnd& end, const ReplyClaims& claims, const ArenaLayout& layout)
{
  if (end.exited) {
    return describe_exit(end, claims);
  }
  if (end.signal == SIGSYS) {
    return describe_blocked_call(claims);
  }
  if (end.signal == SIGSEGV || end.signal == SIGBUS) {
    return describe_memory_fault(end.signal, claims, layout);
  }
  return {record::Status::runtime, fmt::format("killed by {}", signal_name(end.signal)), {}};
}

std::string system_call_name(std::uint32_t number)
{
  const std::unique_ptr<char, decltype(&std::free)> name(
    seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, static_cast<int>(number)), &std::free);
  return name != nullptr ? name.get() : fmt::format("number {}", number);
}

} // namespace hone::gate
