// GreedySearch, Sampling, BeamSearch and WhisperBeamSearch of com.microsoft over a small decoder. Expected values: ONNX
// Runtime's.
#include "models.hpp"
#include "subgraphs/token_search.hpp"
#include <inlay/onnx/control_flow.hpp>
#include <inlay/provider/reference.hpp>
#include <inlay/session.hpp>

using namespace inlay;
using namespace inlay::testing;

namespace {
// A vocabulary of 8 tokens, one layer, whose past is what was embedded: logits of a token and the mean of all so far.
const std::string signature =
    "d (int32[b,s] input_ids, int32[b,s] position_ids, int32[b,t] attention_mask, "
    "float[2,b,1,p,4] past_0) => (float[b,s,8] logits, float[2,b,1,q,4] present_0) ";
const std::string body = R"({
 e = Constant <value = float[8,4] {1.8, 0.4, 0.1, -1.9, -0.3, -0.4, -0.1, -0.6, -0, -0.5, -1.3, 0.9, 0.9, 1.7, 0.1, -0.4, -0.5, -1.5, 1, -1.1, -1.2, -0.2, 1.5, 0.2, -1, -0.7, 0.6, -0.2, -0.8, -0.2, 0.7, 2}> ()
 f = Constant <value = float[16,4] {-0.4, -0.2, -0.2, -0.7, -0.3, -0.3, 0.3, -0, -0.5, 0.2, -0.1, -0.5, -0.2, -0.2, -0.3, 0, -0.7, -0.1, 0.3, 0.3, 0.3, 0.3, 0.4, -0.3, 0.3, -0.6, -0.2, -0.6, 0.3, 0.4, -0.1, 0.5, -0.2, 0, 0, -0.3, 0.1, 0.6, -0.3, 0.3, -0, 0.5, 0.1, 0.2, 0.2, 0.1, -0.4, 0.4, -0.4, 0.1, 0.2, -0.3, 0, 0.4, -0, -0.3, -0.9, -0.3, -0.2, -0.2, -0.3, 0.1, -0.2, -0}> ()
 w = Constant <value = float[4,8] {0.7, -0.9, -0.3, 2.2, 0.9, -1.3, -0.1, 0.6, 1.2, 0.1, -0.5, -0.7, 0.6, 0.3, -0.5, -0.2, -0.4, 0.7, -0.7, 0.5, 0.9, 0.5, -0.8, 1.3, -0.7, 0.4, -0.8, -1.7, 0.2, 0.3, -0.1, 0.3}> ()
 a0 = Gather (e, input_ids)
 a1 = Gather (f, position_ids)
 x = Add (a0, a1)
 ax = Constant <value = int64[2] {0, 2}> ()
 x5 = Unsqueeze (x, ax)
 kv = Concat <axis = 0> (x5, x5)
 present_0 = Concat <axis = 3> (past_0, kv)
 m = Cast <to = 1> (attention_mask)
 zero = Constant <value = int64 {0}> ()
 k4 = Gather <axis = 0> (present_0, zero)
 k3a = Constant <value = int64[1] {1}> ()
 k3 = Squeeze (k4, k3a)
 m3a = Constant <value = int64[1] {2}> ()
 m3 = Unsqueeze (m, m3a)
 km = Mul (k3, m3)
 axes1 = Constant <value = int64[1] {1}> ()
 c = ReduceSum <keepdims = 1> (km, axes1)
 n0 = ReduceSum <keepdims = 1> (m3, axes1)
 few = Constant <value = float {0.5}> ()
 n = Add (n0, few)
 ctx = Div (c, n)
 h = Add (x, ctx)
 logits = MatMul (h, w)
})";
const std::string decoder = signature + body;

using numbers = std::vector<std::int32_t>;
using named_tensors = std::vector<std::pair<std::string, tensor>>;
tensor one(std::int32_t x) { return tensor({1}, numbers{x}); }
tensor one(float x) { return tensor({1}, std::vector<float>{x}); }
struct search {
    std::string op, attributes = "eos_token_id = 7, pad_token_id = 0", graph = decoder;
    named_tensors more{};  // inputs, over those that are given else
    int outputs = 1;
    std::vector<std::string> results{};  // names of outputs, where some are left out; else `outputs` of them
    std::vector<std::string> inputs() const {
        std::vector<std::string> list{"input_ids", "max_length", "min_length"};
        if (has_beams(op)) list.insert(list.end(), {"num_beams", "num_return_sequences", "length_penalty"});
        list.insert(list.end(), {"repetition_penalty", "vocab_mask", "prefix_vocab_mask", "attention_mask"});
        if (has_beams(op)) list.insert(list.end(), {"decoder_input_ids", "logits_processor"});
        if (op == "WhisperBeamSearch")
            list.insert(list.end(), {"cross_qk_layer_head", "extra_decoding_ids", "temperature"});
        if (op == "Sampling") list.insert(list.end(), {"presence_mask", "seed"});
        return list;
    }
    named_tensors values() const {
        named_tensors list{{"input_ids", tensor({3, 3}, numbers{1, 2, 3, 0, 5, 6, 0, 0, 4})}, {"max_length", one(8)}};
        if (has_beams(op)) list.insert(list.end(), {{"num_beams", one(3)}, {"num_return_sequences", one(2)}});
        for (auto& [name, t] : more) {
            std::erase_if(list, [&](auto& old) { return old.first == name; });
            if (t) list.push_back({name, t});
        }
        return list;
    }
    onnx::ModelProto model() const {
        std::string declared, list, results, given_back;
        for (const std::string& name : inputs()) {
            list += list.empty() ? "" : ", ";
            for (auto& [input, t] : values()) {
                if (input != name) continue;
                list += name;
                declared += (declared.empty() ? "" : ", ") + std::string(name_of(t.type())) + "[";
                for (int i = 0; i < t.shape().rank; ++i) declared += (i ? "," : "") + name + std::to_string(i);
                declared += "] " + name;
            }
        }
        while (list.ends_with(", ")) list.resize(list.size() - 2);
        for (const std::string& name : names()) {
            results += (results.empty() ? "" : ", ") + name;
            if (!name.empty()) given_back += (given_back.empty() ? "" : ", ") + name;
        }
        return proto_of("<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]> g (" + declared + ") => (" +
                        given_back + ") { " + results + " = com.microsoft." + op + " <" + attributes +
                        ", decoder = " + graph + "> (" + list + ") }");
    }
    std::vector<std::string> names() const {
        std::vector<std::string> list = results;
        for (int k = 0; results.empty() && k < outputs; ++k) list.push_back(k ? "y" + std::to_string(k) : "y");
        return list;
    }
    std::vector<tensor> run(const run_options& o = {}) const {
        const named_tensors in = values();
        std::vector<feed> feeds;
        for (auto& [name, t] : in) feeds.push_back({name, t});
        const session s{loaded(model(), model_options{}), reference{}};
        const auto r = s.run(feeds, {}, o);
        std::vector<tensor> list;
        for (std::size_t k = 0; k < r.size(); ++k) list.push_back(r[k]);
        return list;
    }
    numbers tokens() const { return elements<std::int32_t>(run()[0]); }
    std::string refusal() const {
        try {
            run();
        } catch (const error& e) {
            return e.text;
        }
        return "";
    }
};
search greedy(std::string attributes, named_tensors more = {}) {
    return {"GreedySearch", std::move(attributes), decoder, std::move(more)};
}
search sampled(const std::string& attributes, named_tensors more = {{"seed", one(5)}}) {
    return {"Sampling", "eos_token_id = 7, pad_token_id = 0, " + attributes, decoder, std::move(more)};
}
search beams(std::string attributes, named_tensors more = {}) {
    return {"BeamSearch", std::move(attributes), decoder, std::move(more), 2};
}
void check_beams(const search& s, const numbers& tokens, const std::vector<float>& scores) {
    const auto y = s.run();
    CHECK(elements<std::int32_t>(y[0]) == tokens);
    const auto scores_found = elements<float>(y[1]);
    REQUIRE(scores_found.size() == scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i)
        CHECK(scores_found[i] == Approx(scores[i]).epsilon(1e-5).margin(1e-6));
}
const std::string plain_ends = "eos_token_id = 7, pad_token_id = 0";
const tensor masked({8}, numbers{1, 1, 1, 0, 1, 0, 1, 1}),
    masked_first({3, 8}, numbers{1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1});
}  // namespace

