// NumPy's .npz files: zip archives of .npy files. Local headers, each with its data; the directory; its end.
#include "inflate.hpp"
#include "npy_file.hpp"
#include "platform/output_file.hpp"
#include <inlay/tensor_file.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
constexpr std::uint32_t local_mark = 0x04034b50, directory_mark = 0x02014b50, end_mark = 0x06054b50,
                        end64_mark = 0x06064b50, locator_mark = 0x07064b50;
constexpr std::uint64_t in_extra = 0xffffffff;  // a 32-bit field whose value the 64-bit extra field has

[[noreturn]] void damaged() { refuse(error_code::invalid_argument, "no .npz file, or a damaged one"); }
std::uint32_t crc_of(std::span<const std::byte> data, std::uint32_t before = 0) {  // before: of what precedes it
    static const auto table = [] {
        std::array<std::uint32_t, 256> t{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            t[i] = i;
            for (int k = 0; k < 8; ++k) t[i] = t[i] & 1 ? t[i] >> 1 ^ 0xedb88320 : t[i] >> 1;
        }
        return t;
    }();
    std::uint32_t crc = ~before;
    for (std::byte b : data) crc = crc >> 8 ^ table[(crc ^ std::uint32_t(b)) & 255];
    return ~crc;
}

struct member {
    std::string name;
    int method = 0, flags = 0;
    std::uint32_t crc = 0;
    std::uint64_t packed = 0, size = 0, header = 0;
};
class archive {
    std::span<const std::byte> bytes_;

    std::uint64_t number(std::uint64_t at, int bytes) const {
        if (at > bytes_.size() || bytes_.size() - at < std::uint64_t(bytes)) damaged();
        std::uint64_t x = 0;
        for (int k = 0; k < bytes; ++k) x |= std::uint64_t(bytes_[std::size_t(at) + std::size_t(k)]) << 8 * k;
        return x;
    }
    std::span<const std::byte> part(std::uint64_t at, std::uint64_t size) const {
        if (at > bytes_.size() || bytes_.size() - at < size) damaged();
        return bytes_.subspan(std::size_t(at), std::size_t(size));
    }
    void expect(std::uint64_t at, std::uint32_t mark) const {
        if (number(at, 4) != mark) damaged();
    }
    std::uint64_t end() const {  // the last record, before a comment of up to 65535 bytes
        constexpr std::uint64_t size = 22, farthest = size + 65535;
        if (bytes_.size() < size) damaged();
        for (std::uint64_t at = bytes_.size() - size;; --at) {
            if (number(at, 4) == end_mark && number(at + 20, 2) == bytes_.size() - at - size) return at;
            if (at == 0 || bytes_.size() - at == farthest) damaged();
        }
    }
    // Fields of 64 bits come in this order; only those that the 32-bit fields lack.
    void read_extra(std::uint64_t at, std::uint64_t size, member& m) const {
        const std::uint64_t extra_end = at + size;
        while (at + 4 <= extra_end) {
            const std::uint64_t id = number(at, 2), length = number(at + 2, 2);
            at += 4;
            if (length > extra_end - at) damaged();
            std::uint64_t field = at;
            for (std::uint64_t* x : {&m.size, &m.packed, &m.header})
                if (id == 1 && *x == in_extra) {
                    if (field + 8 > at + length) damaged();
                    *x = number(field, 8);
                    field += 8;
                }
            at += length;
        }
    }
    std::uint64_t data_of(const member& m) const {
        expect(m.header, local_mark);
        return m.header + 30 + number(m.header + 26, 2) + number(m.header + 28, 2);
    }
    // Bytes shared by several members would be unpacked several times: a small file could require any amount of memory.
    void refuse_overlaps(const std::vector<member>& list, std::uint64_t directory) const {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;
        for (const member& m : list) {
            const std::uint64_t data = data_of(m);
            part(data, m.packed);
            extents.emplace_back(m.header, data + m.packed);
        }
        extents.emplace_back(directory, directory);
        std::ranges::sort(extents);
        for (std::size_t k = 1; k < extents.size(); ++k)
            if (extents[k].first < extents[k - 1].second)
                refuse(error_code::invalid_argument, "members of it share bytes");
    }

