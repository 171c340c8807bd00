/// @brief Codes of texts (factorization): distinct ones are numbered in the order of their first appearance; a hash finds a text, its bytes decide.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "splitmix.hpp"

namespace sepal {

/// @brief Texts seen so far. They are not copied: the caller keeps their bytes alive.
class TextCodes {
  public:
    /// The number of a text, the next one if it is new.
    std::int32_t of(const char* text, std::size_t length) {
        const std::uint64_t hash = hash_of(text, length);
        std::size_t slot = hash & (slots_.size() - 1);
        for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1)) {
            const Known& known = known_[slots_[slot]];
            if (known.hash == hash && known.length == length && std::memcmp(known.text, text, length) == 0) return slots_[slot];
        }
        const auto code = static_cast<std::int32_t>(known_.size());
        known_.push_back({hash, length, text});
        slots_[slot] = code;
        if (2 * known_.size() > slots_.size()) grow();
        return code;
    }
    std::size_t size() const { return known_.size(); }

  private:
    struct Known {
        std::uint64_t hash;
        std::size_t length;
        const char* text;
    };

    template <class T> static std::uint64_t at(const char* text) {
        T found;
        std::memcpy(&found, text, sizeof(T));
        return found;
    }
    // Labels are short: up to eight bytes are read as two words that may overlap.
    static std::uint64_t hash_of(const char* text, std::size_t length) {
        if (length < 4) {
            std::uint64_t word = length;
            for (std::size_t i = 0; i < length; ++i) word = word << 8 | static_cast<unsigned char>(text[i]);
            return mixed_bits(word);
        }
        if (length <= 8) return mixed_bits((at<std::uint32_t>(text) << 32 | at<std::uint32_t>(text + length - 4)) ^ length * kGolden);
        std::uint64_t hash = length;
        for (std::size_t i = 0; i + 8 < length; i += 8) hash = mixed_bits(hash ^ at<std::uint64_t>(text + i));
        return mixed_bits(hash ^ at<std::uint64_t>(text + length - 8));
    }
    void grow() {
        slots_.assign(2 * slots_.size(), -1);
        for (std::size_t code = 0; code < known_.size(); ++code) {
            std::size_t slot = known_[code].hash & (slots_.size() - 1);
            while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::int32_t>(code);
        }
    }

    std::vector<Known> known_;
    std::vector<std::int32_t> slots_ = std::vector<std::int32_t>(64, -1); // open addressing: slot -> number
};

} // namespace sepal
