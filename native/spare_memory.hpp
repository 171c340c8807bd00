/// @brief Memory of a search that is kept for the next one: what the system hands out anew has to be cleared page by page first.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sepal {

// Memory from the system, at the beginning of a cache line. From `Large` bytes on it comes in large pages where the system
// has them (Linux): small ones take longer to be handed out, thousands of them, than to be written.
template <std::size_t Large> struct SystemMemory {
    static constexpr std::size_t kLine = 64, kPage = std::size_t{1} << 21;

    static std::align_val_t alignment(std::size_t bytes) { return std::align_val_t{bytes >= Large ? kPage : kLine}; }
    static void* take(std::size_t bytes) {
        void* const memory = ::operator new(bytes, alignment(bytes));
#ifdef __linux__
        if (bytes >= Large) madvise(memory, bytes / kPage * kPage, MADV_HUGEPAGE); // a wish; nothing depends on the answer
#endif
        return memory;
    }
    static void give(void* memory, std::size_t bytes) noexcept { ::operator delete(memory, alignment(bytes)); }
};

// Pieces of some size that nobody uses just now, newest last, kMost bytes of them at most. Nobody waits for another:
// whoever finds it busy takes new memory, or lets its own go, and so does a process that was forked meanwhile.
class SpareMemory {
  public:
    static constexpr std::size_t kLeast = std::size_t{1} << 16, kMost = std::size_t{1} << 25;
    using System = SystemMemory<std::size_t{1} << 23>;

    // A size that is asked for again and again, within a quarter of this one.
    static std::size_t size_class(std::size_t bytes) {
        const std::size_t step = std::bit_floor(bytes) / 4;
        return (bytes + step - 1) / step * step;
    }
    static void* take(std::size_t bytes) {
        if (bytes < kLeast || bytes > kMost) return System::take(bytes);
        if (void* kept = spare().find(size_class(bytes))) return kept;
        return System::take(size_class(bytes));
    }
    static void give(void* memory, std::size_t bytes) noexcept {
        if (bytes < kLeast || bytes > kMost) System::give(memory, bytes);
        else if (const Piece piece{memory, size_class(bytes)}; !spare().keep(piece)) System::give(memory, piece.bytes);
    }

  private:
    struct Piece {
        void* memory;
        std::size_t bytes;
    };
    static constexpr std::size_t kPieces = 64;

    static SpareMemory& spare() {
        static SpareMemory* all = new SpareMemory; // never destroyed: arrays may be given back while a process ends
        return *all;
    }
    void* find(std::size_t bytes) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock.owns_lock()) return nullptr;
        for (std::size_t at = n_; at-- > 0;)
            if (pieces_[at].bytes == bytes) return remove(at);
        return nullptr;
    }
    bool keep(Piece piece) {
#if defined(__SANITIZE_ADDRESS__)
        return false; // what is used after it was given back is found only where it is really gone
#endif
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock.owns_lock()) return false;
        while (n_ > 0 && (n_ == kPieces || total_ + piece.bytes > kMost)) {
            const std::size_t bytes = pieces_[0].bytes;
            System::give(remove(0), bytes);
        }
        pieces_[n_++] = piece;
        total_ += piece.bytes;
        return true;
    }
    void* remove(std::size_t at) {
        void* const memory = pieces_[at].memory;
        total_ -= pieces_[at].bytes;
        for (--n_; at < n_; ++at) pieces_[at] = pieces_[at + 1];
        return memory;
    }

    std::mutex mutex_;
    Piece pieces_[kPieces];
    std::size_t n_ = 0, total_ = 0;
};

template <class T> struct SpareAllocator {
    using value_type = T;
    SpareAllocator() = default;
    template <class U> SpareAllocator(const SpareAllocator<U>&) noexcept {}
    T* allocate(std::size_t n) { return static_cast<T*>(SpareMemory::take(n * sizeof(T))); }
    void deallocate(T* memory, std::size_t n) noexcept { SpareMemory::give(memory, n * sizeof(T)); }
    template <class U> bool operator==(const SpareAllocator<U>&) const noexcept { return true; }
};

template <class T> using SpareVector = std::vector<T, SpareAllocator<T>>;

} // namespace sepal
