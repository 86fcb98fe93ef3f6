// Regions as bytes: a header, the steps as numbers of 64 bits, the shared library of their functions, and the
// constants, each at a multiple of 64. The bytes are a file's: each number is looked at before it is used.
#include "build.hpp"
#include "code.hpp"
#include <cstring>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
namespace {
using place = slot::place;
using numbers = std::vector<std::int64_t>;

struct header {
    char magic[8] = {'i', 'n', 'l', 't', 'v', 'm', ' ', '2'};
    std::uint64_t steps = 0, library = 0, constants = 0;  // bytes
};
constexpr std::size_t to_line(std::size_t bytes) { return (bytes + line - 1) / line * line; }

// Places of constants, one after the other.
class constant_places {
    std::size_t end_ = 0;

  public:
    std::size_t next(const slot& x) {
        const std::size_t at = to_line(end_);
        end_ = at + std::size_t(x.bytes());
        return at;
    }
    std::size_t bytes() const { return end_; }
};

void write(numbers& to, const slot& x) {
    const std::int64_t at = x.where == place::constant ? 0 : x.where == place::scratch ? x.offset : x.index;
    to.insert(to.end(), {std::int64_t(x.type), std::int64_t(x.where), x.dims.rank});
    to.insert(to.end(), x.dims.begin(), x.dims.end());
    to.push_back(at);
}
void write(numbers& to, const code_step& s) {
    to.insert(to.end(), {std::int64_t(s.what), s.axis, s.function, s.output, std::int64_t(s.inputs.size())});
    to.insert(to.end(), s.inputs.begin(), s.inputs.end());
}
template <class T> void append(std::string& to, const T* from, std::size_t count) {
    to.append(reinterpret_cast<const char*>(from), count * sizeof(T));
}

[[noreturn]] void refuse(const std::string& why) { throw not_saved_code(why); }

// Parts of the bytes, in their order.
class parts {
    std::string_view left_;

  public:
    explicit parts(std::string_view bytes) : left_(bytes) {}
    std::string_view take(std::uint64_t bytes) {
        if (bytes > left_.size()) refuse("the saved region is too short");
        const std::string_view part = left_.substr(0, std::size_t(bytes));
        left_.remove_prefix(part.size());
        return part;
    }
    bool empty() const { return left_.empty(); }
};

class reader {
    const region& r_;
    parts numbers_;
    code& to_;
    constant_places places_{};
    std::vector<int> roots_{};   // of each tensor: itself, or what it is a view of
    std::vector<char> known_{};  // of each tensor: whether its elements are there

    std::int64_t next(std::int64_t least, std::int64_t most) {
        std::int64_t n = 0;
        std::memcpy(&n, numbers_.take(sizeof n).data(), sizeof n);
        if (n < least || n > most) refuse("the saved region is damaged: a number of its steps is out of range");
        return n;
    }
    int index(std::size_t count) { return int(next(0, std::int64_t(count) - 1)); }
    const slot& tensor(int t) const { return to_.tensors[std::size_t(t)]; }
    int root(int t) const { return roots_[std::size_t(t)]; }
    bool share_memory(int t, int u) const {
        const slot &x = tensor(root(t)), &y = tensor(root(u));
        return root(t) == root(u) || (x.where == place::scratch && y.where == place::scratch &&
                                      x.offset < y.offset + y.bytes() && y.offset < x.offset + x.bytes());
    }

