// The operators of fused nodes, which the passes propose and a provider may support: X(operator, file).
#pragma once

#define INLAY_FUSED_OPERATORS(X) \
    X(attention, "fused/attention") \
    X(blocked_matmul, "fused/blocked_matmul") \
    X(channel_shuffle, "fused/channel_shuffle") \
    X(fused_conv, "onnx/conv") \
    X(fused_gemm, "onnx/gemm") \
    X(fused_matmul, "onnx/matmul") \
    X(fused_matmul_integer, "onnx/matmul_integer") \
    X(gated_matmul_nbits, "fused/gated_matmul_nbits") \
    X(joined_matmul, "fused/joined_matmul") \
    X(scaled_conv, "fused/scaled_conv") \
    X(tile_program, "fused/tile_program")
