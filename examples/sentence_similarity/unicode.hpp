// What BERT's uncased vocabularies need of Unicode: UTF-8 in and out, kinds of characters, letters in lower case
// without their accents. Complete for the blocks of Latin, Greek and Cyrillic letters that languages of today use: up
// to U+024F, U+0370 to 052F, U+1E00 to 1FFF. What lies outside stays as it is: Armenian and full-width capitals stay
// capitals, Hangul syllables and kana with voicing marks stay whole, vowel marks of Arabic, Hebrew and the Indic
// scripts stay, and so does the punctuation that only such scripts or mathematics use.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace unicode {
inline constexpr char32_t no_character = 0xFFFD;

// Takes the first character off the text; no_character for a byte that is no UTF-8.
inline char32_t take(std::string_view& text) {
    const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
    const unsigned lead = byte(0);
    const std::size_t size = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
    char32_t c = size == 1 ? lead : lead & (0x7Fu >> size);
    bool good = size > 0;
    for (std::size_t k = 1; k < size; ++k) {
        good = good && (byte(k) & 0xC0) == 0x80;
        c = c << 6 | (byte(k) & 0x3F);
    }
    const bool too_long = (size == 3 && c < 0x800) || (size == 4 && c < 0x10000), surrogate = c >= 0xD800 && c < 0xE000;
    good = good && !too_long && !surrogate && c < 0x110000;
    text.remove_prefix(good ? size : 1);
    return good ? c : no_character;
}

inline void append(std::string& text, char32_t c) {
    const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
    if (c < 0x80) {
        text += static_cast<char>(c);
        return;
    }
    if (c < 0x800) {
        text += static_cast<char>(0xC0 | c >> 6);
    } else if (c < 0x10000) {
        text += static_cast<char>(0xE0 | c >> 12);
        tail(6);
    } else {
        text += static_cast<char>(0xF0 | c >> 18);
        tail(12);
        tail(6);
    }
    tail(0);
}

struct range {
    char32_t low, high;
};
inline bool in(std::span<const range> ranges, char32_t c) {
    return std::ranges::any_of(ranges, [c](range r) { return r.low <= c && c <= r.high; });
}

