// The operators of the domain ai.onnx.ml that the stock providers run: X(operator, file).
#pragma once

#define INLAY_ML_OPERATORS(X)
