// Wrong candidates made out of right ones, to see whether the gate finds them all.
//
// A mutation operator makes one small mistake of a kind that people make: in the kernel's expression, which the
// compiler then prints as it prints the right one, in the text of the device code, or in the launch plan. What counts
// as a mutant is decided by what was changed and by the machine code that came of it, never by the gate's answer.
#pragma once

#include "mutation_testing/difference.h" // two texts, line by line
#include "mutation_testing/mutant.h"     // the mutants of one candidate
#include "mutation_testing/subjects.h"   // which candidates are mutated, and at which sizes
#include "mutation_testing/trial.h"      // mutants and originals through the gate
