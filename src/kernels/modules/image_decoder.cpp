// libinlay_images_module.so: the formats of ImageDecoder that third-party libraries read.
#include <inlay/support/image_codecs.hpp>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <kernels/module.hpp>
#include <memory>
// after <cstdio>
#include <jerror.h>
#include <jpeglib.h>
#include <openjpeg.h>
#include <png.h>
#include <tiffio.h>
#include <webp/decode.h>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::int64_t longest = 1 << 20;  // of a height or width: products within the libraries still fit
bool sensible(const image_size& s) { return s.height > 0 && s.width > 0 && s.height <= longest && s.width <= longest; }

// JPEG: errors come by longjmp, so that no frame here has anything to destroy.
struct jpeg_reader {
    jpeg_decompress_struct info;
    jpeg_error_mgr errors;
    jpeg_progress_mgr progress;
    std::jmp_buf back;
    static jpeg_reader& of(j_common_ptr c) { return *static_cast<jpeg_reader*>(c->client_data); }
    bool begin(image_file f) {  // false where there is no image; to be ended either way
        info.err = jpeg_std_error(&errors);
        info.client_data = this;
        errors.error_exit = [](j_common_ptr c) { std::longjmp(of(c).back, 1); };
        errors.output_message = [](j_common_ptr) {};
        errors.emit_message = [](j_common_ptr c, int level) {  // a file that ends too early is damaged
            const int code = c->err->msg_code;
            if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) std::longjmp(of(c).back, 1);
        };
        jpeg_create_decompress(&info);
        // Many scans of large images are a few bytes each, and take long.
        progress.progress_monitor = [](j_common_ptr c) {
            if (of(c).info.input_scan_number > 200) std::longjmp(of(c).back, 1);
        };
        info.progress = &progress;
        jpeg_mem_src(&info, f.data(), static_cast<unsigned long>(f.size()));
        return jpeg_read_header(&info, TRUE) == JPEG_HEADER_OK;
    }
    // Rows of cyan, magenta, yellow and black, as Adobe's programs write them: inverted.
    static void from_cmyk(const std::uint8_t* row, std::int64_t width, std::uint8_t* rgb) {
        for (std::int64_t i = 0; i < width; ++i)
            for (int k = 0; k < 3; ++k) rgb[3 * i + k] = std::uint8_t(row[4 * i + k] * row[4 * i + 3] / 255);
    }
    bool read(const image_size& s, std::uint8_t* rgb) {
        const bool four = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
        info.out_color_space = four ? JCS_CMYK : JCS_RGB;
        jpeg_start_decompress(&info);
        if (info.output_width != std::uint64_t(s.width) || info.output_height != std::uint64_t(s.height)) return false;
        JSAMPARRAY row = info.mem->alloc_sarray(reinterpret_cast<j_common_ptr>(&info), JPOOL_IMAGE,
                                                info.output_width * JDIMENSION(info.output_components), 1);
        while (info.output_scanline < info.output_height) {
            std::uint8_t* to = rgb + std::int64_t(info.output_scanline) * s.width * 3;
            if (jpeg_read_scanlines(&info, row, 1) != 1) return false;
            if (four)
                from_cmyk(row[0], s.width, to);
            else
                std::memcpy(to, row[0], std::size_t(3 * s.width));
        }
        return jpeg_finish_decompress(&info);
    }
};
bool with_jpeg(image_file f, image_size* measured, const image_size& s, std::uint8_t* rgb) {
    jpeg_reader r;
    std::memset(&r, 0, sizeof r);
    if (setjmp(r.back)) {
        jpeg_destroy_decompress(&r.info);
        return false;
    }
    bool success = r.begin(f);
    if (success && measured)
        *measured = {std::int64_t(r.info.image_height), std::int64_t(r.info.image_width)};
    else if (success)
        success = r.read(s, rgb);
    jpeg_destroy_decompress(&r.info);
    return success;
}