inline bool is_space(char32_t c) {
    static constexpr range spaces[] = {{' ', ' '},       {'\t', '\n'},     {'\r', '\r'},     {0xA0, 0xA0},
                                       {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
                                       {0x205F, 0x205F}, {0x3000, 0x3000}};
    return in(spaces, c);
}
// Controls, invisible marks of layout, private characters, and accents that stand for themselves.
inline bool is_skipped(char32_t c) {
    static constexpr range skipped[] = {
        {0, 0x1F},        {0x7F, 0x9F},     {0xAD, 0xAD},           {0x300, 0x36F},     {0x1AB0, 0x1ABD},
        {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},       {0x2060, 0x206F},   {0x20D0, 0x20DC},
        {0x20E1, 0x20E1}, {0x20E5, 0x20F0}, {0xE000, 0xF8FF},       {0xFE00, 0xFE0F},   {0xFE20, 0xFE2F},
        {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {no_character, 0xFFFF}, {0xE0001, 0xE01EF}, {0xF0000, 0x10FFFF}};
    return in(skipped, c) && !is_space(c);
}
inline bool is_punctuation(char32_t c) {  // every ASCII sign, as BERT has it; elsewhere what Unicode calls punctuation
    static constexpr range signs[] = {
        {'!', '/'},       {':', '@'},       {'[', '`'},       {'{', '~'},       {0xA1, 0xA1},     {0xA7, 0xA7},
        {0xAB, 0xAB},     {0xB6, 0xB7},     {0xBB, 0xBB},     {0xBF, 0xBF},     {0x2010, 0x2027}, {0x2030, 0x2043},
        {0x2045, 0x2051}, {0x2053, 0x205E}, {0x207D, 0x207E}, {0x208D, 0x208E}, {0x2E00, 0x2E2E}, {0x2E30, 0x2E42},
        {0x3001, 0x3003}, {0x3008, 0x3011}, {0x3014, 0x301F}, {0x3030, 0x3030}, {0x303D, 0x303D}, {0x30A0, 0x30A0},
        {0x30FB, 0x30FB}, {0xFF01, 0xFF03}, {0xFF05, 0xFF0A}, {0xFF0C, 0xFF0F}, {0xFF1A, 0xFF1B}, {0xFF1F, 0xFF20},
        {0xFF3B, 0xFF3D}, {0xFF3F, 0xFF3F}, {0xFF5B, 0xFF5B}, {0xFF5D, 0xFF5D}, {0xFF5F, 0xFF65}};
    return in(signs, c);
}
inline bool is_ideograph(char32_t c) {  // Chinese characters, also in Japanese and Korean text; written without spaces
    static constexpr range ideographs[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                           {0x20000, 0x2A6DF}, {0x2A700, 0x2CEAF}, {0x2F800, 0x2FA1F}};
    return in(ideographs, c);
}

// What each letter of a block is in lower case and without accents; _ where there is no letter.
inline constexpr std::u32string_view latin =  // from U+00C0
    U"aaaaaaæceeeeiiiiðnooooo×øuuuuyþßaaaaaaæceeeeiiiiðnooooo÷øuuuuyþyaaaaaaccccccccdd"
    U"đđeeeeeeeeeegggggggghhħħiiiiiiiiiıĳĳjjkkĸllllllŀŀłłnnnnnnŉŋŋooooooœœrrrrrrssssss"
    U"ssttttŧŧuuuuuuuuuuuuwwyyyzzzzzzſƀɓƃƃƅƅɔƈƈɖɗƌƌƍǝəɛƒƒɠɣƕɩɨƙƙƚƛɯɲƞɵooƣƣƥƥʀƨƨʃƪƫƭƭʈu"
    U"uʊʋƴƴƶƶʒƹƹƺƻƽƽƾƿǀǁǂǃǆǆǆǉǉǉǌǌǌaaiioouuuuuuuuuuǝaaaaææǥǥggkkooooʒʒjǳǳǳggƕƿnnaaææøø"
    U"aaaaeeeeiiiioooorrrruuuussttȝȝhhƞȡȣȣȥȥaaeeooooooooyyȴȵȶȷȸȹⱥȼȼƚⱦȿɀɂɂƀʉʌɇɇɉɉɋɋɍɍɏɏ";
inline constexpr std::u32string_view greek_and_cyrillic =  // from U+0370
    U"ͱͱͳͳʹ͵ͷͷ__ͺͻͼͽ;ϳ____΄¨α·εηι_ο_υωιαβγδεζηθικλμνξοπρ_στυφχψωιυαεηιυαβγδεζηθικλμνξο"
    U"πρςστυφχψωιυουωϗϐϑϒϒϒϕϖϗϙϙϛϛϝϝϟϟϡϡϣϣϥϥϧϧϩϩϫϫϭϭϯϯϰϱϲϳθϵ϶ϸϸϲϻϻϼͻͼͽееђгєѕііјљњћкиуџ"
    U"абвгдежзииклмнопрстуфхцчшщъыьэюяабвгдежзииклмнопрстуфхцчшщъыьэюяееђгєѕііјљњћкиуџ"
    U"ѡѡѣѣѥѥѧѧѩѩѫѫѭѭѯѯѱѱѳѳѵѵѵѵѹѹѻѻѽѽѿѿҁҁ҂_______ҋҋҍҍҏҏґґғғҕҕҗҗҙҙққҝҝҟҟҡҡңңҥҥҧҧҩҩҫҫҭҭүү"
    U"ұұҳҳҵҵҷҷҹҹһһҽҽҿҿӏжжӄӄӆӆӈӈӊӊӌӌӎӎӏааааӕӕееәәәәжжззӡӡииииооөөөөээууууууччӷӷыыӻӻӽӽӿӿ"
    U"ԁԁԃԃԅԅԇԇԉԉԋԋԍԍԏԏԑԑԓԓԕԕԗԗԙԙԛԛԝԝԟԟԡԡԣԣԥԥԧԧԩԩԫԫԭԭԯԯ";
inline constexpr std::u32string_view additional =  // more Latin and Greek, from U+1E00
    U"aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooo"
    U"oooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwyẚſẜẝßẟ"
    U"aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuu"
    U"uuyyyyyyyyỻỻỽỽỿỿααααααααααααααααεεεεεε__εεεεεε__ηηηηηηηηηηηηηηηηιιιιιιιιιιιιιιιι"
    U"οοοοοο__οοοοοο__υυυυυυυυ_υ_υ_υ_υωωωωωωωωωωωωωωωωααεεηηιιοουυωω__αααααααααααααααα"
    U"ηηηηηηηηηηηηηηηηωωωωωωωωωωωωωωωωααααα_ααααααα᾽ι᾿῀¨ηηη_ηηεεηηη᾿᾿᾿ιιιι__ιιιιιι_῾῾῾"
    U"υυυυρρυυυυυυρ¨¨`__ωωω_ωωοοωωω´῾_";
static_assert(latin.size() == 0x190 && greek_and_cyrillic.size() == 0x1C0 && additional.size() == 0x200);

inline char32_t plain(char32_t c) {
    const auto from = [c](std::u32string_view block, char32_t first) {
        const char32_t letter = block[c - first];
        return letter == '_' ? no_character : letter;
    };
    if (c >= 'A' && c <= 'Z') return c - 'A' + 'a';
    if (c >= 0xC0 && c < 0x250) return from(latin, 0xC0);
    if (c >= 0x370 && c < 0x530) return from(greek_and_cyrillic, 0x370);
    if (c >= 0x1E00 && c < 0x2000) return from(additional, 0x1E00);
    return c;
}
}  // namespace unicode
