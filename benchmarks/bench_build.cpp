// How long a program waits for its kernels (P16): from source to a module with code, cold, and from the disk cache. The sources
// are the kernels of examples/digits, and the same kernels with vectors. Beside PoCL, whose cache is off.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "machine.h"
#include "peers.h"

namespace {

using namespace bench;

rtContext_t context;
int serial = 0;  // makes every cold source another one

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

// One build for each repetition: it takes long enough.
template <class Build>
Measure once(Build body, const std::string& source) {
  return [=](int64_t) {
    const std::string text = fresh(source);
    const int64_t began = nanoseconds();
    body(text);
    return static_cast<double>(nanoseconds() - began);
  };
}

std::string fresh(const std::string& source) { return source + "\n// " + std::to_string(++serial) + "\n"; }

void add(const std::string& name, const std::string& source, const char* kernel) {
  Comparison cold("P16_cold_" + name);
  cold.repetitions(9);
  cold.ours("manyrt", once([=](const std::string& text) { build(text); }, source));
  std::string why;
  if (OpenClKernel::build("basic", source, "-DCLASSES=10", kernel, &why)) {
    cold.peer("pocl_basic", once(
                                [=](const std::string& text) {
                                  std::string unused;
                                  (void)OpenClKernel::build("basic", text, "-DCLASSES=10", kernel, &unused);
                                },
                                source));
  } else {
    cold.missing("pocl_basic", why);
  }
  registerComparison(std::move(cold));

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
