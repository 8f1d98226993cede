#include "llm/event_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::llm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<StreamedEvent> feed_in_pieces(std::string_view text, std::size_t size)
{
  EventStream stream;
  std::vector<StreamedEvent> all;
  for (std::size_t at = 0; at < text.size(); at += size) {
    for (StreamedEvent& event : stream.feed(text.substr(at, size))) {
      all.push_back(std::move(event));
    }
  }
  return all;
}

TEST(EventStreamTest, EventsEndWithAnEmptyLineHoweverTheyAreCut)
{
  constexpr std::string_view text =
    "event: start\ndata: {\"a\":\ndata:1}\n\n: a comment\nid: 7\ndata: x\r\n\r\ndata\n\nrest";
  for (const std::size_t size : std::initializer_list<std::size_t>{1, 2, 3, 7, 100}) {
    EXPECT_THAT(feed_in_pieces(text, size),
                ElementsAre(StreamedEvent{"start", "{\"a\":\n1}"}, StreamedEvent{"", "x"}, StreamedEvent{"", ""}))
      << size;
  }
}

TEST(EventStreamTest, AnEventWithoutDataIsNone)
{
  EXPECT_THAT(feed_in_pieces("event: ping\n\n\n\n", 4), IsEmpty());
}

} // namespace
} // namespace hone::llm
