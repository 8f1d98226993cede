#include "checkpoint.h"

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace heat {

namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

File open_file(const std::string& path, const char* mode)
{
  File file(std::fopen(path.c_str(), mode));
  if (!file) {
    throw std::runtime_error("cannot open " + path);
  }
  return file;
}

} // namespace

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint)
{
  const std::string beside = path + ".new";
  {
    const File file = open_file(beside, "w");
    const Field& field = checkpoint.field;
    std::fprintf(file.get(), "heat checkpoint 1\n%d %.12e\n%d %d\n", checkpoint.step, checkpoint.seconds, field.nx(),
                 field.ny());
    // Every fourth row and column of a large plate: enough to look at.
    const int stride = field.nx() > 128 || field.ny() > 128 ? 4 : 1;
    for (int j = 0; j < field.ny(); j += stride) {
      for (int i = 0; i < field.nx(); i += stride) {
        std::fprintf(file.get(), "%.12g%c", field(i, j), i + stride < field.nx() ? ' ' : '\n');
      }
    }
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0) {
    throw std::runtime_error("cannot put " + path + " in place");
  }
}

Checkpoint read_checkpoint(const std::string& path, int nx, int ny)
{
  const File file = open_file(path, "r");
  Checkpoint checkpoint;
  int version = 0, its_nx = 0, its_ny = 0;
  if (std::fscanf(file.get(), "heat checkpoint %d %d %le %d %d", &version, &checkpoint.step, &checkpoint.seconds, &its_nx,
                  &its_ny)
        != 5
      || version != 1) {
    throw std::runtime_error(path + " is no checkpoint");
  }
  if (its_nx != nx || its_ny != ny || nx > 128 || ny > 128) {
    throw std::runtime_error(path + " is of another grid, or of a part of it");
  }
  checkpoint.field = Field(nx, ny);
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      if (std::fscanf(file.get(), "%lf", &checkpoint.field(i, j)) != 1) {
        throw std::runtime_error(path + " ends early");
      }
    }
  }
  return checkpoint;
}

} // namespace heat
