// Convolutions, pools and GEMM.
#include "evaluator.hpp"
#include <algorithm>

namespace evaluator {
namespace {
list spatial(const list& sizes) {
    require(sizes.size() >= 2);
    return {sizes.begin() + 2, sizes.end()};
}
list with_spatial(std::int64_t first, std::int64_t second, const list& rest) {
    list sizes{first, second};
    sizes.insert(sizes.end(), rest.begin(), rest.end());
    return sizes;
}
// How far the windows of an axis reach beyond their first place.
std::int64_t reach(const window& w, const list& length, std::size_t i) {
    require(w.stride.at(i) > 0 && w.dilation.at(i) > 0 && length[i] > 0);
    return (length[i] - 1) * w.dilation[i];
}
list places_of(const list& image, const list& length, const window& w) {
    require(length.size() == image.size() && w.stride.size() == image.size());
    list places;
    for (std::size_t i = 0; i < image.size(); ++i) {
        const std::int64_t room = image[i] + w.before.at(i) + w.after.at(i) - reach(w, length, i) - 1;
        require(room >= 0);
        places.push_back(room / w.stride[i] + 1);
    }
    return places;
}
// Calls f(place in y, place in x, place in w) for all that a convolution of x by w to y multiplies.
template <class F> void for_each_product(const list& x, const list& w, const list& y, const window& win, F f) {
    const list image = spatial(x), length = spatial(w), places = spatial(y);
    const std::int64_t area = elements(image), taps = elements(length), results = elements(places), depth = w[1],
                       width = w[0] / (x[1] / depth);
    for_each_index(places, [&](const list& at) {
        for_each_index(length, [&](const list& tap) {
            list from;
            for (std::size_t i = 0; i < at.size(); ++i) {
                from.push_back(at[i] * win.stride[i] - win.before[i] + tap[i] * win.dilation[i]);
                if (from[i] < 0 || from[i] >= image[i]) return;
            }
            const std::size_t result = place(places, at), pixel = place(image, from), weight = place(length, tap);
            for (std::int64_t n = 0; n < x[0]; ++n)
                for (std::int64_t o = 0; o < w[0]; ++o)
                    for (std::int64_t d = 0; d < depth; ++d)
                        f(std::size_t((n * w[0] + o) * results) + result,
                          std::size_t((n * x[1] + o / width * depth + d) * area) + pixel,
                          std::size_t((o * depth + d) * taps) + weight);
        });
    });
}
// Each element begins as the bias of its channel, input 2, if that is there.
numbers biases(const list& y, const values& in) {
    numbers result;
    for (std::size_t k = 0; k < std::size_t(y[0] * y[1]); ++k)
        result.insert(result.end(), std::size_t(elements(spatial(y))),
                      in.size() > 2 && !in[2].empty() ? in[2][k % std::size_t(y[1])] : 0);
    return result;
}
}  // namespace

primitive convolution(const list& x, const list& w, const window& win, std::int64_t groups) {
    require(groups > 0 && x.at(1) == w.at(1) * groups && w[0] % groups == 0);
    const list y = with_spatial(x[0], w[0], places_of(spatial(x), spatial(w), win));
    return {y, [=](const values& in) {
                numbers result = biases(y, in);
                for_each_product(x, w, y, win, [&](std::size_t to, std::size_t from, std::size_t weight) {
                    result[to] += in[0][from] * in[1][weight];
                });
                return result;
            }};
}
primitive transposed_convolution(const list& x, const list& w, const window& win, const list& more,
                                 std::int64_t groups) {
    const list in = spatial(x), length = spatial(w);
    require(groups > 0 && x[1] == w[0] && x[1] % groups == 0 && length.size() == in.size() && more.size() == in.size());
    list out;
    for (std::size_t i = 0; i < in.size(); ++i) {
        out.push_back(win.stride.at(i) * (in[i] - 1) + reach(win, length, i) + 1 - win.before.at(i) - win.after.at(i) +
                      more[i]);
        require(out[i] > 0);
    }
    const list y = with_spatial(x[0], w[1] * groups, out);
    return {y, [=](const values& v) {
                numbers result = biases(y, v);
                for_each_product(y, w, x, win, [&](std::size_t from, std::size_t to, std::size_t weight) {
                    result[to] += v[0][from] * v[1][weight];
                });
                return result;
            }};
}
primitive pool(const list& x, const list& length, const window& win, std::function<double(const numbers&)> f) {
    const list y = with_spatial(x.at(0), x.at(1), places_of(spatial(x), length, win)),
               w = with_spatial(x[1], 1, length);
    return {y, [=](const values& in) {
                values lines(std::size_t(elements(y)));
                for_each_product(x, w, y, win, [&](std::size_t to, std::size_t from, std::size_t) {
                    lines[to].push_back(in[0][from]);
                });
                numbers result;
                for (const numbers& line : lines) result.push_back(f(line));
                return result;
            }};
}
primitive matmul(const list& a, const list& b) {
    const std::size_t rank = a.size();
    require(rank >= 2 && b.size() == rank && a[rank - 1] == b[rank - 2]);
    require(std::equal(a.begin(), a.end() - 2, b.begin()));
    list y = a;
    y[rank - 1] = b[rank - 1];
    const auto rows = std::size_t(a[rank - 2]), depth = std::size_t(a[rank - 1]), columns = std::size_t(b[rank - 1]);
    return {y, [=](const values& in) {
                numbers result(std::size_t(elements(y)));
                for (std::size_t k = 0; k < result.size(); ++k) {
                    const std::size_t batch = k / (rows * columns), row = k / columns, column = k % columns;
                    for (std::size_t d = 0; d < depth; ++d)
                        result[k] += in[0][row * depth + d] * in[1][(batch * depth + d) * columns + column];
                }
                return result;
            }};
}
}  // namespace evaluator