TEST_CASE("GreedySearch takes the best token each time, until all texts have ended", "[generation]") {
    CHECK(greedy(plain_ends).run()[0].shape() == shape{3, 8});
    CHECK(greedy(plain_ends).tokens() ==
          numbers{1, 2, 3, 0, 3, 0, 3, 3, 0, 5, 6, 5, 5, 5, 5, 5, 0, 0, 4, 3, 3, 0, 3, 0});
    CHECK(greedy("eos_token_id = 3, pad_token_id = 0").tokens() ==
          numbers{1, 2, 3, 0, 0, 0, 0, 0, 0, 5, 6, 5, 5, 5, 5, 5, 0, 0, 4, 0, 0, 0, 0, 0});
    CHECK(greedy("eos_token_id = 5, pad_token_id = 1").tokens() ==
          numbers{1, 2, 3, 0, 3, 0, 3, 0, 0, 5, 6, 1, 1, 1, 1, 1, 0, 0, 4, 3, 3, 0, 3, 3});
    CHECK(greedy("eos_token_id = -1, pad_token_id = 0").tokens() == greedy(plain_ends).tokens());
    CHECK(greedy("eos_token_id = 5, pad_token_id = 1", {{"input_ids", tensor({1, 3}, numbers{0, 5, 6})}}).tokens() ==
          numbers{0, 5, 6, 1, 1, 1, 1, 1});
}
TEST_CASE("One name for different sizes of a decoder's inputs means nothing, and gives a warning", "[generation]") {
    const auto named = [](const std::string& mask, const std::string& past) {
        return "d (int32[b,s] input_ids, int32[b,s] position_ids, int32[" + mask + "] attention_mask, float[2," + past +
               ",4] past_0) => (float[b,s,8] logits, float[2,b,1,q,4] present_0) " + body;
    };
    for (const auto& [mask, past] : {std::pair("b,s", "b,1,p"), std::pair("b,t", "b,1,s"), std::pair("b,b", "b,1,b")}) {
        CAPTURE(mask, past);
        search s = greedy(plain_ends);
        s.graph = named(mask, past);
        CHECK(s.tokens() == greedy(plain_ends).tokens());
        const model m = loaded(s.model(), model_options{});
        REQUIRE(m.warnings().size() == 1);
        CHECK(m.warnings()[0].find("names different sizes of its decoder's inputs") != std::string::npos);
        search many = beams(plain_ends);
        many.graph = named(mask, past);
        CHECK(many.tokens() == beams(plain_ends).tokens());
    }
    CHECK(loaded(greedy(plain_ends).model(), model_options{}).warnings().empty());
}
TEST_CASE("GreedySearch minds penalties, masks, the least length and n-grams", "[generation]") {
    CHECK(greedy(plain_ends, {{"repetition_penalty", one(2.f)}}).tokens() ==
          numbers{1, 2, 3, 0, 3, 4, 3, 3, 0, 5, 6, 1, 2, 6, 5, 0, 0, 0, 4, 3, 3, 0, 3, 0});
    CHECK(greedy("eos_token_id = 3, pad_token_id = 0", {{"min_length", one(6)}}).tokens() ==
          numbers{1, 2, 3, 0, 0, 0, 0, 0, 0, 5, 6, 5, 5, 5, 5, 5, 0, 0, 4, 2, 6, 5, 5, 5});
    CHECK(greedy(plain_ends, {{"vocab_mask", masked}}).tokens() ==
          numbers{1, 2, 3, 0, 0, 0, 0, 0, 0, 5, 6, 1, 2, 6, 1, 2, 0, 0, 4, 2, 6, 2, 6, 1});
    CHECK(greedy(plain_ends, {{"prefix_vocab_mask", masked_first}}).tokens() ==
          numbers{1, 2, 3, 0, 3, 0, 3, 3, 0, 5, 6, 1, 5, 5, 5, 5, 0, 0, 4, 2, 6, 5, 5, 5});
    CHECK(greedy(plain_ends, {{"attention_mask", tensor({3, 3}, numbers{0, 1, 1, 1, 1, 1, 1, 0, 1})}}).tokens() ==
          greedy(plain_ends).tokens());
    const auto without = [](int size) {
        return greedy(plain_ends + ", no_repeat_ngram_size = " + std::to_string(size)).tokens();
    };
    CHECK(without(1) == numbers{1, 2, 3, 0, 4, 5, 0, 0, 0, 5, 6, 1, 2, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0});
    CHECK(without(2) == numbers{1, 2, 3, 0, 3, 4, 3, 3, 0, 5, 6, 5, 5, 1, 5, 0, 0, 0, 4, 3, 3, 0, 3, 4});
    CHECK(without(3) == numbers{1, 2, 3, 0, 3, 0, 0, 3, 0, 5, 6, 5, 5, 5, 1, 5, 0, 0, 4, 3, 3, 0, 3, 0});
}
TEST_CASE("A vocabulary that is smaller than the logits leaves out the last tokens", "[generation]") {
    const auto y = greedy(plain_ends + ", vocab_size = 5").tokens();
    CHECK(std::ranges::all_of(std::vector(y.begin() + 11, y.begin() + 16), [](int t) { return t < 5; }));
}
TEST_CASE("Sampling draws as ONNX Runtime does for the same seed", "[generation]") {
    CHECK(sampled("top_p = 1.0").tokens() ==
          numbers{1, 2, 3, 0, 3, 0, 3, 3, 0, 5, 6, 1, 5, 5, 5, 1, 0, 0, 4, 2, 6, 1, 3, 3});
    CHECK(sampled("top_p = 0.5").tokens() ==
          numbers{1, 2, 3, 0, 3, 0, 3, 3, 0, 5, 6, 5, 5, 5, 5, 1, 0, 0, 4, 3, 3, 0, 3, 0});
    CHECK(sampled("top_p = 0.9, temperature = 2.0").tokens() ==
          numbers{1, 2, 3, 3, 0, 2, 2, 4, 0, 5, 6, 1, 5, 5, 5, 1, 0, 0, 4, 2, 5, 1, 5, 5});
    CHECK(sampled("top_p = 0.5, min_tokens_to_keep = 3").tokens() ==
          numbers{1, 2, 3, 0, 3, 0, 3, 3, 0, 5, 6, 1, 5, 5, 5, 1, 0, 0, 4, 2, 6, 1, 5, 5});
    CHECK(sampled("top_p = 0.7, filter_value = -1.0").tokens() ==
          numbers{1, 2, 3, 0, 3, 0, 3, 3, 0, 5, 6, 1, 5, 5, 5, 1, 0, 0, 4, 3, 3, 0, 3, 0});
    CHECK(sampled("custom = 1, top_p = 0.5").tokens() ==
          numbers{1, 2, 3, 0, 3, 0, 3, 3, 0, 5, 6, 5, 5, 5, 5, 1, 0, 0, 4, 3, 3, 0, 3, 0});
    CHECK(sampled("custom = 1, top_p = 0.9").tokens() ==
          numbers{1, 2, 3, 0, 3, 0, 3, 3, 0, 5, 6, 1, 5, 5, 5, 1, 0, 0, 4, 2, 6, 1, 2, 5});
    CHECK(sampled("top_p = 1.0", {}).tokens() ==
          numbers{1, 2, 3, 0, 3, 0, 3, 3, 0, 5, 6, 5, 5, 5, 5, 5, 0, 0, 4, 2, 6, 1, 6, 5});
    CHECK(sampled("top_p = 0.8", {{"seed", one(11)}, {"repetition_penalty", one(1.5f)}, {"min_length", one(7)}})
              .tokens() == numbers{1, 2, 3, 0, 3, 0, 3, 3, 0, 5, 6, 1, 2, 6, 5, 1, 0, 0, 4, 3, 3, 0, 3, 3});
}
TEST_CASE("Sampling's presence_mask keeps away the tokens that it names, and its filtered logits are given",
          "[generation]") {
    numbers present(24, 0);
    for (const std::size_t t : {0, 3, 8 + 5, 16 + 3}) present[t] = 1;
    search s =
        sampled("top_p = 0.01, custom = 1, presence_penalty = 100.0", {{"presence_mask", tensor({3, 8}, present)}});
    s.outputs = 2;
    const auto y = s.run();
    const auto tokens = elements<std::int32_t>(y[0]);
    for (std::size_t i = 3; i < 8; ++i) {
        CHECK((tokens[i] != 0 && tokens[i] != 3));
        CHECK(tokens[8 + i] != 5);
        CHECK(tokens[16 + i] != 3);
    }
    REQUIRE(y[1].shape() == shape{3, 8});
    for (std::int64_t row = 0; row < 3; ++row)
        CHECK(std::ranges::count(y[1].as<float>().subspan(std::size_t(row * 8), 8), -1e20f) == 7);
}
TEST_CASE("BeamSearch gives the best texts and their scores", "[generation]") {
    check_beams(beams(plain_ends), {1, 2, 3, 0, 3, 0, 3, 3, 1, 2, 3, 0, 3, 0, 3, 0, 0, 5, 6, 5, 5, 5, 5, 5,
                                    0, 5, 6, 5, 5, 5, 5, 1, 0, 0, 4, 3, 3, 0, 3, 0, 0, 0, 4, 3, 0, 3, 0, 3},
                {-.11026704f, -.26826704f, -.34451747f, -.37384439f, -.24145052f, -.2712248f});
    check_beams(beams(plain_ends, {{"num_beams", one(1)}, {"num_return_sequences", one(1)}}),
                greedy(plain_ends).tokens(), {-.11026704f, -.34451747f, -.24145052f});
    check_beams(beams("eos_token_id = 3, pad_token_id = 0, early_stopping = 1"),
                {1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 5, 6, 5, 5, 5, 5, 5,
                 0, 5, 6, 5, 5, 5, 5, 1, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 2, 6, 5, 5, 5},
                {-.05446404f, -.93355274f, -.34451747f, -.37384439f, -.11876997f, -.52205205f});
}
TEST_CASE("BeamSearch minds lengths, rules, and when to stop", "[generation]") {
    const numbers tokens{1, 2, 3, 0, 3, 0, 3, 0, 1, 2, 3, 0, 3, 0, 3, 3, 0, 5, 6, 1, 1, 1, 1, 1,
                         0, 5, 6, 2, 6, 1, 1, 1, 0, 0, 4, 3, 3, 0, 3, 3, 0, 0, 4, 3, 0, 3, 3, 3};
    const std::string early = "eos_token_id = 5, pad_token_id = 1, early_stopping = 1";
    check_beams(beams(early, {{"length_penalty", one(2.f)}}), tokens,
                {-.02093922f, -.02941277f, -.08712006f, -.12440907f, -.01827792f, -.02556543f});
    check_beams(beams(early, {{"length_penalty", one(.5f)}}), tokens,
                {-.47380045f, -.66553509f, -.45268911f, -1.39093578f, -.41358224f, -.57847965f});
    for (const char* stopping : {"0", "1"})
        check_beams(beams(std::string("eos_token_id = 3, pad_token_id = 1, early_stopping = ") + stopping,
                          {{"input_ids", tensor({1, 3}, numbers{1, 2, 3})}, {"length_penalty", one(.5f)}}),
                    {1, 2, 3, 0, 1, 1, 1, 1, 1, 2, 3, 1, 1, 1, 1, 1}, {-.25179112f, -1.27147532f});
    check_beams(beams("eos_token_id = 3, pad_token_id = 0, early_stopping = 1, no_repeat_ngram_size = 2",
                      {{"repetition_penalty", one(2.f)}, {"min_length", one(6)}}),
                {1, 2, 3, 4, 2, 6, 5, 7, 1, 2, 3, 4, 2, 6, 5, 5, 0, 5, 6, 1, 2, 6, 5, 5,
                 0, 5, 6, 1, 2, 6, 5, 1, 0, 0, 4, 2, 6, 5, 5, 1, 0, 0, 4, 2, 6, 5, 1, 5},
                {-1.13554335f, -1.15317416f, -.75535131f, -.81362051f, -.65825319f, -.71622866f});
    check_beams(beams(plain_ends, {{"vocab_mask", masked}, {"prefix_vocab_mask", masked_first}}),
                {1, 2, 3, 4, 2, 2, 6, 2, 1, 2, 3, 4, 2, 6, 1, 2, 0, 5, 6, 1, 2, 6, 1, 2,
                 0, 5, 6, 1, 2, 2, 6, 1, 0, 0, 4, 2, 2, 2, 6, 1, 0, 0, 4, 2, 2, 6, 2, 6},
                {-.90486497f, -.91723931f, -.66561854f, -.6924544f, -.6350081f, -.67082655f});
}
TEST_CASE("BeamSearch gives the scores of each step, zero after the last one", "[generation]") {
    search s = beams(plain_ends, {{"input_ids", tensor({1, 3}, numbers{1, 2, 3})},
                                  {"num_beams", one(2)},
                                  {"num_return_sequences", one(1)},
                                  {"max_length", one(5)}});
    s.outputs = 3;
    const auto y = s.run();
    REQUIRE(y[2].shape() == shape{2, 1, 2, 8});
    const auto actual = elements<float>(y[2]);
    const float expected[] = {-.19922948f,  -4.61922979f, -3.66208696f, -2.80065823f,
                              -3.00637269f, -4.10065842f, -4.4692297f,  -4.98494434f};
    for (std::size_t i = 0; i < 8; ++i) CHECK(actual[i] == Approx(expected[i]).epsilon(1e-5));
    CHECK(actual[8] == Approx(-1e9f));
    CHECK(actual[16 + 3] == Approx(-.21785617f).epsilon(1e-4));
    s.attributes = "eos_token_id = 0, pad_token_id = 1, early_stopping = 1";
    s.more[1].second = one(1);
    s.more[3].second = one(7);
    const auto result = s.run();
    CHECK(elements<std::int32_t>(result[0]) == numbers{1, 2, 3, 1, 1, 1, 1});
    REQUIRE(result[2].shape() == shape{4, 1, 1, 8});
    CHECK(elements<float>(result[2])[0] != 0);
    CHECK(std::ranges::count(elements<float>(result[2]), 0.f) == 24);
}
TEST_CASE("A first decoder of its own, halves, and weights outside are taken", "[generation]") {
    search s = greedy(plain_ends);
    s.attributes += ", init_decoder = " + decoder;
    CHECK(s.tokens() == greedy(plain_ends).tokens());
    std::string halves = decoder;
    const auto replace = [&](const std::string& from, const std::string& to) {
        const std::size_t at = halves.find(from);
        REQUIRE(at != halves.npos);
        halves.replace(at, from.size(), to);
    };
    replace("float[2,b,1,p,4] past_0", "float16[2,b,1,p,4] past_0");
    replace("float[2,b,1,q,4] present_0", "float16[2,b,1,q,4] present_0");
    replace("kv = Concat <axis = 0> (x5, x5)", "kv32 = Concat <axis = 0> (x5, x5) kv = Cast <to = 10> (kv32)");
    replace("zero)", "zero) k4f = Cast <to = 1> (k4)");
    replace("Squeeze (k4,", "Squeeze (k4f,");
    s = greedy(plain_ends);
    s.graph = halves;
    CHECK(s.tokens() == greedy(plain_ends).tokens());
    replace("logits = MatMul (h, w)",
            "l = MatMul (h, w) lim = Cast <to = 1> (max_length) ls = Mul (l, lim) logits = Cast <to = 10> (ls)");
    replace("float[b,s,8] logits", "float16[b,s,8] logits");
    s.graph = halves;
    CHECK(s.tokens() == greedy(plain_ends).tokens());
}
TEST_CASE("An empty batch gives no texts", "[generation]") {
    CHECK(greedy(plain_ends, {{"input_ids", tensor(element::i32, {0, 3})}}).run()[0].shape() == shape{0, 8});
    search s = beams(plain_ends, {{"input_ids", tensor(element::i32, {0, 3})}});
    s.outputs = 3;
    const auto y = s.run();
    CHECK(y[0].shape() == shape{0, 2, 8});
    CHECK(y[1].shape() == shape{0, 2});
    CHECK(y[2].shape() == shape{5, 0, 3, 0});
}
TEST_CASE("What a search cannot take is refused with the reason", "[generation]") {
    const auto check_reason = [](search s, const char* part) {
        const std::string text = s.refusal();
        CAPTURE(text, part);
        CHECK(contains(text, part));
    };
    check_reason(greedy(plain_ends, {{"max_length", one(3)}}), "max_length is not more");
    check_reason(greedy(plain_ends, {{"max_length", tensor({2}, numbers{8, 9})}}), "max_length is not one integer");
    check_reason(greedy(plain_ends, {{"input_ids", tensor(element::i32, {1, 0})}}), "no tokens");
    check_reason(greedy(plain_ends, {{"input_ids", tensor({3}, numbers{1, 2, 3})}}), "input_ids");
    check_reason(greedy(plain_ends, {{"repetition_penalty", one(0.f)}}), "repetition_penalty is not positive");
    check_reason(greedy(plain_ends, {{"vocab_mask", tensor({7}, numbers(7, 1))}}), "vocab_mask");
    check_reason(greedy(plain_ends, {{"prefix_vocab_mask", tensor({2, 8}, numbers(16, 1))}}), "prefix_vocab_mask");
    check_reason(greedy(plain_ends, {{"attention_mask", tensor({3, 2}, numbers(6, 1))}}), "attention_mask");
    check_reason(greedy(plain_ends, {{"input_ids", tensor({1, 2}, numbers{1, 70})}}), "Gather");
    check_reason(greedy(plain_ends + ", model_type = 2"), "model_type 0");
    check_reason(greedy(plain_ends + ", vocab_size = 9"), "vocab_size is more");
    check_reason(sampled("min_tokens_to_keep = 8"), "min_tokens_to_keep");
    check_reason(sampled("min_tokens_to_keep = -1"), "min_tokens_to_keep");
    check_reason(beams(plain_ends, {{"num_beams", one(0)}}), "num_beams is less than 1");
    check_reason(beams(plain_ends, {{"num_return_sequences", one(4)}}), "num_return_sequences");
    check_reason(beams(plain_ends, {{"num_beams", one(2147483647)}, {"max_length", one(2147483647)}}),
                 "too many or too long");
    check_reason(beams(plain_ends, {{"num_beams", one(100'000'000)}, {"max_length", one(9)}}), "limits::run_bytes");
    check_reason(greedy(plain_ends, {{"max_length", one(2147483647)}}), "limits::run_bytes");
}
namespace {
// An encoder and a decoder of 8 tokens and one layer: keys and values of the text, and of the tokens so far.
const std::string encoder_reads = R"(
 ev = Constant <value = float[8,4] {0, 0.3, -0.3, -0.9, -0.5, -1, 0.1, 1.3, -0.5, -0.6, 0.5, 0.4, 0.1, -0.9, 0, 0.7, -1.3, -0.5, -1.9, -1.3, -1.8, -0.2, -1.3, 0.3, 0.2, -0.2, -2.5, -0.5, 0, 0.1, -1.5, -0.5}> ()
 vv = Constant <value = float[4,4] {-1.3, 0.3, -1.7, -2, -0.3, -0.9, 0.2, 2.2, -0.8, -0.6, 0.2, 0.5, -0.2, -0.2, 0.7, 0.5}> ()
 encoder_hidden_states = Gather (ev, encoder_input_ids)
 values = MatMul (encoder_hidden_states, vv)
 first = Constant <value = int64[1] {1}> ()
 present_key_cross_0 = Unsqueeze (encoder_hidden_states, first)
 present_value_cross_0 = Unsqueeze (values, first))";
