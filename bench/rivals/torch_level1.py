"""Level 1 of tests/coverage as PyTorch computes it.

One function per task. Its parameters are named after the task's inputs and sizes; it returns the output. Strides,
paddings and the like repeat what the note says. Dimensions of extent 1 do not matter: outputs are compared in the
order of their elements.
"""

import torch
import torch.nn.functional as F


def symmetric(upper):
    """The symmetric matrix with this upper triangle."""
    return torch.triu(upper) + torch.triu(upper, 1).T


TASKS = {
    "1_Square_matrix_multiplication_": lambda A, B: A @ B,
    "2_Standard_matrix_multiplication_": lambda A, B: A @ B,
    "3_Batched_matrix_multiplication": lambda A, B: torch.bmm(A, B),
    "4_Matrix_vector_multiplication_": lambda A, x: A @ x,
    "5_Matrix_scalar_multiplication": lambda A, alpha: A * alpha,
    "6_Matmul_with_large_K_dimension_": lambda A, B: A @ B,
    "7_Matmul_with_small_K_dimension_": lambda A, B: A @ B,
    "8_Matmul_with_irregular_shapes_": lambda A, B: A @ B,
    "9_Tall_skinny_matrix_multiplication_": lambda A, B: A @ B,
    "10_3D_tensor_matrix_multiplication": lambda A, B: A @ B,
    "11_4D_tensor_matrix_multiplication": lambda A, B: torch.einsum("bijl,lk->bijk", A, B),
    "12_Matmul_with_diagonal_matrices_": lambda A, B: torch.diag(A) @ B,
    "13_Matmul_for_symmetric_matrices": lambda A, B: symmetric(A) @ symmetric(B),
    "14_Matmul_for_upper_triangular_matrices": lambda A, B: torch.triu(torch.triu(A) @ torch.triu(B)),
    "15_Matmul_for_lower_triangular_matrices": lambda A, B: torch.tril(torch.tril(A) @ torch.tril(B)),
    "16_Matmul_with_transposed_A": lambda A, B: A.T @ B,
    "17_Matmul_with_transposed_B": lambda A, B: A @ B.T,
    "18_Matmul_with_transposed_both": lambda A, B: A.T @ B.T,
    "19_ReLU": lambda X: torch.relu(X),
    "20_LeakyReLU": lambda X: F.leaky_relu(X, 0.01),
    "21_Sigmoid": lambda X: torch.sigmoid(X),
    "22_Tanh": lambda X: torch.tanh(X),
    "23_Softmax": lambda X: torch.softmax(X, dim=1),
    "24_LogSoftmax": lambda X: torch.log_softmax(X, dim=1),
    "25_Swish": lambda X: F.silu(X),
    "26_GELU_": lambda X: F.gelu(X),
    "27_SELU_": lambda X: F.selu(X),
    "28_HardSigmoid": lambda X: F.hardsigmoid(X),
    "29_Softplus": lambda X: F.softplus(X),
    "30_Softsign": lambda X: F.softsign(X),
    "31_ELU": lambda X: F.elu(X, 1.0),
    "32_HardTanh": lambda X: F.hardtanh(X, -1.0, 1.0),
    "33_BatchNorm": lambda X, gamma, beta: F.batch_norm(X, None, None, gamma, beta, training=True),
    "34_InstanceNorm": lambda X: F.instance_norm(X),
    "35_GroupNorm_": lambda X, groups, gamma, beta: F.group_norm(X, groups, gamma, beta),
    "36_RMSNorm_": lambda X: X / torch.sqrt(torch.mean(X**2, dim=1, keepdim=True) + 1e-5),
    "37_FrobeniusNorm_": lambda X: X / torch.linalg.norm(X),
    "38_L1Norm_": lambda X: X / torch.mean(torch.abs(X), dim=1, keepdim=True),
    "39_L2Norm_": lambda X: X / torch.linalg.norm(X, dim=1, keepdim=True),
    "40_LayerNorm": lambda X, gamma, beta: F.layer_norm(X, gamma.shape, gamma, beta),
    "41_Max_Pooling_1D": lambda X: F.max_pool1d(X, 8, stride=1, padding=4, dilation=3),
    "42_Max_Pooling_2D": lambda X: F.max_pool2d(X, 4, stride=1, padding=1),
    "43_Max_Pooling_3D": lambda X: F.max_pool3d(X, 3, stride=2, padding=1, dilation=3),
    "44_Average_Pooling_1D": lambda X: F.avg_pool1d(X, 8, stride=1, padding=4),
    "45_Average_Pooling_2D": lambda X: F.avg_pool2d(X, 11),
    "46_Average_Pooling_3D": lambda X: F.avg_pool3d(X, 3, stride=2, padding=1),
    "47_Sum_reduction_over_a_dimension": lambda X: torch.sum(X, dim=1),
    "48_Mean_reduction_over_a_dimension": lambda X: torch.mean(X, dim=1),
    "49_Max_reduction_over_a_dimension": lambda X: torch.max(X, dim=1).values,
    "50_conv_standard_2D__square_input__square_kernel": lambda X, W, bias: F.conv2d(X, W, bias, stride=4, padding=2),
    "51_Argmax_over_a_dimension": lambda X: torch.argmax(X, dim=1),
    "52_Argmin_over_a_dimension": lambda X: torch.argmin(X, dim=1),
    "53_Min_reduction_over_a_dimension": lambda X: torch.min(X, dim=1).values,
    "54_conv_standard_3D__square_input__square_kernel": lambda X, W: F.conv3d(X, W),
    "55_conv_standard_2D__asymmetric_input__square_kernel": lambda X, W: F.conv2d(X, W),
    "56_conv_standard_2D__asymmetric_input__asymmetric_kernel": lambda X, W: F.conv2d(X, W),
    "57_conv_transposed_2D__square_input__square_kernel": lambda X, W: F.conv_transpose2d(X, W),
    "58_conv_transposed_3D__asymmetric_input__asymmetric_kernel": lambda X, W: F.conv_transpose3d(X, W),
    "59_conv_standard_3D__asymmetric_input__square_kernel": lambda X, W: F.conv3d(X, W),
    "60_conv_standard_3D__square_input__asymmetric_kernel": lambda X, W: F.conv3d(X, W),
    "61_conv_transposed_3D__square_input__square_kernel": lambda X, W: F.conv_transpose3d(X, W),
    "62_conv_standard_2D__square_input__asymmetric_kernel": lambda X, W: F.conv2d(X, W),
    "63_conv_standard_2D__square_input__square_kernel": lambda X, W: F.conv2d(X, W),
    "64_conv_transposed_1D": lambda X, W: F.conv_transpose1d(X, W),
    "65_conv_transposed_2D__square_input__asymmetric_kernel": lambda X, W: F.conv_transpose2d(X, W),
    "66_conv_standard_3D__asymmetric_input__asymmetric_kernel": lambda X, W: F.conv3d(X, W),
    "67_conv_standard_1D": lambda X, W: F.conv1d(X, W),
    "68_conv_transposed_3D__square_input__asymmetric_kernel": lambda X, W: F.conv_transpose3d(X, W),
    "69_conv_transposed_2D__asymmetric_input__asymmetric_kernel": lambda X, W: F.conv_transpose2d(X, W),
    "70_conv_transposed_3D__asymmetric_input__square_kernel": lambda X, W: F.conv_transpose3d(X, W),
    "71_conv_transposed_2D__asymmetric_input__square_kernel": lambda X, W: F.conv_transpose2d(X, W),
    "72_conv_transposed_3D_asymmetric_input_asymmetric_kernel___strided_padded_grouped_": (
        lambda X, W, groups: F.conv_transpose3d(X, W, stride=2, padding=(1, 2, 3), output_padding=1, groups=groups)
    ),
    "73_conv_transposed_3D_asymmetric_input_square_kernel__strided_padded__grouped": (
        lambda X, W, groups: F.conv_transpose3d(X, W, stride=2, padding=1, groups=groups)
    ),
    "74_conv_transposed_1D_dilated": lambda X, W: F.conv_transpose1d(X, W, dilation=3),
    "75_conv_transposed_2D_asymmetric_input_asymmetric_kernel_strided__grouped____padded____dilated__": (
        lambda X, W, groups: F.conv_transpose2d(X, W, stride=(2, 3), padding=(1, 2), dilation=(2, 1), groups=groups)
    ),
    "76_conv_standard_1D_dilated_strided__": lambda X, W: F.conv1d(X, W, stride=3, dilation=4),
    "77_conv_transposed_3D_square_input_square_kernel___padded____dilated____strided__": (
        lambda X, W: F.conv_transpose3d(X, W, stride=2, padding=1, dilation=2)
    ),
    "78_conv_transposed_2D_asymmetric_input_asymmetric_kernel___padded__": lambda X, W: F.conv_transpose2d(
        X, W, padding=(1, 3)
    ),
    "79_conv_transposed_1D_asymmetric_input_square_kernel___padded____strided____dilated__": (
        lambda X, W: F.conv_transpose1d(X, W, stride=2, padding=1, dilation=2)
    ),
    "80_conv_standard_2D_square_input_asymmetric_kernel___dilated____padded__": lambda X, W: F.conv2d(
        X, W, padding=(2, 4), dilation=(2, 3)
    ),
    "81_conv_transposed_2D_asymmetric_input_square_kernel___dilated____padded____strided__": (
        lambda X, W: F.conv_transpose2d(X, W, stride=5, padding=1, dilation=2)
    ),
    "82_conv_depthwise_2D_square_input_square_kernel": lambda X, W, channels: F.conv2d(X, W, groups=channels),
    "83_conv_depthwise_2D_square_input_asymmetric_kernel": lambda X, W, channels: F.conv2d(X, W, groups=channels),
    "84_conv_depthwise_2D_asymmetric_input_square_kernel": lambda X, W, channels: F.conv2d(X, W, groups=channels),
    "85_conv_depthwise_2D_asymmetric_input_asymmetric_kernel": lambda X, W, channels: F.conv2d(X, W, groups=channels),
    "86_conv_depthwise_separable_2D": lambda X, depthwise, pointwise, channels: F.conv2d(
        F.conv2d(X, depthwise, padding=1, groups=channels), pointwise
    ),
    "87_conv_pointwise_2D": lambda X, W: F.conv2d(X, W),
    "88_MinGPTNewGelu": lambda X: F.gelu(X, approximate="tanh"),
    "89_cumsum": lambda X: torch.cumsum(X, dim=1),
    "90_cumprod": lambda X: torch.cumprod(X, dim=1),
    "91_cumsum_reverse": lambda X: torch.flip(torch.cumsum(torch.flip(X, [1]), dim=1), [1]),
    "92_cumsum_exclusive": lambda X: torch.cumsum(torch.cat((torch.zeros_like(X[:, :1]), X[:, :-1]), dim=1), dim=1),
    "93_masked_cumsum": lambda X, mask: torch.cumsum(X * mask, dim=1),
    "94_MSELoss": lambda prediction, target: F.mse_loss(prediction, target),
    "95_CrossEntropyLoss": lambda X, target: F.cross_entropy(X, target),
    "96_HuberLoss": lambda prediction, target: F.smooth_l1_loss(prediction, target),
    "97_ScaledDotProductAttention": lambda Q, K, V: F.scaled_dot_product_attention(Q, K, V),
    "98_KLDivLoss": lambda prediction, target: F.kl_div(torch.log(prediction), target, reduction="batchmean"),
    "99_TripletMarginLoss": lambda anchor, positive, negative: F.triplet_margin_loss(anchor, positive, negative),
    "100_HingeLoss": lambda prediction, target: torch.mean(torch.clamp(1 - prediction * target, min=0)),
}

# Where another form is faster than the one above, or where the task's inputs already have the form that the one above makes:
# for timing. The inputs of 13 to 15 are symmetric or triangular then.
TIMED = {
    "12_Matmul_with_diagonal_matrices_": lambda A, B: A.unsqueeze(1) * B,
    "13_Matmul_for_symmetric_matrices": lambda A, B: A @ B,
    "14_Matmul_for_upper_triangular_matrices": lambda A, B: torch.triu(A @ B),
    "15_Matmul_for_lower_triangular_matrices": lambda A, B: torch.tril(A @ B),
}
