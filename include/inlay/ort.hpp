// Programs that are written for ONNX Runtime's C++ interface, over Inlay: include this for onnxruntime_cxx_api.h, and
// link inlay::ort. docs/how-to/ort.md lists what is here, what is a warning and what is an error.
//
//     Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "program");
//     Ort::Session session(env, "model.onnx", Ort::SessionOptions{});
//     auto results = session.Run(Ort::RunOptions{nullptr}, names, inputs, 1, output_names, 1);
//
// A program has either this or ONNX Runtime's own headers. Providers that are written as ONNX Runtime's documents have
// it are <inlay/ort_provider.hpp>; in their sources, within inlay::ort, `Ort::` is what compiled functions read their
// arguments with, and `::Ort` has these classes.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "ort/api/config_keys.hpp"
#include "ort/api/custom_op.hpp"
#include "ort/api/functions.hpp"
#include "ort/api/session.hpp"