const std::string decoder_says = R"(
 dv = Constant <value = float[8,4] {-1.2, -1, 1.3, -1, 0, 1.1, -0.7, -0.1, 0.1, 0.1, -1.5, 0.1, 1.6, -1.9, 1, 0.1, -0.8, 2.4, 0.9, -1.4, 0.1, 0.7, -0.2, 0.8, -0.1, 0.8, 1.7, -0.8, 0.2, -0.6, 0.2, -1.4}> ()
 ov = Constant <value = float[4,8] {-0.5, -0.2, 0.7, 0.9, -1.1, -0.6, 0.5, -1.6, -0.4, -0.1, 1, 0.6, -0.3, -0.3, -0.2, 1.2, -0.3, -0.2, 0.3, -0.1, -0.2, -0.9, 0, -0.4, 0.9, 0.5, 0, 0.5, -0.3, 0.8, 0, 0.5}> ()
 d = Gather (dv, tokens)
 one = Constant <value = int64[1] {1}> ()
 new_key = Unsqueeze (d, one)
 new_value = Neg (new_key))";
const std::string decoder_answers = R"(
 keys = ReduceMean <axes = [2], keepdims = 0> (present_key_self_0)
 vals = ReduceMean <axes = [2], keepdims = 0> (present_value_self_0)
 mask = Cast <to = 1> (encoder_attention_mask)
 outer = Constant <value = int64[2] {1, 3}> ()
 mask4 = Unsqueeze (mask, outer)
 two = Constant <value = int64[1] {2}> ()
 seen_keys = Mul (cross_key, mask4)
 seen_values = Mul (cross_value, mask4)
 text_keys = ReduceSum <keepdims = 0> (seen_keys, two)
 text_values = ReduceSum <keepdims = 0> (seen_values, two)
 own = Add (d, keys)
 gated = Mul (vals, text_values)
 both = Add (own, gated)
 all = Add (both, text_keys)
 logits = MatMul (all, ov))";
