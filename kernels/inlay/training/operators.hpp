// The operators of the domain ai.onnx.preview.training that the stock providers run: X(operator, file).
#pragma once

#define INLAY_TRAINING_OPERATORS(X) \
    X(adagrad, "training/optimizers") \
    X(adam, "training/optimizers") \
    X(momentum, "training/optimizers")
