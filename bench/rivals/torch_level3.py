"""The blocks of level 3 of tests/coverage that stand there in full, as PyTorch computes them; see torch_level1.py."""

import torch
import torch.nn.functional as F

conv, linear, relu = F.conv2d, F.linear, torch.relu


def batch_norm(Z, gamma, beta):
    return F.batch_norm(Z, None, None, gamma, beta, training=True)


def mlp(X, W1, b1, W2, b2, W3, b3):
    return linear(relu(linear(relu(linear(X, W1, b1)), W2, b2)), W3, b3)


def deep_mlp(X, W0, b0, W, b, V, c):
    out = relu(linear(X, W0, b0))
    for weight, bias in zip(W, b):
        out = relu(linear(out, weight, bias))
    return linear(out, V, c)


def lenet(X, W1, b1, W2, b2, W3, b3, W4, b4, W5, b5):
    out = F.max_pool2d(relu(conv(X, W1, b1)), 2)
    out = F.max_pool2d(relu(conv(out, W2, b2)), 2)
    out = relu(linear(out.flatten(1), W3.flatten(1), b3))
    return linear(relu(linear(out, W4, b4)), W5, b5)


def inception(X, W1, b1, W2, b2, W3, b3, W4, b4, W5, b5, W6, b6):
    one = conv(X, W1, b1)
    three = conv(conv(X, W2, b2), W3, b3, padding=1)
    five = conv(conv(X, W4, b4), W5, b5, padding=2)
    pooled = conv(F.max_pool2d(X, 3, stride=1, padding=1), W6, b6)
    return torch.cat([one, three, five, pooled], dim=1)


def resnet_block(X, W1, gamma1, beta1, W2, gamma2, beta2, W3, gamma3, beta3):
    out = relu(batch_norm(conv(X, W1, padding=1), gamma1, beta1))
    out = batch_norm(conv(out, W2, padding=1), gamma2, beta2)
    return relu(out + batch_norm(conv(X, W3), gamma3, beta3))


def dense_block(
    X, gamma1, beta1, W1, gamma2, beta2, W2, gamma3, beta3, W3, gamma4, beta4, W4, gamma5, beta5, W5, gamma6, beta6, W6
):
    layers = (
        (gamma1, beta1, W1),
        (gamma2, beta2, W2),
        (gamma3, beta3, W3),
        (gamma4, beta4, W4),
        (gamma5, beta5, W5),
        (gamma6, beta6, W6),
    )
    for gamma, beta, W in layers:
        X = torch.cat([X, conv(relu(batch_norm(X, gamma, beta)), W, padding=1)], dim=1)
    return X


def fire(X, W1, b1, W2, b2, W3, b3):
    squeezed = relu(conv(X, W1, b1))
    return torch.cat([relu(conv(squeezed, W2, b2)), relu(conv(squeezed, W3, b3, padding=1))], dim=1)


def mbconv(X, W1, gamma1, beta1, W2, gamma2, beta2, W3, gamma3, beta3):
    out = F.relu6(batch_norm(conv(X, W1), gamma1, beta1))
    out = F.relu6(batch_norm(conv(out, W2, stride=2, padding=2, groups=len(W2)), gamma2, beta2))
    return batch_norm(conv(out, W3), gamma3, beta3)


def shuffle_unit(X, W1, gamma1, beta1, W2, gamma2, W3, gamma3, beta3, W4, gamma4, beta4, groups):
    out = relu(batch_norm(conv(X, W1, groups=groups), gamma1, beta1))
    out = batch_norm(conv(out, W2, padding=1, groups=len(W2)), gamma2, None)
    out = F.channel_shuffle(out, groups)
    out = relu(batch_norm(conv(out, W3, groups=groups), gamma3, beta3))
    return out + batch_norm(conv(X, W4), gamma4, beta4)


def vision_attention(X, W1, b1, W2, b2, gamma, beta, heads):
    sequence = X.flatten(2).permute(2, 0, 1)
    out, _ = F.multi_head_attention_forward(
        sequence, sequence, sequence, X.shape[1], heads, W1, b1, None, None, False, 0.0, W2, b2, need_weights=False
    )
    out = F.layer_norm(out + sequence, gamma.shape, gamma, beta)
    return out.permute(1, 2, 0).reshape(X.shape)


def rnn_step(X, H0, W1, b1, W2, b2):
    return linear(torch.tanh(linear(torch.cat([X, H0], dim=1), W1, b1)), W2, b2)