    static void same(const slot& x, element type, std::int64_t bytes) {
        if (x.type != type || x.bytes() != bytes)
            refuse("the saved region is another one: a tensor is not of the size and type of what it stands for");
    }
    // The region's input or output that the tensor is.
    int port(const slot& x, std::span<const int> values) {
        const int k = index(values.size());
        const value& v = r_.graph.values[std::size_t(values[std::size_t(k)])];
        if (!v.dims.known()) refuse("the region's shapes are not known");
        same(x, v.type, bytes_of(v.type, v.dims.elements()));
        return k;
    }
    slot read_tensor() {
        slot x;
        x.type = element(next(1, std::int64_t(element::boolean)));
        if (x.type != element::f32 && x.type != element::i32 && x.type != element::i64 && x.type != element::boolean)
            refuse("the saved region is damaged: a tensor has no type that its code can have");
        x.where = place(next(0, std::int64_t(place::alias)));
        constexpr std::int64_t most_elements = std::int64_t(1) << 40;
        const std::int64_t rank = next(1, max_rank);
        for (int i = 0; i < rank; ++i) x.dims.push_back(next(1, most_elements / x.dims.elements()));
        if (x.where == place::input)
            x.index = port(x, r_.inputs);
        else if (x.where == place::output)
            x.index = port(x, r_.outputs);
        else if (x.where == place::scratch) {
            x.offset = next(0, to_.scratch - x.bytes());
            if (std::size_t(x.offset) % line) refuse("the saved region is damaged: a tensor is at a crooked place");
        } else if (x.where == place::alias) {
            x.index = index(to_.tensors.size());
            same(x, tensor(x.index).type, tensor(x.index).bytes());
        } else
            (void)next(0, 0);
        return x;
    }
    void check_rows(const code_step& s) const {
        const slot &x = tensor(s.inputs[0]), &y = tensor(s.output);
        const auto require = [](bool right) {
            if (!right) refuse("the saved region is damaged: rows are not of the sizes of what they are copied to");
        };
        if (s.what == kind::copy) {
            require(s.inputs.size() == 1 && x.type == y.type && x.bytes() == y.bytes());
        } else if (s.what == kind::join) {
            require(s.axis < y.dims.rank);
            shape left = y.dims;
            for (int t : s.inputs) {
                shape part = tensor(t).dims;
                require(part.rank == y.dims.rank && tensor(t).type == y.type && part[s.axis] <= left[s.axis]);
                left[s.axis] -= part[s.axis];
                part[s.axis] = y.dims[s.axis];
                require(part == y.dims);
            }
            require(left[s.axis] == 0);
        } else {
            require(s.inputs.size() == 2 && s.axis < x.dims.rank && x.type == y.type);
            const slot& indices = tensor(s.inputs[1]);
            require(indices.type == element::i32 || indices.type == element::i64);
            const std::int64_t count = indices.dims.elements(), all = y.dims.elements();
            require(all % count == 0 && all / count == x.dims.elements(0, s.axis) * x.dims.elements(s.axis + 1));
        }
    }
    code_step read_step() {
        code_step s;
        s.what = kind(next(0, std::int64_t(kind::copy)));
        s.axis = int(next(0, max_rank - 1));
        const bool compiled = is_compiled(s.what);
        s.function = int(next(compiled ? 0 : -1, compiled ? std::numeric_limits<int>::max() : -1));
        s.output = index(to_.tensors.size());
        for (std::int64_t left = next(1, std::numeric_limits<int>::max()); left > 0; --left) {
            const int t = s.inputs.emplace_back(index(to_.tensors.size()));
            if (!known_[std::size_t(root(t))]) refuse("the saved region is damaged: it reads what no step has made");
            if (share_memory(t, s.output)) refuse("the saved region is damaged: a step writes what it reads");
        }
        if (tensor(s.output).where != place::scratch && tensor(s.output).where != place::output)
            refuse("the saved region is damaged: a step writes where none may");
        if (!compiled) {
            check_rows(s);
            s.rows = rows_of(to_.tensors, s);
        }
        known_[std::size_t(s.output)] = 1;
        return s;
    }
    void check_outputs() {
        std::vector<int> made(r_.outputs.size(), 0);
        for (std::size_t t = 0; t < to_.tensors.size(); ++t)
            if (const slot& x = to_.tensors[t]; x.where == place::output) made[std::size_t(x.index)] += known_[t];
        if (std::ranges::count(made, 1) != std::ssize(made))
            refuse("the saved region is another one: it does not make each result once");
    }

