// The engine of a provider that writes regions for a library: it proposes what the rules and the library take, finds
// what is computed in 8 bits, and compiles, runs and fails in the same way for all.
#pragma once
#include "compiled_program.hpp"
#include "proposing.hpp"
#include "region_lowering.hpp"
#include <map>

namespace inlay {
inline namespace v1 {
namespace lowering {
enum class purpose : std::uint8_t { use, trial };  // trial: constants are zeros, which is enough for a check

// Calls that write() of the writer which is for the primitive, one for each kind that the rules have.
template <const rule_set& Rules, class Writer> void write_to(Writer& w, const primitive& p) {
    const auto write_as = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        if constexpr (Rules.has(kind(K)))
            if (p.index() == K) w.write(std::get<K>(p));
    };
    [&]<std::size_t... K>(std::index_sequence<K...>) { (write_as(std::integral_constant<std::size_t, K>{}), ...); }
    (std::make_index_sequence<std::variant_size_v<primitive>>{});
}
// The writer of a backend as a sink.
template <class Writer, const rule_set& Rules> class writer_sink final : public primitive_sink {
    Writer& to_;

  public:
    explicit writer_sink(Writer& to) : to_(to) {}
    void argument(const operand& x) override { to_.argument(x); }
    void result(const operand& y) override { to_.result(y); }
    void write(const primitive& p) override { write_to<Rules>(to_, p); }
};

// Of a writer: the library's tensors, by operands; constants are created at first use.
template <class Tensor> class tensor_table {
    std::map<std::pair<int, layout>, Tensor> tensors_{};

  public:
    void set(const operand& x, Tensor t) { tensors_.insert_or_assign({x.id, x.order}, std::move(t)); }
    template <class Make> const Tensor& get(const operand& x, Make constant) {
        const std::pair at{x.id, x.order};
        if (const auto entry = tensors_.find(at); entry != tensors_.end()) return entry->second;
        if (!x.constant) refuse("a value is not there");
        return tensors_.emplace(at, constant(x)).first->second;
    }
};
// A backend has
//   rules, a static rule_set;  aim(), the target;  identity(), as engines have it
//   writer: made of the backend, the region and the purpose; it has argument(), result() and a write() for each kind of
//   primitive that the rules have, and finish(), which gives the library's program or throws refused_node
//   compile(program): a shared pointer to what instance() gives objects of, or throws refused_node; their
//   run(inputs, outputs, context) returns why it failed; empty: it did not; or a status, where it may be stopped.
//   Or a result of a compiled_region of its own
// and, where what it compiled can be saved, restore(region, bytes), as compile(), and of what both give saved(), or
// they throw refused_node; or a result of its own again.
template <class Backend> class region_engine final : public engine {
    Backend backend_;

    auto program_of(const region& r, const byte_nodes& bytes, purpose intent) const {
        typename Backend::writer w(backend_, r, intent);
        writer_sink<typename Backend::writer, Backend::rules> sink(w);
        lower_region(r, bytes, backend_.aim(), sink);
        return w.finish();
    }
    // Why these nodes are not taken as a region of their own; empty: they are.
    std::string refusal(const graph_view& g, const constant_source* constants, std::span<const int> nodes,
                        const byte_nodes& bytes, region_ends& finder) const try {
        const region_values ends = finder.of(nodes);
        (void)program_of({g, nodes, ends.inputs, ends.outputs, constants}, bytes, purpose::trial);
        return {};
    } catch (const refused_node& r) {
        return one_line(r.reason);
    } catch (const std::exception& e) {
        return one_line(std::string(Backend::rules.library) + ": " + e.what());
    }
    byte_nodes bytes_of(const region& r, const byte_graph& bytes) const {
        const target t = backend_.aim();
        if (t.rules->tensors.plain_bytes || is_older(t.version, t.rules->quantized)) return {r.graph, bytes};
        region_ends finder(r.graph);
        return find_bytes(
            r.graph, bytes, r.nodes,
            [&](std::span<const int> nodes, const byte_nodes& in_bytes) {
                return refusal(r.graph, r.constants, nodes, in_bytes, finder).empty();
            },
            t.rules->gives_floats);
    }

  public:
    explicit region_engine(Backend b) : backend_(std::move(b)) {}
    void propose(const free_nodes& free, proposals& out) override {
        region_ends finder(free.graph);
        propose_nodes(
            free, Backend::rules,
            [&](std::span<const int> nodes, const byte_nodes& in_bytes) {
                return refusal(free.graph, free.constants, nodes, in_bytes, finder);
            },
            out);
    }
    region_result compile(const region& r) override try {
        const byte_graph bytes(r.graph, r.constants);
        return region_of(backend_.compile(program_of(r, bytes_of(r, bytes), purpose::use)));
    } catch (const refused_node& e) {
        return error(error_code::unsupported_model, one_line(e.reason));
    } catch (const std::exception& e) {
        return error(error_code::unsupported_model, one_line(std::string(Backend::rules.library) + ": " + e.what()));
    }
    region_result restore(const region& r, std::string_view bytes) override try {
        if constexpr (requires { backend_.restore(r, bytes); })
            return region_of(backend_.restore(r, bytes));
        else
            return engine::restore(r, bytes);
    } catch (const refused_node& e) {
        return error(error_code::provider_failed, one_line(e.reason));
    }
    std::vector<std::pair<std::string, std::string>> identity() const override { return backend_.identity(); }
};
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