const std::string encoder_inputs = "e (int32[b,n] encoder_input_ids, int32[b,n] encoder_attention_mask";
const std::string of_cross = "float[b,1,n,4] present_key_cross_0, float[b,1,n,4] present_value_cross_0) {";
const std::string encoder = encoder_inputs + ") => (" + of_cross + encoder_reads + "}";
// This one gives the logits of the first token too.
const std::string beginning_encoder =
    encoder_inputs +
    ", int32[b,1] decoder_input_ids) => (float[b,1,8] logits, float[b,n,4] encoder_hidden_states, "
    "float[b,1,1,4] present_key_self_0, float[b,1,1,4] present_value_self_0, " +
    of_cross + encoder_reads + " tokens = Identity (decoder_input_ids)" + decoder_says +
    " present_key_self_0 = Identity (new_key) present_value_self_0 = Identity (new_value)"
    " cross_key = Identity (present_key_cross_0) cross_value = Identity (present_value_cross_0)" +
    decoder_answers + "}";
const std::string mask_input = "int32[b,n] encoder_attention_mask, ";
// given: the tokens that it is given, of which `tokens` makes the last ones.
std::string decoder_of_text(const std::string& context = mask_input,
                            const std::string& inputs = "int32[b,1] input_ids, ",
                            const std::string& tokens = "tokens = Identity (input_ids)") {
    return "d (" + inputs + context +
           "float[b,1,p,4] past_key_self_0, float[b,1,p,4] past_value_self_0, float[b,1,n,4] cross_key, "
           "float[b,1,n,4] cross_value) => (float[b,1,8] logits, float[b,1,q,4] present_key_self_0, "
           "float[b,1,q,4] present_value_self_0) { " +
           tokens + decoder_says +
           " present_key_self_0 = Concat <axis = 2> (past_key_self_0, new_key)"
           " present_value_self_0 = Concat <axis = 2> (past_value_self_0, new_value)" +
           decoder_answers + "}";
}
search translation(const std::string& attributes, const std::string& from = encoder,
                   const std::string& to = decoder_of_text(), named_tensors more = {}) {
    search s =
        beams("pad_token_id = 0, model_type = 1, decoder_start_token_id = 2, " + attributes + ", encoder = " + from,
              std::move(more));
    s.graph = to;
    return s;
}
}  // namespace

