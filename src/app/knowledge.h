// The base of knowledge that climbs write to and that people look at: which file it is, and questions about a kernel.
#pragma once

#include "app/workbench.h"
#include "knowledge/knowledge.h"

#include <string>
#include <vector>

namespace hone::app {

// The setting `knowledge`, else $XDG_DATA_HOME/hone/knowledge.db.
fs::path knowledge_file(const Settings& settings);
Result<knowledge::Base> open_knowledge(const Context& context);
// An error where there is none yet, with the way to one.
Result<knowledge::Base> existing_knowledge(const Context& context);

// What is known about a kernel and this device before anything is profiled: kind, types, shape, backend, device.
Result<knowledge::Signature> signature_here(const Workbench& bench);

struct KnowledgeQuestion {
  std::string kernel; // folder or name; its kind, types and shape are asked for, here; empty: the filter's words alone
  std::vector<std::string> sizes;
  knowledge::Filter filter;
  std::string words; // also entries in which these stand
  std::size_t most = 10;
};

struct KnowledgeAnswer {
  knowledge::Signature signature;
  knowledge::Answer ranked;
  std::vector<knowledge::Hit> hits;
};
Result<KnowledgeAnswer> ask_knowledge(const Context& context, const knowledge::Base& base,
                                      const KnowledgeQuestion& question);
Json to_json(const KnowledgeAnswer& answer);

} // namespace hone::app
