// Regions as packages in a folder. There is nothing that runs them: that is CoreML's, on Apple's systems.
#include "writer.hpp"
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

struct coreml_backend {
    static constexpr const lowering::rule_set& rules = coreml_rules;
    std::string folder;
    std::map<std::string, std::string> settings{};  // for those who load a model

    explicit coreml_backend(const coreml& options) : folder(options.ModelCacheDirectory) {
        for (const auto& [name, text] : options_of(options)) settings["inlay." + name] = text;
        settings.erase("inlay.ModelCacheDirectory");  // of the machine that writes
    }
    struct writer : mil::writer {
        writer(const coreml_backend& b, const region& r, lowering::purpose purpose)
            : mil::writer(b.settings, r, purpose) {}
    };
    lowering::target aim() const { return {&coreml_rules, std::string(coreml_versions[0])}; }
    result<std::shared_ptr<const compiled_region>> compile(const mil::package& p) const {
        if (const auto written = p.write(folder); !written) return written.why();
        return std::make_shared<coreml_region>(p.name());
    }
    result<std::shared_ptr<const compiled_region>> restore(const region&, std::string_view file) const {
        return error(error_code::provider_failed,
                     std::string(elsewhere) + "; the package is " + one_line(std::string(file)));
    }
    std::vector<std::pair<std::string, std::string>> identity() const {
        return {{"library", "CoreML6"}, {"device", "Apple"}};
    }
};
}  // namespace

result<std::shared_ptr<engine>> coreml::open() const {
    const auto failure = [](error_code code, const std::string& reason) {
        return error(code, std::string(name) + ": " + reason);
    };
    if (ModelFormat != coreml_format::MLProgram)
        return failure(error_code::invalid_option,
                       "ModelFormat is NeuralNetwork, the format before ML Programs; only MLProgram is written");
    if (!RequireStaticInputShapes)
        return failure(error_code::invalid_option,
                       "RequireStaticInputShapes is 0; a program is written for one set of shapes");
    if (ModelCacheDirectory.empty()) return failure(error_code::provider_unavailable, inventory().unusable);
    return std::make_shared<lowering::region_engine<coreml_backend>>(coreml_backend(*this));
}
device_inventory coreml::inventory() {
    return {.unusable = std::string(elsewhere) +
                        "; where ModelCacheDirectory names a folder, the provider writes them into it"};
}
}  // namespace v1
}  // namespace inlay
