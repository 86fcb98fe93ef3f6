#include "plan_cache.hpp"
#include <fstream>
#include <limits>
#include <locale>
#include <provider/kept_file.hpp>
#include <sstream>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::string_view heading = "inlay plan 4";
constexpr std::uintmax_t most_bytes = 1 << 24;
enum : int { bare, whole, product };  // what a file holds
std::string key_of(std::string_view kind, const cuda& o, const auto& shape, const std::string& device) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(17);
    text << kind << ' ';
    std::apply([&](const auto&... field) { ((text << field << ' '), ...); }, shape);
    text << to_text(o.cudnn_conv_algo_search) << ' ' << o.cudnn_conv_use_max_workspace << ' ' << o.use_tf32 << ' '
         << to_text(o.precision) << ' ' << device;
    return text.str();
}
}  // namespace

std::string plan_cache::key(const cuda& o, const conv_on_cuda_params& p) const {
    return key_of("convolution", o, shape_of(p), device_);
}
std::string plan_cache::key(const cuda& o, const attention_on_cuda_params& p) const {
    return key_of("attention", o, shape_of(p), device_);
}
std::filesystem::path plan_cache::file_of(const std::string& key) const {
    std::ostringstream name;
    name.imbue(std::locale::classic());
    name << std::hex << operator_key("convolution", key)
         << ".plan";  // files that share a name differ in the key that they hold
    return folder_ / name.str();
}

std::shared_ptr<dnn_plan> plan_cache::find(const dnn_target& t, const std::string& key) const {
    std::error_code failed;
    const auto file = file_of(key);
    if (const auto size = std::filesystem::file_size(file, failed); failed || size > most_bytes) return nullptr;
    std::ifstream in(file, std::ios::binary);
    in.imbue(std::locale::classic());
    std::string file_heading, file_key;
    int kind = 0;
    if (!std::getline(in, file_heading) || file_heading != heading || !std::getline(in, file_key) || file_key != key ||
        !(in >> kind) || in.get() != '\n')
        return nullptr;
    if (kind == product) {
        auto p = std::make_shared<dnn_plan>();
        p->product.emplace();
        return p;
    }
    const std::string json((std::istreambuf_iterator<char>(in)), {});
    return finish_plan(
        t,
        [&](dnn_descriptor& d) {
            d.set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, std::int64_t(json.size()),
                  json.data());
        },
        kind == whole, std::numeric_limits<std::int64_t>::max());
}

bool plan_cache::keep(const dnn_plan& p, const std::string& key) const noexcept try {
    std::int64_t size = p.product ? 0 : p.plan.count(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR);
    std::string json(std::size_t(size), '\0');
    if (!p.product && (size == 0 || !p.plan.get(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, size,
                                                size, json.data())))
        return false;
    while (!json.empty() && json.back() == '\0') json.pop_back();
    return keep_file(file_of(key), [&](std::ofstream& out) {
        out << heading << '\n' << key << '\n' << (p.product ? product : p.whole ? whole : bare) << '\n' << json;
    });
} catch (...) {
    return false;
}
}  // namespace v1
}  // namespace inlay
