// Any bytes as a graph file. For every input: it ends, within bounded memory; what is refused is told with a line and leaves no
// handle; what is taken is written as bytes that are taken again and written as the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/handles/epoch.h"
#include "graph/file/file.h"

namespace {

using namespace manyrt;

void require(bool condition) {
  if (!condition) std::abort();
}

// The graph's file, or nothing if the text is refused.
bool readAndWrite(std::string* out, std::string_view text) {
  bool taken = false;
  {
    epoch::Guard guard;
    Ref<graph::Graph> graph;
    const Status status = graph::readFile(&graph, text);
    taken = status.ok();
    if (taken) {
      const Status written = graph::writeFile(out, *graph);
      require(written.ok());
      graph->handleClosed();
    } else {
      require(status.code() == RT_ERROR_INVALID_VALUE || status.code() == RT_ERROR_NOT_SUPPORTED);
      require(std::strstr(status.message(), "Line ") != nullptr);
    }
  }
  epoch::collect();
  return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string first, second;
  if (!readAndWrite(&first, std::string_view(reinterpret_cast<const char*>(data), size))) return 0;
  require(readAndWrite(&second, first));
  require(first == second);
  return 0;
}
