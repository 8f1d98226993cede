#include "app/list_inputs.h"

namespace hone::app {

Json inputs_json()
{
  Json values = Json::array(), sizes = Json::array();
  for (const inputs::ValueEntry& entry : inputs::value_entries()) {
    values.push_back({{"name", entry.name},
                      {"family", entry.family},
                      {"types", entry.types},
                      {"share", entry.share},
                      {"values", entry.values},
                      {"reason", entry.reason}});
  }
  for (const inputs::SizeRow& row : inputs::size_table()) {
    sizes.push_back({{"name", row.name}, {"for", row.applies}, {"sizes", row.sizes}, {"reason", row.reason}});
  }
  return {{"values", values}, {"sizes", sizes}};
}

} // namespace hone::app
