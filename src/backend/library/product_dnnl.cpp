#include "backend/library/product_dnnl.h"

#include "backend/library/product.h"

namespace hone::backend::runner {
namespace {

using namespace dnnl;

// The few parts of oneDNN's C interface, version 2 (liblibrary.so.2), that are used here. Descriptors are filled by the
// library; only their size matters, and it is generously rounded up.
struct alignas(64) Descriptor {
  char bytes[16 << 10];
};
enum { k_relu = 0x1f, k_gelu_erf = 0x30 };

using SgemmFunction = int (*)(char, char, Dim, Dim, Dim, float, const float*, Dim, const float*, Dim, float, float*,
                              Dim);
SgemmFunction g_sgemm = nullptr;

void sgemm_product(const GemmCall& call, const ProductOperands& operands)
{
  for (std::int64_t i = 0; i < call.batch; ++i) {
    g_sgemm(call.transpose_a ? 'T' : 'N', call.transpose_b ? 'T' : 'N', call.m, call.n, call.k, float(call.alpha),
            static_cast<const float*>(operands.a) + i * call.batch_stride_a, call.lda,
            static_cast<const float*>(operands.b) + i * call.batch_stride_b, call.ldb, 0.0F,
            static_cast<float*>(operands.c) + i * call.batch_stride_c, call.ldc);
  }
  apply_epilogue(call, operands);
}

struct MatmulFunctions {
  int (*engine_create)(void**, int, std::size_t);
  int (*stream_create)(void**, void*, unsigned);
  int (*memory_desc_init_by_strides)(Descriptor*, int, const Dims, int, const Dims);
  int (*matmul_desc_init)(Descriptor*, const Descriptor*, const Descriptor*, const Descriptor*, const Descriptor*);
  int (*primitive_attr_create)(void**);
  int (*primitive_attr_set_output_scales)(void*, Dim, int, const float*);
  int (*primitive_attr_set_post_ops)(void*, const void*);
  int (*post_ops_create)(void**);
  int (*post_ops_append_eltwise)(void*, float, int, float, float);
  int (*primitive_desc_create)(void**, const void*, const void*, void*, const void*);
  int (*primitive_create)(void**, const void*);
  int (*primitive_execute)(const void*, void*, int, const ExecutionArgument*);
  int (*memory_create)(void**, const Descriptor*, void*, void*);
  int (*memory_set_data_handle)(void*, void*);
  int (*stream_wait)(void*);
};

struct Matmul {
  MatmulFunctions call;
  void* engine = nullptr;
  void* stream = nullptr;
  void* primitive = nullptr;
  void* source = nullptr;
  void* weights = nullptr;
  void* bias = nullptr;
  void* destination = nullptr;
};
Matmul g_matmul;

bool find_functions(void* library, MatmulFunctions& call)
{
  return find(library, "dnnl_engine_create", call.engine_create)
         && find(library, "dnnl_stream_create", call.stream_create)
         && find(library, "dnnl_memory_desc_init_by_strides", call.memory_desc_init_by_strides)
         && find(library, "dnnl_matmul_desc_init", call.matmul_desc_init)
         && find(library, "dnnl_primitive_attr_create", call.primitive_attr_create)
         && find(library, "dnnl_primitive_attr_set_output_scales", call.primitive_attr_set_output_scales)
         && find(library, "dnnl_primitive_attr_set_post_ops", call.primitive_attr_set_post_ops)
         && find(library, "dnnl_post_ops_create", call.post_ops_create)
         && find(library, "dnnl_post_ops_append_eltwise", call.post_ops_append_eltwise)
         && find(library, "dnnl_primitive_desc_create", call.primitive_desc_create)
         && find(library, "dnnl_primitive_create", call.primitive_create)
         && find(library, "dnnl_primitive_execute", call.primitive_execute)
         && find(library, "dnnl_memory_create", call.memory_create)
         && find(library, "dnnl_memory_set_data_handle", call.memory_set_data_handle)
         && find(library, "dnnl_stream_wait", call.stream_wait);
}

int describe(Descriptor* descriptor, int type, const MatrixShape& shape, bool batched)
{
  const Dims dims = {shape.batch, shape.rows, shape.columns};
  const Dims strides = {shape.batch_stride, shape.row_stride, shape.column_stride};
  const int skip = batched ? 0 : 1;
  return g_matmul.call.memory_desc_init_by_strides(descriptor, 3 - skip, dims + skip, type, strides + skip);
}

void* attributes_for(const GemmCall& call)
{
  void* attributes = nullptr;
  g_matmul.call.primitive_attr_create(&attributes);
  if (call.alpha != 1) {
    const float scale = float(call.alpha);
    g_matmul.call.primitive_attr_set_output_scales(attributes, 1, 0, &scale);
  }
  if (call.activation != Activation::none) {
    void* post_operations = nullptr;
    g_matmul.call.post_ops_create(&post_operations);
    g_matmul.call.post_ops_append_eltwise(post_operations, 1.0F,
                                          call.activation == Activation::relu ? k_relu : k_gelu_erf, 0.0F, 0.0F);
    g_matmul.call.primitive_attr_set_post_ops(attributes, post_operations);
  }
  return attributes;
}

bool create_primitive(const GemmCall& call)
{
  static Descriptor source, weights, bias, destination, matmul; // too large for the stack, and used once
  const MatmulFunctions& library = g_matmul.call;
  const bool batched = call.batch > 1;
  const ElementTypes types = element_types(call.types);
  const bool described =
    describe(&source, types.a, stored(call.transpose_a, call.lda, call.batch, call.batch_stride_a, call.m, call.k),
             batched)
      == k_success
    && describe(&weights, types.b, stored(call.transpose_b, call.ldb, call.batch, call.batch_stride_b, call.k, call.n),
                batched)
         == k_success
    && describe(&destination, types.c, stored(false, call.ldc, call.batch, call.batch_stride_c, call.m, call.n),
                batched)
         == k_success
    && describe(&bias, types.c, {1, 1, call.n, call.n, call.n, 1}, batched) == k_success;
  const Descriptor* bias_or_none = call.bias >= 0 ? &bias : nullptr;
  void* primitive_description = nullptr;
  return described && library.engine_create(&g_matmul.engine, k_cpu_engine, 0) == k_success
         && library.stream_create(&g_matmul.stream, g_matmul.engine, k_default_stream) == k_success
         && library.matmul_desc_init(&matmul, &source, &weights, bias_or_none, &destination) == k_success
         && library.primitive_desc_create(&primitive_description, &matmul, attributes_for(call), g_matmul.engine,
                                          nullptr)
              == k_success
         && library.primitive_create(&g_matmul.primitive, primitive_description) == k_success
         && library.memory_create(&g_matmul.source, &source, g_matmul.engine, nullptr) == k_success
         && library.memory_create(&g_matmul.weights, &weights, g_matmul.engine, nullptr) == k_success
         && library.memory_create(&g_matmul.destination, &destination, g_matmul.engine, nullptr) == k_success
         && (bias_or_none == nullptr
             || library.memory_create(&g_matmul.bias, &bias, g_matmul.engine, nullptr) == k_success);
}

void matmul_product(const GemmCall& call, const ProductOperands& operands)
{
  const MatmulFunctions& library = g_matmul.call;
  library.memory_set_data_handle(g_matmul.source, const_cast<void*>(operands.a));
  library.memory_set_data_handle(g_matmul.weights, const_cast<void*>(operands.b));
  library.memory_set_data_handle(g_matmul.destination, operands.c);
  ExecutionArgument arguments[] = {{k_argument_source, g_matmul.source},
                                   {k_argument_weights, g_matmul.weights},
                                   {k_argument_destination, g_matmul.destination},
                                   {k_argument_bias, g_matmul.bias}};
  if (call.bias >= 0) {
    library.memory_set_data_handle(g_matmul.bias, const_cast<void*>(operands.bias));
  }
  library.primitive_execute(g_matmul.primitive, g_matmul.stream, call.bias >= 0 ? 4 : 3, arguments);
  library.stream_wait(g_matmul.stream);
}

} // namespace

OpenedProduct open_dnnl_sgemm(void* library)
{
  if (!find(library, "dnnl_sgemm", g_sgemm)) {
    return {nullptr, "the library has no dnnl_sgemm"};
  }
  return {sgemm_product, nullptr};
}

OpenedProduct open_dnnl_matmul(void* library, const GemmCall& call)
{
  if (!find_functions(library, g_matmul.call)) {
    return {nullptr, "the library lacks parts of oneDNN's version 2 interface"};
  }
  if (!create_primitive(call)) {
    return {nullptr, "oneDNN has no matmul primitive for this shape"};
  }
  return {matmul_product, nullptr};
}

} // namespace hone::backend::runner
