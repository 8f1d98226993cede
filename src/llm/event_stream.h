// Server-sent events, as providers stream their answers (WHATWG HTML, section 9.2). (internal to the model room)
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone::llm {

struct StreamedEvent {
  std::string name; // "" where the server gave none
  std::string data; // lines joined by '\n'
  bool operator==(const StreamedEvent&) const = default;
};

// Takes bytes as they come, in pieces of any size; gives events as soon as their empty line is there.
class EventStream {
public:
  std::vector<StreamedEvent> feed(std::string_view bytes);

private:
  void take_line(std::string_view line, std::vector<StreamedEvent>& events);

  std::string m_rest; // a line that has not ended
  bool m_after_return = false;
  bool m_has_data = false;
  StreamedEvent m_event;
};

} // namespace hone::llm
