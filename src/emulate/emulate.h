// Executes PTX on this CPU and checks what it does to memory. A library of its own: it knows nothing of kernels,
// candidates or gates.
//
// Public: "emulate/program.h", PTX text to a program that can be executed; "emulate/memory.h", the device's memory;
// "emulate/launch.h", one launch; "emulate/finding.h", what was found wrong; "emulate/counts.h", what instructions
// cost; "emulate/tensor_map.h", what describes tensors that bulk copies take boxes of.
#pragma once

#include "emulate/launch.h"
#include "emulate/tensor_map.h"
