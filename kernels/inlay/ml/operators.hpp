// The operators of the domain ai.onnx.ml that the stock providers run: X(operator, file).
#pragma once

#define INLAY_ML_OPERATORS(X) \
    X(binarizer, "ml/feature_scaling") \
    X(imputer, "ml/feature_scaling") \
    X(normalizer, "ml/feature_scaling") \
    X(scaler, "ml/feature_scaling")
