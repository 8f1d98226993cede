#include "llm/event_stream.h"

#include <utility>

namespace hone::llm {

// Lines end in \n, \r\n or \r.
std::vector<StreamedEvent> EventStream::feed(std::string_view bytes)
{
  std::vector<StreamedEvent> events;
  for (const char c : bytes) {
    const bool second_of_two = c == '\n' && m_after_return;
    m_after_return = c == '\r';
    if (second_of_two) {
      continue;
    }
    if (c == '\n' || c == '\r') {
      take_line(m_rest, events);
      m_rest.clear();
    } else {
      m_rest += c;
    }
  }
  return events;
}

void EventStream::take_line(std::string_view line, std::vector<StreamedEvent>& events)
{
  if (line.empty()) {
    if (m_has_data) {
      events.push_back(std::move(m_event));
    }
    m_event = {};
    m_has_data = false;
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) {
    value.remove_prefix(1);
  }
  if (field == "data") {
    m_event.data += m_has_data ? "\n" : "";
    m_event.data += value;
    m_has_data = true;
  } else if (field == "event") {
    m_event.name = value;
  } // comments, ids and times to wait before reconnecting are of no use here
}

} // namespace hone::llm
