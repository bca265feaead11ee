// One rank's memory for one case of a conformance test: the range that it sends and the range that it receives. A margin after
// that has to stay as it is.
#pragma once

#include <algorithm>

#include "comm/operations.h"
#include "comm/ranks.h"

namespace commtest {

inline constexpr unsigned char kUntouched = 0xA5;

struct RankMemory {
  rttest::Memory send, receive;
  void* to = nullptr;
  const void* from = nullptr;
  uint64_t receives = 0;  // elements

  void make(const OperationRow& row, const Case& of, int rank, bool in_place, rtContext_t context) {
    const size_t element = sizeOf(of.type);
    const uint64_t sends = row.sends(of, rank) * of.count;
    receives = row.receives(of, rank) * of.count;
    Bytes source(sends * element);
    for (uint64_t i = 0; i < sends; ++i) write(&source[i * element], of.type, row.sent(of, rank, i));
    Bytes target(receives * element + 64, kUntouched);
    const uint64_t offset = row.in_place(of, rank) * of.count * element;
    if (!in_place || sends == 0 || receives == 0) {
      upload(&send, source, context);
      upload(&receive, target, context);
      to = receive.get();
      from = send.get();
    } else if (sends <= receives) {
      if (sends == receives) std::copy(source.begin(), source.end(), target.begin());
      if (sends < receives) std::copy(source.begin(), source.end(), target.begin() + static_cast<ptrdiff_t>(offset));
      upload(&receive, target, context);
      to = receive.get();
      from = receive.as(sends == receives ? 0 : offset);
    } else {
      upload(&send, source, context);
      from = send.get();
      to = send.as(offset);
    }
  }

  void expect(const OperationRow& row, const Case& of, int rank) {
    const size_t element = sizeOf(of.type);
    const Bytes got = download(to, receives * element);
    for (uint64_t i = 0; i < receives; ++i) {
      unsigned char wanted[8];
      write(wanted, of.type, row.expected(of, rank, i));
      if (std::memcmp(wanted, &got[i * element], element) == 0) continue;
      // A zero may have either sign, as the order of the operands of a product has it.
      if (read(wanted, of.type) == 0 && read(&got[i * element], of.type) == 0) continue;
      ADD_FAILURE() << "rank " << rank << ", element " << i << ": " << read(&got[i * element], of.type) << ", not "
                    << read(wanted, of.type);
      return;
    }
    if (receive.get() == nullptr) return;
    const Bytes margin = download(receive.as(receives * element), 64);
    EXPECT_EQ(margin, Bytes(64, kUntouched)) << "rank " << rank << " wrote after its range";
  }
};

}  // namespace commtest
