// The use of an argument, as entries for CUDA and OpenCL keep it beside its name.
#pragma once

#include "base/argument_use.h"
#include "base/entry_bytes.h"

namespace manyrt::compiler {

inline void writeUse(EntryWriter* out, const ArgumentUse& use) {
  out->number(use.qualifiers);
  out->number(static_cast<uint64_t>(use.space));
  out->number(static_cast<uint64_t>(use.access));
}

inline bool readUse(EntryReader* in, ArgumentUse* use) {
  uint32_t space = 0, access = 0;
  if (!in->number(&use->qualifiers, kAllQualifiers) || !in->number(&space, RT_ADDRESS_SPACE_LOCAL) ||
      !in->number(&access, RT_ACCESS_NONE)) {
    return false;
  }
  use->space = static_cast<int32_t>(space);
  use->access = static_cast<int32_t>(access);
  return true;
}

}  // namespace manyrt::compiler
