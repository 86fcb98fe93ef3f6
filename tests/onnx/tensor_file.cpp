#include "models.hpp"
#include <inlay/tensor_file.hpp>
#include <onnx/onnx-data.pb.h>

using namespace inlay;
using namespace inlay::testing;

namespace {
tensor read(const std::filesystem::path& file) {
    auto r = read_npy(file);
    INFO((r ? "" : r.why().text));
    REQUIRE(bool(r));
    return *r;
}
tensor filled(element e, const shape& dims) {
    tensor t(e, dims);
    for (std::int64_t i = 0; i < t.bytes(); ++i)
        static_cast<std::uint8_t*>(t.data())[i] = std::uint8_t(e == element::boolean ? i & 1 : i * 37 + 1);
    return t;
}
bool same_bytes(const tensor& a, const tensor& b) {
    return a.type() == b.type() && a.shape() == b.shape() &&
           (a.bytes() == 0 || std::memcmp(a.data(), b.data(), std::size_t(a.bytes())) == 0);
}
std::string npy(const std::string& dictionary, const std::string& data) {
    return std::string("\x93NUMPY\x01\x00", 8) + char(dictionary.size()) + char(0) + dictionary + data;
}
}  // namespace

TEST_CASE("Tensors of every element type return from a .pb file", "[tensor_file]") {
    scratch_folder folder;
    for (int e = 1; e < int(element::object); ++e) {
        if (element(e) == element::string) continue;
        CAPTURE(std::string(name_of(element(e))));
        for (const shape& dims : {shape{}, shape{3}, shape{2, 0, 3}, shape{2, 3}}) {
            const tensor t = filled(element(e), dims);
            REQUIRE(write_pb(folder.path / "t.pb", t, "t"));
            auto r = read_pb(folder.path / "t.pb");
            REQUIRE(bool(r));
            CHECK(same_bytes(*r->as_tensor(), t));
        }
    }
    const tensor s({2}, {std::string("a"), std::string("b\0c", 3)});
    REQUIRE(write_pb(folder.path / "s.pb", s));
    CHECK(read_pb(folder.path / "s.pb")->as_tensor()->as<std::string>()[1].size() == 3);
}

TEST_CASE("Sequences, maps and optionals return from a .pb file", "[tensor_file]") {
    scratch_folder folder;
    const auto file = folder.path / "v.pb";
    const tensor first({1}, {1.f}), second({2}, {1.f, 2.f});
    REQUIRE(write_pb(file, sequence{first, second}));
    auto s = read_pb(file, value_kind::sequence);
    REQUIRE(bool(s));
    REQUIRE(s->as_sequence()->size() == 2);
    CHECK(same_bytes(*(*s->as_sequence())[1].as_tensor(), second));

    REQUIRE(write_pb(file, sequence{}));
    CHECK(read_pb(file, value_kind::sequence)->as_sequence()->empty());

    map numbers;
    numbers[std::int64_t(-7)] = first;
    numbers[std::int64_t(3)] = second;
    REQUIRE(write_pb(file, sequence{numbers}));
    s = read_pb(file, value_kind::sequence);
    REQUIRE(bool(s));
    CHECK(same_bytes(*(*s->as_sequence())[0].as_map()->at(std::int64_t(-7)).as_tensor(), first));

    map words;
    words[std::string("k")] = first;
    REQUIRE(write_pb(file, words));
    CHECK(read_pb(file, value_kind::map)->as_map()->count(std::string("k")) == 1);

    REQUIRE(write_pb(file, optional_value{}));
    CHECK(!read_pb(file, value_kind::optional)->as_optional()->contents);
    REQUIRE(write_pb(file, optional_value{any_value(sequence{second})}));
    CHECK(read_pb(file, value_kind::optional)->as_optional()->contents->as_sequence()->size() == 1);

    words[std::int64_t(1)] = second;
    CHECK(!write_pb(file, words));
    CHECK(!write_pb(file, sequence{first, sequence{first}}));
}

