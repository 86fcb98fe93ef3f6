#include "passes.hpp"

using namespace inlay;
using namespace inlay::testing;

namespace {
// Attention over q, k and v: [N,S,8] with two heads of four, as parts that a test may change.
struct attention_text {
    std::string q = "qh = Reshape(q, to4) qt = Transpose<perm = [0, 2, 1, 3]>(qh) ",
                k = "kh = Reshape(k, to4) kt = Transpose<perm = [0, 2, 3, 1]>(kh) ",
                v = "vh = Reshape(v, to4) vt = Transpose<perm = [0, 2, 1, 3]>(vh) ",
                scores = "s = MatMul(qt, kt) w = Div(s, two) ", mask = "z = Add(w, m) ", soft = "p = Softmax(z) ",
                y = "o = MatMul(p, vt) ot = Transpose<perm = [0, 2, 1, 3]>(o) y = Reshape(ot, to3) ",
                inputs = "float[N,S,8] q, float[N,T,8] k, float[N,T,8] v, float[N,1,1,T] m", results = "float[N,S,8] y";
    model load() const {
        return after("(" + inputs + ") => (" + results +
                         ") { to4 = Constant<value_ints = [0, 0, 2, 4]>() to3 = Constant<value_ints = [0, 0, 8]>() " +
                         q + k + v + scores + mask + soft + y + " }",
                     {"fold_constants", "fuse_attention"},
                     {{"two", {}, {2}}, {"quarter", {}, {.25f}}, {"minus", {}, {-1e9f}}});
    }
};
}  // namespace

TEST_CASE("Attention is offered as one node, with its scale and its mask", "[passes]") {
    attention_text t;
    SECTION("with a scale and a mask") {
        const model m = t.load();
        REQUIRE(offers(m) == "Attention(0 1 2 3 4 5 6 7 8 9 10 11 12)");
        CHECK(inputs_of(m) == "q k v m");
        const node_view n = offer(m);
        CHECK(n.record.domain == "inlay");
        CHECK(n.integer("heads", 0) == 2);
        CHECK(n.integer("size", 0) == 4);
        CHECK(n.integer("value_size", 0) == 4);
        CHECK(n.integer("q_at", -2) == 0);
        CHECK(n.integer("k_at", -2) == 0);
        CHECK(n.integer("v_at", -2) == 0);
        CHECK(n.real("scale", 0) == .5);
    }
    SECTION("the mask may stand first") {
        t.mask = "z = Add(m, w) ";
        CHECK(inputs_of(t.load()) == "q k v m");
    }
    SECTION("the mask may be a product itself") {
        t.mask = "mm = Mul(m, minus) z = Add(mm, w) ";
        CHECK(inputs_of(t.load()) == "q k v mm");
    }
    SECTION("without a mask, Q scaled") {
        t.q += "qs = Mul(qt, quarter) ";
        t.scores = "z = MatMul(qs, kt) ";
        t.mask = "";
        const model m = t.load();
        CHECK(inputs_of(m) == "q k v");
        CHECK(offer(m).real("scale", 0) == .25);
    }
    SECTION("Q and K scaled") {
        t.q += "qs = Mul(quarter, qt) ";
        t.k += "ks = Div(kt, two) ";
        t.scores = "w = MatMul(qs, ks) ";
        CHECK(offer(t.load()).real("scale", 0) == .125);
    }
    SECTION("a mask of truth values") {
        t.inputs = "float[N,S,8] q, float[N,T,8] k, float[N,T,8] v, bool[N,1,S,T] m";
        t.mask = "z = Where(m, w, minus) ";
        const model m = t.load();
        CHECK(inputs_of(m) == "q k v m");
        CHECK(offer(m).real("fill", 0) == Approx(-1e9));
        CHECK(offer(m).integer("fills", -1) == 0);
        t.mask = "z = Where(m, minus, w) ";
        CHECK(inputs_of(t.load()) == "q k v m");
        CHECK(offer(t.load()).integer("fills", -1) == 1);
    }
}

