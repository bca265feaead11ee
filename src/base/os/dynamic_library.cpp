// Only the text of dlerror() tells the two cases apart. It is "NAME: what: strerror(errno)", in the language of the program's
// locale. If a library that NAME needs is missing, the text begins with the name of that one.
#include "base/os/dynamic_library.h"

#include <dlfcn.h>
#include <errno.h>

#include <cstring>
#include <string_view>

namespace manyrt {

void* openLibrary(const char* name, std::string* reason) {
  reason->clear();
  if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  const char* said = dlerror();
  const std::string_view text = said != nullptr ? said : "the dynamic loader gives no reason";
  const std::string_view missing = strerror(ENOENT);
  if (!text.starts_with(std::string(name) + ": ") || !text.ends_with(missing)) reason->assign(text);
  return nullptr;
}

}  // namespace manyrt
