// What the kernels of a program's operators are created and called with.
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
    std::string text() const;  // identifies everything but constants and shapes
};
// One call. Outputs get their memory when the kernel reports their shapes.
struct OrtKernelContext {
    std::vector<std::optional<OrtValue>> inputs, outputs;  // empty: absent, or not known yet
    std::vector<inlay::element> output_types;              // undefined: the node has no such output
    inlay::context* run;
    const OrtLogger* logger;
    std::vector<std::shared_ptr<void>> scratch{};  // of libraries' kernels, until the call ends

    OrtValue* output(std::size_t index, const inlay::shape& dims);
};
