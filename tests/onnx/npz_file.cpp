#include "models.hpp"
#include "onnx/inflate.hpp"
#include <inlay/tensor_file.hpp>

using namespace inlay;
using namespace inlay::testing;

namespace {
std::string bytes_of_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += char(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return bytes;
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
// Bits as DEFLATE has them: numbers from the lowest bit on, codes from the highest.
class bit_text {
    std::string text_{};
    int bit_count_ = 8;

  public:
    bit_text& bits(int x, int count) {
        for (int k = 0; k < count; ++k) {
            if (bit_count_ == 8) {
                text_ += '\0';
                bit_count_ = 0;
            }
            text_.back() = char(text_.back() | (x >> k & 1) << bit_count_++);
        }
        return *this;
    }
    bit_text& code(int x, int count) {
        for (int k = count - 1; k >= 0; --k) bits(x >> k, 1);
        return *this;
    }
    const std::string& text() const { return text_; }
};
// The last block, with codes of its own: `literals` and one distance; the first four lengths of the codes of lengths.
bit_text with_codes(int literals, std::array<int, 4> lengths) {
    bit_text t;
    t.bits(1, 1).bits(2, 2).bits(literals - 257, 5).bits(0, 5).bits(0, 4);
    for (int n : lengths) t.bits(n, 3);
    return t;
}
std::string text_in(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
}  // namespace

TEST_CASE("Arrays return from an .npz file by their names", "[npz_file]") {
    scratch_folder folder;
    const std::map<std::string, tensor> arrays{{"a/b", tensor({2, 2}, {1.f, 2.f, 3.f, 4.f})},
                                               {"none", tensor(element::i64, {0, 3})},
                                               {"text", tensor({2}, {std::string("x"), std::string("long")})}};
    REQUIRE(write_npz(folder.path / "t.npz", arrays));
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
TEST_CASE("A block whose codes contradict themselves is not inflated", "[npz_file]") {
    const auto damaged = [](const bit_text& t) { return inflated(t.text() + std::string(64, '\0'), 8) == "damaged"; };
    CHECK(damaged(with_codes(288, {1, 1, 0, 0})));             // more literals than there are
    CHECK(damaged(with_codes(257, {1, 1, 1, 1})));             // four codes of one bit
    CHECK(damaged(with_codes(257, {1, 1, 0, 0}).code(0, 1)));  // nothing stands before to repeat
    CHECK(damaged(with_codes(257, {1, 0, 1, 0}).code(1, 1).bits(127, 7).code(1, 1).bits(127, 7)));  // too many zeros
    CHECK(damaged(bit_text().bits(1, 1).bits(1, 2).code(0xc6, 8)));  // the length 286, of no meaning
    CHECK(damaged(bit_text().bits(1, 1).bits(1, 2).code(0x30, 8).code(1, 7).code(30, 5)));  // the distance 30 likewise
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
    std::string renamed = text_in(folder.path / "s.npz");
    for (std::size_t at = renamed.find(".npy"); at != renamed.npos; at = renamed.find(".npy", at + 1))
        renamed[at + 1] = 'm';
    CHECK(contains(read_npz(folder.write("t.npz", renamed)).why().text, "is no .npy file"));
    CHECK(!read_npz(folder.path / "nowhere.npz"));
    CHECK(!write_npz(folder.path / "no" / "t.npz", {}));
}
namespace {
// An archive whose directory names its first member `count` times, as 0.npy, 1.npy and so on.
std::string named_often(const std::string& archive, int count) {
    const std::size_t directory = archive.find("PK\x01\x02"), end = archive.find("PK\x05\x06");
    std::string entries, directory_end = archive.substr(end);
    for (int k = 0; k < count; ++k) {
        const std::string name = std::to_string(k) + ".npy";
        std::string entry = archive.substr(directory, 46);
        entry[28] = char(name.size());
        entries += entry + name;
    }
    const auto put = [&](std::size_t at, std::size_t x, int bytes) {
        for (int b = 0; b < bytes; ++b) directory_end[at + std::size_t(b)] = char(x >> 8 * b);
    };
    put(8, std::size_t(count), 2);
    put(10, std::size_t(count), 2);
    put(12, entries.size(), 4);
    return archive.substr(0, directory) + entries + directory_end;
}
}  // namespace
TEST_CASE("Arrays of an .npz file that share bytes are refused", "[npz_file]") {
    scratch_folder folder;
    REQUIRE(write_npz(folder.path / "s.npz", {{"x", tensor({1}, {1.f})}}));
    const std::string archive = text_in(folder.path / "s.npz");
    auto once = read_npz(folder.write("t.npz", named_often(archive, 1)));
    REQUIRE(bool(once));
    CHECK(once->contains("0"));
    CHECK(contains(read_npz(folder.write("t.npz", named_often(archive, 2))).why().text, "share bytes"));
    CHECK(contains(read_npz(folder.write("t.npz", named_often(archive, 2000))).why().text, "share bytes"));
}
namespace {
std::string little(std::uint64_t x, int bytes) {
    std::string text;
    for (int k = 0; k < bytes; ++k) text += char(k < 8 ? x >> 8 * k : 0);
    return text;
}
// The directory's entry of an archive of one member, with `text` from byte `at` on.
std::string with_entry(std::string archive, std::size_t at, const std::string& text) {
    return archive.replace(archive.find("PK\x01\x02") + at, text.size(), text);
}
// The same archive with the fields of 64 bits, which lie in a directory's extra field of the length `fields`.
std::string in_64_bits(const std::string& archive, int fields = 24) {
    const std::size_t directory = archive.find("PK\x01\x02"), end = archive.find("PK\x05\x06");
    std::string entry = archive.substr(directory, end - directory);
    const std::string size = entry.substr(24, 4) + little(0, 4), missing = little(0xffffffff, 4);
    entry.replace(20, 8, missing + missing).replace(42, 4, missing).replace(30, 2, little(5 + 4 + 24, 2));
    entry += little(0x5455, 2) + little(1, 2) + "?";  // a field of another kind
    entry += little(1, 2) + little(std::uint64_t(fields), 2) + size + size + little(0, 8);
    const std::string end64 = "PK\x06\x06" + little(44, 8) + little(0, 12) + little(1, 8) + little(1, 8) +
                              little(entry.size(), 8) + little(directory, 8);
    const std::string locator = "PK\x06\x07" + little(0, 4) + little(directory + entry.size(), 8) + little(1, 4);
    const std::string record = "PK\x05\x06" + little(0, 4) + little(0xffff, 2) + little(0xffff, 2) +
                               little(entry.size(), 4) + little(0xffffffff, 4) + little(0, 2);
    return archive.substr(0, directory) + entry + end64 + locator + record;
}
}  // namespace
TEST_CASE("An .npz file is read with fields of 64 bits, and with a comment", "[npz_file]") {
    scratch_folder folder;
    REQUIRE(write_npz(folder.path / "s.npz", {{"x", tensor({2}, {1.f, 2.f})}}));
    const std::string plain = text_in(folder.path / "s.npz"), wide = in_64_bits(plain);
    for (const std::string& archive : {wide, plain.substr(0, plain.size() - 2) + little(5, 2) + "words"}) {
        auto r = read_npz(folder.write("t.npz", archive));
        INFO((r ? "" : r.why().text));
        REQUIRE(bool(r));
        CHECK(elements<float>(r->at("x")) == std::vector{1.f, 2.f});
    }
    std::string lost = wide;
    lost[lost.find("PK\x06\x07")] = 'Q';
    for (const std::string& archive :
         {lost, in_64_bits(plain, 16), in_64_bits(plain, 25),
          "PK\x05\x06" + little(0, 4) + little(0xffff, 2) + little(0xffff, 2) + little(0, 10)})
        CHECK(contains(read_npz(folder.write("t.npz", archive)).why().text, "damaged"));
}
TEST_CASE("A member of an .npz file that is encrypted, compressed otherwise or there twice is refused", "[npz_file]") {
    scratch_folder folder;
    REQUIRE(write_npz(folder.path / "s.npz", {{"x", tensor({1}, {1.f})}}));
    REQUIRE(write_npz(folder.path / "two.npz", {{"x", tensor({1}, {1.f})}, {"y", tensor({1}, {2.f})}}));
    const std::string plain = text_in(folder.path / "s.npz");
    const auto refusal = [&](const std::string& archive) { return read_npz(folder.write("t.npz", archive)).why(); };
    CHECK(contains(refusal(with_entry(plain, 8, little(1, 2))).text, "`x.npy` is encrypted"));
    CHECK(refusal(with_entry(plain, 8, little(1, 2))).code == error_code::unsupported_model);
    CHECK(contains(refusal(with_entry(plain, 10, little(12, 2))).text, "`x.npy` is compressed by method 12"));
    std::string same = text_in(folder.path / "two.npz");
    same[same.rfind("y.npy")] = 'x';
    CHECK(contains(refusal(same).text, "two arrays `x.npy`"));
    const auto packed = bytes_of_hex(counted);  // of 528 bytes
    CHECK(contains(refusal(with_entry(packed, 24, little(200000, 4))).text, "damaged"));
    CHECK(contains(refusal(with_entry(packed, 24, little(527, 4))).text, "damaged"));
    CHECK(contains(refusal(with_entry(plain, 42, little(1, 4))).text, "damaged"));
}
TEST_CASE("The arrays of an .npz file together keep to the limits", "[npz_file]") {
    scratch_folder folder;
    const auto file = folder.path / "t.npz";
    REQUIRE(write_npz(file, {{"x", tensor({1}, {1.f})}, {"y", tensor({1}, {2.f})}}));
    limits small;
    small.total_bytes = 2 * 132;  // each is a header of 128 bytes and an element
    CHECK(bool(read_npz(file, small)));
    small.total_bytes -= 1;
    const auto refusal = read_npz(file, small);
    REQUIRE(!refusal);
    CHECK(refusal.why().code == error_code::limit_exceeded);
}