// PNG, likewise.
struct png_reader {
    png_structp png;
    png_infop info;
    const std::uint8_t* next;
    std::size_t left;
    static void read(png_structp p, png_bytep to, std::size_t count) {
        auto& r = *static_cast<png_reader*>(png_get_io_ptr(p));
        if (count > r.left) png_error(p, "the file ends too early");
        std::memcpy(to, r.next, count);
        r.next += count;
        r.left -= count;
    }
    bool decode(const image_size& s, std::uint8_t* rgb) {
        png_set_expand(png);
        png_set_strip_16(png);
        png_set_strip_alpha(png);
        png_set_gray_to_rgb(png);
        const int passes = png_set_interlace_handling(png);
        png_read_update_info(png, info);
        if (png_get_rowbytes(png, info) != std::size_t(3 * s.width) || png_get_image_height(png, info) != s.height)
            return false;
        for (int pass = 0; pass < passes; ++pass)
            for (std::int64_t row = 0; row < s.height; ++row) png_read_row(png, rgb + row * s.width * 3, nullptr);
        png_read_end(png, nullptr);
        return true;
    }
};
bool with_png(image_file f, image_size* measured, const image_size& s, std::uint8_t* rgb) {
    png_reader r{nullptr, nullptr, f.data(), f.size()};
    r.png = png_create_read_struct(
        PNG_LIBPNG_VER_STRING, nullptr, [](png_structp p, png_const_charp) { png_longjmp(p, 1); },
        [](png_structp, png_const_charp) {});
    if (r.png) r.info = png_create_info_struct(r.png);
    if (!r.info || setjmp(png_jmpbuf(r.png))) {
        png_destroy_read_struct(&r.png, &r.info, nullptr);
        return false;
    }
    png_set_user_limits(r.png, png_uint_32(longest), png_uint_32(longest));
    png_set_chunk_malloc_max(r.png, 8 << 20);
    png_set_read_fn(r.png, &r, &png_reader::read);
    png_read_info(r.png, r.info);
    bool success = true;
    if (measured)
        *measured = {png_get_image_height(r.png, r.info), png_get_image_width(r.png, r.info)};
    else
        success = r.decode(s, rgb);
    png_destroy_read_struct(&r.png, &r.info, nullptr);
    return success;
}

// A file in memory, for libraries that read and seek.
struct memory_file {
    image_file file;
    std::int64_t at = 0;
    std::int64_t read(void* to, std::int64_t count) {
        const std::int64_t left = std::max<std::int64_t>(std::int64_t(file.size()) - at, 0);
        count = std::min(std::max<std::int64_t>(count, 0), left);
        if (count > 0) std::memcpy(to, file.data() + at, std::size_t(count));
        at += count;
        return count;
    }
};

