// NumPy's .npy files: "\x93NUMPY", version, length of the header, a Python dictionary, the elements.
#include "npy_file.hpp"
#include "platform/output_file.hpp"
#include <inlay/tensor_file.hpp>
#include <algorithm>
#include <charconv>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
struct dtype {
    std::string_view name;
    element type;
};
constexpr dtype dtypes[] = {{"b1", element::boolean}, {"i1", element::i8},   {"i2", element::i16}, {"i4", element::i32},
                            {"i8", element::i64},     {"u1", element::u8},   {"u2", element::u16}, {"u4", element::u32},
                            {"u8", element::u64},     {"f2", element::f16},  {"f4", element::f32}, {"f8", element::f64},
                            {"c8", element::c64},     {"c16", element::c128}};

struct header {
    std::string descr{};
    bool fortran = false;
    shape dims{};
    std::span<const std::byte> data{};
};

// The text after 'key': in the dictionary.
std::string_view entry_of(std::string_view text, std::string_view key) {
    const std::size_t at = text.find("'" + std::string(key) + "'");
    const std::size_t colon = at == std::string_view::npos ? at : text.find(':', at);
    if (colon == std::string_view::npos)
        refuse(error_code::invalid_argument, "its header has no `" + std::string(key) + "`");
    text.remove_prefix(colon + 1);
    while (text.starts_with(' ')) text.remove_prefix(1);
    return text;
}

header read_header(std::span<const std::byte> bytes) {
    const auto byte = [&](std::size_t i) { return std::size_t(bytes[i]); };
    const auto bad = [] { refuse(error_code::invalid_argument, "no .npy file, or a truncated one"); };
    if (bytes.size() < 12 || std::string_view(reinterpret_cast<const char*>(bytes.data()), 6) != "\x93NUMPY" ||
        byte(6) < 1 || byte(6) > 3)
        bad();
    const std::size_t start = byte(6) == 1 ? 10 : 12,
                      length = byte(8) | byte(9) << 8 | (byte(6) == 1 ? 0 : byte(10) << 16 | byte(11) << 24);
    if (length > bytes.size() - start) bad();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + start, length);
    header h;
    h.data = bytes.subspan(start + length);
    std::string_view descr = entry_of(text, "descr");
    if (!descr.starts_with('\'') || descr.find('\'', 1) == std::string_view::npos)
        refuse(error_code::type_mismatch, "it has a structured dtype, which is not supported");
    h.descr = std::string(descr.substr(1, descr.find('\'', 1) - 1));
    h.fortran = entry_of(text, "fortran_order").starts_with("True");
    std::string_view dims = entry_of(text, "shape");
    if (!dims.starts_with('(') || dims.find(')') == std::string_view::npos) bad();
    dims = dims.substr(1, dims.find(')') - 1);
    while (!dims.empty()) {
        if (dims.front() == ' ' || dims.front() == ',') {
            dims.remove_prefix(1);
            continue;
        }
        int64_t d = 0;
        const auto [end, fault] = std::from_chars(dims.data(), dims.data() + dims.size(), d);
        if (fault != std::errc{} || d < 0) bad();
        if (h.dims.rank == max_rank)
            refuse(error_code::unsupported_model, "it has more than " + std::to_string(max_rank) + " dimensions");
        h.dims.push_back(d);
        dims.remove_prefix(std::size_t(end - dims.data()));
    }
    return h;
}

