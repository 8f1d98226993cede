"""Level 2 of tests/coverage as PyTorch computes it; see torch_level1.py."""

import torch
import torch.nn.functional as F


def conv(X, W, bias, padding=0):
    return (F.conv2d if X.dim() == 4 else F.conv3d)(X, W, bias, padding=padding)


def convt(X, W, bias, stride=2, padding=1, more=0):
    """`more` is the padding of the output."""
    transposed = F.conv_transpose2d if X.dim() == 4 else F.conv_transpose3d
    return transposed(X, W, bias, stride, padding, more)


def convt_doubling(X, W, bias):
    return convt(X, W, bias, more=1)


def batch_norm(Z, gamma, beta):
    return F.batch_norm(Z, None, None, gamma, beta, training=True)


def vector(shift, like):
    """One value per channel, to meet a tensor of batch x channels x space."""
    return shift.view(-1, *[1] * (like.dim() - 2))


linear = F.linear
gelu, mish, silu, relu, hardswish = F.gelu, F.mish, F.silu, F.relu, F.hardswish
sigmoid, tanh, clamp, logsumexp, softmax = torch.sigmoid, torch.tanh, torch.clamp, torch.logsumexp, torch.softmax


def residual_chain(X, W, bias, shift):
    Z = convt_doubling(X, W, bias)
    out = Z + vector(shift, Z)
    out = out + Z
    out = out * Z
    return out + Z


def minus_mean(N):
    return N - torch.mean(N, dim=(2, 3, 4), keepdim=True)


def row_norm_residual(X, W, bias, other):
    Z = linear(X, W, bias)
    N = F.instance_norm(Z.unsqueeze(1).unsqueeze(1)).squeeze(1).squeeze(1)
    return (N + other) * other


def doubled_clamped(X, W, bias):
    S = linear(X, W, bias) * 2
    S = clamp(S + S, -10, 10)
    L = logsumexp(S, dim=1, keepdim=True)
    return L * mish(L)


def sum_chain(X, W, bias):
    out = torch.sum(linear(X, W, bias), dim=1, keepdim=True)
    out = torch.max(out, dim=1, keepdim=True).values
    out = torch.mean(out, dim=1, keepdim=True)
    out = logsumexp(out, dim=1, keepdim=True)
    return logsumexp(out, dim=1, keepdim=True)


def max_minus_mean(X, W, bias):
    M = torch.max(linear(X, W, bias), dim=1, keepdim=True).values
    return gelu(M - M.mean(dim=1, keepdim=True))


def hardswish_by_sigmoid(X, W, bias, shift):
    L = logsumexp(convt(X, W, bias), dim=1, keepdim=True)
    return clamp(L * sigmoid(L + 3) / 6 - shift, -1, 1)


def times_hardswish(S):
    return S * hardswish(S)


def times_tanh_softplus(Z):
    return tanh(F.softplus(Z)) * Z


def scaled_residual(X, W, bias):
    Z = linear(X, W, bias)
    return Z * 0.5 + Z


def sigmoid_residual(X, W, bias):
    Z = linear(X, W, bias)
    return sigmoid(Z) * 2 + Z


def space_softmax(P, scale):
    flat = softmax(P.flatten(2), dim=2).view_as(P)
    return flat * vector(scale, P)


def norm_residual_logsumexp(X, W, bias, groups, gamma, beta):
    Z = conv(X, W, bias)
    return logsumexp(Z + hardswish(tanh(F.group_norm(Z, groups, gamma, beta))), dim=1)


def scaled_instance_norm(X, W, scale):
    S = conv(X, W, None) * vector(scale, X)
    return torch.max(clamp(F.instance_norm(S), -1, 1) * vector(scale, X), dim=1).values


def two_norms(X, W, gamma, beta, groups, group_gamma, group_beta):
    pooled = F.max_pool2d(tanh(batch_norm(convt(X, W, None, stride=1), gamma, beta)), 2)
    return F.group_norm(pooled, groups, group_gamma, group_beta)


