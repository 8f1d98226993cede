#include "policy/schema.h"

namespace hone::policy {

Json step_list_schema()
{
  const std::vector<std::string> later{"later"};
  Json step = object_schema("a transformation to try, or a tuning session",
                            {{"apply", text_schema("a transformation's name")},
                             {"pays", words_schema("keep it for now even if it is no faster by itself", later)},
                             {"tune", integer_schema("a tuning session of at most so many points", 1)},
                             {"seconds", integer_schema("of wall time for the tuning session", 1)}});
  step["oneOf"] = Json::array({Json{{"required", {"apply"}}}, Json{{"required", {"tune"}}}});
  step["dependentRequired"] = Json{{"pays", {"apply"}}};
  return file_schema("a step list",
                     object_schema("the order in which the policy `sequence` tries transformations",
                                   {{"summary", text_schema("what the list does, for people")},
                                    {"look_ahead", integer_schema("steps tried on top of one that pays later (2)", 1)},
                                    {"step", list_schema("steps, in order", step, 1), true}}));
}

} // namespace hone::policy
