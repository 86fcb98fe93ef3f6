// The functions of the interface, up to those of the feature level LEVEL.
#include "host.hpp"
#include <inlay/element.hpp>
#include <atomic>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

namespace host {
namespace {
std::size_t bytes_of(std::int32_t type) {
    switch (type) {
        case FLOAT32:
        case INT32:
        case TENSOR_FLOAT32:
        case TENSOR_INT32: return 4;
        default: return 1;
    }
}
primitive plan_of(const call& c) {
    for (const rules* table : {&axis_rules, &movement_rules, &window_rules})
        if (const auto rule = table->find(c.op.code); rule != table->end()) return rule->second(c);
    return plan_element_wise(c);
}
// The numbers of the operations and the levels that brought them, as the reference lists them.
int level_of(std::int32_t code) {
    return code <= 28 ? 27 : code <= 37 ? 28 : code <= 95 ? 29 : code <= 101 ? 30 : 1'000'006;
}
}  // namespace

numbers operand::decode(const void* data) const {
    const auto count = std::size_t(elements(shape));
    numbers result(count);
    std::size_t behind = 1;
    for (std::size_t i = channel + 1; i < shape.size(); ++i) behind *= std::size_t(shape[i]);
    for (std::size_t k = 0; k < count; ++k) switch (type) {
            case TENSOR_FLOAT32: result[k] = static_cast<const float*>(data)[k]; break;
            case TENSOR_INT32:  // without a scale they are integers
                result[k] = double(static_cast<const std::int32_t*>(data)[k]) * (scale == 0 ? 1. : double(scale));
                break;
            case TENSOR_QUANT8_ASYMM:
                result[k] = float(static_cast<const std::uint8_t*>(data)[k] - zero) * scale;
                break;
            case TENSOR_QUANT8_ASYMM_SIGNED:
                result[k] = float(static_cast<const std::int8_t*>(data)[k] - zero) * scale;
                break;
            default: result[k] = float(static_cast<const std::int8_t*>(data)[k]) * scales[k / behind % scales.size()];
        }
    return result;
}
void operand::encode(const numbers& from, void* data, bool half) const {
    const float least = type == TENSOR_QUANT8_ASYMM_SIGNED ? -128.f : 0.f;
    for (std::size_t k = 0; k < from.size(); ++k)
        if (const auto x = float(from[k]); type == TENSOR_FLOAT32)
            static_cast<float*>(data)[k] = half ? float(inlay::float16(x)) : x;
        else
            static_cast<std::uint8_t*>(data)[k] =
                std::uint8_t(int(std::clamp(std::nearbyint(x / scale) + float(zero), least, least + 255)));
}
}  // namespace host

struct ANeuralNetworksModel {
    std::vector<host::operand> operands;
    std::vector<host::operation> operations;
    std::vector<evaluator::primitive> plans;
    std::vector<std::uint32_t> inputs, outputs;
    bool half = false, finished = false;
};
struct ANeuralNetworksCompilation {
    const ANeuralNetworksModel* model = nullptr;
    bool finished = false;
};
struct ANeuralNetworksExecution {
    const ANeuralNetworksModel* model = nullptr;
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    bool is_complete = false;
};
struct ANeuralNetworksEvent {};
static std::atomic<int> compiled_operations[128];  // of all compiled models, by code
struct ANeuralNetworksDevice {
    const char* name;
    std::int32_t type;
    std::int64_t level;
};

