// The source of a copy that the stream reads after the call has returned: rows of pageable memory, copied into pinned memory of
// a context's pool. The pool gets the memory back in the order of the stream, when the copy has been submitted; what waits in
// front of it, or fails, changes nothing in that. Called by ops/copy.
#pragma once

#include "manager/context.h"
#include "manager/stream.h"
#include "ops/copy.h"

namespace manyrt::ops {

class StagedSource {
 public:
  explicit StagedSource(manager::Stream& stream) : stream_(stream) {}
  StagedSource(const StagedSource&) = delete;
  StagedSource& operator=(const StagedSource&) = delete;
  ~StagedSource();  // once the copy has been submitted, or will not be; under a guard

  // Memory of `context` for the rows. False: there is none, or the stream's copies hold as much as they may. Under a guard.
  bool take(const CopyArguments& copy, manager::Context& context);
  // Reads the rows; the copy that is to be submitted.
  CopyArguments read(const CopyArguments& copy) const;

 private:
  manager::Stream& stream_;
  manager::StagedBytes::Share* share_ = nullptr;
  void* address_ = nullptr;
};

}  // namespace manyrt::ops