struct tiff_closer {
    void operator()(TIFF* t) const { TIFFClose(t); }
};
using tiff_handle = std::unique_ptr<TIFF, tiff_closer>;
tiff_handle open_tiff(memory_file& m, const image_size& s) {
    TIFFOpenOptions* o = TIFFOpenOptionsAlloc();
    if (!o) return nullptr;
    TIFFOpenOptionsSetMaxSingleMemAlloc(o, (16 << 20) + tmsize_t(8 * s.height * s.width));  // strips and tiles
    TIFFOpenOptionsSetErrorHandlerExtR(
        o, [](TIFF*, void*, const char*, const char*, va_list) { return 1; }, nullptr);
    TIFFOpenOptionsSetWarningHandlerExtR(
        o, [](TIFF*, void*, const char*, const char*, va_list) { return 1; }, nullptr);
    TIFF* t = TIFFClientOpenExt(
        "", "rm", &m,
        [](thandle_t h, void* to, tmsize_t n) { return tmsize_t(static_cast<memory_file*>(h)->read(to, n)); },
        [](thandle_t, void*, tmsize_t) { return tmsize_t(0); },
        [](thandle_t h, toff_t by, int from) {
            auto& f = *static_cast<memory_file*>(h);
            const std::int64_t size = std::int64_t(f.file.size()), base = from == SEEK_SET   ? 0
                                                                          : from == SEEK_CUR ? f.at
                                                                                             : size;
            f.at = std::min(std::max<std::int64_t>(base + std::int64_t(std::min<toff_t>(by, toff_t(size))), 0), size);
            return toff_t(f.at);
        },
        [](thandle_t) { return 0; }, [](thandle_t h) { return toff_t(static_cast<memory_file*>(h)->file.size()); },
        nullptr, nullptr, o);
    TIFFOpenOptionsFree(o);
    return tiff_handle(t);
}
bool measure_tiff(image_file f, image_size& s) noexcept {
    memory_file m{f};
    const tiff_handle t = open_tiff(m, {});
    std::uint32_t width = 0, height = 0;
    if (!t || !TIFFGetField(t.get(), TIFFTAG_IMAGEWIDTH, &width) ||
        !TIFFGetField(t.get(), TIFFTAG_IMAGELENGTH, &height))
        return false;
    s = {height, width};
    return sensible(s);
}
bool decode_tiff(image_file f, const image_size& s, std::uint8_t* rgb) noexcept {
    memory_file m{f};
    const tiff_handle t = open_tiff(m, s);
    const std::unique_ptr<std::uint32_t, decltype(&std::free)> pixels(
        static_cast<std::uint32_t*>(std::malloc(std::size_t(4 * s.height * s.width))), &std::free);
    if (!t || !pixels ||
        !TIFFReadRGBAImageOriented(t.get(), std::uint32_t(s.width), std::uint32_t(s.height), pixels.get(),
                                   ORIENTATION_TOPLEFT, 1))
        return false;
    for (std::int64_t i = 0; i < s.height * s.width; ++i) {
        const std::uint32_t p = pixels.get()[i];
        rgb[3 * i] = std::uint8_t(TIFFGetR(p));
        rgb[3 * i + 1] = std::uint8_t(TIFFGetG(p));
        rgb[3 * i + 2] = std::uint8_t(TIFFGetB(p));
    }
    return true;
}