namespace host {
namespace {
template <class F> int answer(F f) try {
    f();
    return NO_ERROR;
} catch (const std::bad_alloc&) {
    return OUT_OF_MEMORY;
} catch (...) {
    return BAD_DATA;
}
template <class F> int change(const ANeuralNetworksModel* m, F f) { return m->finished ? BAD_STATE : answer(f); }
void finish(ANeuralNetworksModel& m) {
    require(!m.outputs.empty());
    for (const operation& op : m.operations) {
        require(level_of(op.code) <= LEVEL && op.outputs.size() == 1);
        for (std::uint32_t k : op.inputs) {
            const operand& o = m.operands.at(k);
            require(o.is_input || o.is_written || o.value);  // in the order of execution
            require(o.type != TENSOR_QUANT8_ASYMM_SIGNED || LEVEL >= 30);
            require(!o.in_bytes() || o.scale > 0);
            require(o.shape.size() <= 4);
        }
        operand& y = m.operands.at(op.outputs[0]);
        require(!y.is_written && !y.is_input && !y.value && (y.type == TENSOR_FLOAT32 || y.in_bytes()));
        m.plans.push_back(plan_of({m.operands, op}));
        require(m.plans.back().sizes == y.shape && y.shape.size() <= 4);
        y.is_written = true;
    }
    for (std::uint32_t k : m.outputs) require(m.operands.at(k).is_written);
    m.finished = true;
}
void compute(ANeuralNetworksExecution& e) {
    const ANeuralNetworksModel& m = *e.model;
    require(!std::exchange(e.is_complete, true));
    values tensors(m.operands.size());
    for (std::size_t k = 0; k < m.inputs.size(); ++k) {
        require(e.inputs[k] != nullptr);
        tensors[m.inputs[k]] = m.operands[m.inputs[k]].decode(e.inputs[k]);
    }
    for (std::size_t k = 0; k < m.operations.size(); ++k) {
        const operation& op = m.operations[k];
        values in;
        for (std::uint32_t i : op.inputs) {
            const operand& o = m.operands[i];
            if (o.value && !o.is_scalar() && tensors[i].empty()) tensors[i] = o.decode(o.value);
            in.push_back(tensors[i]);
        }
        const operand& y = m.operands[op.outputs[0]];
        const numbers result = m.plans[k].compute(in);
        std::vector<char> bytes(result.size() * bytes_of(y.type));
        y.encode(result, bytes.data(), m.half);  // what it stands for is what the next one reads
        tensors[op.outputs[0]] = y.decode(bytes.data());
    }
    for (std::size_t k = 0; k < m.outputs.size(); ++k) {
        require(e.outputs[k] != nullptr);
        m.operands[m.outputs[k]].encode(tensors[m.outputs[k]], e.outputs[k], false);
    }
}
#if LEVEL >= 29
// Two devices: NNAPI's own, and one that lacks what is along an axis.
ANeuralNetworksDevice devices[] = {{reference_device, 2, LEVEL}, {"host-accelerator", 4, 29}};
bool supports(const ANeuralNetworksDevice& d, const operation& op) {
    return &d == &devices[0] || (level_of(op.code) <= d.level && op.code != SOFTMAX && op.code != LOG_SOFTMAX);
}
#endif
}  // namespace
}  // namespace host
using namespace host;

extern "C" {
int ANeuralNetworksModel_create(ANeuralNetworksModel** m) {
    return answer([&] { *m = new ANeuralNetworksModel; });
}
void ANeuralNetworksModel_free(ANeuralNetworksModel* m) { delete m; }
int ANeuralNetworksModel_finish(ANeuralNetworksModel* m) {
    return change(m, [&] { finish(*m); });
}
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel* m, const ANeuralNetworksOperandType* t) {
    return change(m, [&] {
        operand o{t->type, {t->dimensions, t->dimensions + t->dimensionCount}, t->scale, t->zeroPoint, {}, 0, {}};
        const bool scalar = t->type == FLOAT32 || t->type == INT32 || t->type == BOOL;
        require(scalar == (t->dimensionCount == 0));
        for (const std::int64_t d : o.shape) require(d > 0);
        require(!o.in_bytes() || (o.scale > 0 && o.zero >= (o.type == TENSOR_QUANT8_ASYMM ? 0 : -128) &&
                                  o.zero <= (o.type == TENSOR_QUANT8_ASYMM ? 255 : 127)));
        require(o.in_bytes() || (o.zero == 0 && (o.scale == 0 || o.type == TENSOR_INT32)));
        m->operands.push_back(std::move(o));
    });
}
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel* m, std::int32_t k, const void* data, std::size_t size) {
    return change(m, [&] {
        operand& o = m->operands.at(std::size_t(k));
        require(data && std::int64_t(size) == elements(o.shape) * std::int64_t(bytes_of(o.type)));
        o.value = data;
        if (size > copied_bytes) return;
        o.copied.assign(static_cast<const char*>(data), static_cast<const char*>(data) + size);
        o.value = nullptr;  // the operand may move until the model is finished
    });
}
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel* m, std::int32_t code, std::uint32_t inputs,
                                      const std::uint32_t* in, std::uint32_t outputs, const std::uint32_t* out) {
    return change(m, [&] { m->operations.push_back({code, {in, in + inputs}, {out, out + outputs}}); });
}
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel* m, std::uint32_t inputs,
                                                  const std::uint32_t* in, std::uint32_t outputs,
                                                  const std::uint32_t* out) {
    return change(m, [&] {
        m->inputs.assign(in, in + inputs);
        m->outputs.assign(out, out + outputs);
        for (operand& o : m->operands)
            if (!o.copied.empty()) o.value = o.copied.data();
        for (std::uint32_t k : m->inputs) {
            require(!m->operands.at(k).value);
            m->operands[k].is_input = true;
        }
    });
}
int ANeuralNetworksCompilation_create(ANeuralNetworksModel* m, ANeuralNetworksCompilation** c) {
    if (!m->finished) return BAD_STATE;
    return answer([&] { *c = new ANeuralNetworksCompilation{m}; });
}
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* c) { delete c; }
int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation* c, std::int32_t preference) {
    return c->finished ? BAD_STATE : preference < 0 || preference > 2 ? BAD_DATA : NO_ERROR;
}
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* c) {
    if (std::exchange(c->finished, true)) return BAD_STATE;
    for (const operation& op : c->model->operations) ++compiled_operations[op.code];
    return NO_ERROR;
}
// For the tests: since the last call, how many operations compiled models have of this code.
int host_operations(std::int32_t code) { return compiled_operations[code].exchange(0); }
int ANeuralNetworksExecution_create(ANeuralNetworksCompilation* c, ANeuralNetworksExecution** e) {
    if (!c->finished) return BAD_STATE;
    return answer([&] {
        auto execution = std::make_unique<ANeuralNetworksExecution>();
        execution->model = c->model;
        execution->inputs.resize(c->model->inputs.size());
        execution->outputs.resize(c->model->outputs.size());
        *e = execution.release();
    });
}
void ANeuralNetworksExecution_free(ANeuralNetworksExecution* e) { delete e; }
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution* e, std::int32_t k, const ANeuralNetworksOperandType* t,
                                      const void* data, std::size_t size) {
    return answer([&] {
        const operand& o = e->model->operands[e->model->inputs.at(std::size_t(k))];
        require(!t && data && std::int64_t(size) == elements(o.shape) * std::int64_t(bytes_of(o.type)));
        e->inputs[std::size_t(k)] = data;
    });
}
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution* e, std::int32_t k, const ANeuralNetworksOperandType* t,
                                       void* data, std::size_t size) {
    return answer([&] {
        const operand& o = e->model->operands[e->model->outputs.at(std::size_t(k))];
        require(!t && data && std::int64_t(size) == elements(o.shape) * std::int64_t(bytes_of(o.type)));
        e->outputs[std::size_t(k)] = data;
    });
}
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution* e, ANeuralNetworksEvent** event) {
    return answer([&] {
        *event = nullptr;
        compute(*e);
        *event = new ANeuralNetworksEvent;
    });
}
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent*) { return NO_ERROR; }
void ANeuralNetworksEvent_free(ANeuralNetworksEvent* e) { delete e; }