TEST_CASE("Values within values return from a .pb file", "[tensor_file]") {
    scratch_folder folder;
    const auto file = folder.path / "v.pb";
    const tensor first({1}, {1.f}), second({2}, {1.f, 2.f});
    map words;
    words[std::string("k")] = second;
    REQUIRE(write_pb(file, optional_value{any_value(words)}));
    auto of_map = read_pb(file, value_kind::optional);
    CHECK(same_bytes(*of_map->as_optional()->contents->as_map()->at(std::string("k")).as_tensor(), second));
    REQUIRE(write_pb(file, optional_value{any_value(first)}));
    CHECK(same_bytes(*read_pb(file, value_kind::optional)->as_optional()->contents->as_tensor(), first));
    REQUIRE(write_pb(file, optional_value{any_value(optional_value{any_value(first)})}));
    auto twice = read_pb(file, value_kind::optional);
    CHECK(same_bytes(*twice->as_optional()->contents->as_optional()->contents->as_tensor(), first));
    REQUIRE(write_pb(file, sequence{sequence{first, second}, sequence{}}));
    auto nested = read_pb(file, value_kind::sequence);
    REQUIRE(nested->as_sequence()->size() == 2);
    CHECK(same_bytes(*(*(*nested->as_sequence())[0].as_sequence())[1].as_tensor(), second));
    REQUIRE(write_pb(file, sequence{optional_value{any_value(second)}, optional_value{}}));
    auto optionals = read_pb(file, value_kind::sequence);
    CHECK(same_bytes(*(*optionals->as_sequence())[0].as_optional()->contents->as_tensor(), second));
    CHECK(!(*optionals->as_sequence())[1].as_optional()->contents);
}

TEST_CASE("Sparse tensors in a .pb file, and values that no folder takes, are errors", "[tensor_file]") {
    scratch_folder folder;
    onnx::SequenceProto s;
    s.add_sparse_tensor_values();
    const auto in_sequence = read_pb(folder.write("s.pb", s.SerializeAsString()), value_kind::sequence);
    CHECK(in_sequence.why().code == error_code::unsupported_model);
    CHECK(contains(in_sequence.why().text, "sparse tensors"));
    onnx::OptionalProto o;
    o.mutable_sparse_tensor_value();
    const auto in_optional = read_pb(folder.write("o.pb", o.SerializeAsString()), value_kind::optional);
    CHECK(contains(in_optional.why().text, "sparse tensors"));
    CHECK(!write_pb(folder.path / "none" / "t.pb", tensor({1}, {1.f})));
    CHECK(!write_npy(folder.path / "none" / "t.npy", tensor({1}, {1.f})));
}

TEST_CASE("Damaged .pb files are errors that name the file", "[tensor_file]") {
    scratch_folder folder;
    onnx::TensorProto t = weights("w", {2}, {1, 2});
    const std::string bytes = t.SerializeAsString();
    for (std::size_t n = 1; n < bytes.size(); ++n) {
        CAPTURE(n);
        CHECK(!read_pb(folder.write("t.pb", bytes.substr(0, n))));
    }
    t.set_dims(0, 3);
    const auto r = read_pb(folder.write("t.pb", t.SerializeAsString()));
    REQUIRE(!r);
    CHECK(contains(r.why().text, "t.pb"));
    CHECK(!read_pb(folder.path / "nothing.pb"));
    onnx::MapProto m;
    m.add_keys(1);
    CHECK(!read_pb(folder.write("m.pb", m.SerializeAsString()), value_kind::map));
    onnx::SequenceProto deep;
    onnx::SequenceProto* s = &deep;
    for (int i = 0; i < 1000; ++i) s = s->add_sequence_values();
    CHECK(!read_pb(folder.write("s.pb", deep.SerializeAsString()), value_kind::sequence));
}

TEST_CASE("Arrays return from a .npy file", "[tensor_file]") {
    scratch_folder folder;
    const auto file = folder.path / "a.npy";
    for (element e :
         {element::f32, element::f64, element::f16, element::u8, element::i8, element::u16, element::i16, element::u32,
          element::i32, element::u64, element::i64, element::boolean, element::c64, element::c128}) {
        CAPTURE(std::string(name_of(e)));
        for (const shape& dims : {shape{}, shape{3}, shape{2, 0, 3}, shape{2, 3}, shape{1, 1, 1, 1, 1, 1, 1, 2}}) {
            const tensor t = filled(e, dims);
            REQUIRE(write_npy(file, t));
            CHECK(same_bytes(read(file), t));
        }
    }
    const tensor s({3}, {std::string("a"), std::string("h\xc3\xa9llo \xe2\x82\xac \xf0\x9f\x98\x80"), std::string()});
    REQUIRE(write_npy(file, s));
    const tensor t = read(file);
    CHECK(std::vector<std::string>(t.as<std::string>().begin(), t.as<std::string>().end()) ==
          std::vector<std::string>(s.as<std::string>().begin(), s.as<std::string>().end()));
    CHECK(!write_npy(file, tensor(element::bf16, {1})));
    CHECK(!write_npy(file, tensor(element::i4, {1})));
}

