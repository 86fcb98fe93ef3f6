// The main function of every test binary; Catch2 3 brings its own.
#define CATCH_CONFIG_MAIN
#include "catch.hpp"
