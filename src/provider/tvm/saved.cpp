// Programs as bytes: a header, tensors and steps as numbers of 64 bits, the shared library of their functions, and the
// constants, each at a multiple of 64. The bytes are a file's: each number is looked at before it is used.
#include "program.hpp"
#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
namespace {
using place = slot::place;

struct header {
    char magic[8] = {'i', 'n', 'l', 't', 'v', 'm', ' ', '3'};
    std::uint64_t numbers = 0, library = 0, constants = 0;  // bytes
};
constexpr std::size_t to_line(std::size_t bytes) { return (bytes + line - 1) / line * line; }
void require(bool right, const char* otherwise) {
    if (!right) refuse("the saved region is " + std::string(otherwise));
}
std::string_view take(std::string_view& from, std::uint64_t bytes) {
    require(bytes <= from.size(), "too short");
    const std::string_view part = from.substr(0, std::size_t(bytes));
    from.remove_prefix(part.size());
    return part;
}

class program_reader {
    const region& r_;
    std::string_view numbers_, constants_;
    program& p_;
    std::size_t constants_end_ = 0;
    std::set<std::pair<place, std::int64_t>> written_{};  // places that steps have written

    std::int64_t next(std::int64_t least, std::int64_t most) {
        std::int64_t n = 0;
        std::memcpy(&n, take(numbers_, sizeof n).data(), sizeof n);
        require(n >= least && n <= most, "damaged: a number of its steps is out of range");
        return n;
    }
    int next_index(std::size_t count) { return int(next(0, std::int64_t(count) - 1)); }
    int next_count() { return int(next(0, std::numeric_limits<int>::max())); }
    const slot& tensor_of(int t) const { return p_.tensors[std::size_t(t)]; }
    static bool share_memory(const slot& x, const slot& y) {
        if (x.location != y.location || x.location == place::constant) return false;
        return x.location == place::scratch ? x.index < y.index + y.bytes() && y.index < x.index + x.bytes()
                                            : x.index == y.index;
    }
    std::int64_t next_of_region(const slot& x, std::span<const int> values) {
        const int k = next_index(values.size());
        const value& v = r_.graph.values[std::size_t(values[std::size_t(k)])];
        require(v.dims.known() && x.type == v.type && x.bytes() == bytes_of(v.type, v.dims.elements()),
                "another one: a tensor is not of the size and type of what it stands for");
        return k;
    }
    std::int64_t next_of_scratch(const slot& x) {
        const std::int64_t at = next(0, p_.scratch - x.bytes());
        require(std::size_t(at) % line == 0, "damaged: a tensor is at a crooked place");
        return at;
    }
    // A view of another constant has elements of its own.
    const void* next_constant(const slot& x) {
        const std::size_t at = to_line(constants_end_);
        constants_end_ = at + std::size_t(x.bytes());
        require(constants_end_ <= constants_.size(), "damaged: it has other constants");
        return constants_.data() + at;
    }
    void read_tensor() {
        constexpr element types[] = {element::f32, element::i32, element::i64, element::boolean};
        constexpr std::int64_t most_elements = std::int64_t(1) << 40;
        slot& x = p_.tensors.emplace_back();
        x.type = element(next(1, std::int64_t(element::boolean)));
        require(std::ranges::find(types, x.type) != std::end(types), "damaged: a tensor has a type that none can have");
        x.location = place(next(0, std::int64_t(place::scratch)));
        for (std::int64_t rank = next(1, max_rank); rank > 0; --rank)
            x.dims.push_back(next(1, most_elements / x.dims.elements()));
        if (x.location == place::constant)
            x.elements = next_constant(x);
        else
            x.index = x.location == place::input    ? next_of_region(x, r_.inputs)
                      : x.location == place::output ? next_of_region(x, r_.outputs)
                                                    : next_of_scratch(x);
    }
    // Whether the rows that it copies have their places, and are there.
    bool copies_rows(const step& s) const {
        const slot &x = tensor_of(s.inputs[0]), &y = tensor_of(s.output);
        std::int64_t bytes = 0;
        for (const int t : s.inputs) bytes += tensor_of(t).bytes();
        if (s.does == step::action::join) return s.axis < y.dims.rank && bytes == y.bytes();
        if (s.inputs.size() != 2 || s.axis >= x.dims.rank) return false;
        const slot& indices = tensor_of(s.inputs[1]);
        return (indices.type == element::i32 || indices.type == element::i64) &&
               x.bytes() / x.dims[s.axis] * indices.dims.elements() == y.bytes();
    }
    void read_step() {
        step& s = p_.steps.emplace_back();
        s.does = step::action(next(0, std::int64_t(step::action::lookup)));
        const bool computes = s.does == step::action::compute;
        s.axis = int(next(0, max_rank - 1));
        s.function = int(next(computes ? 0 : -1, computes ? std::numeric_limits<int>::max() : -1));
        s.output = next_index(p_.tensors.size());
        const slot& y = tensor_of(s.output);
        require(y.location == place::scratch || y.location == place::output, "damaged: a step writes where none may");
        for (std::int64_t left = next(1, std::numeric_limits<int>::max()); left > 0; --left) {
            const slot& x = tensor_of(s.inputs.emplace_back(next_index(p_.tensors.size())));
            require(
                x.location == place::constant || x.location == place::input || written_.contains({x.location, x.index}),
                "damaged: it reads what no step has made");
            require(!share_memory(x, y), "damaged: a step writes what it reads");
        }
        written_.emplace(y.location, y.index);
        require(computes || copies_rows(s), "damaged: rows are not of the sizes of what they are copied to");
    }

