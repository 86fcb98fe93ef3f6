// The operators of the domain ai.onnx.ml that the stock providers run: X(operator, file).
#pragma once

#define INLAY_ML_OPERATORS(X) \
    X(array_feature_extractor, "ml/array_feature_extractor") \
    X(binarizer, "ml/feature_scaling") \
    X(cast_map, "ml/cast_map") \
    X(category_mapper, "ml/categories") \
    X(dict_vectorizer, "ml/maps") \
    X(feature_vectorizer, "ml/feature_vectorizer") \
    X(imputer, "ml/feature_scaling") \
    X(label_encoder, "ml/categories") \
    X(linear_classifier, "ml/linear") \
    X(linear_regressor, "ml/linear") \
    X(normalizer, "ml/feature_scaling") \
    X(one_hot_encoder, "ml/categories") \
    X(scaler, "ml/feature_scaling") \
    X(svm_classifier, "ml/svm") \
    X(svm_regressor, "ml/svm") \
    X(tree_ensemble, "ml/tree_ensemble") \
    X(tree_ensemble_classifier, "ml/tree_ensemble") \
    X(tree_ensemble_regressor, "ml/tree_ensemble") \
    X(zip_map, "ml/maps")
