// A library of custom operators as it is compiled for ONNX Runtime: it knows its C interface alone, links none of it,
// and its structs have the sizes of the version that it says.
#include "../../../src/compat/ort/plugin/abi.hpp"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct OrtCustomOpDomain;
struct OrtKernelInfo;
struct OrtCustomOp;

namespace {
using namespace inlay::ep;
constexpr api<asked<const char*, OrtCustomOpDomain**>> create_domain{26};
constexpr api<asked<OrtCustomOpDomain*, const OrtCustomOp*>> add_operator{27};
constexpr api<asked<OrtSessionOptions*, OrtCustomOpDomain*>> add_domain{28};
constexpr api<asked<OrtValue*, const char* const*, std::size_t>> fill_strings{52};
constexpr api<asked<const OrtKernelInfo*, const char*, std::int64_t*>> integer_attribute{86};
constexpr api<asked<const OrtKernelInfo*, const char*, char*, std::size_t*>> text_attribute{87};
constexpr api<asked<const OrtKernelInfo*, const char*, float*, std::size_t*>> reals_attribute{162};
constexpr api<asked<const OrtKernelContext*, const OrtMemoryInfo*, std::size_t, void**>> scratch_buffer{277};
constexpr api<asked<>> function_of_no_version{399};

enum : int { float_type = 1, string_type = 8 };
const OrtApi* functions = nullptr;

struct failure {
    OrtStatus* status;
};
void check(OrtStatus* status) {
    if (status) throw failure{status};
}
struct node {  // what a kernel is made with
    std::int64_t times = 1;
    std::string word;
    std::vector<float> shifts;
};
}  // namespace

// As version 12 has it: optional inputs are declared, and nothing after that is part of the struct.
struct OrtCustomOp {
    std::uint32_t version = 12;
    void* (*create_kernel)(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo*) = nullptr;
    const char* (*name)(const OrtCustomOp*) = nullptr;
    const char* (*provider)(const OrtCustomOp*) = [](const OrtCustomOp*) -> const char* { return nullptr; };
    int (*input_type)(const OrtCustomOp*, std::size_t) = nullptr;
    std::size_t (*input_count)(const OrtCustomOp*) = [](const OrtCustomOp*) { return std::size_t(1); };
    int (*output_type)(const OrtCustomOp*, std::size_t) = nullptr;
    std::size_t (*output_count)(const OrtCustomOp*) = [](const OrtCustomOp*) { return std::size_t(1); };
    void (*compute)(void*, OrtKernelContext*) = nullptr;
    void (*destroy)(void*) = [](void* kernel) { delete static_cast<node*>(kernel); };
    int (*input_kind)(const OrtCustomOp*, std::size_t) = [](const OrtCustomOp*, std::size_t) { return 0; };
    int (*output_kind)(const OrtCustomOp*, std::size_t) = [](const OrtCustomOp*, std::size_t) { return 0; };
};

namespace {
struct tensor {
    const OrtValue* value = nullptr;
    std::vector<std::int64_t> dims{};
    std::int64_t elements = 1;

