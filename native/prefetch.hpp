/// @brief A hint that a place will be read soon. Nothing else happens, wherever it points.
#pragma once

namespace sepal {

inline void prefetch([[maybe_unused]] const void* at) {
#if defined(__GNUC__)
    __builtin_prefetch(at);
#endif
}

} // namespace sepal
