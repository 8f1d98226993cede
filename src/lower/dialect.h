// What a target language offers. The compiler from schedules to text chooses its spelling by these facts; how the
// text is compiled and run is not known here.
#pragma once

#include "kernel/data_type.h"

#include <optional>
#include <string>
#include <string_view>

namespace hone::lower {

// The built-in dialects. A dialect says what exists (vector width, masks) and how it is written.
struct Dialect {
  std::string name;           // "cpu", "opencl", "hlsl", "cuda", "hip"
  std::string device_file;    // "device.cpp", "device.cl", "device.hlsl", "device.cu", "device.hip"
  bool work_items = false;    // a group has work-items with local ids (OpenCL), or is one thread (CPU)
  int vector_bytes = 0;       // widest vector register the target has; 0: no explicit vectors
  bool masked_memory = false; // loads and stores under a lane mask exist
  int most_sums = 0;          // numbers that an item keeps in registers while it adds; work-items only
  int most_lanes = 0;         // of a vector that an item computes with; work-items only
};

Dialect cpu_dialect(int vector_bytes, bool masked_memory);
Dialect opencl_dialect();
Dialect hlsl_dialect();
Dialect cuda_dialect();
Dialect hip_dialect();
// By name, of those whose groups have work-items.
std::optional<Dialect> work_item_dialect(std::string_view name);

// Items of a warp that carries out matrix instructions; 0: the dialect has none here.
int matrix_items(const Dialect& dialect);

// How the target spells an element type: "float", "int64_t"; OpenCL says "long".
std::string type_text(kernel::DataType type, const Dialect& dialect);
// The same for the CPU, whatever its vectors are: "float", "hone_f16".
std::string cpu_type_text(kernel::DataType type);

} // namespace hone::lower
