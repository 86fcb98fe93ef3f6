// Compositions, element by element, and along axes.
#include "functions.hpp"

namespace evaluator {
primitive after(primitive first, primitive second) {
    return {second.sizes, [=](values in) {
                in[0] = first.compute(in);
                return second.compute(in);
            }};
}
primitive through(primitive p, std::size_t k, primitive before) {
    return {p.sizes, [=](values in) {
                in[k] = before.compute({in[k]});
                return p.compute(in);
            }};
}
primitive channels_last(const list& x, const std::function<primitive(const list&)>& make) {
    require(x.size() == 4);
    const primitive first = transpose(x, {0, 3, 1, 2}), moved = make(first.sizes);
    return after(through(moved, 0, first), transpose(moved.sizes, {0, 2, 3, 1}));
}

namespace {
list broadcast(const list& a, const list& b) {
    if (a.size() < b.size()) return broadcast(b, a);
    list y = a;
    for (std::size_t i = 0; i < b.size(); ++i) {
        std::int64_t& to = y[y.size() - b.size() + i];
        require(to == b[i] || to == 1 || b[i] == 1);
        to = std::max(to, b[i]);
    }
    return y;
}
std::size_t broadcast_place(const list& sizes, const list& at) {
    std::int64_t k = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        k = k * sizes[i] + (sizes[i] == 1 ? 0 : at[at.size() - sizes.size() + i]);
    return std::size_t(k);
}
}  // namespace
primitive element_wise(const std::vector<list>& operands, std::function<double(const numbers&)> f,
                       const numbers& parameters) {
    list y;
    for (const list& x : operands) y = broadcast(y, x);
    return {y, [=](const values& in) {
                numbers v(operands.size()), result;
                v.insert(v.end(), parameters.begin(), parameters.end());
                for_each_index(y, [&](const list& at) {
                    for (std::size_t k = 0; k < operands.size(); ++k) v[k] = in[k].at(broadcast_place(operands[k], at));
                    result.push_back(f(v));
                });
                return result;
            }};
}
primitive along(const list& x, const list& axes, const list& y, std::function<numbers(const numbers&)> f) {
    list outer_sizes = x, from(x.size(), 1), to = from;
    require(!axes.empty());
    for (const std::int64_t a : axes) {
        require(a >= 0 && a < std::int64_t(x.size()) && std::ranges::count(axes, a) == 1);
        const auto i = std::size_t(a);
        outer_sizes[i] = 1;
        from[i] = x[i];
        to[i] = y[i];
    }
    return {y, [=](const values& in) {
                numbers result(std::size_t(elements(y)));
                for_each_index(outer_sizes, [&](const list& first) {
                    numbers line;
                    const std::size_t begin = place(x, first), end = place(y, first);
                    for_each_index(from, [&](const list& at) { line.push_back(in[0][begin + place(x, at)]); });
                    line = f(line);
                    auto next = line.begin();
                    for_each_index(to, [&](const list& at) { result[end + place(y, at)] = *next++; });
                });
                return result;
            }};
}
primitive reduce(const list& x, const list& axes, std::function<double(const numbers&)> f) {
    list y = x;
    for (const std::int64_t a : axes) y.at(std::size_t(a)) = 1;
    return along(x, axes, y, [=](const numbers& line) { return numbers{f(line)}; });
}
primitive softmax(const list& x, const list& axes, bool log) {
    return along(x, axes, x, [=](numbers line) {
        const double log_sum = functions::log_of_sum_of_exponentials(line);
        for (double& e : line) e = log ? e - log_sum : std::exp(e - log_sum);
        return line;
    });
}
primitive normalize(const list& x, const list& axes, double epsilon, double scale, double shift) {
    return along(x, axes, x, [=](numbers line) {
        const double mean = functions::mean(line);
        for (double& e : line) e -= mean;
        const double deviation = std::sqrt(functions::sum_of_squares(line) / double(line.size()) + epsilon);
        for (double& e : line) e = e / deviation * scale + shift;
        return line;
    });
}
primitive local_response(const list& x, std::int64_t radius, double alpha, double beta, double bias) {
    require(x.size() == 4 && radius >= 0);
    return along(x, {1}, x, [=](const numbers& line) {
        numbers result;
        for (std::int64_t k = 0, count = std::int64_t(line.size()); k < count; ++k) {
            const auto begin = line.begin() + std::max<std::int64_t>(0, k - radius),
                       end = line.begin() + std::min(count, k + radius + 1);
            const double squares = std::inner_product(begin, end, begin, 0.);
            result.push_back(line[std::size_t(k)] / std::pow(bias + alpha * squares, beta));
        }
        return result;
    });
}
}  // namespace evaluator
