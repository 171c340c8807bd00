/// @brief Prefetch: a hint to the processor that an address will be read soon; it has no other effect and never faults.
#pragma once

namespace sepal {

inline void prefetch([[maybe_unused]] const void* at) {
#if defined(__GNUC__)
    __builtin_prefetch(at);
#endif
}

} // namespace sepal
