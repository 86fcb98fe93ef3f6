// What the kernels of a program's operators are made with and called with.
#pragma once
#include "session.hpp"
#include "type_info.hpp"
#include "value.hpp"
#include <inlay/ort/api/custom_op.hpp>
#include <inlay/sdk/catalogue.hpp>
#include <variant>

struct OrtLogger {
    std::shared_ptr<const Ort::detail::session_log> log;
};
struct OrtKernelInfo {
    struct argument {
        std::string name;
        inlay::element type = inlay::element::undefined;
        std::optional<OrtValue> constant{};
    };
    using attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                                   std::vector<std::string>, inlay::tensor>;
    std::string node;
    std::vector<argument> inputs, outputs;
    std::map<std::string, attribute> attributes;
    OrtLogger logger;

    explicit OrtKernelInfo(const inlay::node_view&, OrtLogger);
    std::string text() const;  // of everything but constants and shapes: the same for the same
};
// One call. Outputs get their memory when the kernel tells their shapes.
struct OrtKernelContext {
    std::vector<std::optional<OrtValue>> inputs, outputs;  // empty: absent, or not told yet
    std::vector<inlay::element> output_types;              // undefined: the node has no such output
    inlay::context* run;
    const OrtLogger* logger;
    std::vector<std::shared_ptr<void>> scratch{};  // of libraries' kernels, until the call ends

    OrtValue* output(std::size_t index, const inlay::shape& dims);
};