  public:
    program_reader(const region& r, std::string_view numbers, std::string_view constants, program& to)
        : r_(r), numbers_(numbers), constants_(constants), p_(to) {}
    void read() {
        p_.scratch = next(0, std::int64_t(1) << 50);
        for (int left = next_count(); left > 0; --left) read_tensor();
        require(constants_end_ == constants_.size(), "damaged: it has other constants");
        for (int left = next_count(); left > 0; --left) read_step();
        require(numbers_.empty(), "damaged: there is more behind its steps");
        std::vector<int> writes(r_.outputs.size(), 0);
        for (const step& s : p_.steps)
            if (const slot& y = tensor_of(s.output); y.location == place::output) ++writes[std::size_t(y.index)];
        require(std::ranges::count(writes, 1) == std::ssize(writes), "another one: it does not make each result once");
    }
};
}  // namespace

std::string program::saved() const {
    const std::string code = module && library.empty() ? shared_object(module) : std::string(library);
    std::vector<std::int64_t> numbers{scratch, std::int64_t(tensors.size())};
    for (const slot& x : tensors) {
        numbers.insert(numbers.end(), {std::int64_t(x.type), std::int64_t(x.location), x.dims.rank});
        numbers.insert(numbers.end(), x.dims.begin(), x.dims.end());
        if (x.location != place::constant) numbers.push_back(x.index);
    }
    numbers.push_back(std::int64_t(steps.size()));
    for (const step& s : steps) {
        numbers.insert(numbers.end(),
                       {std::int64_t(s.does), s.axis, s.function, s.output, std::int64_t(s.inputs.size())});
        numbers.insert(numbers.end(), s.inputs.begin(), s.inputs.end());
    }
    header h;
    h.numbers = numbers.size() * sizeof numbers[0];
    h.library = code.size();
    std::string bytes(sizeof h, '\0');
    bytes.append(reinterpret_cast<const char*>(numbers.data()), std::size_t(h.numbers));
    bytes += code;
    const std::size_t begin = to_line(bytes.size());
    bytes.resize(begin);
    for (const slot& x : tensors) {
        if (x.location != place::constant) continue;
        bytes.resize(to_line(bytes.size()));
        bytes.append(static_cast<const char*>(x.elements), std::size_t(x.bytes()));
    }
    h.constants = bytes.size() - begin;
    std::memcpy(bytes.data(), &h, sizeof h);
    return bytes;
}

std::shared_ptr<program> restored(const region& r, std::string_view bytes) {
    std::string_view left = bytes;
    header h;
    std::memcpy(&h, take(left, sizeof h).data(), sizeof h);
    if (std::memcmp(h.magic, header().magic, sizeof h.magic) != 0) refuse("these bytes are no saved region");
    const auto p = std::make_shared<program>();
    const std::string_view numbers = take(left, h.numbers);
    p->library = take(left, h.library);
    const std::size_t end = bytes.size() - left.size();
    (void)take(left, to_line(end) - end);
    std::string_view constants = take(left, h.constants);
    require(left.empty(), "damaged: there is more behind its constants");
    if (!is_aligned(constants.data()))
        constants = {static_cast<const char*>(p->keep(constants.data(), std::int64_t(constants.size()))),
                     constants.size()};
    program_reader(r, numbers, constants, *p).read();
    return p;
}
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