TEST_CASE("BeamSearch ends a text by the scores that ONNX Runtime compares, some of them other texts'",
          "[generation]") {
    check_beams(beams("eos_token_id = 5, pad_token_id = 0", {{"length_penalty", one(2.f)}}),
                {1, 2, 3, 0, 3, 0, 3, 3, 1, 2, 3, 0, 3, 0, 3, 0, 0, 5, 6, 0, 0, 0, 0, 0,
                 0, 5, 6, 1, 2, 6, 1, 2, 0, 0, 4, 3, 3, 0, 3, 0, 0, 0, 4, 3, 0, 3, 0, 3},
                {-0.0137834f, -0.0335334f, -0.0695311f, -0.0832023f, -0.0301813f, -0.0339031f});
}
TEST_CASE("BeamSearch with an encoder runs it once, and its decoder over what that leaves", "[generation]") {
    const numbers tokens{2, 0, 4, 4, 4, 4, 4, 4, 2, 0, 0, 4, 4, 4, 4, 4, 2, 5, 5, 5, 5, 5, 5, 5,
                         2, 5, 5, 5, 5, 5, 5, 0, 2, 4, 4, 4, 4, 4, 4, 4, 2, 5, 0, 0, 0, 0, 0, 0};
    const std::vector<float> scores{-0.319614f, -0.479859f, -0.469566f, -0.666333f, -0.673157f, -0.80136f};
    const std::string inputs = "int32[b,n] encoder_input_ids, " + mask_input + "float[b,n,4] encoder_hidden_states, ";
    check_beams(translation("eos_token_id = 7"), tokens, scores);
    check_beams(translation("eos_token_id = 7", beginning_encoder), tokens, scores);
    check_beams(translation("eos_token_id = 7", beginning_encoder, decoder_of_text(inputs)), tokens, scores);
    check_beams(translation("eos_token_id = 7", encoder,
                            decoder_of_text(mask_input, "int32[b,s] input_ids, ",
                                            "last = Constant <value = int64[1] {-1}> () "
                                            "tokens = Gather <axis = 1> (input_ids, last)")),
                tokens, scores);
    check_beams(translation("eos_token_id = 5", encoder),
                {2, 0, 4, 4, 4, 4, 4, 4, 2, 0, 4, 7, 4, 4, 4, 4, 2, 7, 4, 7, 4, 7, 4, 7,
                 2, 0, 0, 0, 0, 0, 0, 0, 2, 7, 4, 7, 4, 7, 4, 7, 2, 7, 4, 7, 4, 7, 4, 4},
                {-0.319614f, -0.409579f, -0.526782f, -0.528419f, -0.479307f, -0.482686f});
    check_beams(translation("eos_token_id = 5, early_stopping = 1", encoder),
                {2, 0, 4, 4, 4, 4, 4, 4, 2, 0, 4, 7, 4, 4, 4, 4, 2, 0, 0, 0, 0, 0, 0, 0,
                 2, 7, 4, 7, 0, 0, 0, 0, 2, 7, 4, 7, 4, 7, 4, 7, 2, 7, 4, 7, 4, 7, 4, 4},
                {-0.319614f, -0.409579f, -0.528419f, -0.827252f, -0.479307f, -0.482686f});
}
TEST_CASE("BeamSearch with an encoder masks tokens to pad at a text's beginning, or those of its mask",
          "[generation]") {
    const tensor mask({3, 3}, numbers{1, 1, 0, 1, 0, 1, 1, 1, 1}), padded({3, 3}, numbers{1, 1, 1, 0, 1, 1, 0, 0, 1});
    check_beams(translation("eos_token_id = 7", beginning_encoder, decoder_of_text(), {{"attention_mask", mask}}),
                {2, 0, 4, 0, 0, 0, 0, 0, 2, 0, 0, 4, 0, 0, 0, 0, 2, 5, 5, 5, 5, 5, 5, 5,
                 2, 5, 5, 5, 5, 5, 5, 0, 2, 4, 4, 4, 4, 4, 4, 4, 2, 4, 4, 4, 4, 2, 4, 4},
                {-0.460764f, -0.74623f, -0.167295f, -0.454477f, -0.587664f, -0.628482f});
    CHECK(translation("eos_token_id = 7", encoder, decoder_of_text(), {{"attention_mask", padded}}).tokens() ==
          translation("eos_token_id = 7").tokens());
}
TEST_CASE("GreedySearch and Sampling with an encoder choose tokens as they do without", "[generation]") {
    search s = translation("eos_token_id = -1", encoder, decoder_of_text(),
                           {{"num_beams", one(1)}, {"num_return_sequences", one(1)}});
    const numbers tokens{2, 0, 4, 4, 4, 4, 4, 4, 2, 5, 5, 5, 5, 5, 5, 5, 2, 5, 7, 4, 7, 4, 7, 4};
    CHECK(s.tokens() == tokens);
    s = {"GreedySearch", s.attributes, s.graph};
    CHECK(s.tokens() == tokens);
    s = {"Sampling", "top_p = 1e-6, " + s.attributes, s.graph, {{"seed", one(5)}}};
    CHECK(s.tokens() == tokens);  // only the best token is left
}
TEST_CASE("BeamSearch whose first token is the last runs its encoder alone", "[generation]") {
    const named_tensors short_text{{"max_length", one(2)}, {"num_return_sequences", one(1)}};
    search s = translation("eos_token_id = 7", beginning_encoder, decoder_of_text(), short_text);
    CHECK(s.tokens() == translation("eos_token_id = 7", encoder, decoder_of_text(), short_text).tokens());
    CHECK(s.tokens() == numbers{2, 0, 2, 5, 2, 5});
}
TEST_CASE("Encoders and decoders that do not fit are refused", "[generation]") {
    const auto check_reason = [](const search& s, const char* part) {
        auto m = load(s.model());
        const std::string text = m ? s.refusal() : m.why().text;
        CAPTURE(text, part);
        CHECK(contains(text, part));
    };
    const std::string ends = "eos_token_id = 7";
    check_reason(translation(ends, encoder, decoder_of_text(), {{"max_length", one(1)}}),
                 "max_length is not more than 1");
    check_reason(translation(ends, encoder, decoder), "inputs and outputs of T5");
    check_reason(translation(ends, encoder, decoder_of_text(mask_input + "float[b,n,4] encoder_hidden_states, ")),
                 "which its encoder does not give");
    check_reason(translation(ends, decoder), "its encoder");
    check_reason(
        translation(ends, encoder_inputs + ") => (float[b,1,n,4] present_key_cross_0) {" + encoder_reads + "}"),
        "gives 1 results, which its decoder of 1 layers does not fit");
    check_reason(translation(ends, "e (int32[b,n] encoder_input_ids, int32[7,n] encoder_attention_mask) => (" +
                                       of_cross + encoder_reads + "}"),
                 "of its encoder is declared with another type or shape");
    check_reason(translation(ends, encoder_inputs + ") => (text_keys, text_values) {" + encoder_reads +
                                       " text_keys = Cast <to = 8> (present_key_cross_0)"
                                       " text_values = Cast <to = 8> (present_value_cross_0) }"),
                 "its encoder gives results that are no floats");
    check_reason(translation(ends, encoder_inputs + ") => (values, encoder_hidden_states) {" + encoder_reads + "}"),
                 "keys or values that have not four axes");
    check_reason(translation(ends, encoder, decoder_of_text("int32[7,n] encoder_attention_mask, ")),
                 "of its decoder is declared with another type or shape");
    check_reason(translation(ends, encoder, decoder_of_text(), {{"attention_mask", tensor({3, 2}, numbers(6, 1))}}),
                 "attention_mask");
    search s = translation(ends);
    s.attributes = "pad_token_id = 0, model_type = 1, eos_token_id = 7, encoder = " + encoder;
    check_reason(s, "decoder_start_token_id is missing");
    s.attributes =
        "pad_token_id = 0, model_type = 1, decoder_start_token_id = -1, eos_token_id = 7, encoder = " + encoder;
    check_reason(s, "decoder_start_token_id is no token");
    s.attributes = "pad_token_id = 0, model_type = 1, decoder_start_token_id = 2, eos_token_id = 7";
    check_reason(s, "it has no body");
    s.attributes =
        "pad_token_id = 0, model_type = 3, decoder_start_token_id = 2, eos_token_id = 7, encoder = " + encoder;
    check_reason(s, "only model_type 0");
}
namespace {
std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != text.npos);
    return text.replace(at, from.size(), to);
}
// The same as above, but that the encoder gets audio features, and that there are no masks.
const std::string no_mask =
    " flat = ReduceMean <axes = [1, 3], keepdims = 0> (cross_key) nothing = Sub (flat, flat)"
    " encoder_attention_mask = Exp (nothing)";