def split_heads(X, W1, b1, heads):
    qkv = linear(X, W1, b1).chunk(3, dim=2)
    return [part.unflatten(2, (heads, -1)).transpose(1, 2) for part in qkv]


def join_heads(context):
    return context.transpose(1, 2).flatten(2)


def causal_attention(X, W1, b1, W2, b2, heads):
    context = F.scaled_dot_product_attention(*split_heads(X, W1, b1, heads), is_causal=True)
    return linear(join_heads(context), W2, b2)


def gpt_block(X, gamma1, beta1, W1, b1, W2, b2, gamma2, beta2, W3, b3, W4, b4, heads):
    X = X + causal_attention(F.layer_norm(X, gamma1.shape, gamma1, beta1), W1, b1, W2, b2, heads)
    inner = F.gelu(linear(F.layer_norm(X, gamma2.shape, gamma2, beta2), W3, b3), approximate="tanh")
    return X + linear(inner, W4, b4)


def relu_attention(X, W1, b1, heads, depth):
    Q, K, V = split_heads(X, W1, b1, heads)
    score = Q @ K.transpose(2, 3) / depth**0.5
    causal = torch.tril(torch.ones_like(score)) == 1
    return join_heads(relu(score.masked_fill(~causal, float("-inf"))) @ V)


def netvlad(X, W, gamma, beta, centre, clusters):
    assignment = torch.softmax(batch_norm(X.flatten(0, 1) @ W, gamma, beta), dim=1)[:, :clusters]
    assignment = assignment.view(X.shape[0], X.shape[1], clusters)
    vlad = X.transpose(1, 2) @ assignment - assignment.sum(dim=1, keepdim=True) * centre
    return F.normalize(F.normalize(vlad, dim=1).flatten(1))


def mamba(X, A, B, C=None):
    """The recurrence itself, step by step. Returns all outputs, or the final state without C."""
    state, outputs = 0, []
    for t in range(X.shape[1]):
        state = state * torch.exp(A[:, t])[..., None, None] + torch.einsum("nhp,nhe->nhpe", X[:, t], B[:, t])
        if C is not None:
            outputs.append(torch.einsum("nhpe,nhe->nhp", state, C[:, t]))
    return state if C is None else torch.stack(outputs, dim=1)


def rnn_sequence(X, H0, W1, b1, W2, b2):
    outputs = []
    for step in X:
        H0 = torch.tanh(linear(torch.cat([step, H0], dim=1), W1, b1))
        outputs.append(linear(H0, W2, b2))
    return torch.stack(outputs)


def layers_of(kind, W0, W, U, bi, bh, batch_first):
    """PyTorch's own layers, with the weights of the task. Two directions where W0 has one dimension more."""
    both = W0.dim() == 3
    layers, hidden = U.shape[0], U.shape[-1]
    net = kind(W0.shape[-1], hidden, layers, batch_first=batch_first, bidirectional=both).to(W0.dtype)
    with torch.no_grad():
        for layer in range(layers):
            for way in range(2 if both else 1):
                at = (layer, way) if both else (layer,)
                name = f"l{layer}" + ("_reverse" if way else "")
                first = W0[way] if both else W0
                inner = W[(layer - 1, way) if both else layer - 1] if layer else first
                for field, value in (
                    ("weight_ih", inner),
                    ("weight_hh", U[at]),
                    ("bias_ih", bi[at]),
                    ("bias_hh", bh[at]),
                ):
                    getattr(net, f"{field}_{name}").copy_(value)
    return net


def recurrent(kind, X, state, W0, W, U, bi, bh, batch_first):
    net = layers_of(kind, W0, W, U, bi, bh, batch_first)
    with torch.no_grad():
        return net(X, state)


def lstm(X, H0, C0, W0, W, U, bi, bh):
    return recurrent(torch.nn.LSTM, X, (H0, C0), W0, W, U, bi, bh, True)


def gru(X, H0, W0, W, U, bi, bh):
    return recurrent(torch.nn.GRU, X, H0, W0, W, U, bi, bh, False)


def lstm_last(X, H0, C0, W0, W, U, bi, bh, V, bv):
    return linear(lstm(X, H0, C0, W0, W, U, bi, bh)[0][:, -1], V, bv)


