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
  line.add_setting(command, "prompt", "how much it is told: full, compact (for small models) or auto");
  line.add_setting(command, "temperature", "of its first answers, 0 to 2; repairs are asked for at 0.8 at least");
  line.add_setting(command, "model-seed", "seed that is sent to its server");
  line.add_setting(command, "context-tokens", "tokens that it reads at once");
  line.add_setting(command, "max-usd", "what the model may cost");
  line.add_setting(command, "max-tokens", "how many tokens the model may use");
}

} // namespace hone::cli
