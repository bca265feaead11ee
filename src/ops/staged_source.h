// Staging memory for the source of a copy: rows of pageable memory, copied into pinned memory of a context's pool. The stream
// reads it after the call has returned. The destructor frees it in the order of the stream, after the submission of the copy.
// So the pool gets it back in any case. Called by ops/copy.
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
  ~StagedSource();  // after the submission of the copy, or its failure; under a guard

  // Takes memory of `context` for the rows. False: there is none, or the copies of the stream hold their maximum. Under a
  // guard.
  bool take(const CopyArguments& copy, manager::Context& context);
  // Reads the rows and returns the copy to submit.
  CopyArguments read(const CopyArguments& copy) const;

 private:
  manager::Stream& stream_;
  manager::StagedBytes::Share* share_ = nullptr;
  void* address_ = nullptr;
};

}  // namespace manyrt::ops
