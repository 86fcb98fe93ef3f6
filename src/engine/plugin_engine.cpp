// Engines, regions and executables of plugins, as those of the program.
#include "plugin_graph.hpp"
#include "plugin_library.hpp"
#include "run_failures.hpp"
#include <inlay/sdk/engine.hpp>

namespace inlay {
inline namespace v1 {
namespace {
// Deleters hold what must outlive the object: an engine its library, a region its engine, an executable its region.
template <class T, class Owner>
std::shared_ptr<T> owned_by(T* object, void (*destroy)(T*), std::shared_ptr<Owner> owner) {
    return {object, [destroy, owner = std::move(owner)](T* p) {
                (void)ask_plugin([&]() -> inlay_error* {
                    destroy(p);
                    return nullptr;
                });
            }};
}
// f(&made) creates it.
template <class T, class Owner, class F>
result<std::shared_ptr<T>> made_by_plugin(void (*destroy)(T*), std::shared_ptr<Owner> owner, F f) {
    T* object = nullptr;
    const auto outcome = ask_plugin([&] { return f(&object); });
    if (!outcome) {
        if (object) (void)owned_by(object, destroy, std::move(owner));
        return outcome.why();
    }
    if (!object) return error(error_code::provider_failed, "its plugin gave neither what was requested nor an error");
    return owned_by(object, destroy, std::move(owner));
}

// The nodes that a plugin is being queried about.
struct nodes_for_plugin : inlay_nodes {
    plugin_graph translated;
    const inlay::region& source;
    plugin::onnx_writer writer;
    mutable std::string onnx;
    mutable std::optional<region_ends> finder{};  // created on first use

    nodes_for_plugin(const inlay::region& r, plugin::onnx_writer w)
        : inlay_nodes{}, translated(r.graph), source(r), writer(w) {
        size = sizeof(inlay_nodes);
        graph = translated.get();
        node_count = r.nodes.size();
        nodes = r.nodes.data();
        input_count = r.inputs.size();
        output_count = r.outputs.size();
        inputs = r.inputs.data();
        outputs = r.outputs.data();
        elements = [](const inlay_nodes* n, std::int32_t value) noexcept -> const void* {
            try {
                const inlay::region& region = static_cast<const nodes_for_plugin*>(n)->source;
                const bool valid = value >= 0 && std::size_t(value) < region.graph.values.size();
                return valid ? region.constant(value) : nullptr;
            } catch (...) {
                return nullptr;  // out of memory for an aligned copy
            }
        };
        to_onnx = [](const inlay_nodes* n, const std::int32_t* selection, std::size_t count, std::int32_t storage,
                     inlay_text* bytes) noexcept {
            const auto& self = *static_cast<const nodes_for_plugin*>(n);
            return answer_in_c([&]() -> result<void> {
                auto written = selection ? self.write(std::span(selection, count), storage) : self.write(storage);
                if (!written) return written.why();
                self.onnx = std::move(*written);
                *bytes = {self.onnx.c_str(), self.onnx.size()};
                return {};
            });
        };
    }
    result<std::string> write(std::span<const int> selection, std::int32_t storage) const {
        for (const int i : selection)
            if (i < 0 || std::size_t(i) >= source.graph.nodes.size())
                return error(error_code::invalid_argument, "there is no node " + std::to_string(i));
        if (!finder) finder.emplace(source.graph);
        const region_values ends = finder->of(selection);
        return write({source.graph, selection, ends.inputs, ends.outputs, source.constants}, storage);
    }
    result<std::string> write(std::int32_t storage) const {
        return source.outputs.empty() ? write(source.nodes, storage) : write(source, storage);
    }
    result<std::string> write(inlay::region r, std::int32_t storage) const {
        if (!writer) return error(error_code::unsupported_model, "this program loads plugins without a writer of ONNX");
        if (storage == INLAY_ELEMENTS_NOT_ASKED) r.constants = nullptr;
        return writer(r, storage == INLAY_ELEMENTS_IN_BYTES ? elements_in::bytes : elements_in::memory);
    }
};

// Takes the answer of propose(): an answer about a node that was not queried, or a second one, is an error.
struct answer_of_plugin : inlay_answer {
    proposals& to;
    mutable std::vector<char> open;  // by node
    mutable std::string problem;

    answer_of_plugin(const free_nodes& free, std::span<const int> candidates, proposals& out)
        : inlay_answer{}, to(out), open(free.graph.nodes.size(), 0) {
        for (const int i : candidates) open[std::size_t(i)] = 1;
        size = sizeof(inlay_answer);
        take = [](const inlay_answer* a, const std::int32_t* nodes, std::size_t count) noexcept {
            static_cast<const answer_of_plugin*>(a)->guarded([&](const answer_of_plugin& self) {
                std::vector<int> region(nodes, nodes + count);
                std::ranges::sort(region);
                const auto end = std::unique(region.begin(), region.end());
                region.erase(end, region.end());
                if (!std::ranges::all_of(region, [&](int i) { return self.is_open(i); })) return;
                for (const int i : region) self.open[std::size_t(i)] = 0;
                if (!region.empty()) self.to.take(std::move(region));
            });
        };
        refuse = [](const inlay_answer* a, std::int32_t node, const char* reason) noexcept {
            static_cast<const answer_of_plugin*>(a)->guarded([&](const answer_of_plugin& self) {
                if (!self.is_open(node)) return;
                self.to.refuse(node, reason && *reason ? reason : "its plugin gives no reason");
                self.open[std::size_t(node)] = 0;
            });
        };
    }
    bool is_open(int node) const {
        const bool good = node >= 0 && std::size_t(node) < open.size() && open[std::size_t(node)];
        if (!good)
            problem = "its plugin answered for node " + std::to_string(node) + ", which it was not queried about";
        return good;
    }
    template <class F> void guarded(F f) const noexcept {
        try {
            f(*this);
        } catch (...) {
            problem = "no memory";  // short: it stays within the string
        }
    }
};

class plugin_executable final : public executable {
    std::shared_ptr<inlay_executable> handle_;
    const inlay_plugin& table_;
    std::vector<inlay_buffer> buffers_;
    std::vector<const inlay_buffer*> list_;

    struct run_for_plugin : inlay_run {
        context& of;
        explicit run_for_plugin(context& c) : inlay_run{}, of(c) {
            using namespace std::chrono;
            size = sizeof(inlay_run);
            stopped = [](const inlay_run* r) noexcept -> std::int32_t {
                return static_cast<const run_for_plugin*>(r)->of.stopped();
            };
            static_assert(sizeof(std::atomic<bool>) == 1 && std::atomic<bool>::is_always_lock_free);
            stop = reinterpret_cast<const unsigned char*>(c.stop);
            if (c.deadline)
                deadline =
                    std::max<std::int64_t>(duration_cast<nanoseconds>(c.deadline->time_since_epoch()).count(), 1);
            threads = c.threads;
            parallel = [](const inlay_run* r, std::int32_t count, void (*task)(void*, std::int32_t),
                          void* data) noexcept {
                static_cast<const run_for_plugin*>(r)->of.for_each(count, [&](int i) { task(data, i); });
            };
        }
    };
    void set_buffers(std::span<const buffer> inputs, std::span<const buffer> outputs) {
        buffers_.resize(inputs.size() + outputs.size());
        list_.resize(buffers_.size());
        for (std::size_t k = 0; k < buffers_.size(); ++k) {
            const buffer& b = k < inputs.size() ? inputs[k] : outputs[k - inputs.size()];
            buffers_[k] = {sizeof(inlay_buffer), b.data, int(b.type), b.dims.rank, b.dims.begin()};
            list_[k] = &buffers_[k];
        }
    }

  public:
    plugin_executable(std::shared_ptr<inlay_executable> handle, const inlay_plugin& table, std::size_t buffers)
        : handle_(std::move(handle)), table_(table), buffers_(buffers), list_(buffers) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        set_buffers(inputs, outputs);
        run_for_plugin r(c);
        r.input_count = inputs.size();
        r.inputs = list_.data();
        r.output_count = outputs.size();
        r.outputs = list_.data() + inputs.size();
        const auto outcome = ask_plugin([&] { return table_.run(handle_.get(), &r); });
        if (outcome) return status::ok;
        const status s = status_of(outcome.why().code);
        if ((s == status::stopped || s == status::deadline_passed) && c.stopped()) return c.end_of_run();
        return c.fail(outcome.why().text, s == status::stopped || s == status::deadline_passed ? status::failed : s);
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    }
};

class plugin_region final : public compiled_region {
    std::shared_ptr<const plugin::library> library_;
    std::shared_ptr<inlay_compiled> handle_;
    std::size_t buffers_;

  public:
    plugin_region(std::shared_ptr<const plugin::library> l, std::shared_ptr<inlay_compiled> handle, std::size_t buffers)
        : library_(std::move(l)), handle_(std::move(handle)), buffers_(buffers) {}
    result<std::unique_ptr<executable>> instance() const override {
        const inlay_plugin& t = library_->table;
        auto outcome = made_by_plugin<inlay_executable>(
            t.destroy_executable, handle_, [&](inlay_executable** to) { return t.instance(handle_.get(), to); });
        if (!outcome) return outcome.why();
        return std::make_unique<plugin_executable>(std::move(*outcome), t, buffers_);
    }
    result<std::string> save() const override {
        if (!library_->table.save) return compiled_region::save();
        struct bytes_writer : inlay_writer {
            mutable std::string bytes;
            mutable bool full = false;
        } writer;
        writer.size = sizeof(inlay_writer);
        writer.write = [](const inlay_writer* w, const void* bytes, std::size_t count) noexcept {
            const auto& self = *static_cast<const bytes_writer*>(w);
            try {
                self.bytes.append(static_cast<const char*>(bytes), count);
            } catch (...) {
                self.full = true;
            }
        };
        const auto outcome = ask_plugin([&] { return library_->table.save(handle_.get(), &writer); });
        if (!outcome) return outcome.why();
        if (writer.full) return error(error_code::out_of_memory, "there is no memory for what it compiled");
        return std::move(writer.bytes);
    }
};

class plugin_engine final : public engine {
    std::shared_ptr<const plugin::library> library_;
    std::shared_ptr<inlay_engine> handle_;

    using region_result = result<std::shared_ptr<const compiled_region>>;
    template <class F> region_result made(const region& r, F f) {
        const nodes_for_plugin nodes(r, library_->write);
        auto compiled = made_by_plugin<inlay_compiled>(library_->table.destroy_compiled, handle_,
                                                       [&](inlay_compiled** to) { return f(nodes, to); });
        if (!compiled) return compiled.why();
        return std::make_shared<plugin_region>(library_, std::move(*compiled), r.inputs.size() + r.outputs.size());
    }

  public:
    plugin_engine(std::shared_ptr<const plugin::library> l, std::shared_ptr<inlay_engine> handle)
        : library_(std::move(l)), handle_(std::move(handle)) {}
    void propose(const free_nodes& free, proposals& out) override {
        std::vector<int> candidates;
        for (const int i : free.nodes)
            if (std::string reason = untold_of(free.graph, free.graph.nodes[std::size_t(i)]); reason.empty())
                candidates.push_back(i);
            else
                out.refuse(i, std::move(reason));
        if (candidates.empty()) return;
        const region about{free.graph, candidates, {}, {}, free.constants};
        const nodes_for_plugin nodes(about, library_->write);
        const answer_of_plugin answer(free, candidates, out);
        const auto outcome = ask_plugin([&] { return library_->table.propose(handle_.get(), &nodes, &answer); });
        const std::string& problem = outcome ? answer.problem : outcome.why().text;
        if (problem.empty()) return;  // nodes without an answer are reported by the partitioner
        for (const int i : candidates)
            if (answer.open[std::size_t(i)]) out.refuse(i, problem);
    }
    region_result compile(const region& r) override {
        return made(r, [&](const inlay_nodes& nodes, inlay_compiled** to) {
            return library_->table.compile(handle_.get(), &nodes, to);
        });
    }
    region_result compile_for_any_shapes(const region& r) override {
        if (!library_->table.compile_for_any_shapes) return engine::compile_for_any_shapes(r);
        return made(r, [&](const inlay_nodes& nodes, inlay_compiled** to) {
            return library_->table.compile_for_any_shapes(handle_.get(), &nodes, to);
        });
    }
    region_result restore(const region& r, std::string_view bytes) override {
        if (!library_->table.restore) return engine::restore(r, bytes);
        return made(r, [&](const inlay_nodes& nodes, inlay_compiled** to) {
            return library_->table.restore(handle_.get(), &nodes, bytes.data(), bytes.size(), to);
        });
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        if (!library_->table.identity) return {};
        using list = std::vector<std::pair<std::string, std::string>>;
        struct list_of_facts : inlay_facts {
            mutable list entries;
            mutable bool full = false;
        } facts;
        facts.size = sizeof(inlay_facts);
        facts.add = [](const inlay_facts* f, const char* name, const char* text) noexcept {
            try {
                static_cast<const list_of_facts*>(f)->entries.emplace_back(name ? name : "", text ? text : "");
            } catch (...) {
                static_cast<const list_of_facts*>(f)->full = true;
            }
        };
        const auto outcome = ask_plugin([&] { return library_->table.identity(handle_.get(), &facts); });
        if (!outcome) raise(outcome.why());
        if (facts.full) raise({error_code::out_of_memory, "there is no memory for what its plugin reports of itself"});
        return std::move(facts.entries);
    }
};
}  // namespace

result<std::shared_ptr<engine>> open_plugin(std::shared_ptr<const plugin::library> l, const option_list& options) {
    const plugin_settings settings(options);
    auto outcome = made_by_plugin<inlay_engine>(
        l->table.close, l, [&](inlay_engine** to) { return l->table.open(settings.data(), settings.size(), to); });
    if (outcome) return std::make_shared<plugin_engine>(std::move(l), std::move(*outcome));
    error e = outcome.why();
    if (!e.text.starts_with(l->name)) e.text = l->name + ": " + e.text;
    e.provider = l->name;
    return e;
}
}  // namespace v1
}  // namespace inlay
