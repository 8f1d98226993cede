#include "arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void complain(const char *what, const char *word)
{
  fprintf(stderr, "nbody: %s '%s'\n", what, word);
  fprintf(stderr, "usage: nbody [-n STARS] [-steps N] [-dt X] [-eps X] [-seed N] [-model NAME] [-every N]\n"
                  "             [-snapshot FILE] [-noradii]\n");
  exit(2);
}

static double real_value(const char *word, double least, double most)
{
  char *end = NULL;
  errno = 0;
  const double value = strtod(word, &end);
  if (errno != 0 || end == word || *end != '\0' || !(value >= least && value <= most)) {
    complain("this is no number that fits:", word);
  }
  return value;
}

static long whole_value(const char *word, long least, long most)
{
  char *end = NULL;
  errno = 0;
  const long value = strtol(word, &end, 10);
  if (errno != 0 || end == word || *end != '\0' || value < least || value > most) {
    complain("this is no whole number that fits:", word);
  }
  return value;
}

struct arguments parse_arguments(int count, char **words)
{
  struct arguments all = {256, 10, 0, 0.05, 1, "plummer", 0, NULL, 1};
  for (int n = 1; n < count; ++n) {
    const char *word = words[n];
    if (strcmp(word, "-noradii") == 0) {
      all.radii = 0;
      continue;
    }
    if (n + 1 == count) {
      complain("a value is missing behind", word);
    }
    const char *value = words[++n];
    if (strcmp(word, "-n") == 0) {
      all.count = (int)whole_value(value, 2, 1000000);
    } else if (strcmp(word, "-steps") == 0) {
      all.steps = (int)whole_value(value, 0, 1000000);
    } else if (strcmp(word, "-dt") == 0) {
      all.step = real_value(value, 1e-9, 1);
    } else if (strcmp(word, "-eps") == 0) {
      all.softening = real_value(value, 1e-6, 10);
    } else if (strcmp(word, "-seed") == 0) {
      all.seed = (uint64_t)whole_value(value, 0, 2000000000);
    } else if (strcmp(word, "-model") == 0) {
      all.model = value;
    } else if (strcmp(word, "-every") == 0) {
      all.every = (int)whole_value(value, 0, 1000000);
    } else if (strcmp(word, "-snapshot") == 0) {
      all.snapshot = value;
    } else {
      complain("there is no option", word);
    }
  }
  return all;
}