// JPEG 2000, in its own file format or as a bare codestream.
struct jpeg2000_reader {
    memory_file m;
    opj_stream_t* stream = nullptr;
    opj_codec_t* codec = nullptr;
    opj_image_t* image = nullptr;
    explicit jpeg2000_reader(image_file f) : m{f} {}
    jpeg2000_reader(const jpeg2000_reader&) = delete;
    jpeg2000_reader& operator=(const jpeg2000_reader&) = delete;
    ~jpeg2000_reader() {
        if (image) opj_image_destroy(image);
        if (codec) opj_destroy_codec(codec);
        if (stream) opj_stream_destroy(stream);
    }
    bool begin(image_size& s) {
        stream = opj_stream_default_create(OPJ_TRUE);
        codec = opj_create_decompress(m.file[0] == 0xff ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
        if (!stream || !codec) return false;
        opj_stream_set_user_data(stream, &m, nullptr);
        opj_stream_set_user_data_length(stream, m.file.size());
        opj_stream_set_read_function(stream, [](void* to, OPJ_SIZE_T n, void* data) {
            const std::int64_t count = static_cast<memory_file*>(data)->read(to, std::int64_t(n));
            return count > 0 ? OPJ_SIZE_T(count) : OPJ_SIZE_T(-1);
        });
        opj_stream_set_skip_function(stream, [](OPJ_OFF_T n, void* data) {
            auto& f = *static_cast<memory_file*>(data);
            const std::int64_t before = f.at;
            f.at = std::min(std::max<std::int64_t>(f.at + n, 0), std::int64_t(f.file.size()));
            return n != 0 && f.at == before ? OPJ_OFF_T(-1) : OPJ_OFF_T(f.at - before);
        });
        opj_stream_set_seek_function(stream, [](OPJ_OFF_T n, void* data) {
            auto& f = *static_cast<memory_file*>(data);
            if (n < 0 || n > OPJ_OFF_T(f.file.size())) return OPJ_BOOL(OPJ_FALSE);
            f.at = n;
            return OPJ_BOOL(OPJ_TRUE);
        });
        opj_dparameters_t parameters;
        opj_set_default_decoder_parameters(&parameters);
        if (!opj_setup_decoder(codec, &parameters) || !opj_decoder_set_strict_mode(codec, OPJ_TRUE) ||
            !opj_read_header(stream, codec, &image) || !image || image->x1 <= image->x0 || image->y1 <= image->y0)
            return false;
        s = {std::int64_t(image->y1 - image->y0), std::int64_t(image->x1 - image->x0)};
        return sensible(s) && image->numcomps >= 1 && image->numcomps <= 4;
    }
    // Samples of a component are 8 bits of it; a component may have fewer of them than the image has pixels.
    static std::uint8_t sample(const opj_image_comp_t& c, std::int64_t row, std::int64_t column) {
        const std::int64_t i =
            std::min<std::int64_t>(row / c.dy, c.h - 1) * c.w + std::min<std::int64_t>(column / c.dx, c.w - 1);
        std::int64_t x = c.data[i] + (c.sgnd ? std::int64_t(1) << (c.prec - 1) : 0);
        x = c.prec > 8 ? x >> (c.prec - 8) : c.prec < 8 ? x * 255 / ((1 << c.prec) - 1) : x;
        return std::uint8_t(std::min<std::int64_t>(std::max<std::int64_t>(x, 0), 255));
    }
    bool decode(const image_size& s, std::uint8_t* rgb) {
        if (!opj_decode(codec, stream, image) || !opj_end_decompress(codec, stream)) return false;
        const bool colour = image->numcomps >= 3;
        if (image->color_space == OPJ_CLRSPC_SYCC || image->color_space == OPJ_CLRSPC_EYCC ||
            image->color_space == OPJ_CLRSPC_CMYK)
            return false;
        for (OPJ_UINT32 k = 0; k < (colour ? 3u : 1u); ++k) {
            const opj_image_comp_t& c = image->comps[k];
            if (!c.data || !c.w || !c.h || !c.dx || !c.dy || c.prec < 1 || c.prec > 31) return false;
        }
        for (std::int64_t row = 0; row < s.height; ++row)
            for (std::int64_t column = 0; column < s.width; ++column)
                for (int k = 0; k < 3; ++k) *rgb++ = sample(image->comps[colour ? k : 0], row, column);
        return true;
    }
};

constexpr image_codecs by_libraries{
    {14, [](image_file f, image_size& s) noexcept { return with_jpeg(f, &s, {}, nullptr) && sensible(s); },
     [](image_file f, const image_size& s, std::uint8_t* rgb) noexcept { return with_jpeg(f, nullptr, s, rgb); }},
    {8, [](image_file f, image_size& s) noexcept { return with_png(f, &s, {}, nullptr) && sensible(s); },
     [](image_file f, const image_size& s, std::uint8_t* rgb) noexcept { return with_png(f, nullptr, s, rgb); }},
    {16, measure_tiff, decode_tiff},
    {12,
     [](image_file f, image_size& s) noexcept {
         WebPBitstreamFeatures features;
         if (WebPGetFeatures(f.data(), f.size(), &features) != VP8_STATUS_OK || features.has_animation) return false;
         s = {features.height, features.width};
         return sensible(s);
     },
     [](image_file f, const image_size& s, std::uint8_t* rgb) noexcept {
         return WebPDecodeRGBInto(f.data(), f.size(), rgb, std::size_t(3 * s.height * s.width), int(3 * s.width)) !=
                nullptr;
     }},
    {40, [](image_file f, image_size& s) noexcept { return jpeg2000_reader(f).begin(s); },
     [](image_file f, const image_size& s, std::uint8_t* rgb) noexcept {
         jpeg2000_reader r(f);
         image_size again;
         return r.begin(again) && again.height == s.height && again.width == s.width && r.decode(s, rgb);
     }}};
}  // namespace
}  // namespace v1
}  // namespace inlay
extern "C" __attribute__((visibility("default"))) const void* inlay_images_module(const char* callers_build) {
    return inlay::same_build(callers_build) ? &inlay::by_libraries : nullptr;
}
