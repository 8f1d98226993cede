// What a runner says about its own end, in memory that its candidate can write: claims, never addresses to follow.
#include "fuzz_target.h"
#include "gate/session_end.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <memory>

namespace hone::fuzz {

namespace {

// The members of a reply in order, and the first characters of its text.
std::string seed(backend::runner::State state, int signal, std::string_view text)
{
  const auto reply = std::make_unique<backend::runner::Reply>();
  reply->state = state;
  reply->signal = static_cast<std::uint32_t>(signal);
  reply->fault_address = 0x7000'0000'0010;
  reply->fault_write = 1;
  reply->blocked_call = 41;
  reply->text_bytes = static_cast<std::uint32_t>(text.size());
  std::ranges::copy(text, reply->text);
  return {reinterpret_cast<const char*>(reply.get()), offsetof(backend::runner::Reply, text) + text.size()};
}

std::vector<std::string> seeds()
{
  return {seed(backend::runner::State::faulted, SIGSEGV, ""), seed(backend::runner::State::blocked, SIGSYS, ""),
          seed(backend::runner::State::refused, 0, "no such entry\nhere")};
}

void run(std::string_view input)
{
  const auto reply = std::make_unique<backend::runner::Reply>();
  std::memcpy(static_cast<void*>(reply.get()), input.data(), std::min(input.size(), sizeof *reply));
  const gate::ReplyClaims claims = gate::read_claims(*reply);
  if (claims.text.size() > backend::runner::k_reply_text_bytes
      || std::ranges::any_of(claims.text, [](unsigned char c) { return c == 0x1b || c == 0; })) {
    promise_broken("a text that a terminal would obey");
  }
  gate::ArenaLayout layout;
  gate::Placement output;
  output.name = "C";
  output.element_bytes = 4;
  output.bytes = 4096;
  output.offset = 4096;
  output.band_end = 12288;
  output.address = 0x7000'0000'0000;
  layout.placements.push_back(output);
  for (const backend::ProcessEnd& end : {backend::ProcessEnd{false, 0, SIGSEGV}, backend::ProcessEnd{false, 0, SIGSYS},
                                         backend::ProcessEnd{false, 0, SIGKILL}, backend::ProcessEnd{true, 0, 0},
                                         backend::ProcessEnd{true, backend::runner::k_exit_blocked, 0},
                                         backend::ProcessEnd{true, backend::runner::k_exit_refused, 0}}) {
    const gate::SessionEnd words = gate::describe_end(end, claims, layout);
    if (words.status == record::Status::correct) {
      promise_broken("a runner that ended by itself is called correct");
    }
  }
}

} // namespace

const Target& runner_reply_target()
{
  static const Target k_target = {"runner-reply", seeds, run};
  return k_target;
}

} // namespace hone::fuzz