void append_utf8(std::string& s, std::uint32_t c) {
    if (c < 0x80)
        s += char(c);
    else if (c < 0x800)
        s += {char(0xc0 | c >> 6), char(0x80 | (c & 63))};
    else if (c < 0x10000)
        s += {char(0xe0 | c >> 12), char(0x80 | (c >> 6 & 63)), char(0x80 | (c & 63))};
    else
        s += {char(0xf0 | (c >> 18 & 7)), char(0x80 | (c >> 12 & 63)), char(0x80 | (c >> 6 & 63)),
              char(0x80 | (c & 63))};
}
std::vector<std::uint32_t> code_points(std::string_view s) {  // bytes that are no UTF-8 are kept as they are
    std::vector<std::uint32_t> points;
    for (std::size_t i = 0; i < s.size();) {
        const auto c = static_cast<unsigned char>(s[i]);
        const std::size_t more = c >= 0xf0 && c < 0xf8 ? 3 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xc0 && c < 0xe0 ? 1 : 0;
        std::uint32_t point = more ? c & (0x3fu >> more) : c;
        bool good = i + more < s.size();
        for (std::size_t k = 1; good && k <= more; ++k) {
            good = (s[i + k] & 0xc0) == 0x80;
            point = point << 6 | (s[i + k] & 0x3f);
        }
        points.push_back(good ? point : c);
        i += good ? 1 + more : 1;
    }
    return points;
}

// The elements of a file: `width` bytes each, text or numbers.
struct element_format {
    std::string_view kind;  // without the byte order
    bool swapped = false, text = false;
    element type = element::string;
    int64_t width = 0;
};
element_format format_of(const header& h) {
    element_format f{h.descr, h.descr.starts_with('>')};
    if (!f.kind.empty() && std::string_view("<>|=").find(f.kind[0]) != std::string_view::npos) f.kind.remove_prefix(1);
    f.text = f.kind.starts_with('U') || f.kind.starts_with('S');
    if (f.text) {
        const auto [end, fault] = std::from_chars(f.kind.data() + 1, f.kind.data() + f.kind.size(), f.width);
        if (fault != std::errc{} || end != f.kind.data() + f.kind.size() || f.width < 0 || f.width > 1 << 28)
            refuse(error_code::invalid_argument, "its dtype `" + one_line(h.descr) + "` is damaged");
        if (f.kind[0] == 'U') f.width *= 4;
        return f;
    }
    const auto entry =
        std::find_if(std::begin(dtypes), std::end(dtypes), [&](const dtype& d) { return d.name == f.kind; });
    if (entry == std::end(dtypes))
        refuse(error_code::type_mismatch, "its dtype `" + one_line(h.descr) + "` is not supported");
    f.type = entry->type;
    f.width = bits_of(f.type) / 8;
    return f;
}

// How many elements there are, if they fit the limits and the file.
int64_t count_of(const header& h, const element_format& f, const limits& l) {
    int64_t count = 1;
    for (int64_t d : h.dims) {
        count = checked_product(count, d);
        if (count > l.elements_per_tensor || count == too_large)
            refuse(error_code::limit_exceeded,
                   "it has more than " + std::to_string(l.elements_per_tensor) + " elements",
                   "raise limits::elements_per_tensor");
    }
    if (checked_product(count, f.width) != int64_t(h.data.size()))
        refuse(error_code::invalid_argument, "it has " + std::to_string(h.data.size()) +
                                                 " bytes of data, its shape and dtype need " + std::to_string(count) +
                                                 " * " + std::to_string(f.width));
    if (f.text && bytes_of(element::string, count) > l.copied_bytes)
        refuse(error_code::limit_exceeded, "its strings need more than " + std::to_string(l.copied_bytes) + " bytes",
               "raise limits::copied_bytes");
    return count;
}

// Where element i of a file in Fortran's order is.
int64_t fortran_index(const shape& dims, const shape& steps, int64_t i) {
    int64_t from = 0, step = 1;
    for (int a = 0; a < dims.rank; ++a) {
        from += i / steps[a] % dims[a] * step;
        step *= dims[a];
    }
    return from;
}
void copy_number(const element_format& f, const std::byte* p, std::byte* to) {
    std::copy_n(p, f.width, to);
    const int64_t number = f.kind[0] == 'c' ? f.width / 2 : f.width;  // of a complex number both parts
    if (f.swapped)
        for (int64_t k = 0; k < f.width; k += number) std::reverse(to + k, to + k + number);
}
void copy_text(const element_format& f, const std::byte* p, std::string& s) {
    if (f.kind[0] == 'S')
        s.assign(reinterpret_cast<const char*>(p), std::size_t(f.width));
    else
        for (int64_t k = 0; k < f.width; k += 4) {
            std::byte unit[4];
            std::copy_n(p + k, 4, unit);
            if (f.swapped) std::reverse(unit, unit + 4);
            append_utf8(s, std::bit_cast<std::uint32_t>(unit));
        }
    s.erase(s.find_last_not_of('\0') + 1);
}

}  // namespace

