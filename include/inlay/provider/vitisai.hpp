// Vitis AI, for AMD's DPUs: its libraries, XIR and VART, have interfaces of C++, so what calls them is a file of its
// own, libinlay_vitisai_module, which is opened when the first session needs it: the same program runs where it
// is missing. Link inlay::vitisai.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
enum class vitisai_mode : std::uint8_t {  // VART's names
    run,                                  // on a DPU, which computes in int8
    sim,                                  // the same in a simulator
    ref                                   // by XIR's operations on the processor, which support float32 too
};
inline constexpr std::string_view vitisai_mode_names[] = {"run", "sim", "ref"};
inline std::string to_text(vitisai_mode m) { return std::string(vitisai_mode_names[int(m)]); }
inline bool from_text(std::string_view text, vitisai_mode& to) {
    for (int k = 0; k < 3; ++k)
        if (vitisai_mode_names[k] == text) {
            to = vitisai_mode(k);
            return true;
        }
    return false;
}

struct vitisai {
    vitisai_mode mode = vitisai_mode::run;
    // The library that VART opens to run regions; empty: Vitis AI's own for the mode, such as libvart-dpu-runner.so.
    std::string runner{};
    // A program that compiles a region for the device: it is called with the file of a graph of XIR and the file to
    // write. Empty: regions stay graphs of XIR.
    std::string compiler{};

    static constexpr std::string_view name = "VitisAIExecutionProvider";
    static constexpr provider_status status = provider_status::preview;
    static constexpr provider_check checked_on = provider_check::library;
    result<std::shared_ptr<engine>> open() const;
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::vitisai, mode, runner, compiler);
namespace inlay {
inline namespace v1 {
static_assert(provider<vitisai> && engine_provider<vitisai>);
}  // namespace v1
}  // namespace inlay