#if LEVEL >= 28
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel* m, bool allow) {
    return change(m, [&] { m->half = allow; });
}
#endif
#if LEVEL >= 29
int ANeuralNetworks_getDeviceCount(std::uint32_t* count) {
    return *count = std::uint32_t(std::size(devices)), NO_ERROR;
}
int ANeuralNetworks_getDevice(std::uint32_t k, ANeuralNetworksDevice** d) {
    if (k >= std::size(devices)) return BAD_DATA;
    *d = &devices[k];
    return NO_ERROR;
}
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice* d, const char** name) {
    return *name = d->name, NO_ERROR;
}
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice* d, std::int32_t* type) {
    return *type = d->type, NO_ERROR;
}
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice*, const char** version) {
    return *version = "1", NO_ERROR;
}
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice* d, std::int64_t* level) {
    return *level = d->level, NO_ERROR;
}
int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel* m,
                                                          const ANeuralNetworksDevice* const* list, std::uint32_t count,
                                                          bool* supported) {
    if (!m->finished) return BAD_STATE;
    for (std::size_t k = 0; k < m->operations.size(); ++k)
        supported[k] = std::any_of(list, list + count, [&](const auto* d) { return supports(*d, m->operations[k]); });
    return NO_ERROR;
}
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(ANeuralNetworksModel* m, std::int32_t k,
                                                             const ANeuralNetworksSymmPerChannelQuantParams* p) {
    return change(m, [&] {
        operand& o = m->operands.at(std::size_t(k));
        require(o.type == TENSOR_QUANT8_SYMM_PER_CHANNEL && o.shape.at(p->channelDim) == std::int64_t(p->scaleCount));
        o.channel = p->channelDim;
        o.scales.assign(p->scales, p->scales + p->scaleCount);
        for (float s : o.scales) require(s > 0);
    });
}
int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* m, const ANeuralNetworksDevice* const* list,
                                                std::uint32_t count, ANeuralNetworksCompilation** c) {
    if (!m->finished) return BAD_STATE;
    return answer([&] {
        for (const operation& op : m->operations)
            require(std::any_of(list, list + count, [&](const auto* d) { return supports(*d, op); }));
        *c = new ANeuralNetworksCompilation{m};
    });
}
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* e) {
    return answer([&] { compute(*e); });
}
#endif
#if LEVEL >= 30
int ANeuralNetworksMemoryDesc_create(void**) { return BAD_STATE; }  // its presence shows the level
#endif
#if LEVEL >= 31
std::int64_t ANeuralNetworks_getRuntimeFeatureLevel() { return LEVEL; }
#endif
}