tensor read_npy(const file_bytes& f, const limits& l) {
    const header h = read_header(f.data);
    const element_format format = format_of(h);
    const int64_t count = count_of(h, format, l);
    tensor t(format.type, h.dims);
    const shape steps = strides_of(h.dims, layout::plain);
    if (!h.fortran && !format.text && !format.swapped && count > 0)
        std::memcpy(t.data(), h.data.data(), h.data.size());
    else
        for (int64_t i = 0; i < count; ++i) {
            const std::byte* from = h.data.data() + (h.fortran ? fortran_index(h.dims, steps, i) : i) * format.width;
            if (format.text)
                copy_text(format, from, t.as<std::string>()[std::size_t(i)]);
            else
                copy_number(format, from, static_cast<std::byte*>(t.data()) + i * format.width);
        }
    if (t.type() == element::boolean)
        for (auto* p = static_cast<std::uint8_t*>(t.data()); p != static_cast<std::uint8_t*>(t.data()) + count; ++p)
            *p = *p != 0;
    return t;
}

npy_contents npy_of(const tensor& t) {
    std::string descr, strings;
    const auto entry =
        std::find_if(std::begin(dtypes), std::end(dtypes), [&](const dtype& d) { return d.type == t.type(); });
    if (t.type() == element::string) {
        std::vector<std::vector<std::uint32_t>> rows;
        std::size_t longest = 1;
        for (const std::string& s : t.as<std::string>())
            longest = std::max(longest, rows.emplace_back(code_points(s)).size());
        for (auto& s : rows) {
            s.resize(longest);
            strings.append(reinterpret_cast<const char*>(s.data()), longest * 4);
        }
        descr = "<U" + std::to_string(longest);
    } else if (entry == std::end(dtypes))
        refuse(error_code::type_mismatch, "NumPy has no elements of type " + std::string(name_of(t.type())));
    else
        descr = (bits_of(t.type()) == 8 ? "|" : "<") + std::string(entry->name);
    std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
    for (int64_t d : t.shape()) text += std::to_string(d) + ", ";
    text += "), }";
    text.append(63 - (10 + text.size()) % 64, ' ') += '\n';  // the data starts at a multiple of 64
    const char start[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, char(text.size() & 255), char(text.size() >> 8)};
    npy_contents file{std::string(start, sizeof start) + text + strings, {}};
    if (t.type() != element::string) file.data = {static_cast<const std::byte*>(t.data()), std::size_t(t.bytes())};
    return file;
}
}  // namespace loading

result<tensor> read_npy(const std::filesystem::path& file, const limits& l) {
    return loading::guarded<tensor>(loading::error_place{"inlay::read_npy", &file},
                                    [&] { return loading::read_npy(loading::map_file(file, l.file_bytes), l); });
}

result<void> write_npy(const std::filesystem::path& file, const tensor& t) {
    const auto outcome = loading::guarded<bool>(loading::error_place{"inlay::write_npy", &file}, [&] {
        const tensor on_host = t.on_host() ? t : t.copied_to(space_of<memory::host>);
        const loading::npy_contents contents = loading::npy_of(on_host);
        output_file out(file);
        out.write(contents.head);
        out.write(contents.data);
        out.finish();
        return true;
    });
    return outcome ? result<void>() : result<void>(outcome.why());
}
}  // namespace v1
}  // namespace inlay
