#include "library.hpp"
#include <lowering/refusal.hpp>

namespace inlay {
inline namespace v1 {
namespace {
// Functions of C++, by the names that the ABI gives them.
constexpr const char *initialize_name =
                         "_ZN2ge22aclgrphBuildInitializeERSt3mapINS_12AscendStringES1_St4lessIS1_ESaISt4pair"
                         "IKS1_S1_EEE",
                     *finalize_name = "_ZN2ge20aclgrphBuildFinalizeEv",
                     *build_name =
                         "_ZN2ge17aclgrphBuildModelERKNS_5GraphERKSt3mapINS_12AscendStringES4_St4lessIS4_ESaI"
                         "St4pairIKS4_S4_EEERNS_15ModelBufferDataE",
                     *parse_name =
                         "_ZN2ge23aclgrphParseONNXFromMemEPKcmRKSt3mapINS_12AscendStringES3_St4lessIS3_ESaISt"
                         "4pairIKS3_S3_EEERNS_5GraphE",
                     *string_name = "_ZN2ge12AscendStringC1EPKc", *less_name = "_ZNK2ge12AscendStringltERKS0_";

// In the library that is named, or in what that one needs, else in the others of CANN.
class libraries {
    std::string problem_{};
    void* first_ = nullptr;

  public:
    libraries()
        : first_(open_named_library("INLAY_CANN_LIBRARY", "libascendcl.so", "Huawei's CANN toolkit has it", problem_,
                                    symbol_scope::global)) {}
    const std::string& problem() const { return problem_; }
    template <class F> void find(const char* name, F& f, std::string& problem) const {
        if (!problem.empty()) return;
        std::string missing;
        find_function(first_, name, f, missing);
        for (const char* file : {"libgraph.so", "libge_compiler.so", "libfmk_onnx_parser.so"}) {
            if (f) return;
            missing.clear();
            find_function(open_library(file, missing, {}, symbol_scope::global), name, f, missing);
        }
        if (!f) problem = std::string("no library of CANN has the function ") + name;
    }
};
cann_functions open() {
    cann_functions f;
    const libraries sdk;
    f.problem = sdk.problem();
#define INLAY_FIND(function) sdk.find(#function, f.function, f.problem);
    INLAY_CANN_FUNCTIONS(INLAY_FIND)
#undef INLAY_FIND
    sdk.find(initialize_name, f.build_initialize, f.problem);
    sdk.find(finalize_name, f.build_finalize, f.problem);
    sdk.find(build_name, f.build_model, f.problem);
    sdk.find(parse_name, f.parse_onnx, f.problem);
    sdk.find(string_name, f.make_string, f.problem);
    sdk.find(less_name, f.less, f.problem);
    if (!f.problem.empty()) return f;
    const aclError status = f.aclInit(nullptr);
    if (status != ACL_SUCCESS && status != ACL_ERROR_REPEAT_INITIALIZE)
        f.problem = "AscendCL cannot be initialised: error " + std::to_string(status);
    return f;
}
}  // namespace

cann_string::cann_string(const char* from) { cann_library().make_string(this, from); }
bool cann_string::operator<(const cann_string& right) const { return cann_library().less(this, right); }

const cann_functions& cann_library() {
    static const cann_functions functions = open();
    return functions;
}
std::string text_of_cann(aclError e) {
    const char* text = cann_library().aclGetRecentErrMsg();
    return "CANN says: " + one_line(text && *text ? text : "error " + std::to_string(e));
}
}  // namespace v1
}  // namespace inlay
