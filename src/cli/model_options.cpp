#include "cli/model_options.h"

namespace hone::cli {

void add_model_options(CommandLine& line, CLI::App* command)
{
  line.add_setting(command, "model",
                   "PROVIDER/NAME of a language model that carries steps out, in place of the built-in engine");
  line.add_setting(command, "model-url", "address of the model server, as in http://localhost:8000/v1");
  line.add_setting(command, "samples", "attempts at one step, until one passes (1)");
  line.add_setting(command, "repairs", "how often an answer may be mended (3)");
  line.add_setting(command, "answers", "what a model answers in: blocks, or object (JSON after a schema)");
  line.add_setting(command, "max-usd", "what the model may cost");
  line.add_setting(command, "max-tokens", "how many tokens the model may use");
}

} // namespace hone::cli