std::string hearing_encoder() {
    return "e (float[b,4,n] encoder_input_ids, int32[b,l] decoder_input_ids) => (float[b,l,8] logits, "
           "float[b,n,4] encoder_hidden_states, float[b,1,l,4] present_key_self_0, float[b,1,l,4] "
           "present_value_self_0, " +
           of_cross +
           replaced(encoder_reads, "Gather (ev, encoder_input_ids)",
                    "Transpose <perm = [0, 2, 1]> (encoder_input_ids)") +
           " tokens = Identity (decoder_input_ids)" + decoder_says +
           " present_key_self_0 = Identity (new_key) present_value_self_0 = Identity (new_value)"
           " cross_key = Identity (present_key_cross_0) cross_value = Identity (present_value_cross_0)" +
           no_mask + decoder_answers + "}";
}
std::string hearing_decoder(const std::string& context = "") {
    return decoder_of_text(context, "int32[b,1] input_ids, ", "tokens = Identity (input_ids)" + no_mask);
}
const tensor sound({2, 4, 3},
                   std::vector<float>{0.5f,  -1.f, 0.2f, 0.9f,  0.1f, -0.4f, 0.3f, 0.8f,  -0.6f, 0.f, 1.1f, 0.7f,
                                      -0.9f, 0.4f, 0.6f, -0.2f, 0.1f, 0.5f,  1.2f, -0.7f, 0.2f,  0.f, 0.3f, -1.3f});
