// The smallest program that embeds a model: -DMODEL=digits -DMODEL_HEADER='<inlay/models/digits.hpp>'.
#include <inlay/embedded.hpp>
#include MODEL_HEADER

int main() {
    inlay::embedded<inlay::models::MODEL, inlay::cpu> net;
    return net.run() == inlay::status::ok ? 0 : 1;
}