  public:
    explicit archive(std::span<const std::byte> bytes) : bytes_(bytes) {}
    std::vector<member> members() const {
        const std::uint64_t record = end();
        std::uint64_t count = number(record + 10, 2), at = number(record + 16, 4);
        if (count == 0xffff || at == in_extra) {
            if (record < 20) damaged();
            expect(record - 20, locator_mark);
            const std::uint64_t end64 = number(record - 12, 8);
            expect(end64, end64_mark);
            count = number(end64 + 32, 8);
            at = number(end64 + 48, 8);
        }
        const std::uint64_t directory = at;
        std::vector<member> list;
        for (; count > 0; --count) {
            expect(at, directory_mark);
            const std::uint64_t name = number(at + 28, 2), extra = number(at + 30, 2), comment = number(at + 32, 2);
            member& m = list.emplace_back();
            const auto text = part(at + 46, name);
            m.name.assign(reinterpret_cast<const char*>(text.data()), text.size());
            m.flags = int(number(at + 8, 2));
            m.method = int(number(at + 10, 2));
            m.crc = std::uint32_t(number(at + 16, 4));
            m.packed = number(at + 20, 4);
            m.size = number(at + 24, 4);
            m.header = number(at + 42, 4);
            read_extra(at + 46 + name, extra, m);
            at += 46 + name + extra + comment;
        }
        refuse_overlaps(list, directory);
        return list;
    }
    file_bytes contents(const member& m, const limits& l) const {
        const auto packed = part(data_of(m), m.packed);
        file_bytes f{packed};
        if (m.flags & 1) refuse(error_code::unsupported_model, "`" + one_line(m.name) + "` is encrypted");
        if (m.method == 8) {
            constexpr std::uint64_t most = 1032;  // that DEFLATE expands a byte to
            if (m.size > std::uint64_t(l.file_bytes) || m.size / most > packed.size()) damaged();
            const auto room = std::make_shared<std::vector<std::byte>>(std::size_t(m.size));
            if (!inflate(packed, *room)) damaged();
            f = {*room, room};
        } else if (m.method != 0)
            refuse(error_code::unsupported_model,
                   "`" + one_line(m.name) + "` is compressed by method " + std::to_string(m.method));
        if (f.data.size() != m.size || crc_of(f.data) != m.crc) damaged();
        return f;
    }
};

std::map<std::string, tensor> read_npz(const file_bytes& f, const limits& l) {
    const archive zip(f.data);
    std::map<std::string, tensor> arrays;
    std::uint64_t left = std::uint64_t(l.total_bytes);
    for (const member& m : zip.members()) {
        if (m.size > left)
            refuse(error_code::limit_exceeded, "its arrays have more than " + std::to_string(l.total_bytes) + " bytes",
                   "raise limits::total_bytes");
        left -= m.size;
        constexpr std::string_view suffix = ".npy";
        if (!std::string_view(m.name).ends_with(suffix))
            refuse(error_code::invalid_argument, "`" + one_line(m.name) + "` in it is no .npy file");
        if (!arrays.emplace(m.name.substr(0, m.name.size() - suffix.size()), read_npy(zip.contents(m, l), l)).second)
            refuse(error_code::invalid_argument, "it has two arrays `" + one_line(m.name) + "`");
    }
    return arrays;
}

void put(std::string& to, std::uint64_t x, int bytes) {
    for (int k = 0; k < bytes; ++k) to += char(x >> 8 * k & 255);
}
// Not compressed, as numpy.savez writes them.
void write_npz(output_file& out, const std::map<std::string, tensor>& arrays) {
    std::string directory;
    std::uint64_t at = 0;
    for (const auto& [name, t] : arrays) {
        const tensor on_host = t.on_host() ? t : t.copied_to(space_of<memory::host>);
        const npy_contents array = npy_of(on_host);
        const std::uint64_t size = array.head.size() + array.data.size();
        const std::string file = name + ".npy";
        if (size + file.size() + 30 >= in_extra - at || file.size() > 65535 || arrays.size() >= 65535)
            refuse(error_code::limit_exceeded, "it would have 4 GiB or more", "write .npy files");
        std::string fields;  // those that both headers have
        put(fields, 20, 2);
        put(fields, 0x800, 2);  // names are UTF-8
        put(fields, 0, 2);
        put(fields, 0x00210000, 4);  // the first of January 1980
        put(fields, crc_of(array.data, crc_of(std::as_bytes(std::span(array.head)))), 4);
        put(fields, size, 4);
        put(fields, size, 4);
        put(fields, file.size(), 2);
        put(fields, 0, 2);
        std::string local;
        put(local, local_mark, 4);
        local += fields + file;
        put(directory, directory_mark, 4);
        put(directory, 20, 2);
        directory += fields;
        put(directory, 0, 6);
        put(directory, 0, 4);  // no comment, the first disk, no attributes
        put(directory, at, 4);
        directory += file;
        out.write(local);
        out.write(array.head);
        out.write(array.data);
        at += local.size() + size;
    }
    std::string end;
    put(end, end_mark, 4);
    put(end, 0, 4);
    for (int k = 0; k < 2; ++k) put(end, arrays.size(), 2);
    put(end, directory.size(), 4);
    put(end, at, 4);
    put(end, 0, 2);
    out.write(directory);
    out.write(end);
}
}  // namespace
}  // namespace loading

result<std::map<std::string, tensor>> read_npz(const std::filesystem::path& file, const limits& l) {
    return loading::guarded<std::map<std::string, tensor>>(loading::error_place{"inlay::read_npz", &file}, [&] {
        return loading::read_npz(loading::map_file(file, l.file_bytes), l);
    });
}
result<void> write_npz(const std::filesystem::path& file, const std::map<std::string, tensor>& arrays) {
    const auto outcome = loading::guarded<bool>(loading::error_place{"inlay::write_npz", &file}, [&] {
        output_file out(file);
        loading::write_npz(out, arrays);
        out.finish();
        return true;
    });
    return outcome ? result<void>() : result<void>(outcome.why());
}
}  // namespace v1
}  // namespace inlay
