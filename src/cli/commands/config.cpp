// hone config: each setting, its value, and where that came from.
#include "cli/command_line.h"

namespace hone::cli {

void add_config(CommandLine& line)
{
  line.add("config", "Print every setting, its value and where it came from",
           {"hone config", "HONE_BACKEND=opencl hone config"}, [](Context& context) -> Result<Exit> {
             std::vector<std::vector<std::string>> rows{{"setting", "value", "origin"}};
             Json list = Json::array();
             for (const Setting& setting : context.settings.all()) {
               rows.push_back({setting.name, setting.value.empty() ? "(empty)" : setting.value, setting.origin});
               list.push_back({{"name", setting.name}, {"value", setting.value}, {"origin", setting.origin}});
             }
             context.terminal.out(aligned_table(rows));
             context.print_json({{"settings", list},
                                 {"cache", cache_folder().string()},
                                 {"config", (config_folder() / "config.toml").string()}});
             return Exit::ok;
           });
}

} // namespace hone::cli
