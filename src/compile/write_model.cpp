#include "platform/output_file.hpp"
#include "write_model.hpp"

namespace inlay {
inline namespace v1 {
written_model write_model_type(const frozen_model& m, const compile_options& o, const std::filesystem::path& folder) {
    const std::filesystem::path models = folder / "inlay" / "models";
    std::error_code problem;
    std::filesystem::create_directories(models, problem);
    if (problem)
        raise({error_code::invalid_argument, "cannot make the folder `" + models.string() + "`: " + problem.message()});
    const weights_file w = lay_out(m.graph.constants);
    written_model result{models / (o.name + ".hpp"), w.bytes};
    result.changed = update_file(folder / (o.name + ".weights"), w.pieces);
    result.changed |= update_file(folder / (o.name + ".S"), weights_assembler(w, o));
    result.changed |= update_file(result.header, model_header(m, w, o));
    return result;
}
}  // namespace v1
}  // namespace inlay
