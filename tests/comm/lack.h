// Takes memory away from the communicator library: while one stands, the k-th allocation that libmanyrt-comm makes, on any
// thread, throws bad_alloc. The program's operator new says no (lack.cpp).
#pragma once

#include <cstdint>

namespace commtest {

class Lack {
 public:
  explicit Lack(uint64_t k);
  ~Lack();
  Lack(const Lack&) = delete;
  Lack& operator=(const Lack&) = delete;
  static bool happened();  // since the last one began
};

}  // namespace commtest
