#include "case_index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace sepal {
namespace {

constexpr std::uint32_t kMostWords = (1u << 20) - 1;

std::uint32_t word_at(const unsigned char* bytes, std::int64_t place) {
    std::uint32_t value;
    std::memcpy(&value, bytes + 4 * place, 4);
    return value;
}

bool before(const SimilarCase& a, const SimilarCase& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : a.number < b.number;
}

} // namespace

SimilarCases similar_cases(const std::vector<Postings>& words, const unsigned char* cases, std::int64_t n_cases,
                           std::int64_t k) {
    std::vector<double> sums(static_cast<std::size_t>(n_cases), 0.0);
    for (const Postings& word : words)
        for (std::int64_t i = 0; i < word.count; ++i) {
            const std::uint32_t number = word_at(word.cases, i);
            if (number >= static_cast<std::uint64_t>(n_cases)) throw std::invalid_argument("a word names a case that is not there");
            sums[number] += word.weight;
        }
    SimilarCases found;
    for (std::int64_t i = 0; i < n_cases; ++i) {
        const std::uint32_t packed = word_at(cases, i);
        const std::uint32_t n_words = (packed >> 2) & kMostWords;
        if ((packed & 1u) == 0 || n_words == 0) continue;
        std::vector<SimilarCase>& best = found.of_class[(packed >> 1) & 1u];
        const SimilarCase one{sums[i] / std::sqrt(static_cast<double>(n_words)), static_cast<std::uint32_t>(i)};
        if (static_cast<std::int64_t>(best.size()) < k) {
            best.push_back(one);
            std::push_heap(best.begin(), best.end(), before);
        } else if (before(one, best.front())) {
            std::pop_heap(best.begin(), best.end(), before);
            best.back() = one;
            std::push_heap(best.begin(), best.end(), before);
        }
    }
    for (auto& best : found.of_class) std::sort(best.begin(), best.end(), before);
    return found;
}

} // namespace sepal
