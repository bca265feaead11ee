// The base of every object that a context owns. It links the object into the context's list, so that destroying the context
// makes the handle stale at once.
#pragma once

#include <atomic>

#include "allocator/context_resources.h"
#include "base/handles/slot_table.h"
#include "manager/context.h"

namespace manyrt::manager {

struct Child {
  // `counted`: made by the program, not a default object.
  Child(Context& owner_context, Ref<allocator::ContextResources> context_resources, bool counted_object);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void link(HandleBits handle);  // after the opening of its handle

  Lease<Context> context;
  Ref<allocator::ContextResources> resources;
  HandleBits bits = 0;
  const bool counted;

  Child* previous = nullptr;  // both under the context's lock
  Child* next = nullptr;
  bool linked = false;
};

}  // namespace manyrt::manager
