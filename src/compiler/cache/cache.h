// Compiled code on disk, for all processes of one user. Whatever is wrong with folder or entry is a miss: never a wrong kernel,
// never a failed build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/blake2b.h"

namespace manyrt::compiler::cache {

// The bytes of an entry, in the memory that the file was read into.
class Entry {
 public:
  const unsigned char* data() const { return file_.get() + before_; }
  size_t size() const { return size_; }

 private:
  friend bool load(Entry* entry, const Digest& key);
  std::unique_ptr<unsigned char[]> file_;
  size_t before_ = 0;  // of the cache's own bytes
  size_t size_ = 0;
};

// Reads the entry of a key. False: there is none, or it was not made by this user, this version and for this key, whole.
bool load(Entry* entry, const Digest& key);

// Where entries go and how much they may take, as the environment has it. A thread of the library must not read the
// environment, which the program may be changing: the thread that gives it work asks for it.
struct Directory {
  std::string path;  // empty: nowhere
  uint64_t max_bytes = 0;
};
Directory directory();

// Writes beside and renames. Old entries go when the folder holds more than RT_CACHE_SIZE (512 MiB). A failure is logged once.
void store(const Directory& directory, const Digest& key, const void* data, size_t size);

// The folder in use: RT_CACHE_DIR, else $XDG_CACHE_HOME/manyrt, else ~/.cache/manyrt. Empty where none is safe. A safe one is
// owned by this user, has mode 0700 and is no symbolic link. RT_CACHE_DIR=off turns the cache off.
std::string folder();

// The contents of the folder, for the command manyrt. Nothing is made or removed by asking.
struct Stored {
  std::string key;      // hexadecimal, the file's name
  uint64_t bytes = 0;   // of the file
  int64_t used_at = 0;  // seconds since 1970, exact to an hour; of the last use
};
struct Contents {
  std::string path;             // as the environment has it; empty: nothing is kept
  std::string reason;           // why nothing is kept or the folder is not used, the rest of a sentence; empty: it can be used
  bool off = false;             // RT_CACHE_DIR=off, which is no fault
  bool exists = false;          // else it is made by the first build
  uint64_t max_bytes = 0;       // RT_CACHE_SIZE
  uint64_t temporary = 0;       // bytes of files that are being written, or whose writer has ended
  std::vector<Stored> entries;  // the last used first
};
Contents contents();
// Removes the entries, and files that are being written too: their builds end well and are not kept. Other files stay.
// `failed`: how many could not be removed; `reason` says why the first one could not.
struct Cleared {
  uint64_t entries = 0, bytes = 0, failed = 0;
  std::string reason;
};
Cleared clear();

}  // namespace manyrt::compiler::cache