    explicit tensor(const OrtKernelContext* context) {
        check(kernel_input(functions, context, 0, &value));
        OrtTensorTypeAndShapeInfo* info = nullptr;
        check(tensor_type_and_shape(functions, value, &info));
        std::size_t rank = 0;
        check(dimensions_count(functions, info, &rank));
        dims.resize(rank);
        check(dimensions(functions, info, dims.data(), rank));
        release_tensor_info(functions, info);
        for (const std::int64_t d : dims) elements *= d;
    }
    OrtValue* result(OrtKernelContext* context) const {
        OrtValue* out = nullptr;
        check(kernel_output(functions, context, 0, dims.data(), dims.size(), &out));
        return out;
    }
};
void* make_node(const OrtCustomOp*, const OrtApi* api, const OrtKernelInfo* info) {
    auto n = std::make_unique<node>();
    if (OrtStatus* status = integer_attribute(api, info, "times", &n->times)) release_status(api, status);
    std::size_t size = 0;
    if (OrtStatus* status = text_attribute(api, info, "word", nullptr, &size)) {
        release_status(api, status);  // it is not there
    } else {
        n->word.resize(size);
        check(text_attribute(api, info, "word", n->word.data(), &size));
        n->word.resize(size - 1);
    }
    size = 0;
    if (OrtStatus* status = reals_attribute(api, info, "shifts", nullptr, &size)) {
        release_status(api, status);
    } else {
        n->shifts.resize(size);
        check(reals_attribute(api, info, "shifts", n->shifts.data(), &size));
    }
    return n.release();
}
// times * x + the sum of shifts, by way of a buffer of the run.
void scale(void* kernel, OrtKernelContext* context) {
    const auto& n = *static_cast<const node*>(kernel);
    const tensor x(context);
    void *from = nullptr, *to = nullptr, *between = nullptr;
    check(tensor_mutable_data(functions, const_cast<OrtValue*>(x.value), &from));
    check(tensor_mutable_data(functions, x.result(context), &to));
    const std::size_t bytes = std::size_t(x.elements) * sizeof(float);
    check(scratch_buffer(functions, context, nullptr, bytes, &between));
    std::memcpy(between, from, bytes);
    for (std::int64_t k = 0; k < x.elements; ++k) {
        float y = float(n.times) * static_cast<const float*>(between)[k];
        for (const float shift : n.shifts) y += shift;
        static_cast<float*>(to)[k] = y;
    }
}
// Each string `times` times, with the word between.
void repeat(void* kernel, OrtKernelContext* context) {
    const auto& n = *static_cast<const node*>(kernel);
    const tensor x(context);
    std::size_t bytes = 0;
    check(string_tensor_length(functions, x.value, &bytes));
    std::vector<char> text(bytes);
    std::vector<std::size_t> begins(std::size_t(x.elements) + 1, bytes);
    check(string_tensor_content(functions, x.value, text.data(), bytes, begins.data(), std::size_t(x.elements)));
    std::vector<std::string> strings;
    std::vector<const char*> pointers;
    for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
        const std::string item(text.data() + begins[k], begins[k + 1] - begins[k]);
        strings.push_back(item);
        for (std::int64_t times = 1; times < n.times; ++times) strings.back() += n.word + item;
    }
    for (const std::string& s : strings) pointers.push_back(s.c_str());
    check(fill_strings(functions, x.result(context), pointers.data(), pointers.size()));
}
// What a library does that requests a function of a later version: its kernel fails with the error it got.
void ask_too_much(void*, OrtKernelContext*) { throw failure{function_of_no_version(functions)}; }

template <void (*Compute)(void*, OrtKernelContext*)> void guarded(void* kernel, OrtKernelContext* context) {
    try {
        Compute(kernel, context);
    } catch (const failure& f) {
        const std::string text = error_message(functions, f.status);
        release_status(functions, f.status);
        throw std::runtime_error(text);
    }
}
template <int Type>
OrtCustomOp operator_of(const char* (*name)(const OrtCustomOp*), void (*compute)(void*, OrtKernelContext*)) {
    OrtCustomOp op;
    op.create_kernel = make_node;
    op.name = name;
    op.input_type = op.output_type = [](const OrtCustomOp*, std::size_t) -> int { return Type; };
    op.compute = compute;
    return op;
}
// The last bytes of a block: what is read past its end is another's.
const OrtCustomOp* at_the_end(const OrtCustomOp& op) {
    auto* const block = static_cast<char*>(std::malloc(sizeof op));
    std::memcpy(block, &op, sizeof op);
    return reinterpret_cast<const OrtCustomOp*>(block);
}
OrtStatus* add_all(OrtSessionOptions* options, const OrtApiBase* base) {
    functions = base->GetApi(12);
    if (base->GetApi(1000)) return create_status(functions, ort_error::fail, "it returns a version that it has not");
    OrtCustomOpDomain* domain = nullptr;
    if (OrtStatus* status = create_domain(functions, "test.library", &domain)) return status;
    static const OrtCustomOp* const operators[] = {
        at_the_end(operator_of<float_type>([](const OrtCustomOp*) { return "Scale"; }, guarded<scale>)),
        at_the_end(operator_of<string_type>([](const OrtCustomOp*) { return "Repeat"; }, guarded<repeat>)),
        at_the_end(operator_of<float_type>([](const OrtCustomOp*) { return "AskTooMuch"; }, guarded<ask_too_much>))};
    static auto& domains = *new std::vector<OrtCustomOpDomain*>();  // kept until the process ends, as such libraries do
    domains.push_back(domain);
    for (const OrtCustomOp* op : operators)
        if (OrtStatus* status = add_operator(functions, domain, op)) return status;
    return add_domain(functions, options, domain);
}
}  // namespace

extern "C" OrtStatus* RegisterCustomOps(OrtSessionOptions* options, const OrtApiBase* base) {
    return add_all(options, base);
}
