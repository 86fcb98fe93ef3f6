#include "models.hpp"
#include "onnx/inflate.hpp"
#include <inlay/tensor_file.hpp>

using namespace inlay;
using namespace inlay::testing;

namespace {
std::string bytes_of_hex(std::string_view hex) {
    std::string all;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        all += char(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return all;
}
// numpy.savez_compressed(x=numpy.arange(200, dtype=numpy.int16) // 7): a block with codes of its own.
const char* const counted =
    "504b0304140000000800000021004c07e87c8b0000001002000005000000782e6e70799dc8b90ac2400045d1c4ddb8ef6b31dd449822a4146b"
    "3bc5c6c24a0633a220462662237e853f6c049bdbfa4ef5ee7bbd5d6d76aef3709e3232c9c1cab9908b73289590c7d8deadbeee631b996f5fea"
    "4b62d29e9cf4cda4df0f8340cd947889bfe739980b19c8420ef250802294a00c1e54a00a35a843039ad0823674a00b3de8c300863082314c60"
    "faf301504b01021403140000000800000021004c07e87c8b00000010020000050000000000000000000000800100000000782e6e7079504b05"
    "06000000000100010033000000ae0000000000";
std::string inflated(const std::string& from, std::size_t size) {
    std::string to(size, '\0');
    const bool good = loading::inflate(std::as_bytes(std::span(from)), std::as_writable_bytes(std::span(to)));
    return good ? to : "damaged";
}
std::string text_in(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
}  // namespace

TEST_CASE("Arrays return from an .npz file by their names", "[npz_file]") {
    scratch_folder folder;
    const std::map<std::string, tensor> all{{"a/b", tensor({2, 2}, {1.f, 2.f, 3.f, 4.f})},
                                            {"none", tensor(element::i64, {0, 3})},
                                            {"text", tensor({2}, {std::string("x"), std::string("long")})}};
    REQUIRE(write_npz(folder.path / "t.npz", all));
    auto r = read_npz(folder.path / "t.npz");
    INFO((r ? "" : r.why().text));
    REQUIRE(bool(r));
    REQUIRE(r->size() == 3);
    CHECK(elements<float>(r->at("a/b")) == std::vector{1.f, 2.f, 3.f, 4.f});
    CHECK(r->at("none").shape() == shape{0, 3});
    CHECK(elements<std::string>(r->at("text")) == std::vector<std::string>{"x", "long"});
    REQUIRE(write_npz(folder.path / "empty.npz", {}));
    CHECK(read_npz(folder.path / "empty.npz")->empty());
}
TEST_CASE("A compressed .npz file is read", "[npz_file]") {
    scratch_folder folder;
    auto r = read_npz(folder.write("c.npz", bytes_of_hex(counted)));
    INFO((r ? "" : r.why().text));
    REQUIRE(bool(r));
    const auto x = elements<std::int16_t>(r->at("x"));
    REQUIRE(x.size() == 200);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == int(i) / 7);
}
TEST_CASE("Stored blocks, and those with fixed codes, are inflated", "[npz_file]") {
    CHECK(inflated(bytes_of_hex("010600f9ff73746f726564"), 6) == "stored");
    const std::string fixed = bytes_of_hex("4b4c4a4e44423a0a8979290a408642627a62661e00");
    CHECK(inflated(fixed, 30) == "abcabcabcabcabc, and abc again");
    for (std::size_t size : {29, 31}) CHECK(inflated(fixed, size) == "damaged");
    for (std::size_t cut = 0; cut + 1 < fixed.size(); ++cut) CHECK(inflated(fixed.substr(0, cut), 30) == "damaged");
    CHECK(inflated("\x07", 0) == "damaged");                                  // no such kind of block
    CHECK(inflated(bytes_of_hex("010600f8ff73746f726564"), 6) == "damaged");  // a length that contradicts itself
    CHECK(inflated(bytes_of_hex("4b0201"), 3) == "damaged");                  // a distance to before the first byte
}
TEST_CASE("Damaged .npz files are refused, or hold what their checksums say", "[npz_file]") {
    scratch_folder folder;
    const std::string good = bytes_of_hex(counted);
    for (std::size_t cut = 0; cut < good.size(); ++cut) {
        CAPTURE(cut);
        CHECK(!read_npz(folder.write("t.npz", good.substr(0, cut))));
    }
    std::mt19937 bits(1);
    for (int k = 0; k < 300; ++k) {
        std::string bad = good;
        for (int n = 0; n < 3; ++n) bad[bits() % bad.size()] = char(bits());
        auto r = read_npz(folder.write("t.npz", bad));
        if (r && r->contains("x")) CHECK(r->at("x").elements() == 200);
    }
    REQUIRE(write_npz(folder.path / "s.npz", {{"x", tensor({1}, {1.f})}}));
    std::string stored = text_in(folder.path / "s.npz");
    stored[stored.find("NUMPY") + 124] ^= 1;  // of the data
    CHECK(contains(read_npz(folder.write("t.npz", stored)).why().text, "damaged"));
    std::string other = text_in(folder.path / "s.npz");
    for (std::size_t at = other.find(".npy"); at != other.npos; at = other.find(".npy", at + 1)) other[at + 1] = 'm';
    CHECK(contains(read_npz(folder.write("t.npz", other)).why().text, "is no .npy file"));
    CHECK(!read_npz(folder.path / "nowhere.npz"));
    CHECK(!write_npz(folder.path / "no" / "t.npz", {}));
}
namespace {
// An archive whose directory names its first member `count` times, as 0.npy, 1.npy and so on.
std::string named_often(const std::string& archive, int count) {
    const std::size_t directory = archive.find("PK\x01\x02"), end = archive.find("PK\x05\x06");
    std::string entries, last = archive.substr(end);
    for (int k = 0; k < count; ++k) {
        const std::string name = std::to_string(k) + ".npy";
        std::string entry = archive.substr(directory, 46);
        entry[28] = char(name.size());
        entries += entry + name;
    }
    const auto put = [&](std::size_t at, std::size_t x, int bytes) {
        for (int b = 0; b < bytes; ++b) last[at + std::size_t(b)] = char(x >> 8 * b);
    };
    put(8, std::size_t(count), 2);
    put(10, std::size_t(count), 2);
    put(12, entries.size(), 4);
    return archive.substr(0, directory) + entries + last;
}
}  // namespace
TEST_CASE("Arrays of an .npz file that share bytes are refused", "[npz_file]") {
    scratch_folder folder;
    REQUIRE(write_npz(folder.path / "s.npz", {{"x", tensor({1}, {1.f})}}));
    const std::string one = text_in(folder.path / "s.npz");
    auto once = read_npz(folder.write("t.npz", named_often(one, 1)));
    REQUIRE(bool(once));
    CHECK(once->contains("0"));
    CHECK(contains(read_npz(folder.write("t.npz", named_often(one, 2))).why().text, "share bytes"));
    CHECK(contains(read_npz(folder.write("t.npz", named_often(one, 2000))).why().text, "share bytes"));
}
TEST_CASE("The arrays of an .npz file together keep to the limits", "[npz_file]") {
    scratch_folder folder;
    const auto file = folder.path / "t.npz";
    REQUIRE(write_npz(file, {{"x", tensor({1}, {1.f})}, {"y", tensor({1}, {2.f})}}));
    limits small;
    small.total_bytes = 2 * 132;  // each is a header of 128 bytes and an element
    CHECK(bool(read_npz(file, small)));
    small.total_bytes -= 1;
    const auto refused = read_npz(file, small);
    REQUIRE(!refused);
    CHECK(refused.why().code == error_code::limit_exceeded);
}
