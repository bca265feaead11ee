// Opening a library of a driver while the program runs, and telling one that is missing from one that fails to load.
#pragma once

#include <string>

namespace manyrt {

// The handle for dlsym, which is never closed. Null: *reason is the dynamic loader's own sentence, or empty where it finds no
// file of this name.
void* openLibrary(const char* name, std::string* reason);

}  // namespace manyrt
