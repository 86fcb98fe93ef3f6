// A list of types, and how to get one from a Hana tuple of types.
#pragma once
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <utility>

namespace inlay {
inline namespace v1 {
namespace hana = boost::hana;
template <class... T> struct pack {};
template <class... T> pack<typename T::type...> types_in(const hana::tuple<T...>&);
template <class List>
using pack_of = decltype(types_in(std::declval<List>()));  // by type: compilers for devices refuse `auto&` parameters
}  // namespace v1
}  // namespace inlay
