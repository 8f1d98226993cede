// Heat conduction in a plate: finite volumes, explicit in time.
//
//   heat SETTINGS
#include "checkpoint.h"
#include "config.h"
#include "grid.h"
#include "material.h"
#include "stats.h"
#include "step.h"

#include <chrono>
#include <cstdio>
#include <exception>

namespace {

using namespace heat;

void report(int step, double seconds, const Mesh& mesh, const Plate& plate, const Field& field)
{
  print_stats(stdout, step, seconds, stats_of(mesh, plate, field));
}

int run(const char* path)
{
  const Config config = read_config(path);
  const Mesh mesh = make_mesh(config.nx, config.ny, config.length, config.width);
  const Plate plate = make_plate(mesh, config);
  const double dt = config.safety * stable_step(mesh, plate);
  Checkpoint now;
  now.field = Field(mesh.nx, mesh.ny, config.initial);
  if (!config.restart.empty()) {
    now = read_checkpoint(config.restart, mesh.nx, mesh.ny);
  }
  Field next(mesh.nx, mesh.ny);
  std::printf("grid %d x %d, dt %.9e s, %d inclusions\n", mesh.nx, mesh.ny, dt, config.inclusions);
  report(now.step, now.seconds, mesh, plate, now.field);
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < config.steps; ++n) {
    step(mesh, plate, config, now.field, next, dt);
    now.field.swap(next);
    ++now.step;
    now.seconds += dt;
    if (config.report > 0 && now.step % config.report == 0) {
      report(now.step, now.seconds, mesh, plate, now.field);
    }
    if (config.checkpoint_every > 0 && now.step % config.checkpoint_every == 0) {
      write_checkpoint(config.checkpoint, now);
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  report(now.step, now.seconds, mesh, plate, now.field);
  print_profile(stdout, now.field);
  std::printf("elapsed %.3f s\n", elapsed.count());
  if (!config.checkpoint.empty()) {
    write_checkpoint(config.checkpoint, now);
  }
  return 0;
}

} // namespace

int main(int count, char** words)
{
  if (count != 2) {
    std::fprintf(stderr, "usage: heat SETTINGS\n");
    return 2;
  }
  try {
    return run(words[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heat: %s\n", error.what());
    return 1;
  }
}