search heard(const std::string& attributes, named_tensors more = {}, const std::string& from = hearing_encoder(),
             const std::string& to = hearing_decoder()) {
    search s{"WhisperBeamSearch", "pad_token_id = 0, decoder_start_token_id = 2, " + attributes + ", encoder = " + from,
             to, std::move(more), 2};
    s.more.insert(s.more.begin(), {"input_ids", sound});
    return s;
}
}  // namespace

TEST_CASE("WhisperBeamSearch hears features of sound, and goes on from the tokens that it is given", "[generation]") {
    const numbers tokens{2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 5,
                         2, 5, 3, 6, 2, 3, 6, 2, 2, 3, 6, 2, 3, 6, 2, 2};
    const std::vector<float> scores{-0.8437932f, -0.934502f, -0.6813515f, -0.7863604f};
    const std::string ends = "eos_token_id = 7";
    check_beams(heard(ends), tokens, scores);
    check_beams(heard(ends, {}, hearing_encoder(), hearing_decoder("float[b,n,4] encoder_hidden_states, ")), tokens,
                scores);
    search s = heard(ends + ", model_type = 2");
    s.op = "BeamSearch";
    check_beams(s, tokens, scores);
    check_beams(heard(ends, {{"decoder_input_ids", tensor({2, 3}, numbers{2, 5, 4, 2, 3, 1})}}),
                {2, 5, 4, 0, 0, 0, 0, 0, 2, 5, 4, 2, 0, 0, 0, 0, 2, 3, 1, 3, 6, 2, 3, 6, 2, 3, 1, 2, 3, 6, 2, 3},
                {-0.01026928f, -0.9404589f, -0.4758263f, -0.5485917f});
    check_beams(heard("eos_token_id = 4, early_stopping = 1"),
                {2, 7, 0, 0, 0, 0, 0, 0, 2, 7, 0, 0, 0, 0, 0, 5, 2, 3, 6, 2, 3, 6, 2, 2, 2, 3, 6, 2, 3, 6, 2, 3},
                {-0.6905578f, -0.7966525f, -0.7863604f, -0.7978228f});
    const tensor allowed({8}, numbers{1, 1, 1, 0, 1, 0, 1, 1});
    check_beams(heard("eos_token_id = 4, early_stopping = 1, no_repeat_ngram_size = 2",
                      {{"repetition_penalty", one(2.f)}, {"min_length", one(6)}, {"vocab_mask", allowed}}),
                {2, 7, 1, 7, 6, 7, 0, 0, 2, 7, 0, 0, 1, 7, 6, 7, 2, 7, 6, 2, 1, 7, 0, 0, 2, 7, 6, 2, 1, 2, 0, 0},
                {-1.388276f, -1.46528f, -1.60637f, -1.607752f});
}
TEST_CASE("WhisperBeamSearch minds its temperature, and its inputs about times", "[generation]") {
    check_beams(heard("eos_token_id = 7", {{"temperature", one(0.5f)}}),
                {2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 5, 2, 5, 3, 6, 2, 3, 6, 2, 2, 3, 6, 2, 3, 6, 2, 2},
                {-1.687586f, -1.869004f, -1.362703f, -1.572721f});
    const std::string times = "eos_token_id = 1, beginning_timestamp_token_id = 5, no_timestamps_token_id = 4";
    check_beams(heard(times, {{"logits_processor", one(0)}}),
                {2, 7, 0, 0, 0, 0, 0, 0, 2, 7, 0, 0, 0, 0, 0, 5, 2, 3, 6, 2, 3, 6, 2, 2, 2, 3, 6, 2, 3, 6, 2, 3},
                {-0.6905578f, -0.7966525f, -0.7863604f, -0.7978228f});
    check_beams(heard(times, {{"logits_processor", one(1)}}),
                {2, 7, 0, 0, 0, 0, 0, 0, 2, 7, 3, 0, 0, 0, 0, 0, 2, 5, 2, 7, 3, 3, 3, 3, 2, 5, 3, 6, 6, 3, 3, 3},
                {-0.6905578f, -0.8033974f, -1.446538f, -1.506182f});
    check_beams(heard(times + ", translate_token_id = 3, transcribe_token_id = 0, start_of_lm_token_id = 6",
                      {{"num_beams", one(1)},
                       {"num_return_sequences", one(1)},
                       {"logits_processor", one(1)},
                       {"temperature", one(2.f)},
                       {"decoder_input_ids", tensor({2, 3}, numbers{2, 5, 4, 2, 3, 1})}}),
                {2, 5, 4, 7, 7, 0, 0, 0, 2, 3, 1, 2, 5, 2, 7, 0}, {-0.3130882f, -0.6365199f});
}
TEST_CASE("The first time that is heard is one of the first 51", "[generation]") {
    std::vector<float> scores(100, -1.f);
    score_rules r{.vocabulary = 100, .end_token = 1};
    r.times = time_tokens{.first = 10, .start = 2, .no_times = 3};
    const numbers begun{2};
    apply_rules(r, begun, 0, true, scores);
    CHECK(scores[3] == least_score);
    CHECK(scores[9] == least_score);  // times together are likelier
    CHECK(scores[60] == -1);
    CHECK(scores[61] == least_score);
}
TEST_CASE("WhisperBeamSearch returns how likely it is that there is no speech", "[generation]") {
    search s = heard("eos_token_id = 7, no_speech_token_id = 3");
    s.results = {"y", "y1", "y2", "", "y4"};
    const auto y = s.run();
    REQUIRE(y.back().shape() == shape{2});
    const auto actual = elements<float>(y.back());
    CHECK(actual[0] == Approx(std::exp(-1.7196436)).epsilon(1e-5));  // of the scores that ONNX Runtime gives
    CHECK(actual[1] == Approx(std::exp(-2.1815996)).epsilon(1e-5));
    CHECK(y[2].shape() == shape{7, 2, 3, 8});
}
TEST_CASE("What WhisperBeamSearch cannot take is refused with the reason", "[generation]") {
    const auto check_reason = [](const search& s, const char* part) {
        auto m = load(s.model());
        const std::string text = m ? s.refusal() : m.why().text;
        CAPTURE(text, part);
        CHECK(contains(text, part));
    };
    const std::string ends = "eos_token_id = 7";
    check_reason(heard(ends + ", model_type = 3"), "only model_type 0");
    check_reason(heard(ends, {{"attention_mask", tensor({2, 3}, numbers(6, 1))}}), "sound has no attention_mask");
    check_reason(heard(ends, {{"extra_decoding_ids", tensor({2, 1}, numbers(2, 1))}}), "extra_decoding_ids");
    check_reason(heard(ends, {{"cross_qk_layer_head", tensor({1, 2}, numbers(2, 0))}}), "cross_qk");
    check_reason(heard(ends + ", decoder_output_cross_qk = 1"), "cross_qk");
    check_reason(heard(ends, {{"logits_processor", one(1)}}), "beginning_timestamp_token_id");
    check_reason(heard(ends + ", beginning_timestamp_token_id = 8", {{"logits_processor", one(1)}}),
                 "beginning_timestamp_token_id");
    check_reason(heard(ends, {{"decoder_input_ids", tensor({3, 1}, numbers(3, 1))}}), "decoder_input_ids");
    check_reason(heard(ends, {{"decoder_input_ids", tensor(element::i32, {2, 0})}}), "decoder_input_ids has no tokens");
    check_reason(heard(ends, {{"decoder_input_ids", tensor({2, 8}, numbers(16, 1))}}), "max_length is not more than 8");
    check_reason(heard(ends, {}, encoder), "of its encoder is declared with another type or shape");
    check_reason(heard(ends, {}, hearing_encoder(), decoder_of_text()), "inputs and outputs of T5 or Whisper");
    search s = heard(ends);
    s.more.front().second = tensor({2, 4}, numbers(8, 1));
    check_reason(s, "three axes");
    s.more.front().second = tensor(element::f32, {1 << 20, 4, 0});
    check_reason(s, "is empty");
    s = heard(ends);
    s.results = {"y", "y1", "y2", "", "y4"};
    check_reason(s, "no_speech_token_id");
    s.results = {"y", "y1", "y2", "y3"};
    check_reason(s, "cross_qk");
}
TEST_CASE("Decoders that are none are refused", "[generation]") {
    const auto check_reason = [](const std::string& graph, const char* part) {
        search s = greedy(plain_ends);
        s.graph = graph;
        auto m = load(s.model());
        const std::string text = m ? s.refusal() : m.why().text;
        CAPTURE(text, part);
        CHECK(contains(text, part));
    };
    const std::string ids = "d (int32[b,s] input_ids, int32[b,s] position_ids, int32[b,t] attention_mask";
    const std::string three =
        " { f = Cast <to = 1> (input_ids) a = Constant <value = int64[1] {2}> () logits = Unsqueeze(f, a) ";
    check_reason(ids + ") => (float[b,s,1] logits)" + three + "}", "inputs and outputs of GPT-2");
    check_reason(ids + ", float[2,b,1,p,4] past) => (logits, present)" + three + "present = Identity(past) }",
                 "a present that is not the past and the new tokens");
    check_reason(ids + ", float[2,b,h,p,4] past) => (logits, present)" + three + "present = Identity(past) }",
                 "of which those of heads and sizes are known");
    check_reason(ids + ", float[2,b,1,p,4] past) => (logits, present)" + three + "present = Cast <to = 10> (past) }",
                 "a present that is not the past");
    check_reason(ids + ", float[2,7,1,p,4] past) => (logits, present)" + three + "present = Identity(past) }",
                 "is declared with another type or shape");
    check_reason(
        "d (int32[b,s] input_ids, float[b,s] position_ids, int32[b,t] attention_mask, float[2,b,1,p,4] past) => "
        "(logits, present)" +
            three + "present = Identity(past) }",
        "position_ids");
    check_reason("d (int32[b,s] input_ids) => (logits)" + three + "}", "inputs and outputs of GPT-2");
    search s = greedy("pad_token_id = 0");
    CHECK(contains(refused(s.model()).text, "eos_token_id"));
    s.attributes = plain_ends + ", other = 1";
    CHECK(contains(refused(s.model()).text, "other"));
}
TEST_CASE("A search ends when it is stopped", "[generation]") {
    std::atomic<bool> stop{true};
    run_options o;
    o.stop = &stop;
    try {
        greedy(plain_ends).run(o);
        FAIL("it ran");
    } catch (const error& e) {
        CHECK(e.code == error_code::stopped);
    }
}
