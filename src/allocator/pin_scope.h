// One stretch of a pool's pin mode, from its begin to its end. Blocks that were allocated in it stay reserved, freed or not.
// They are held until the stretch has ended and its captured or instantiated graphs are gone. The graphs may hold an address as
// a value that the library cannot see. The pool refers to the stretch while it lasts, and so does each such graph.
//
// A block that is freed meanwhile is held here. The pool hands it out again in the same stretch, for temporary memory of one
// capture. It does not once a graph has joined that may name it.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/region.h"
#include "base/ref.h"

namespace manyrt::allocator {

class PinScope final : public RefCounted {
 public:
  explicit PinScope(Ref<Pool> pool);
  ~PinScope() override;

  // A capture begins or ends here, or a graph is instantiated.
  void join();

 private:
  friend class Pool;
  void recycle() override;  // after the last reference: the pool gets the held blocks

  const Ref<Pool> pool_;
  // Under the pool's lock.
  Block* held_ = nullptr;
  uint64_t joined_ = 0;
  uint64_t live_ = 0;  // blocks that are live: the last one ends the object if the stretch is over
  bool over_ = false;
};

// The stretches that are on in the pools of a context, which a graph joins that is instantiated. Throws bad_alloc.
std::vector<Ref<PinScope>> joinPinScopes(ContextResources& resources);

// The same for a capture: all stretches that are on during some part of it.
class CapturePins {
 public:
  explicit CapturePins(ContextResources& resources);  // throws bad_alloc
  ~CapturePins();
  CapturePins(const CapturePins&) = delete;
  CapturePins& operator=(const CapturePins&) = delete;
  std::vector<Ref<PinScope>> take();  // at the end of the capture. Throws bad_alloc

 private:
  const Ref<ContextResources> resources_;
  std::vector<Ref<PinScope>> scopes_;
};

}  // namespace manyrt::allocator
