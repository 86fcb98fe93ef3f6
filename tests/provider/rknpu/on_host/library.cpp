// An implementation of RKNN's C interface for the host: a model is a mark and ONNX, which onnx_host runs by Inlay's
// reference kernels. It checks the order of calls, indexes, types, formats and sizes.
#include "../../onnx_host.hpp"
#include "compiled_model.hpp"
#include <cstring>
#include <map>
#include <mutex>
#include <provider/rknpu/interface.hpp>
#include <vector>
using namespace inlay::rknn_interface;

namespace {
constexpr std::int32_t float_of_onnx = 1;
constexpr std::int32_t cores = 7;
int last_core_mask = 0;

struct loaded_model {
    onnx_host::program program;
    std::vector<const void*> inputs{};
    std::vector<std::vector<char>> outputs{};
    bool ran = false;
    explicit loaded_model(std::string onnx) : program(std::move(onnx)) {}
};
std::mutex mutex;
std::map<context, loaded_model> models;

struct failure {
    int status;
};
void require(bool good, int otherwise) {
    if (!good) throw failure{otherwise};
}
template <class F> int answer(F f) try {
    const std::lock_guard lock(mutex);
    f();
    return succeeded;
} catch (const failure& r) {
    return r.status;
} catch (...) {
    return -1;
}
loaded_model& model_of(context c) {
    const auto entry = models.find(c);
    require(entry != models.end(), context_invalid);
    return entry->second;
}
void describe(const std::vector<onnx_host::port>& ports, void* to, std::uint32_t bytes) {
    require(bytes == sizeof(tensor_attributes), -5);
    auto& a = *static_cast<tensor_attributes*>(to);
    require(a.index < ports.size(), -5);
    const onnx_host::port& p = ports[a.index];
    a.rank = std::uint32_t(p.dims.size());
    for (std::size_t k = 0; k < p.dims.size(); ++k) a.dims[k] = std::uint32_t(p.dims[k]);
    a.elements = std::uint32_t(p.bytes / 4);
    a.bytes = a.elements * 2;
    a.type = float16;  // the chip's own
    a.format = p.dims.size() == 4 ? nhwc : undefined;
}
}  // namespace

extern "C" {
int rknn_init(context* c, void* bytes, std::uint32_t size, std::uint32_t flags, void* extension) {
    return answer([&] {
        const std::string_view content(static_cast<const char*>(bytes), size);
        require(flags == 0 && !extension && content.starts_with(compiled_mark), model_invalid);
        static context next = 0;
        models.try_emplace(++next, std::string(content.substr(compiled_mark.size())));
        *c = next;
    });
}
int rknn_destroy(context c) {
    return answer([&] { require(models.erase(c) == 1, context_invalid); });
}
int rknn_query(context c, std::int32_t query, void* to, std::uint32_t bytes) {
    return answer([&] {
        const onnx_host::program& p = model_of(c).program;
        switch (query) {
            case in_out_num:
                require(bytes == sizeof(counts), -5);
                *static_cast<counts*>(to) = {std::uint32_t(p.inputs().size()), std::uint32_t(p.outputs().size())};
                break;
            case input_attr: describe(p.inputs(), to, bytes); break;
            case output_attr: describe(p.outputs(), to, bytes); break;
            default: throw failure{-5};
        }
    });
}
int rknn_inputs_set(context c, std::uint32_t count, input* inputs) {
    return answer([&] {
        loaded_model& m = model_of(c);
        require(count == m.program.inputs().size(), input_invalid);
        m.inputs.assign(count, nullptr);
        for (const input& i : std::vector<input>(inputs, inputs + count)) {
            require(i.index < count && i.data && !i.pass_through && i.type == float32, input_invalid);
            const onnx_host::port& p = m.program.inputs()[i.index];
            require(p.type == float_of_onnx && i.bytes == p.bytes, input_invalid);
            require(i.format == (p.dims.size() == 4 ? nchw : undefined), input_invalid);
            m.inputs[i.index] = i.data;
        }
        for (const void* data : m.inputs) require(data, input_invalid);
    });
}
int rknn_run(context c, void* extension) {
    return answer([&] {
        loaded_model& m = model_of(c);
        require(!extension && !m.inputs.empty(), input_invalid);
        std::vector<void*> results;
        m.outputs.clear();
        for (const onnx_host::port& p : m.program.outputs()) m.outputs.emplace_back(std::size_t(p.bytes));
        for (auto& y : m.outputs) results.push_back(y.data());
        m.program.run(m.inputs, results);
        m.ran = true;
    });
}
int rknn_outputs_get(context c, std::uint32_t count, output* outputs, void* extension) {
    return answer([&] {
        loaded_model& m = model_of(c);
        require(m.ran && !extension && count == m.outputs.size(), output_invalid);
        for (const output& o : std::vector<output>(outputs, outputs + count)) {
            require(o.index < count && o.data && o.want_float && o.is_preallocated, output_invalid);
            require(o.bytes == m.outputs[o.index].size(), output_invalid);
            std::memcpy(o.data, m.outputs[o.index].data(), o.bytes);
        }
    });
}
int rknn_outputs_release(context c, std::uint32_t count, output*) {
    return answer([&] { require(count == model_of(c).outputs.size(), output_invalid); });
}
int rknn_set_core_mask(context c, std::int32_t mask) {
    return answer([&] {
        model_of(c);
        require(mask > 0 && mask <= cores, -5);
        last_core_mask = mask;
    });
}
// For the tests.
int host_core_mask() { return last_core_mask; }
int host_models() { return int(models.size()); }
}
