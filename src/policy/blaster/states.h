// In which state a candidate is, and which steps its profile speaks for. (internal to the policy blaster)
#pragma once

#include "policy/blaster_setting.h"
#include "policy/search_run.h"

#include <map>
#include <string>
#include <vector>

namespace hone::policy {

struct ProfiledState {
  knowledge::Signature signature;
  std::string id;
  bool is_new = false;
  std::string inherits;                 // id of the state that a new one inherits from
  std::vector<std::string> diagnosis;   // sentences of the profile
  std::map<std::string, double> relief; // steps that relieve a bottleneck -> its weight, 0 to 1
  std::string remark;                   // why there is no profile
};

// Profiles a candidate, once for each checkpoint, and finds its state in the base, or adds it.
class States {
public:
  // `seconds`: that profiles may take together; the first is always made.
  States(const PolicyContext& context, const BlasterSetting& setting, double seconds)
    : m_context(context), m_setting(setting), m_seconds_left(seconds)
  {
  }
  Result<const ProfiledState*> of(const SearchNode& node);
  const ProfiledState* known(const std::string& checkpoint) const; // null: nobody asked for it yet

private:
  Result<void> profile(const SearchNode& node, ProfiledState& state);

  const PolicyContext& m_context;
  const BlasterSetting& m_setting;
  double m_seconds_left;
  double m_last_s = 0;                          // that a profile took
  std::map<std::string, ProfiledState> m_known; // by checkpoint
};

} // namespace hone::policy