TASKS = {
    "1_MLP": mlp,
    "2_ShallowWideMLP": mlp,
    "3_DeepNarrowMLP": deep_mlp,
    "4_LeNet5": lenet,
    "6_GoogleNetInceptionModule": inception,
    "8_ResNetBasicBlock": resnet_block,
    "13_DenseNet121TransitionLayer": lambda X, gamma, beta, W: F.avg_pool2d(
        conv(relu(batch_norm(X, gamma, beta)), W), 2
    ),
    "14_DenseNet121DenseBlock": dense_block,
    "17_SqueezeNetFireModule": fire,
    "21_EfficientNetMBConv": mbconv,
    "25_ShuffleNetUnit": shuffle_unit,
    "31_VisionAttention": vision_attention,
    "33_VanillaRNN": rnn_step,
    "34_VanillaRNNHidden": rnn_sequence,
    "35_LSTM": lstm_last,
    "36_LSTMHn": lambda X, H0, C0, W0, W, U, bi, bh: lstm(X, H0, C0, W0, W, U, bi, bh)[1][0],
    "37_LSTMCn": lambda X, H0, C0, W0, W, U, bi, bh: lstm(X, H0, C0, W0, W, U, bi, bh)[1][1],
    "38_LSTMBidirectional": lstm_last,
    "39_GRU": lambda X, H0, W0, W, U, bi, bh: gru(X, H0, W0, W, U, bi, bh)[0],
    "40_GRUHidden": lambda X, H0, W0, W, U, bi, bh: gru(X, H0, W0, W, U, bi, bh)[1],
    "41_GRUBidirectional": lambda X, H0, W0, W, U, bi, bh: gru(X, H0, W0, W, U, bi, bh)[0],
    "42_GRUBidirectionalHidden": lambda X, H0, W0, W, U, bi, bh: gru(X, H0, W0, W, U, bi, bh)[1],
    "43_MinGPTCausalAttention": causal_attention,
    "44_MiniGPTBlock": gpt_block,
    "46_NetVladWithGhostClusters": netvlad,
    "47_NetVladNoGhostClusters": netvlad,
    "48_Mamba2ReturnY": mamba,
    "49_Mamba2ReturnFinalState": lambda X, A, B: mamba(X, A, B),
    "50_ReLUSelfAttention": relu_attention,
}


def mamba_closed(X, A, B, C):
    decay = torch.cumsum(A, dim=1)
    later = torch.tril(torch.ones(X.shape[1], X.shape[1], dtype=torch.bool))
    between = (decay[:, :, None] - decay[:, None]).permute(0, 3, 1, 2).masked_fill(~later, float("-inf"))
    score = torch.einsum("nihe,njhe->nhij", C, B) * torch.exp(between)
    return torch.einsum("nhij,njhp->nihp", score, X)


def mamba_state_closed(X, A, B):
    decay = torch.cumsum(A, dim=1)
    return torch.einsum("njhe,njhp->nhpe", B * torch.exp(decay[:, -1:] - decay)[..., None], X)


# Faster forms of the same, for timing.
TIMED = {"48_Mamba2ReturnY": mamba_closed, "49_Mamba2ReturnFinalState": mamba_state_closed}


def lstm_layers(W0, W, U, bi, bh):
    return layers_of(torch.nn.LSTM, W0, W, U, bi, bh, True)


def gru_layers(W0, W, U, bi, bh):
    return layers_of(torch.nn.GRU, W0, W, U, bi, bh, False)


# Tasks whose layers are made once, from the weights, and called often: what makes them, and a call, which gets them as `net`.
LAYERS = {
    "35_LSTM": (lstm_layers, lambda net, X, H0, C0, V, bv: linear(net(X, (H0, C0))[0][:, -1], V, bv)),
    "36_LSTMHn": (lstm_layers, lambda net, X, H0, C0: net(X, (H0, C0))[1][0]),
    "37_LSTMCn": (lstm_layers, lambda net, X, H0, C0: net(X, (H0, C0))[1][1]),
    "38_LSTMBidirectional": (lstm_layers, lambda net, X, H0, C0, V, bv: linear(net(X, (H0, C0))[0][:, -1], V, bv)),
    "39_GRU": (gru_layers, lambda net, X, H0: net(X, H0)[0]),
    "40_GRUHidden": (gru_layers, lambda net, X, H0: net(X, H0)[1]),
    "41_GRUBidirectional": (gru_layers, lambda net, X, H0: net(X, H0)[0]),
    "42_GRUBidirectionalHidden": (gru_layers, lambda net, X, H0: net(X, H0)[1]),
}
