#include "build.hpp"
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <provider/private_folder.hpp>
#include <provider/run_program.hpp>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
namespace {
using tvm_calls::array;
using tvm_calls::call;
using tvm_calls::object;

std::string name_of_function(std::size_t number) { return "inlay_" + std::to_string(number); }

// TVM's own pipeline for functions with schedules, s_tir.pipeline.default_s_tir_pipeline, as far as it is for CPUs.
object passes() {
    const auto name = [](const char* folder, const char* pass) { return std::string(folder) + ".transform." + pass; };
    std::vector<object> all;
    const auto add = [&](const char* folder, std::initializer_list<const char*> list) {
        for (const char* pass : list) all.push_back(call(name(folder, pass).c_str()));
    };
    add("s_tir",
        {"CanonicalizeLoop", "LowerInitBlock", "PlanAndUpdateBufferAllocationLocation", "ConvertBlocksToOpaque"});
    all.push_back(call("s_tir.transform.CompactBufferAllocation", true));
    add("s_tir", {"LowerMatchBuffer", "StmtSimplify", "LowerOpaqueBlock"});
    add("tirx", {"FlattenBuffer"});
    all.push_back(call("tirx.transform.NarrowDataType", 32));
    add("s_tir", {"LoopPartition"});
    all.push_back(call("tirx.transform.VectorizeLoop", true));
    add("tirx", {"StorageRewrite", "UnrollLoop"});
    add("s_tir", {"RenormalizeSplitPattern"});
    add("tirx", {"StmtSimplify", "RemoveNoOp"});
    add("s_tir", {"RewriteUnsafeSelect"});
    add("tirx", {"CommonSubexprElim", "VerifyMemory", "AnnotateEntryFunc", "SplitHostDevice", "MakePackedAPI",
                 "LowerTVMBuiltin", "LowerIntrin"});
    return call("transform.Sequential", array(all), 0, "inlay", array(std::span<const object>()), false);
}

error failed(const std::string& why) { return {error_code::provider_failed, why}; }

// The system's compiler as linker; its status.
int link(const std::string& from, const std::string& to) {
    const char* cc = std::getenv("CC");
    return run_program({cc && *cc ? cc : "cc", "-shared", "-o", to, from, "-lm"});
}
}  // namespace

compiler make_compiler(const std::string& text, int opt_level) {
    constexpr std::string_view kind = "llvm", mcpu = "llvm -mcpu=";
    std::string cpu;
    if (text == kind)
        cpu = call("target.llvm_get_system_cpu").text();
    else if (text.starts_with(mcpu))
        cpu = text.substr(mcpu.size());
    if (cpu.empty() || cpu.find_first_of(" \t\"\\") != std::string::npos)
        throw tvm_calls::failure("the target \"" + text + "\" is not llvm, nor llvm -mcpu=NAME");
    // Sums may be made in another order: else they are no vectors.
    const std::string json = R"({"kind":"llvm","mcpu":")" + cpu + R"(","fast-math-reassoc":true,"opt-level":)" +
                             std::to_string(opt_level) + "}";
    const object target = call("target.Target", json);
    return {call("target.Target", target, target), json, opt_level};
}
int vector_bits(const compiler& c) { return int(call("target.llvm_get_vector_width", c.target).integer()); }

object build(const compiler& c, std::span<const object> functions) {
    const auto no_map = [] { return tvm_calls::map(std::span<const std::pair<object, object>>()); };
    std::vector<std::pair<object, object>> named;
    for (std::size_t k = 0; k < functions.size(); ++k) {
        const std::string name = name_of_function(k);
        named.emplace_back(call("ir.GlobalVar", name),
                           call("ir.BaseFuncWithAttr", functions[k], "global_symbol", name));
    }
    object module = call("ir.IRModule", tvm_calls::map(named), nullptr, no_map());
    const object none = array(std::span<const object>());
    const object context = call("transform.PassContext", c.opt_level, none, none, none, nullptr);
    call("transform.EnterPassContext", context);
    try {
        module = call("transform.RunPass", call("tirx.transform.BindTarget", c.target), module);
        module = call("transform.RunPass", passes(), module);
        module = call("target.build.llvm", module, c.target);
    } catch (...) {
        call("transform.ExitPassContext", context);
        throw;
    }
    call("transform.ExitPassContext", context);
    return module;
}
object function_of(const object& module, std::size_t number) {
    const object f = call("ffi.ModuleGetFunction", module, name_of_function(number), false);
    if (!f) throw tvm_calls::failure("the module has no function " + name_of_function(number));
    return f;
}

result<std::string> shared_object(const object& module) try {
    const private_folder files("inlay-tvm");
    if (files.path().empty()) return failed("there is no folder for temporary files");
    call("ffi.ModuleWriteToFile", module, files.file("region.o"), "o");
    if (link(files.file("region.o"), files.file("region.so")) != 0)
        return failed("no linker: the command of $CC, else cc, did not make a shared library");
    std::ifstream in(files.file("region.so"), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    return bytes.empty() ? result<std::string>(failed("the shared library could not be read"))
                         : result<std::string>(std::move(bytes));
} catch (const tvm_calls::failure& f) {
    return failed(f.what());
}
result<object> load(std::string_view bytes) try {
    const private_folder files("inlay-tvm");
    if (files.path().empty()) return failed("there is no folder for temporary files");
    std::ofstream out(files.file("region.so"), std::ios::binary);
    out.write(bytes.data(), std::streamsize(bytes.size()));
    out.close();
    if (!out) return failed("the shared library could not be written to a temporary file");
    return call("ffi.ModuleLoadFromFile", files.file("region.so"));
} catch (const tvm_calls::failure& f) {
    return failed(f.what());
}
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