  public:
    reader(const region& r, std::string_view numbers, code& to) : r_(r), numbers_(numbers), to_(to) {}
    // The places of constants, of each tensor.
    std::vector<std::size_t> run(std::size_t constants) {
        constexpr std::int64_t most = std::int64_t(1) << 50;
        to_.scratch = next(0, most);
        std::vector<std::size_t> at;
        for (std::int64_t left = next(0, std::numeric_limits<int>::max()); left > 0; --left) {
            const slot x = read_tensor();
            roots_.push_back(x.where == place::alias ? root(x.index) : int(roots_.size()));
            known_.push_back(x.where == place::constant || x.where == place::input);
            at.push_back(x.where == place::constant ? places_.next(x) : 0);
            if (places_.bytes() > constants) refuse("the saved region is damaged: it has other constants");
            to_.tensors.push_back(x);
        }
        if (places_.bytes() != constants) refuse("the saved region is damaged: it has other constants");
        for (std::int64_t left = next(0, std::numeric_limits<int>::max()); left > 0; --left)
            to_.steps.push_back(read_step());
        if (!numbers_.empty()) refuse("the saved region is damaged: there is more behind its steps");
        check_outputs();
        return at;
    }
};
}  // namespace

std::string saved(const code& c, std::string_view library) {
    numbers steps{c.scratch, std::int64_t(c.tensors.size())};
    for (const slot& x : c.tensors) write(steps, x);
    steps.push_back(std::int64_t(c.steps.size()));
    for (const code_step& s : c.steps) write(steps, s);
    constant_places places;
    std::vector<std::size_t> at;
    for (const slot& x : c.tensors) at.push_back(x.where == place::constant ? places.next(x) : 0);

    header h;
    h.steps = steps.size() * sizeof(std::int64_t);
    h.library = library.size();
    h.constants = places.bytes();
    const std::size_t begin = to_line(sizeof h + h.steps + h.library);
    std::string bytes;
    bytes.reserve(begin + h.constants);
    append(bytes, &h, 1);
    append(bytes, steps.data(), steps.size());
    bytes += library;
    for (std::size_t t = 0; t < c.tensors.size(); ++t) {
        if (c.tensors[t].where != place::constant) continue;
        bytes.resize(begin + at[t]);
        append(bytes, c.constants[t], std::size_t(c.tensors[t].bytes()));
    }
    bytes.resize(begin + h.constants);
    return bytes;
}

std::shared_ptr<code> restored(const region& r, std::string_view bytes) {
    parts all(bytes);
    header h;
    std::memcpy(&h, all.take(sizeof h).data(), sizeof h);
    if (std::memcmp(h.magic, header().magic, sizeof h.magic) != 0) refuse("these bytes are no saved region");
    const std::string_view steps = all.take(h.steps), library = all.take(h.library);
    const std::size_t end = sizeof h + steps.size() + library.size();
    (void)all.take(to_line(end) - end);
    const std::string_view constants = all.take(h.constants);
    if (!all.empty()) refuse("the saved region is damaged: there is more behind its constants");

    auto c = std::make_shared<code>();
    const std::vector<std::size_t> at = reader(r, steps, *c).run(constants.size());
    const auto* begin = reinterpret_cast<const std::byte*>(constants.data());
    if (!is_aligned(begin)) {
        c->own.push_back(allocate(std::int64_t(constants.size())));
        std::memcpy(c->own.back().get(), begin, constants.size());
        begin = c->own.back().get();
    }
    c->constants.resize(c->tensors.size(), nullptr);
    for (std::size_t t = 0; t < at.size(); ++t)
        if (c->tensors[t].where == place::constant) c->constants[t] = begin + at[t];
    c->library = library;
    return c;
}
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
