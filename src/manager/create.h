// The steps that creating any child takes: an object in its table, its place in the context, and the context's state
// checked once more, so that a context destroyed meanwhile leaves no child behind.
#pragma once

#include "manager/child.h"
#include "manager/tables.h"

namespace manyrt::manager {

template <class T, class... Args>
Status createChild(T** out, SlotTable<T>& table, Context& context, Args&&... args) {
  HandleBits bits = 0;
  T* object = table.create(&bits, context, std::forward<Args>(args)...);
  if (object == nullptr) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "There are no more handles for %ss: %u are alive.", kindWord(handleKind(bits)),
                         SlotTable<T>::kChunk * SlotTable<T>::kChunks);
  }
  object->link(bits);
  if (contexts.find(context.bits) == nullptr) {  // its children were closed, perhaps before this one was linked
    closeHandle(bits);
    return Status::error(RT_ERROR_INVALID_HANDLE, "The context was destroyed by another thread during the call.");
  }
  *out = object;
  return Status();
}

}  // namespace manyrt::manager
