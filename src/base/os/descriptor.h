// A file descriptor with one owner, which closes it, passes it on, or gives it up.
#pragma once

#include <unistd.h>

#include <utility>

namespace manyrt {

class Descriptor {  // closed at the end
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }  // the caller's from now on
  void close() {
    if (const int number = release(); number >= 0) (void)::close(number);
  }

 private:
  int number_ = -1;
};

}  // namespace manyrt
