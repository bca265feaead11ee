// Creates a child of a context: makes the object in its table, links it to the context, and checks the context once more. So a
// context that another thread destroys meanwhile keeps no child.
#pragma once

#include "manager/child.h"
#include "manager/tables.h"

namespace manyrt::manager {

template <class T, class... Args>
Status createChild(T** out, SlotTable<T>& table, Context& context, Args&&... args) {
  HandleBits bits = 0;
  T* object = table.create(&bits, context, std::forward<Args>(args)...);
  if (object == nullptr) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "There are no more handles for %ss: %u are alive.", kindWord(table.kind()),
                         SlotTable<T>::kChunk * SlotTable<T>::kChunks);
  }
  object->link(bits);
  // Closing a context closes its handle first and its children then, under their lock; link() above takes the same lock. So
  // this child was closed with the others, or the context's handle is seen closed here.
  if (contexts.find(context.bits) == nullptr) {
    closeHandle(bits);
    return Status::error(RT_ERROR_INVALID_HANDLE, "The context was destroyed by another thread during the call.");
  }
  *out = object;
  return Status();
}

}  // namespace manyrt::manager
