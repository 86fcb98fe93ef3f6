// What onnx_host and the process that starts it say to each other, by pipes.
#pragma once
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace onnx_host {
struct port {
    std::string name;
    std::int32_t type = 0;  // as ONNX numbers them
    std::vector<std::int64_t> dims;
    std::int64_t bytes = 0;
};
inline void send(std::FILE* to, const void* data, std::size_t size) {
    if (std::fwrite(data, 1, size, to) != size) throw std::runtime_error("the process of onnx_host has ended");
}
inline void receive(std::FILE* from, void* data, std::size_t size) {
    if (std::fread(data, 1, size, from) != size) throw std::runtime_error("the process of onnx_host has ended");
}
template <class T> void send_number(std::FILE* to, T x) { send(to, &x, sizeof x); }
template <class T> T receive_number(std::FILE* from) {
    T x{};
    receive(from, &x, sizeof x);
    return x;
}
inline std::string receive_text(std::FILE* from) {
    std::string text(receive_number<std::uint64_t>(from), '\0');
    receive(from, text.data(), text.size());
    return text;
}
inline void send_text(std::FILE* to, const std::string& text) {
    send_number(to, std::uint64_t(text.size()));
    send(to, text.data(), text.size());
}
}  // namespace onnx_host
