// Types and shapes as our own rules give them, compared with the onnx library's inference: of models that are written
// here, and of all files under the folders that INLAY_INFERENCE_MODELS lists, with a colon between them.
#include "models.hpp"
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <onnx/shape_inference/implementation.h>

using namespace inlay;
using namespace inlay::testing;

namespace {
struct difference_count {
    int values = 0, types = 0, ranks = 0, sizes = 0;  // that the library infers
    std::vector<std::string> lost{}, wrong{};
};

class comparison_with_onnx {
    const graph_view g_;
    difference_count& count_;
    const std::string place_;

    void compare(const onnx::ValueInfoProto& v) {
        const int id = find_value(g_, v.name());
        const auto& tensor = v.type().tensor_type();
        if (id < 0 || !v.type().has_tensor_type() || tensor.elem_type() == 0) return;
        const value& x = g_.values[std::size_t(id)];
        const std::string subject = place_ + ": " + v.name();
        ++count_.values;
        ++count_.types;
        if (x.type == element::undefined)
            count_.lost.push_back(subject + " has no type");
        else if (int(x.type) != tensor.elem_type())
            count_.wrong.push_back(subject + " is of type " + std::string(name_of(x.type)) + ", not " +
                                   std::string(name_of(element(tensor.elem_type()))));
        if (!tensor.has_shape() || x.type == element::object) return;
        ++count_.ranks;
        const auto& dims = tensor.shape();
        if (x.dims.rank < 0)
            count_.lost.push_back(subject + " has no rank, not " + std::to_string(dims.dim_size()));
        else if (x.dims.rank != dims.dim_size())
            count_.wrong.push_back(subject + " has the rank " + std::to_string(x.dims.rank) + ", not " +
                                   std::to_string(dims.dim_size()));
        else
            for (int i = 0; i < x.dims.rank; ++i)
                compare(x.dims[i], dims.dim(i), subject + "[" + std::to_string(i) + "]");
    }
    void compare(std::int64_t size, const onnx::TensorShapeProto::Dimension& d, const std::string& subject) {
        if (d.dim_value() < 0) return;  // as the file declares a size that it leaves open
        const bool named = d.has_dim_param() && !d.dim_param().starts_with("unk__");
        count_.sizes += named || d.has_dim_value();
        const std::string text = size >= 0   ? std::to_string(size)
                                 : size < -1 ? std::string(g_.symbols[std::size_t(-2 - size)])
                                             : "?";
        if (size >= 0 && d.has_dim_value() && size != d.dim_value())
            count_.wrong.push_back(subject + " is " + text + ", not " + std::to_string(d.dim_value()));
        if (size < 0 && d.has_dim_value())
            count_.lost.push_back(subject + " is " + text + ", not " + std::to_string(d.dim_value()));
        if (size < 0 && named && text != d.dim_param())
            count_.lost.push_back(subject + " is " + text + ", not " + d.dim_param());
    }

  public:
    comparison_with_onnx(const graph_view& g, difference_count& c, std::string place)
        : g_(g), count_(c), place_(std::move(place)) {}
    void run(const onnx::GraphProto& g) {
        for (auto* list : {&g.value_info(), &g.output()})
            for (auto& v : *list) compare(v);
    }
};

// Every size of an input is open: equal ones have one name.
onnx::ModelProto opened(onnx::ModelProto m) {
    std::set<std::string> constant;
    for (auto& t : m.graph().initializer()) constant.insert(t.name());
    for (auto& v : *m.mutable_graph()->mutable_input())
        if (!constant.contains(v.name()) && v.type().tensor_type().has_shape())
            for (auto& d : *v.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
                if (d.dim_value() > 1) d.set_dim_param("d" + std::to_string(d.dim_value()));
    return m;
}
void clear_made(onnx::GraphProto& g) {
    g.clear_value_info();
    for (auto& v : *g.mutable_output()) v.clear_type();
}
void compare_inference(const onnx::ModelProto& m, const std::string& place, difference_count& count) {
    auto ours = load(m, plain());
    if (!ours) return;
    onnx::ModelProto theirs = m;
    clear_made(*theirs.mutable_graph());
    try {
        onnx::shape_inference::InferShapes(theirs, onnx::OpSchemaRegistry::Instance());
    } catch (const std::exception&) {
        return;
    }
    comparison_with_onnx(ours->view(), count, place).run(theirs.graph());
}
}  // namespace

TEST_CASE("Types and shapes are those that onnx infers, and as many", "[inference]") {
    difference_count count;
    const char* folders = std::getenv("INLAY_INFERENCE_MODELS");
    if (!folders) FAIL("INLAY_INFERENCE_MODELS names no folders of models: `ctest -R onnx.inference` sets it");
    std::istringstream list(folders);
    for (std::string folder; std::getline(list, folder, ':');) {
        const int before = count.values;
        for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
            if (file.path().extension() != ".onnx" || file.file_size() > (std::uintmax_t(64) << 20)) continue;
            onnx::ModelProto m;
            std::ifstream in(file.path(), std::ios::binary);
            if (!m.ParseFromIstream(&in)) continue;
            const std::string name = file.path().parent_path().filename().string();
            compare_inference(m, name, count);
            compare_inference(opened(m), name + ", opened", count);
        }
        INFO(folder);
        CHECK(count.values - before > 20);
    }
    std::cout << count.values << " values, " << count.types << " types, " << count.ranks << " ranks, " << count.sizes
              << " sizes; " << count.lost.size() << " that we leave open, " << count.wrong.size() << " that differ\n";
    for (const auto* texts : {&count.wrong, &count.lost})
        for (const std::string& text : *texts) std::cout << text << "\n";
    CHECK(count.wrong.empty());
}
