// Regions as packages in a folder. There is nothing that runs them: that is CoreML's, on Apple's systems.
#include "program.hpp"
#include <inlay/provider/coreml.hpp>

namespace inlay {
inline namespace v1 {
namespace {
constexpr const char* elsewhere = "CoreML runs programs on Apple's systems only";

class coreml_region final : public compiled_region {
    std::string file_;  // the package's name in the folder

  public:
    explicit coreml_region(std::string file) : file_(std::move(file)) {}
    result<std::unique_ptr<executable>> instance() const override {
        return error(error_code::provider_unavailable,
                     std::string(coreml::name) + ": " + elsewhere + "; this one is written, as " + file_);
    }
    result<std::string> save() const override { return file_; }
};

class coreml_engine final : public engine {
    coreml options_;

    std::map<std::string, std::string> settings() const {
        std::map<std::string, std::string> all;
        for (const auto& [name, text] : options_of(options_)) all["inlay." + name] = text;
        all.erase("inlay.ModelCacheDirectory");  // of the machine that writes
        return all;
    }

  public:
    explicit coreml_engine(coreml options) : options_(std::move(options)) {}
    void propose(const free_nodes& free, proposals& out) override {
        propose_each(free, out, [&](int i) {
            return refusal_of("Core ML", [&] {
                mil::program_writer(free.graph, free.constants).write(free.graph.nodes[std::size_t(i)]);
            });
        });
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override try {
        mil::package p;
        mil::program_writer w(r.graph, r.constants, &p);
        if (r.inputs.empty()) refuse("these nodes read nothing that changes, and Core ML's programs do");
        for (const int id : r.inputs) w.add_input(id);
        for (const int i : r.nodes) w.write(r.graph.nodes[std::size_t(i)]);
        for (const int id : r.outputs) w.add_output(id);
        p.model = w.model(settings());
        if (const auto written = p.write(options_.ModelCacheDirectory); !written) return written.why();
        return std::make_shared<coreml_region>(p.name());
    } catch (const refused_node& refused) {
        return error(error_code::unsupported_model, one_line(refused.why));
    }
    result<std::shared_ptr<const compiled_region>> restore(const region&, std::string_view file) override {
        return error(error_code::provider_failed,
                     std::string(elsewhere) + "; the package is " + one_line(std::string(file)));
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        return {{"library", "CoreML6"}, {"device", "Apple"}};
    }
};
}  // namespace

result<std::shared_ptr<engine>> coreml::open() const {
    const auto refused = [](error_code code, const std::string& why) {
        return error(code, std::string(name) + ": " + why);
    };
    if (ModelFormat != coreml_format::MLProgram)
        return refused(error_code::invalid_option,
                       "ModelFormat is NeuralNetwork, the format before ML Programs; only MLProgram is written");
    if (!RequireStaticInputShapes)
        return refused(error_code::invalid_option,
                       "RequireStaticInputShapes is 0; a program is written for one set of shapes");
    if (ModelCacheDirectory.empty()) return refused(error_code::provider_unavailable, inventory().unusable);
    return std::make_shared<coreml_engine>(*this);
}
device_inventory coreml::inventory() {
    return {.unusable = std::string(elsewhere) +
                        "; where ModelCacheDirectory names a folder, the provider writes them into it"};
}
}  // namespace v1
}  // namespace inlay
