// process_dlopen <library> <times>: opens and closes the library as a plug-in would, with local symbols, and uses it between.
// It stays loaded (-z nodelete), so that nothing is left over: neither mappings nor threads.
// process_dlopen <library of communicators> fork: children that are forked after the load, and after the start.
#include <dirent.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "rt_comm.h"

namespace {

int entries(const char* path) {
  DIR* directory = opendir(path);
  if (directory == nullptr) return -1;
  int count = 0;
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

int mappings() {
  FILE* maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return -1;
  int count = 0;
  char line[1024];
  while (std::fgets(line, sizeof line, maps) != nullptr) count += std::strstr(line, "libmanyrt") != nullptr;
  std::fclose(maps);
  return count;
}

int fail(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, dlerror());
  return 1;
}

// 0: the child, which is told whether the parent had started the library, saw what it should. Else where it did not.
int forkWith(void* library, bool started) {
  auto* id_of = reinterpret_cast<decltype(&rtCommGetUniqueId)>(dlsym(library, "rtCommGetUniqueId"));
  auto* message_of = reinterpret_cast<decltype(&rtCommGetLastErrorMessage)>(dlsym(library, "rtCommGetLastErrorMessage"));
  auto* count_of = reinterpret_cast<decltype(&rtDeviceGetCount)>(dlsym(library, "rtDeviceGetCount"));
  if (!id_of || !message_of || !count_of) return fail("dlsym");
  const pid_t pid = fork();
  if (pid == 0) {
    rtCommUniqueId_t id;
    int32_t count = 0;
    char text[256] = "";
    if (id_of(&id) != (started ? RT_ERROR_FORKED : RT_SUCCESS)) _exit(10);
    if (message_of(text, sizeof text, nullptr) != RT_SUCCESS || (std::strstr(text, "forked") != nullptr) != started) _exit(11);
    if (!started && (count_of(&count, RT_BACKEND_CPU) != RT_SUCCESS || count != 1)) _exit(12);
    _exit(0);
  }
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return 13;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 14;
}

int forkAfterTheLoad(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail("dlopen");
  if (const int code = forkWith(library, false)) return code;
  auto* id_of = reinterpret_cast<decltype(&rtCommGetUniqueId)>(dlsym(library, "rtCommGetUniqueId"));
  rtCommUniqueId_t id;
  if (id_of == nullptr || id_of(&id) != RT_SUCCESS) return 15;
  return forkWith(library, true);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  if (std::strcmp(argv[2], "fork") == 0) return forkAfterTheLoad(argv[1]);
  const int times = std::atoi(argv[2]);
  int first_mappings = 0;
  int first_threads = 0;
  int first_files = 0;
  for (int i = 0; i < times; ++i) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return fail("dlopen");
    auto* get = reinterpret_cast<decltype(&rtDeviceGetByName)>(dlsym(library, "rtDeviceGetByName"));
    auto* create = reinterpret_cast<decltype(&rtContextCreate)>(dlsym(library, "rtContextCreate"));
    auto* destroy = reinterpret_cast<decltype(&rtContextDestroy)>(dlsym(library, "rtContextDestroy"));
    auto* synchronize = reinterpret_cast<decltype(&rtContextSynchronize)>(dlsym(library, "rtContextSynchronize"));
    auto* call = reinterpret_cast<decltype(&rtLaunchHostFunction)>(dlsym(library, "rtLaunchHostFunction"));
    auto* stream_of = reinterpret_cast<decltype(&rtContextGetDefaultStream)>(dlsym(library, "rtContextGetDefaultStream"));
    if (!get || !create || !destroy || !synchronize || !call || !stream_of) return fail("dlsym");
    rtDevice_t device = nullptr;
    rtContext_t context = nullptr;
    rtStream_t stream = nullptr;
    if (get(&device, "cpu") != RT_SUCCESS || create(&context, nullptr, device) != RT_SUCCESS) return 3;
    if (stream_of(&stream, context) != RT_SUCCESS) return 3;
    if (call([](void*, rtStatus_t) {}, nullptr, stream) != RT_SUCCESS || synchronize(context) != RT_SUCCESS) return 4;
    if (destroy(context) != RT_SUCCESS) return 5;
    if (dlclose(library) != 0) return fail("dlclose");
    if (i == 10) {
      first_mappings = mappings();
      first_threads = entries("/proc/self/task");
      first_files = entries("/proc/self/fd");
    }
  }
  if (mappings() != first_mappings || entries("/proc/self/fd") != first_files) return 6;
  const int threads = entries("/proc/self/task");
  if (threads > first_threads + 100) {  // those of contexts that are being torn down; a leak would be a thousand
    std::fprintf(stderr, "%d threads, %d at first\n", threads, first_threads);
    return 7;
  }
  return 0;
}
