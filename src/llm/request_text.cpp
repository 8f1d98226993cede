#include "llm/request_text.h"

namespace hone::llm {

std::string text_of(const ModelRequest& request)
{
  std::string text = request.system;
  for (const ModelMessage& message : request.messages) {
    text += message.role == ModelMessage::Role::assistant ? "\n\n---\n\n(your answer was)\n\n" : "\n\n---\n\n";
    text += message.text;
  }
  return text + "\n";
}

} // namespace hone::llm
