/// @brief The splitmix64 generator (Steele, Lea, Flood 2014): a counter in steps of 2^64 / golden ratio, mixed twice; and its mixer.
#pragma once

#include <cstdint>

namespace sepal {

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

// The number after x: x scattered over all 64 bits.
inline std::uint64_t mixed_bits(std::uint64_t x) {
    std::uint64_t z = x + kGolden;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

class SplitMix {
  public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        const std::uint64_t found = mixed_bits(state_);
        state_ += kGolden;
        return found;
    }

  private:
    std::uint64_t state_;
};

} // namespace sepal
