// The conformance tests of providers, with a server that runs a network of the test's.
#include "../../provider_conformance/checked.hpp"
#include "grpc_served.hpp"
using namespace inlay;
using namespace inlay::testing;

static std::string endpoint_of_tests;  // while there is a server
struct on_server : remote {            // whose default options name it
    on_server() {
        endpoint = endpoint_of_tests;
        model_name = "m";
    }
};
BOOST_HANA_ADAPT_STRUCT(on_server, endpoint, model_name, model_version, timeout, connect_timeout, retries, binary,
                        verbose, token_variable, verify_certificates, ca_file);

template <class Service, class Server> static void check_conformance_over() {
    const model m = model_of(network_for("2"));
    Service service(m);
    const Server s(service.handler());
    endpoint_of_tests = s.endpoint();
    conformance_options o = conformance_options_of_tests();
    o.networks.push_back(m);
    auto counts = check_passes(factory_of<on_server>(), o);
    CHECK(counts[conformance_outcome::unavailable] == 0);
    CHECK(counts[conformance_outcome::passed] > 18);
    CHECK(service.ran > 50);
}
TEST_CASE("The provider of models on servers passes the conformance tests", "[remote][threads]") {
    check_conformance_over<model_service, http_server>();
}
TEST_CASE("The provider of models on servers passes the conformance tests by gRPC", "[remote][threads]") {
    check_conformance_over<grpc_service, grpc_server>();
}

TEST_CASE("Without the name of a server the provider is unavailable, and passes the conformance tests of absence",
          "[remote]") {
    auto counts = check_passes(factory_of<remote>());
    CHECK(counts[conformance_outcome::passed] == 5);
    CHECK(counts[conformance_outcome::unavailable] > 15);
}
