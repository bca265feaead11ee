// How long a program waits for its kernels (P16). From source to a module that can launch: cold, until optimised code is in,
// and from the disk cache. The sources are the kernels of examples/digits, and the same kernels with vectors. Beside PoCL,
// whose cache is off.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "machine.h"
#include "peers.h"

namespace {

using namespace bench;

rtContext_t context;
std::string cache;  // the folder
int serial = 0;     // makes every cold source another one

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (text.str().empty()) {
    fprintf(stderr, "%s is missing.\n", path.c_str());
    exit(EXIT_FAILURE);
  }
  return text.str();
}

void build(const std::string& source) {
  rtModule_t module = nullptr;
  RT_CHECK(rtModuleCreateFromSource(&module, source.c_str(), "-DCLASSES=10", context));
  RT_CHECK(rtModuleDestroy(module));
}

std::string fresh(const std::string& source);

size_t entries() {
  size_t count = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(cache, none))
    count += entry.path().filename().string().size() == 64;
  return count;
}

// Optimised code goes into the cache when it is there. Nothing else is timed meanwhile.
void awaitOptimized(size_t before) {
  for (int i = 0; i < 60'000 && entries() == before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// One build for each repetition: it takes long enough. `until_optimized`: the time goes on until optimised code is in.
template <class Build>
Measure once(Build body, const std::string& source, bool ours, bool until_optimized = false) {
  return [=](int64_t) {
    const std::string text = fresh(source);
    const size_t before = entries();
    const int64_t began = nanoseconds();
    body(text);
    const int64_t built = nanoseconds();
    if (ours) awaitOptimized(before);
    return static_cast<double>((until_optimized ? nanoseconds() : built) - began);
  };
}

std::string fresh(const std::string& source) { return source + "\n// " + std::to_string(++serial) + "\n"; }

void add(const std::string& name, const std::string& source, const char* kernel) {
  Comparison cold("P16_cold_" + name);
  cold.repetitions(9);
  cold.ours("manyrt", once([=](const std::string& text) { build(text); }, source, true));
  std::string why;
  if (OpenClKernel::build("basic", source, "-DCLASSES=10", kernel, &why)) {
    cold.peer("pocl_basic", once(
                                [=](const std::string& text) {
                                  std::string unused;
                                  (void)OpenClKernel::build("basic", text, "-DCLASSES=10", kernel, &unused);
                                },
                                source, false));
  } else {
    cold.missing("pocl_basic", why);
  }
  registerComparison(std::move(cold));

  Comparison optimized("P16_optimized_" + name);
  optimized.repetitions(5);
  optimized.ours("manyrt", once([=](const std::string& text) { build(text); }, source, true, true));
  registerComparison(std::move(optimized));

  const size_t before = entries();
  build(source);
  awaitOptimized(before);  // until then the module is found in the process and not on the disk
  Comparison cached("P16_cached_" + name);
  cached.ours("manyrt", single([] {}, [=] { build(source); }));
  registerComparison(std::move(cached));
}

}  // namespace

int main(int argc, char** argv) {
  setenv("POCL_KERNEL_CACHE", "0", 1);
  char folder[] = "/tmp/manyrt-bench-XXXXXX";
  if (mkdtemp(folder) == nullptr) return EXIT_FAILURE;
  setenv("RT_CACHE_DIR", folder, 1);
  cache = folder;
  begin(&argc, argv);
  prepareEnvironment();
  context = createContext("cpu", 0);
  note("peer_opencl", OpenClPeer::version());
  const std::string scalar = read(std::string(BENCH_EXAMPLES) + "/digits/digits.cl");
  add("digits", scalar, "update");
  add("digits_vector", read(std::string(BENCH_KERNELS) + "/digits_vector.cl"), "update4");
  add("triad", read(std::string(BENCH_KERNELS) + "/triad.cl"), "triad");
  const int status = finish();
  if (system((std::string("rm -rf '") + folder + "'").c_str()) != 0) return EXIT_FAILURE;
  return status;
}
