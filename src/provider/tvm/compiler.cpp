#include "compiler.hpp"
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <provider/private_folder.hpp>
#include <provider/run_program.hpp>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
namespace {
using tvm_calls::array;
using tvm_calls::call;
using tvm_calls::empty_array;
using tvm_calls::object;

std::string name_of_function(int number) { return "inlay_" + std::to_string(number); }

// TVM's own pipeline for functions with schedules, s_tir.pipeline.default_s_tir_pipeline, as far as it is for CPUs.
object passes() {
    const auto name = [](const char* folder, const char* pass) { return std::string(folder) + ".transform." + pass; };
    std::vector<object> sequence;
    const auto add = [&](const char* folder, std::initializer_list<const char*> list) {
        for (const char* pass : list) sequence.push_back(call(name(folder, pass).c_str()));
    };
    add("s_tir",
        {"CanonicalizeLoop", "LowerInitBlock", "PlanAndUpdateBufferAllocationLocation", "ConvertBlocksToOpaque"});
    sequence.push_back(call("s_tir.transform.CompactBufferAllocation", true));
    add("s_tir", {"LowerMatchBuffer", "StmtSimplify", "LowerOpaqueBlock"});
    add("tirx", {"FlattenBuffer"});
    sequence.push_back(call("tirx.transform.NarrowDataType", 32));
    add("s_tir", {"LoopPartition"});
    sequence.push_back(call("tirx.transform.VectorizeLoop", true));
    add("tirx", {"StorageRewrite", "UnrollLoop"});
    add("s_tir", {"RenormalizeSplitPattern"});
    add("tirx", {"StmtSimplify", "RemoveNoOp"});
    add("s_tir", {"RewriteUnsafeSelect"});
    add("tirx", {"CommonSubexprElim", "VerifyMemory", "AnnotateEntryFunc", "SplitHostDevice", "MakePackedAPI",
                 "LowerTVMBuiltin", "LowerIntrin"});
    return call("transform.Sequential", array(sequence), 0, "inlay", empty_array(), false);
}

// The system's compiler as linker; its status.
int link(const std::string& from, const std::string& to) {
    const char* cc = std::getenv("CC");
    return run_program({cc && *cc ? cc : "cc", "-shared", "-o", to, from, "-lm"});
}
// A module of these functions.
object build(const compiler& c, std::span<const std::pair<std::string, object>> functions) {
    object module = tvm_calls::module_of(functions);
    const object empty = empty_array(),
                 context = call("transform.PassContext", c.opt_level, empty, empty, empty, nullptr);
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
struct temporary_files : private_folder {
    temporary_files() : private_folder("inlay-tvm") {
        if (path().empty()) refuse("there is no folder for temporary files");
    }
};
}  // namespace

compiler make_compiler(const tvm& options) {
    constexpr std::string_view kind = "llvm", mcpu = "llvm -mcpu=";
    const std::string& text = options.target;
    std::string cpu;
    if (text == kind)
        cpu = call("target.llvm_get_system_cpu").text();
    else if (text.starts_with(mcpu))
        cpu = text.substr(mcpu.size());
    if (cpu.empty() || cpu.find_first_of(" \t\"\\") != std::string::npos)
        refuse("the target \"" + text + "\" is not llvm, nor llvm -mcpu=NAME");
    // Sums may be made in another order: else they are no vectors.
    const std::string json = R"({"kind":"llvm","mcpu":")" + cpu + R"(","fast-math-reassoc":true,"opt-level":)" +
                             std::to_string(options.opt_level) + "}";
    const object target = call("target.Target", json), bound = call("target.Target", target, target);
    const int lanes = std::max(int(call("target.llvm_get_vector_width", bound).integer()) / 32, 4);
    return {bound, json, options.opt_level, options.num_of_threads != 1, {lanes, lanes >= 16 ? 32 : 16}};
}
// Equal steps have one function.
void compile(const compiler& c, planned_program& p) {
    std::vector<std::pair<std::string, object>> scheduled;
    std::unordered_multimap<std::int64_t, std::pair<object, int>> unscheduled;  // the functions before their schedules
    for (std::size_t k = 0; k < p.groups.size(); ++k) {
        step& s = p.compiled.steps[k];
        if (s.does != step::action::compute) continue;
        const lowered l = lower(p.tensors, p.groups[k]);
        const std::int64_t hash = call("ffi.StructuralHash", l.function, false, false).integer();
        const auto [first, end] = unscheduled.equal_range(hash);
        for (auto f = first; f != end && s.function < 0; ++f)
            if (call("ffi.StructuralEqual", f->second.first, l.function, false, false).integer())
                s.function = f->second.second;
        if (s.function >= 0) continue;
        s.function = int(scheduled.size());
        unscheduled.emplace(hash, std::pair(l.function, s.function));
        const std::string name = name_of_function(s.function);
        const object f = schedule(l, p.tensors[std::size_t(p.groups[k].output())].dims, c);
        scheduled.emplace_back(name, call("ir.BaseFuncWithAttr", f, "global_symbol", name));
    }
    if (!scheduled.empty()) p.compiled.module = build(c, scheduled);
    p.compiled.find_functions();
}
void program::find_functions() {
    for (step& s : steps) {
        if (s.does != step::action::compute) continue;
        s.compiled = call("ffi.ModuleGetFunction", module, name_of_function(s.function), false);
        if (!s.compiled) refuse("the module has no function " + name_of_function(s.function));
    }
}

std::string shared_object(const object& module) {
    const temporary_files files;
    call("ffi.ModuleWriteToFile", module, files.file("region.o"), "o");
    if (link(files.file("region.o"), files.file("region.so")) != 0)
        refuse("no linker: the command of $CC, else cc, did not make a shared library");
    std::ifstream in(files.file("region.so"), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    if (bytes.empty()) refuse("the shared library could not be read");
    return bytes;
}
object load_module(std::string_view bytes) {
    const temporary_files files;
    std::ofstream out(files.file("region.so"), std::ios::binary);
    out.write(bytes.data(), std::streamsize(bytes.size()));
    out.close();
    if (!out) refuse("the shared library could not be written to a temporary file");
    return call("ffi.ModuleLoadFromFile", files.file("region.so"));
}
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
