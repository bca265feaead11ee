// Opens the modules made of openmp_module.c, sets the environment of all peers, and says which peers were not built.
#include <dlfcn.h>

#include <cstdlib>

#include "machine.h"
#include "peers.h"

namespace bench {

void prepareEnvironment() {
  const std::string cores = std::to_string(coreCount());
  setenv("POCL_DEVICES", "basic pthread", 1);
  setenv("OMP_NUM_THREADS", cores.c_str(), 1);
  setenv("OMP_WAIT_POLICY", "active", 1);
  setenv("OMP_DYNAMIC", "false", 1);
  setenv("GOMP_SPINCOUNT", "200000", 1);
  setenv("KMP_BLOCKTIME", "5", 1);
}

std::unique_ptr<OpenMpPeer> OpenMpPeer::find(const char* runtime, std::string* why) {
  const std::string path = std::string(BENCH_MODULES) + "/libbench_" + runtime + ".so";
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    *why = std::string(runtime) + " was not there when the benchmarks were built";
    return nullptr;
  }
  auto peer = std::make_unique<OpenMpPeer>();
  peer->module_ = module;
  peer->parallel_ = reinterpret_cast<void (*)()>(dlsym(module, "bench_parallel"));
  peer->tasks_ = reinterpret_cast<void (*)(int)>(dlsym(module, "bench_tasks"));
  peer->threads_ = reinterpret_cast<int (*)()>(dlsym(module, "bench_threads"));
  peer->compiler_ = reinterpret_cast<const char* (*)()>(dlsym(module, "bench_compiler"));
  if (peer->parallel_ == nullptr || peer->compiler_ == nullptr || peer->tasks_ == nullptr || peer->threads_ == nullptr) {
    *why = std::string(runtime) + ": the module lacks a function";
    return nullptr;
  }
  return peer;
}

void* OpenMpPeer::symbol(const char* name) { return dlsym(module_, name); }

#if !BENCH_OPENCL
std::unique_ptr<OpenClKernel> OpenClKernel::build(const char*, const std::string&, const char*, const char*, std::string* why) {
  *why = "built without OpenCL";
  return nullptr;
}
std::unique_ptr<OpenClPeer> OpenClPeer::find(const char*, std::string* why) {
  *why = "built without OpenCL";
  return nullptr;
}
std::string OpenClPeer::version() { return "missing"; }
bool startOpenCl(std::string* why) {
  *why = "built without OpenCL";
  return false;
}
#endif

#if !BENCH_TBB
std::unique_ptr<TbbPeer> TbbPeer::find(std::string* why) {
  *why = "built without oneTBB";
  return nullptr;
}
std::string TbbPeer::version() { return "missing"; }
#endif

}  // namespace bench
