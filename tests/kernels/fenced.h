// Memory of the host that ends where a page begins which nothing may touch, or begins after one. Kernels on the CPU read and
// write it as it is.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace rttest {

inline size_t pageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

// Bytes of host memory between two pages that nothing may touch, at the end of the memory between them or at its beginning.
class Fenced {
 public:
  enum class Side { kEnd, kBegin };
  Fenced(size_t bytes, Side side, const void* contents = nullptr) : bytes_(bytes) {
    const size_t page = pageBytes(), middle = (bytes + page - 1) / page * page;
    size_ = middle + 2 * page;
    whole_ = static_cast<unsigned char*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (whole_ == MAP_FAILED) abort();
    EXPECT_EQ(mprotect(whole_, page, PROT_NONE), 0);
    EXPECT_EQ(mprotect(whole_ + page + middle, page, PROT_NONE), 0);
    address_ = whole_ + page + (side == Side::kEnd ? middle - bytes : 0);
    if (contents != nullptr && bytes != 0) memcpy(address_, contents, bytes);
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  ~Fenced() { munmap(whole_, size_); }

  unsigned char* data() const { return address_; }
  void* slot() const { return const_cast<unsigned char**>(&address_); }
  void count() const {
    for (size_t i = 0; i < bytes_; ++i) address_[i] = static_cast<unsigned char>(i * 7 + 1);
  }
  void clear() const { memset(address_, 0, bytes_); }

 private:
  size_t bytes_, size_;
  unsigned char* whole_;
  unsigned char* address_;
};
inline void* slotOf(const Fenced& memory) { return memory.slot(); }

// 2^32 bytes of addresses, of which only the first page and the last one may be touched: where indices of 32 bits wrap.
class WrappingBytes {
 public:
  WrappingBytes() : whole_(mmap(nullptr, kAll, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (whole_ == MAP_FAILED) return;
    const size_t page = pageBytes();
    address_ = static_cast<unsigned char*>(whole_) + kBeside;
    unsigned char* const last = address_ + (size_t{1} << 32) - page;
    EXPECT_EQ(mprotect(address_, page, PROT_READ | PROT_WRITE), 0);
    EXPECT_EQ(mprotect(last, page, PROT_READ | PROT_WRITE), 0);
    for (size_t i = 0; i < page; ++i) {
      address_[i] = static_cast<unsigned char>(i * 7 + 1);
      last[i] = static_cast<unsigned char>(i * 13 + 5);
    }
  }
  WrappingBytes(const WrappingBytes&) = delete;
  WrappingBytes& operator=(const WrappingBytes&) = delete;
  ~WrappingBytes() {
    if (whole_ != MAP_FAILED) munmap(whole_, kAll);
  }

  const unsigned char* data() const { return address_; }  // null: the system has no 4 GiB of addresses
  void* slot() const { return const_cast<unsigned char**>(&address_); }

 private:
  static constexpr size_t kBeside = size_t{1} << 16, kAll = (size_t{1} << 32) + 2 * kBeside;
  void* whole_;
  unsigned char* address_ = nullptr;
};
inline void* slotOf(const WrappingBytes& memory) { return memory.slot(); }

}  // namespace rttest
