// ImageDecoder (since 20): the pixels of an image file, [height, width, channels]; of a file that is damaged, or of no
// format that ONNX names, none. BMP and PNM are decoded here, JPEG, PNG, TIFF, WebP and JPEG 2000 by the libraries that
// libinlay_images_module.so has. Grey is (19595 R + 38470 G + 7471 B) / 65536; transparency is dropped.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/bitmap.hpp>
#include <inlay/support/image_codecs.hpp>
#include <new>

namespace inlay {
inline namespace v1 {
namespace op {
struct image_decoder : standard {
    static constexpr std::string_view onnx_name = "ImageDecoder";
    static constexpr version_range versions{20, 20};
    static constexpr auto elements = each_type<std::uint8_t>;
    static constexpr bool data_dependent = true;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const std::string_view format = n.text("pixel_format", "RGB");
        if (format != "RGB" && format != "BGR" && format != "Grayscale")
            return no("pixel_format is none of RGB, BGR, Grayscale");
        if (!n.has_input(0)) return no("the file is missing");
        if (n.input(0).dims.rank >= 0 && n.input(0).dims.rank != 1) return no("the file is not a list of bytes");
        y[0] = {-1, -1, format == "Grayscale" ? 1 : 3};
        return yes();
    }
};
}  // namespace op

namespace image_decoding {
enum class format : std::uint8_t { unknown, bmp, pnm, jpeg, png, tiff, webp, jpeg2000 };
inline bool begins(image_file f, std::string_view text, std::size_t at = 0) noexcept {
    if (f.size() < at + text.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (char(f[at + i]) != text[i]) return false;
    return true;
}
inline format format_of(image_file f) noexcept {
    using namespace std::string_view_literals;
    if (begins(f, "BM")) return format::bmp;
    if (begins(f, "\xff\xd8\xff")) return format::jpeg;
    if (begins(f, "\x89PNG\r\n\x1a\n")) return format::png;
    if (begins(f, "RIFF") && begins(f, "WEBP", 8)) return format::webp;
    for (std::string_view t : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv})
        if (begins(f, t)) return format::tiff;
    if (begins(f, "\0\0\0\x0cjP  \r\n\x87\n"sv) || begins(f, "\xff\x4f\xff\x51")) return format::jpeg2000;
    if (f.size() > 2 && f[0] == 'P' && f[1] >= '1' && f[1] <= '6') return format::pnm;
    return format::unknown;
}
// The codec of a library, or why there is none.
inline const image_codec* codec_of(format f, std::string_view& reason) noexcept {
    constexpr std::string_view lacking[] = {
        "",
        "",
        "",
        "JPEG files need libinlay_images_module.so, which builds with INLAY_IMAGES have, and there is none",
        "PNG files need libinlay_images_module.so, which builds with INLAY_IMAGES have, and there is none",
        "TIFF files need libinlay_images_module.so, which builds with INLAY_IMAGES have, and there is none",
        "WebP files need libinlay_images_module.so, which builds with INLAY_IMAGES have, and there is none",
        "JPEG 2000 files need libinlay_images_module.so, which builds with INLAY_IMAGES have, and there is none"};
    const image_codecs* codecs = image_codecs_by_libraries();
    if (!codecs) {
        reason = lacking[int(f)];
        return nullptr;
    }
    return f == format::jpeg   ? &codecs->jpeg
           : f == format::png  ? &codecs->png
           : f == format::tiff ? &codecs->tiff
           : f == format::webp ? &codecs->webp
                               : &codecs->jpeg2000;
}
struct room {  // bytes of one run, counted, and released
    context& c;
    std::int64_t bytes = 0;
    std::uint8_t* data = nullptr;
    explicit room(context& run) : c(run) {}
    room(const room&) = delete;
    room& operator=(const room&) = delete;
    ~room() {
        delete[] data;
        if (c.bytes_left) *c.bytes_left += bytes;
    }
    bool take(std::int64_t pixels, std::int64_t extra) noexcept {  // 3 bytes for each, and the scratch of libraries
        if (!c.take(pixels * (3 + extra))) return false;
        bytes = pixels * (3 + extra);
        data = new (std::nothrow) std::uint8_t[std::size_t(3 * pixels)];
        return data != nullptr;
    }
};
inline constexpr std::int64_t most_pixels = std::int64_t(1) << 40;
}  // namespace image_decoding

template <> struct kernel<op::image_decoder, device::reference, types<std::uint8_t>> : simple_kernel {
    enum class order : std::uint8_t { rgb, bgr, grey };
    struct params {
        std::int64_t bytes;
        order as;
    };
    static constexpr params prepare(const node_view& n) {
        const std::string_view format = n.text("pixel_format", "RGB");
        return {n.input(0).dims.elements(), format == "BGR" ? order::bgr : format == "RGB" ? order::rgb : order::grey};
    }
    static status give_none(const params& p, context& c) noexcept {
        c.output<std::uint8_t>(0, {0, 0, p.as == order::grey ? 1 : 3});
        return status::ok;
    }
    // `others`: bytes per pixel that decode() allocates besides its result.
    template <class F>
    static status give(const params& p, const image_size& s, std::int64_t extra, context& c, F decode) noexcept {
        using namespace image_decoding;
        if (s.height < 1 || s.width < 1) return give_none(p, c);
        if (s.height > most_pixels / s.width)
            return c.fail("the image is larger than a run may make", status::out_of_memory);
        const std::int64_t pixels = s.height * s.width;
        room r(c);
        if (!r.take(pixels, extra)) return c.fail("the image is larger than the run may take", status::out_of_memory);
        if (!decode(r.data)) return give_none(p, c);
        auto* y = c.output<std::uint8_t>(0, {s.height, s.width, p.as == order::grey ? 1 : 3});
        if (!y) return c.fail("no memory for the image", status::out_of_memory);
        const std::uint8_t* x = r.data;
        for (std::int64_t i = 0; i < pixels; ++i, x += 3)
            if (p.as == order::grey)
                y[i] = std::uint8_t((x[0] * 19595u + x[1] * 38470u + x[2] * 7471u + 0x8000u) >> 16);
            else
                for (int k = 0; k < 3; ++k) y[3 * i + k] = x[p.as == order::bgr ? 2 - k : k];
        return status::ok;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        using namespace image_decoding;
        const image_file file(a.in<std::uint8_t>(0), std::size_t(p.bytes));
        image_size s;
        const format f = format_of(file);
        if (f == format::unknown) return give_none(p, c);
        if (f == format::bmp) {
            bmp_file bmp(file);
            return bmp.measure(s) ? give(p, s, 0, c, [&](std::uint8_t* rgb) { return bmp.decode(rgb); })
                                  : give_none(p, c);
        }
        if (f == format::pnm) {
            pnm_file pnm(file);
            return pnm.measure(s) ? give(p, s, 0, c, [&](std::uint8_t* rgb) { return pnm.decode(rgb); })
                                  : give_none(p, c);
        }
        std::string_view reason;
        const image_codec* codec = codec_of(f, reason);
        if (!codec) return c.fail(reason, status::unsupported);
        return codec->measure(file, s)
                   ? give(p, s, codec->room, c, [&](std::uint8_t* rgb) { return codec->decode(file, s, rgb); })
                   : give_none(p, c);
    }
};
}  // namespace v1
}  // namespace inlay
