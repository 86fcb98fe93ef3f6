# inlay::remote: built with the headers of libcurl and nlohmann-json; libcurl is opened by the program when it needs it.
# words: remote Azure libcurl
inlay_engine_option(remote "the headers of Debian's libcurl4-openssl-dev and nlohmann-json3-dev")
find_path(INLAY_CURL_HEADERS curl/curl.h)
find_path(INLAY_JSON_HEADERS nlohmann/json.hpp)
inlay_engine_needs(remote INLAY_CURL_HEADERS curl/curl.h INLAY_JSON_HEADERS nlohmann/json.hpp)
inlay_add_engine(remote ${INLAY_CURL_HEADERS} ${INLAY_JSON_HEADERS})