TEST_CASE("Attention is offered over the projections as they lie", "[passes]") {
    attention_text t;
    SECTION("keys and values with heads first, which are outputs too") {
        t.inputs = "float[N,S,8] q, float[N,2,T,4] kc, float[N,2,T,4] vc, float[N,1,1,T] m";
        t.k = "k2 = Neg(kc) kt = Transpose<perm = [0, 1, 3, 2]>(k2) ";
        t.v = "vt = Neg(vc) ";
        t.results = "float[N,S,8] y, float[N,2,T,4] k2, float[N,2,T,4] vt";
        const model m = t.load();
        REQUIRE(offers(m) == "Attention(0 1 3 5 6 7 8 9 10 11)");
        CHECK(inputs_of(m) == "q k2 vt m");
        CHECK(offer(m).integer("q_at", -2) == 0);
        CHECK(offer(m).integer("k_at", -2) == -1);
        CHECK(offer(m).integer("v_at", -2) == -1);
    }
    SECTION("of one projection that holds all three") {
        t.inputs = "float[N,S,24] x, float[N,1,1,S] m";
        t.q =
            "to5 = Constant<value_ints = [0, 0, 3, 2, 4]>() zero = Constant<value_ints = [0]>() xh = Reshape(x, to5) "
            "xt = Transpose<perm = [2, 0, 3, 1, 4]>(xh) x0, x1, x2 = Split<axis = 0>(xt) "
            "qt = Squeeze(x0, zero) k2 = Squeeze(x1, zero) vt = Squeeze(x2, zero) ";
        t.k = "kt = Transpose<perm = [0, 1, 3, 2]>(k2) ";
        t.v = "";
        const model m = t.load();
        REQUIRE(inputs_of(m) == "x x x m");
        CHECK(m.view().list(m.view().fused[0].sources).size() == m.view().nodes.size());
        CHECK(offer(m).integer("q_at", -2) == 0);
        CHECK(offer(m).integer("k_at", -2) == 8);
        CHECK(offer(m).integer("v_at", -2) == 16);
        t.results += ", float[N,2,S,4] vt";  // then the unpacking stays
        CHECK(inputs_of(t.load()) == "qt k2 vt m");
    }
    SECTION("of one projection, by Gather") {
        t.inputs = "float[N,S,24] x, float[N,1,1,S] m";
        t.q =
            "to5 = Constant<value_ints = [0, 0, 3, 2, 4]>() i0 = Constant<value_int = 0>() i1 = Constant<value_int = "
            "1>() i2 = Constant<value_int = -1>() xh = Reshape(x, to5) "
            "xt = Transpose<perm = [2, 0, 3, 1, 4]>(xh) qt = Gather<axis = 0>(xt, i0) k2 = Gather<axis = 0>(xt, i1) vt "
            "= Gather<axis = 0>(xt, i2) ";
        t.k = "kt = Transpose<perm = [0, 1, 3, 2]>(k2) ";
        t.v = "";
        const model m = t.load();
        REQUIRE(inputs_of(m) == "x x x m");
        CHECK(m.view().list(m.view().fused[0].sources).size() == m.view().nodes.size());
        CHECK(offer(m).integer("v_at", -2) == 16);
    }
}
TEST_CASE("What is not attention is left alone", "[passes]") {
    attention_text t;
    SECTION("weights that are an output") { t.results += ", float[N,2,S,T] p"; }
    SECTION("scores that are needed elsewhere") {
        t.y =
            "o2 = MatMul(p, vt) r = ReduceMean(s) o = Add(o2, r) ot = Transpose<perm = [0, 2, 1, 3]>(o) y = "
            "Reshape(ot, to3) ";
    }
    SECTION("another axis") { t.soft = "p = Softmax<axis = 2>(z) "; }
    SECTION("a scale after the mask") {
        t.scores = "w = MatMul(qt, kt) ";
        t.mask = "z2 = Add(w, m) z = Div(z2, two) ";
    }
    SECTION("a scale that is no number") {
        t.inputs += ", float[S,1] f";
        t.scores = "s = MatMul(qt, kt) w = Mul(s, f) ";
    }
    SECTION("truth values that choose between scores") {
        t.inputs = "float[N,S,8] q, float[N,T,8] k, float[N,T,8] v, bool[N,1,S,T] m";
        t.mask = "n = Neg(w) z = Where(m, w, n) ";
    }
    SECTION("parts of another size") {
        t.inputs = "float[N,S,32] x, float[N,1,1,S] m";
        t.q =
            "to5 = Constant<value_ints = [0, 0, 4, 2, 4]>() zero = Constant<value_ints = [0]>() sizes = "
            "Constant<value_ints = [2, 1, 1]>() xh = Reshape(x, to5) xt = Transpose<perm = [2, 0, 3, 1, 4]>(xh) "
            "x0, x1, x2 = Split<axis = 0>(xt, sizes) first = ReduceMean<axes = [0]>(x0) qt = Squeeze(first, zero) k2 = "
            "Squeeze(x1, zero) vt = Squeeze(x2, zero) ";
        t.k = "kt = Transpose<perm = [0, 1, 3, 2]>(k2) ";
        t.v = "";
        CHECK(inputs_of(t.load()) == "qt k2 vt m");  // not from x
        return;
    }
    SECTION("two masks") { t.mask = "z1 = Add(w, m) z = Add(z1, m) "; }
    SECTION("heads that are not joined") {
        t.y = "o = MatMul(p, vt) ot = Transpose<perm = [0, 2, 1, 3]>(o) y = Relu(ot) ";
        t.results = "float[N,S,2,4] y";
    }
    SECTION("other axes joined") {
        t.y = "o = MatMul(p, vt) ot = Transpose<perm = [0, 1, 3, 2]>(o) y = Reshape(ot, to3) ";
        t.results = "float[?,?,?] y";
    }
    SECTION("the product the other way round") {
        t.y =
            "vm = Transpose<perm = [0, 1, 3, 2]>(vt) o = MatMul(vm, p) ot = Transpose<perm = [0, 2, 1, 3]>(o) y = "
            "Reshape(ot, to3) ";
        t.results = "float[?,?,?] y";
        t.inputs = "float[N,T,8] q, float[N,T,8] k, float[N,T,8] v, float[N,1,1,T] m";
    }
    CHECK(offers(t.load()) == "");
}
