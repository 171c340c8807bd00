/// @brief Most similar cases of each class from posting lists: sim(q, d) = sum of w_t over the words of both / sqrt(|d|).
#pragma once

#include <cstdint>
#include <vector>

namespace sepal {

// Case numbers of one word, in any order, and what the word adds to each of them.
struct Postings {
    const unsigned char* cases; // four bytes each
    std::int64_t count;
    double weight;
};

struct SimilarCase {
    double similarity;
    std::uint32_t number;
};

// Of the cases in use (four bytes each: anything << 22 | number of words << 2 | class << 1 | in use) the k most similar of class 0 and of
// class 1, most similar first, lowest number first where tied. Sums are taken in the order of the words.
struct SimilarCases {
    std::vector<SimilarCase> of_class[2];
};
SimilarCases similar_cases(const std::vector<Postings>& words, const unsigned char* cases, std::int64_t n_cases,
                           std::int64_t k);

} // namespace sepal
