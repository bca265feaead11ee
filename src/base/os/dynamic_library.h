// Opens a library of a driver while the program runs, and tells a missing library from one that fails to load.
#pragma once

#include <string>

namespace manyrt {

// Returns the handle for dlsym, which is never closed. Null: *reason is the sentence of the dynamic loader, or empty if it
// finds no file of this name.
void* openLibrary(const char* name, std::string* reason);

}  // namespace manyrt
