// The matmul primitive of oneDNN's C interface, version 3 (libdnnl.so.3): descriptors are objects of the library.
#include "backend/library/product.h"
#include "backend/library/product_dnnl.h"

namespace hone::backend::runner {
namespace {

using namespace dnnl;

enum { k_relu = 0x20, k_linear = 0x26, k_gelu_erf = 0x31 };

struct Functions {
  int (*engine_create)(void**, int, std::size_t);
  int (*stream_create)(void**, void*, unsigned);
  int (*memory_desc_create_with_strides)(void**, int, const Dims, int, const Dims);
  int (*primitive_attr_create)(void**);
  int (*primitive_attr_set_post_ops)(void*, const void*);
  int (*post_ops_create)(void**);
  int (*post_ops_append_eltwise)(void*, int, float, float);
  int (*matmul_primitive_desc_create)(void**, void*, const void*, const void*, const void*, const void*, const void*);
  int (*primitive_create)(void**, const void*);
  int (*primitive_execute)(const void*, void*, int, const ExecutionArgument*);
  int (*memory_create)(void**, const void*, void*, void*);
  int (*memory_set_data_handle)(void*, void*);
  int (*stream_wait)(void*);
};

struct Matmul {
  Functions call;
  void* engine = nullptr;
  void* stream = nullptr;
  void* primitive = nullptr;
  void* source = nullptr;
  void* weights = nullptr;
  void* bias = nullptr;
  void* destination = nullptr;
};
Matmul g_matmul3;

bool find_all(void* library, Functions& call)
{
  return find(library, "dnnl_engine_create", call.engine_create)
         && find(library, "dnnl_stream_create", call.stream_create)
         && find(library, "dnnl_memory_desc_create_with_strides", call.memory_desc_create_with_strides)
         && find(library, "dnnl_primitive_attr_create", call.primitive_attr_create)
         && find(library, "dnnl_primitive_attr_set_post_ops", call.primitive_attr_set_post_ops)
         && find(library, "dnnl_post_ops_create", call.post_ops_create)
         && find(library, "dnnl_post_ops_append_eltwise", call.post_ops_append_eltwise)
         && find(library, "dnnl_matmul_primitive_desc_create", call.matmul_primitive_desc_create)
         && find(library, "dnnl_primitive_create", call.primitive_create)
         && find(library, "dnnl_primitive_execute", call.primitive_execute)
         && find(library, "dnnl_memory_create", call.memory_create)
         && find(library, "dnnl_memory_set_data_handle", call.memory_set_data_handle)
         && find(library, "dnnl_stream_wait", call.stream_wait);
}

// Null where the library refuses it.
void* described(int type, const MatrixShape& shape, bool batched)
{
  const Dims dims = {shape.batch, shape.rows, shape.columns};
  const Dims strides = {shape.batch_stride, shape.row_stride, shape.column_stride};
  const int skip = batched ? 0 : 1;
  void* descriptor = nullptr;
  g_matmul3.call.memory_desc_create_with_strides(&descriptor, 3 - skip, dims + skip, type, strides + skip);
  return descriptor;
}

// A factor is a linear post-operation here: the interface's own factors are arguments of each execution.
void* attributes_of(const GemmCall& call)
{
  const Functions& library = g_matmul3.call;
  void* attributes = nullptr;
  void* post_operations = nullptr;
  library.primitive_attr_create(&attributes);
  library.post_ops_create(&post_operations);
  if (call.alpha != 1) {
    library.post_ops_append_eltwise(post_operations, k_linear, float(call.alpha), 0.0F);
  }
  if (call.activation != Activation::none) {
    library.post_ops_append_eltwise(post_operations, call.activation == Activation::relu ? k_relu : k_gelu_erf, 0.0F,
                                    0.0F);
  }
  library.primitive_attr_set_post_ops(attributes, post_operations);
  return attributes;
}

bool create(const GemmCall& call)
{
  const Functions& library = g_matmul3.call;
  const bool batched = call.batch > 1;
  const ElementTypes types = element_types(call.types);
  void* const source =
    described(types.a, stored(call.transpose_a, call.lda, call.batch, call.batch_stride_a, call.m, call.k), batched);
  void* const weights =
    described(types.b, stored(call.transpose_b, call.ldb, call.batch, call.batch_stride_b, call.k, call.n), batched);
  void* const destination =
    described(types.c, stored(false, call.ldc, call.batch, call.batch_stride_c, call.m, call.n), batched);
  void* const bias = call.bias >= 0 ? described(types.c, {1, 1, call.n, call.n, call.n, 1}, batched) : nullptr;
  const auto memory = [&](void*& out, void* descriptor) {
    return library.memory_create(&out, descriptor, g_matmul3.engine, nullptr) == k_success;
  };
  void* description = nullptr;
  return source != nullptr && weights != nullptr && destination != nullptr && (bias != nullptr || call.bias < 0)
         && library.engine_create(&g_matmul3.engine, k_cpu_engine, 0) == k_success
         && library.stream_create(&g_matmul3.stream, g_matmul3.engine, k_default_stream) == k_success
         && library.matmul_primitive_desc_create(&description, g_matmul3.engine, source, weights, bias, destination,
                                                 attributes_of(call))
              == k_success
         && library.primitive_create(&g_matmul3.primitive, description) == k_success && memory(g_matmul3.source, source)
         && memory(g_matmul3.weights, weights) && memory(g_matmul3.destination, destination)
         && (bias == nullptr || memory(g_matmul3.bias, bias));
}

void product(const GemmCall& call, const ProductOperands& operands)
{
  const Functions& library = g_matmul3.call;
  library.memory_set_data_handle(g_matmul3.source, const_cast<void*>(operands.a));
  library.memory_set_data_handle(g_matmul3.weights, const_cast<void*>(operands.b));
  library.memory_set_data_handle(g_matmul3.destination, operands.c);
  const ExecutionArgument arguments[] = {{k_argument_source, g_matmul3.source},
                                         {k_argument_weights, g_matmul3.weights},
                                         {k_argument_destination, g_matmul3.destination},
                                         {k_argument_bias, g_matmul3.bias}};
  if (call.bias >= 0) {
    library.memory_set_data_handle(g_matmul3.bias, const_cast<void*>(operands.bias));
  }
  library.primitive_execute(g_matmul3.primitive, g_matmul3.stream, call.bias >= 0 ? 4 : 3, arguments);
  library.stream_wait(g_matmul3.stream);
}

} // namespace

OpenedProduct open_dnnl3_matmul(void* library, const GemmCall& call)
{
  if (!find_all(library, g_matmul3.call)) {
    return {nullptr, "the library lacks parts of oneDNN's version 3 interface"};
  }
  if (!create(call)) {
    return {nullptr, "oneDNN has no matmul primitive for this shape, or no engine for this processor"};
  }
  return {product, nullptr};
}

} // namespace hone::backend::runner