TASKS = {
    "1_Conv2D_ReLU_BiasAdd": lambda X, W, bias, shift: relu(conv(X, W, bias)) + vector(shift, X),
    "2_ConvTranspose2d_BiasAdd_Clamp_Scaling_Clamp_Divide": lambda X, W, bias, shift: clamp(
        clamp(convt_doubling(X, W, bias) + vector(shift, X), 0, 1) * 2, 0, 1
    )
    / 2,
    "3_ConvTranspose3d_Sum_LayerNorm_AvgPool_GELU": lambda X, W, gamma, beta: gelu(
        F.avg_pool3d(F.layer_norm(convt_doubling(X, W, None), gamma.shape, gamma, beta), 2)
    ),
    "4_Conv2d_Mish_Mish": lambda X, W, bias: mish(mish(conv(X, W, bias))),
    "5_ConvTranspose2d_Subtract_Tanh": lambda X, W, bias, shift: tanh(convt(X, W, bias, more=1) - vector(shift, X)),
    "6_Conv3d_Softmax_MaxPool_MaxPool": lambda X, W, bias: F.max_pool3d(
        F.max_pool3d(softmax(conv(X, W, bias), dim=1), 2), 2
    ),
    "7_Conv3d_ReLU_LeakyReLU_GELU_Sigmoid_BiasAdd": lambda X, W, bias, shift: sigmoid(
        gelu(F.leaky_relu(relu(conv(X, W, bias)), 0.01))
    )
    + vector(shift, X),
    "8_Conv3d_Divide_Max_GlobalAvgPool_BiasAdd_Sum": lambda X, W, bias, shift: torch.sum(
        F.adaptive_avg_pool3d(F.max_pool3d(conv(X, W, bias) / 2, 2), 1) + vector(shift, X), dim=1
    ),
    "9_Matmul_Subtract_Multiply_ReLU": lambda X, W, bias: relu((linear(X, W, bias) - 2) * 1.5),
    "10_ConvTranspose2d_MaxPool_Hardtanh_Mean_Tanh": lambda X, W, bias: tanh(
        torch.mean(F.hardtanh(F.max_pool2d(convt(X, W, bias, stride=1), 2)), dim=(2, 3))
    ),
    "11_ConvTranspose2d_BatchNorm_Tanh_MaxPool_GroupNorm": two_norms,
    "12_Gemm_Multiply_LeakyReLU": lambda X, W, bias: F.leaky_relu(linear(X, W, bias) * 2, 0.1),
    "13_ConvTranspose3d_Mean_Add_Softmax_Tanh_Scaling": lambda X, W, bias, shift: tanh(
        softmax(torch.mean(convt(X, W, bias, stride=1), dim=2, keepdim=True) + vector(shift, X), dim=1)
    )
    * 2,
    "14_Gemm_Divide_Sum_Scaling": lambda X, W: torch.sum(X @ W.T / 2, dim=1) * 1.5,
    "15_ConvTranspose3d_BatchNorm_Subtract": lambda X, W, gamma: minus_mean(batch_norm(convt(X, W, None), gamma, None)),
    "16_ConvTranspose2d_Mish_Add_Hardtanh_Scaling": lambda X, W, bias: F.hardtanh(
        mish(convt_doubling(X, W, bias)) + 0.5
    )
    * 2,
    "17_Conv2d_InstanceNorm_Divide": lambda X, W: F.instance_norm(conv(X, W, None)) / 2,
    "18_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp": sum_chain,
    "19_ConvTranspose2d_GELU_GroupNorm": lambda X, W, bias, groups, gamma, beta: F.group_norm(
        gelu(convt(X, W, bias, stride=1, padding=0)), groups, gamma, beta
    ),
    "20_ConvTranspose3d_Sum_ResidualAdd_Multiply_ResidualAdd": residual_chain,
    "21_Conv2d_Add_Scale_Sigmoid_GroupNorm": lambda X, W, bias, shift, scale, groups, gamma, beta: F.group_norm(
        sigmoid((conv(X, W, bias) + vector(shift, X)) * vector(scale, X)), groups, gamma, beta
    ),
    "22_Matmul_Scale_ResidualAdd_Clamp_LogSumExp_Mish": doubled_clamped,
    "23_Conv3d_GroupNorm_Mean": lambda X, W, bias, groups, gamma, beta: torch.mean(
        F.group_norm(conv(X, W, bias), groups, gamma, beta), dim=(1, 2, 3, 4)
    ),
    "24_Conv3d_Min_Softmax": lambda X, W, bias: softmax(torch.min(conv(X, W, bias), dim=2).values, dim=1),
    "25_Conv2d_Min_Tanh_Tanh": lambda X, W, bias: tanh(tanh(torch.min(conv(X, W, bias), dim=1).values)),
    "26_ConvTranspose3d_Add_HardSwish": lambda X, W, bias, other: times_hardswish(convt_doubling(X, W, bias) + other),
    "27_Conv3d_HardSwish_GroupNorm_Mean": lambda X, W, bias, groups, gamma, beta: torch.mean(
        F.group_norm(hardswish(conv(X, W, bias)), groups, gamma, beta), dim=(2, 3, 4)
    ),
    "28_BMM_InstanceNorm_Sum_ResidualAdd_Multiply": row_norm_residual,
    "29_Matmul_Mish_Mish": lambda X, W, bias: mish(mish(linear(X, W, bias))),
    "30_Gemm_GroupNorm_Hardtanh": lambda X, W, bias, members, gamma, beta: F.hardtanh(
        F.group_norm(linear(X, W, bias), len(gamma) // members, gamma, beta), -2, 2
    ),
    "31_Conv2d_Min_Add_Multiply": lambda X, W, bias, shift: (clamp(conv(X, W, bias), max=0.5) + vector(shift, X)) * 2,
    "32_Conv2d_Scaling_Min": lambda X, W, bias: torch.min(conv(X, W, bias) * 2, dim=1).values,
    "33_Gemm_Scale_BatchNorm": lambda X, W, scale, gamma, beta: batch_norm(linear(X, W, None) * scale, gamma, beta),
    "34_ConvTranspose3d_LayerNorm_GELU_Scaling": lambda X, W, gamma, beta: gelu(
        F.layer_norm(convt(X, W, None), gamma.shape, gamma, beta)
    )
    * 1,
    "35_Conv2d_Subtract_HardSwish_MaxPool_Mish": lambda X, W, bias: mish(
        F.max_pool2d(hardswish(conv(X, W, bias) - 0.5), 2)
    ),
    "36_ConvTranspose2d_Min_Sum_GELU_Add": lambda X, W, bias, shift: gelu(
        torch.sum(torch.min(convt_doubling(X, W, bias), dim=1, keepdim=True).values, dim=2, keepdim=True)
    )
    + shift,
    "37_Matmul_Swish_Sum_GroupNorm": lambda X, W, bias, shift, members, gamma, beta: F.group_norm(
        silu(linear(X, W, bias)) + shift, len(gamma) // members, gamma, beta
    ),
    "38_ConvTranspose3d_AvgPool_Clamp_Softmax_Multiply": lambda X, W, bias, scale: space_softmax(
        clamp(F.avg_pool3d(convt_doubling(X, W, bias), 2), 0, 1), scale
    ),
    "39_Gemm_Scale_BatchNorm": lambda X, W, scale, gamma, beta: batch_norm(linear(X, W, None) * scale, gamma, beta),
    "40_Matmul_Scaling_ResidualAdd": scaled_residual,
    "41_Gemm_BatchNorm_GELU_ReLU": lambda X, W, gamma, beta: relu(gelu(batch_norm(linear(X, W, None), gamma, beta))),
    "42_ConvTranspose2d_GlobalAvgPool_BiasAdd_LogSumExp_Sum_Multiply": lambda X, W, bias, shift: torch.sum(
        logsumexp(
            torch.mean(convt(X, W, bias, stride=1, padding=0), dim=(2, 3), keepdim=True) + vector(shift, X),
            dim=1,
            keepdim=True,
        ),
        dim=(2, 3),
    )
    * 10,
    "43_Conv3d_Max_LogSumExp_ReLU": lambda X, W, bias: relu(
        logsumexp(F.max_pool3d(conv(X, W, bias, padding=1), 2), dim=1, keepdim=True)
    ),
    "44_ConvTranspose2d_Multiply_GlobalAvgPool_GlobalAvgPool_Mean": lambda X, W, bias: torch.mean(
        torch.mean(convt_doubling(X, W, bias) * 0.5, dim=(2, 3), keepdim=True), dim=(2, 3)
    ),
    "45_Gemm_Sigmoid_LogSumExp": lambda X, W, bias, V, shift: logsumexp(
        linear(sigmoid(linear(X, W, bias)), V, shift), dim=1
    ),
    "46_Conv2d_Subtract_Tanh_Subtract_AvgPool": lambda X, W, bias: F.avg_pool2d(tanh(conv(X, W, bias) - 0.5) - 0.2, 2),
    "47_Conv3d_Mish_Tanh": lambda X, W, bias: tanh(mish(conv(X, W, bias))),
    "48_Conv3d_Scaling_Tanh_Multiply_Sigmoid": lambda X, W, bias, scale, factor: sigmoid(
        tanh(conv(X, W, bias) * vector(scale, X)) * vector(factor, X)
    ),
    "49_ConvTranspose3d_Softmax_Sigmoid": lambda X, W, bias: sigmoid(softmax(convt_doubling(X, W, bias), dim=1)),
    "50_ConvTranspose3d_Scaling_AvgPool_BiasAdd_Scaling": lambda X, W, bias, shift, scale1, scale2: (
        F.avg_pool3d(convt(X, W, bias) * scale1, 2) + vector(shift, X)
    )
    * scale2,
    "51_Gemm_Subtract_GlobalAvgPool_LogSumExp_GELU_ResidualAdd": lambda X, W, bias, shift: gelu(
        logsumexp(torch.mean(linear(X, W, bias) - shift, dim=1, keepdim=True), dim=1, keepdim=True)
    )
    + X,
    "52_Conv2d_Activation_BatchNorm": lambda X, W, bias, gamma, beta: batch_norm(
        times_tanh_softplus(conv(X, W, bias)), gamma, beta
    ),
    "53_Gemm_Scaling_Hardtanh_GELU": lambda X, W, bias: gelu(F.hardtanh(linear(X, W, bias) * 0.5, -2, 2)),
    "54_Conv2d_Multiply_LeakyReLU_GELU": lambda X, W, bias, scale: gelu(
        F.leaky_relu(conv(X, W, bias) * vector(scale, X))
    ),
    "55_Matmul_MaxPool_Sum_Scale": lambda X, W, bias: torch.sum(
        F.max_pool1d(linear(X, W, bias).unsqueeze(1), 2).squeeze(1), dim=1
    )
    * 0.5,
    "56_Matmul_Sigmoid_Sum": lambda X, W, bias: torch.sum(sigmoid(linear(X, W, bias)), dim=1),
    "57_Conv2d_ReLU_HardSwish": lambda X, W, bias: hardswish(relu(conv(X, W, bias))),
    "58_ConvTranspose3d_LogSumExp_HardSwish_Subtract_Clamp": hardswish_by_sigmoid,
    "59_Matmul_Swish_Scaling": lambda X, W, bias: silu(linear(X, W, bias)) * 2,
    "60_ConvTranspose3d_Swish_GroupNorm_HardSwish": lambda X, W, bias, groups, gamma, beta: hardswish(
        F.group_norm(silu(convt(X, W, bias)), groups, gamma, beta)
    ),
    "61_ConvTranspose3d_ReLU_GroupNorm": lambda X, W, groups, gamma, beta: F.group_norm(
        relu(convt(X, W, None, stride=1, padding=0)), groups, gamma, beta
    ),
    "62_Matmul_GroupNorm_LeakyReLU_Sum": lambda X, W, bias, members, gamma, beta: F.leaky_relu(
        F.group_norm(linear(X, W, bias), len(gamma) // members, gamma, beta)
    )
    * 2,
    "63_Gemm_ReLU_Divide": lambda X, W, bias: relu(linear(X, W, bias)) / 2,
    "64_Gemm_LogSumExp_LeakyReLU_LeakyReLU_GELU_GELU": lambda X, W, bias: gelu(
        gelu(F.leaky_relu(F.leaky_relu(logsumexp(linear(X, W, bias), dim=1))))
    ),
    "65_Conv2d_AvgPool_Sigmoid_Sum": lambda X, W, bias: torch.sum(
        sigmoid(F.avg_pool2d(conv(X, W, bias), 4)), dim=(1, 2, 3)
    ),
    "66_Matmul_Dropout_Softmax": lambda X, W, bias: softmax(F.dropout(linear(X, W, bias), training=False), dim=1),
    "67_Conv2d_GELU_GlobalAvgPool": lambda X, W, bias: F.adaptive_avg_pool2d(gelu(conv(X, W, bias)), 1),
    "68_Matmul_Min_Subtract": lambda X, W, bias, level: torch.min(linear(X, W, bias), level) - level,
    "69_Conv2d_HardSwish_ReLU": lambda X, W, bias: relu(hardswish(conv(X, W, bias))),
    "70_Gemm_Sigmoid_Scaling_ResidualAdd": sigmoid_residual,
    "71_Conv2d_Divide_LeakyReLU": lambda X, W, bias: F.leaky_relu(conv(X, W, bias) / 2, 0.01),
    "72_ConvTranspose3d_BatchNorm_AvgPool_AvgPool": lambda X, W, gamma, beta: F.avg_pool3d(
        F.avg_pool3d(batch_norm(convt(X, W, None), gamma, beta), 2), 2
    ),
    "73_Conv2d_BatchNorm_Scaling": lambda X, W, gamma, beta: batch_norm(conv(X, W, None), gamma, beta) * 2,
    "74_ConvTranspose3d_LeakyReLU_Multiply_LeakyReLU_Max": lambda X, W, bias, scale: F.max_pool3d(
        F.leaky_relu(F.leaky_relu(convt_doubling(X, W, bias), 0.2) * vector(scale, X), 0.2), 2
    ),
    "75_Gemm_GroupNorm_Min_BiasAdd": lambda X, W, bias, members, gamma, beta, shift: torch.min(
        F.group_norm(linear(X, W, bias), len(gamma) // members, gamma, beta), dim=1, keepdim=True
    ).values
    + shift.view(1, -1, 1, 1),
    "76_Gemm_Add_ReLU": lambda X, W, shift: relu(linear(X, W) + shift),
    "77_ConvTranspose3d_Scale_BatchNorm_GlobalAvgPool": lambda X, W, gamma, beta: F.adaptive_avg_pool3d(
        batch_norm(convt(X, W, None, stride=1, padding=0) * 2, gamma, beta), 1
    ),
    "78_ConvTranspose3d_Max_Max_Sum": lambda X, W, bias: torch.sum(
        F.max_pool3d(F.max_pool3d(convt(X, W, bias, padding=2), 2), 3), dim=1
    ),
    "79_Conv3d_Multiply_InstanceNorm_Clamp_Multiply_Max": scaled_instance_norm,
    "80_Gemm_Max_Subtract_GELU": max_minus_mean,
    "81_Gemm_Swish_Divide_Clamp_Tanh_Clamp": lambda X, W, bias: clamp(
        tanh(clamp(silu(linear(X, W, bias)) / 2, -1, 1)), -1, 1
    ),
    "82_Conv2d_Tanh_Scaling_BiasAdd_Max": lambda X, W, bias, shift: F.max_pool2d(
        tanh(conv(X, W, bias)) * 2 + vector(shift, X), 4
    ),
    "83_Conv3d_GroupNorm_Min_Clamp_Dropout": lambda X, W, bias, groups, gamma, beta: F.dropout(
        clamp(clamp(F.group_norm(conv(X, W, bias), groups, gamma, beta), max=0.0), 0, 1), training=False
    ),
    "84_Gemm_BatchNorm_Scaling_Softmax": lambda X, W, gamma, beta, scale: softmax(
        batch_norm(linear(X, W, None), gamma, beta) * scale, dim=1
    ),
    "85_Conv2d_GroupNorm_Scale_MaxPool_Clamp": lambda X, W, bias, groups, gamma, beta, scale: clamp(
        F.max_pool2d(F.group_norm(conv(X, W, bias), groups, gamma, beta) * vector(scale, X), 4), 0, 1
    ),
    "86_Matmul_Divide_GELU": lambda X, W, bias: gelu(linear(X, W, bias) / 10),
    "87_Conv2d_Subtract_Subtract_Mish": lambda X, W, bias: mish(conv(X, W, bias) - 0.5 - 0.2),
    "88_Gemm_GroupNorm_Swish_Multiply_Swish": lambda X, W, bias, members, gamma, beta, scale: silu(
        silu(F.group_norm(linear(X, W, bias), len(gamma) // members, gamma, beta)) * scale
    ),
    "89_ConvTranspose3d_MaxPool_Softmax_Subtract_Swish_Max": lambda X, W, bias, shift: torch.max(
        silu(softmax(F.max_pool3d(convt_doubling(X, W, bias), 2), dim=1) - vector(shift, X)), dim=1
    ).values,
    "90_Conv3d_LeakyReLU_Sum_Clamp_GELU": lambda X, W, bias, shift: gelu(
        clamp(F.leaky_relu(conv(X, W, bias), 0.2) + vector(shift, X), -1, 1)
    ),
    "91_ConvTranspose2d_Softmax_BiasAdd_Scaling_Sigmoid": lambda X, W, bias, shift: sigmoid(
        (softmax(convt(X, W, bias, more=1), dim=1) + vector(shift, X)) * 2
    ),
    "92_Conv2d_GroupNorm_Tanh_HardSwish_ResidualAdd_LogSumExp": norm_residual_logsumexp,
    "93_ConvTranspose2d_Add_Min_GELU_Multiply": lambda X, W, bias: gelu(
        clamp(convt(X, W, bias, padding=0) + 0.5, max=0)
    )
    * 2,
    "94_Gemm_BiasAdd_Hardtanh_Mish_GroupNorm": lambda X, W, bias, shift, members, gamma, beta: F.group_norm(
        mish(F.hardtanh(linear(X, W, bias) + shift)), len(gamma) // members, gamma, beta
    ),
    "95_Matmul_Add_Swish_Tanh_GELU_Hardtanh": lambda X, W, bias, shift: F.hardtanh(
        gelu(tanh(silu(linear(X, W, bias) + shift)))
    ),
    "96_ConvTranspose3d_Multiply_Max_GlobalAvgPool_Clamp": lambda X, W, bias: clamp(
        F.adaptive_avg_pool3d(F.max_pool3d(convt(X, W, bias) * 0.5, 2), 1), 0, 1
    ),
    "97_Matmul_BatchNorm_BiasAdd_Divide_Swish": lambda X, W, gamma, beta, shift: silu(
        (batch_norm(linear(X, W, None), gamma, beta) + shift) / 1
    ),
    "98_Matmul_AvgPool_GELU_Scale_Max": lambda X, W, bias: torch.max(
        gelu(F.avg_pool1d(linear(X, W, bias).unsqueeze(1), 16).squeeze(1)) * 2, dim=1
    ).values,
    "99_Matmul_GELU_Softmax": lambda X, W, bias: softmax(gelu(linear(X, W, bias)), dim=1),
    "100_ConvTranspose3d_Clamp_Min_Divide": lambda X, W, bias: clamp(convt(X, W, bias), min=-1.0) / 2,
}