TEST_CASE("NumPy's other ways to store an array are understood", "[tensor_file]") {
    scratch_folder folder;
    const std::string two("\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06", 12);
    SECTION("big-endian") {
        const auto t =
            read(folder.write("a.npy", npy("{'descr': '>i2', 'fortran_order': False, 'shape': (6,), }", two)));
        CHECK(t.as<std::int16_t>()[1] == 2);
    }
    SECTION("Fortran's order") {
        const auto t =
            read(folder.write("a.npy", npy("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", two)));
        CHECK(std::vector<int>(t.as<std::int16_t>().begin(), t.as<std::int16_t>().end()) ==
              std::vector<int>{1, 3, 5, 2, 4, 6});
    }
    SECTION("big-endian, complex: each part for itself") {
        const std::string parts("\x3f\x80\x00\x00\x40\x00\x00\x00", 8);
        const auto t =
            read(folder.write("a.npy", npy("{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }", parts)));
        CHECK(t.as<std::complex<float>>()[0] == std::complex<float>(1, 2));
    }
    SECTION("big-endian, text") {
        const std::string text("\x00\x00\x00\x61\x00\x01\xf6\x00\x00\x00\x00\x62\x00\x00\x00\x00", 16);
        const auto t =
            read(folder.write("a.npy", npy("{'descr': '>U2', 'fortran_order': True, 'shape': (2,), }", text)));
        CHECK(t.as<std::string>()[0] == "a\xf0\x9f\x98\x80");
        CHECK(t.as<std::string>()[1] == "b");
    }
    SECTION("booleans that are no 1") {
        const auto t =
            read(folder.write("a.npy", npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\x07z")));
        CHECK(int(t.as<bool>()[0]) == 1);
    }
    SECTION("bytes") {
        const auto t = read(folder.write(
            "a.npy", npy("{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }", std::string("abc\0\0\0", 6))));
        CHECK(t.as<std::string>()[0] == "abc");
        CHECK(t.as<std::string>()[1] == "");
    }
    SECTION("version 2") {
        const std::string d = "{'descr': '|u1', 'fortran_order': False, 'shape': ()}";
        const auto t = read(folder.write(
            "a.npy", std::string("\x93NUMPY\x02\x00", 8) + char(d.size()) + std::string(3, '\0') + d + "x"));
        CHECK(t.as<std::uint8_t>()[0] == 'x');
    }
}

TEST_CASE("Bytes that are no UTF-8 stand for themselves in a .npy file", "[tensor_file]") {
    scratch_folder folder;
    const tensor s({3}, {std::string("\xe2\x82"), std::string("\xc3("), std::string("\xff")});
    REQUIRE(write_npy(folder.path / "a.npy", s));
    const tensor t = read(folder.path / "a.npy");
    CHECK(t.as<std::string>()[0] == "\xc3\xa2\xc2\x82");
    CHECK(t.as<std::string>()[1] == "\xc3\x83(");
    CHECK(t.as<std::string>()[2] == "\xc3\xbf");
}

TEST_CASE("Damaged .npy files are errors", "[tensor_file]") {
    scratch_folder folder;
    const auto refuse = [&](const std::string& bytes, error_code code = error_code::invalid_argument) {
        const auto r = read_npy(folder.write("a.npy", bytes));
        REQUIRE(!r);
        CAPTURE(r.why().text);
        CHECK(r.why().code == code);
        CHECK(contains(r.why().text, "a.npy"));
    };
    const std::string good = npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", std::string(8, 'x'));
    CHECK(bool(read_npy(folder.write("a.npy", good))));
    for (std::size_t n = 0; n < good.size(); ++n) refuse(good.substr(0, n));
    refuse(good + "x");
    refuse(npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "xx"), error_code::type_mismatch);
    refuse(npy("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", "xx"), error_code::type_mismatch);
    refuse(npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }", "xxxx"),
           error_code::type_mismatch);
    refuse(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (-2,), }", ""));
    refuse(npy("{'descr': '<i4', 'fortran_order': False, 'shape': 2, }", std::string(8, 'x')));
    refuse(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2, }", std::string(8, 'x')));
    refuse(npy("{'descr': '<i4', 'shape': (2,), }", std::string(8, 'x')));
    refuse(npy("{'descr' '<i4'}", std::string(8, 'x')));
    refuse(npy("{'descr': '<i4", std::string(8, 'x')), error_code::type_mismatch);
    refuse(std::string("\x93NUMPY\x04\x00", 8) + std::string(8, 'x'));
    refuse(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", ""),
           error_code::limit_exceeded);
    refuse(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1), }", "xxxx"),
           error_code::unsupported_model);
    refuse(npy("{'descr': '<U999999999999', 'fortran_order': False, 'shape': (1,), }", "xxxx"));
    refuse(npy("{'descr': '<U0', 'fortran_order': False, 'shape': (68719476736,), }", ""), error_code::limit_exceeded);
}
