// Scenarios of many builds in one call: a thousand sources, few compilers, caches, a shutdown meanwhile.
#include <sched.h>
#include <sys/stat.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "child.h"

namespace child {
namespace {

struct Builds {
  std::vector<std::string> texts;
  std::vector<const char*> sources;
  std::vector<rtModule_t> modules;
  std::vector<rtStatus_t> statuses;

  explicit Builds(uint32_t count) : modules(count), statuses(count) {
    for (uint32_t i = 0; i < count; ++i) {
      texts.push_back("__kernel void f(__global uint* out) { out[get_global_id(0)] = get_global_id(0) * 3 + " +
                      std::to_string(i) + "; }\n");
    }
    for (const std::string& text : texts) sources.push_back(text.c_str());
  }
  rtStatus_t build() {
    return rtModuleBuildMany(modules.data(), statuses.data(), sources.data(), static_cast<uint32_t>(sources.size()), nullptr,
                             nullptr);
  }
  void expectRuns(uint32_t number) const {
    constexpr uint32_t kItems = 64;
    rtStream_t stream = nullptr;
    rtKernel_t kernel = nullptr;
    void* memory = nullptr;
    OK(rtStreamCreate(&stream, nullptr, nullptr));
    OK(rtMallocHost(&memory, kItems * 4, nullptr));
    OK(rtModuleGetKernel(&kernel, "f", modules[number]));
    OK(rttest::launchOver(kernel, stream, kItems / 16, 16, static_cast<uint32_t*>(memory)));
    OK(rtStreamSynchronize(stream));
    for (uint32_t i = 0; i < kItems; ++i) EXPECT(static_cast<uint32_t*>(memory)[i] == i * 3 + number);
    OK(rtFree(memory));
    OK(rtStreamDestroy(stream));
  }
  void expectOrigin(int32_t origin) const {
    for (const rtModule_t module : modules) {
      rtModuleInfo_t info = RT_MODULE_INFO_INIT;
      OK(rtModuleGetInfo(&info, module));
      EXPECT(info.origin == origin);
      EXPECT(info.code_bytes > 0);
    }
  }
};

// The process ends while the optimised code of nearly all is still to be made.
int thousandBuilds(int, char**) {
  Builds builds(1000);
  OK(builds.build());
  for (uint32_t i = 0; i < 1000; i += 37) builds.expectRuns(i);
  for (const rtModule_t module : builds.modules) OK(rtModuleDestroy(module));
  return 0;
}

// On one processor, for which the library starts one compiler after the other. The words: the origin that is expected.
int manyBuilds(int, char** argv) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
  EXPECT(sched_setaffinity(0, sizeof one, &one) == 0);
  Builds builds(24);
  OK(builds.build());
  builds.expectOrigin(argv[0][0] == 'b' ? RT_MODULE_ORIGIN_BUILD : RT_MODULE_ORIGIN_CACHE);
  for (uint32_t i = 0; i < 24; ++i) builds.expectRuns(i);
  for (const rtModule_t module : builds.modules) OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
  for (uint32_t i = 0; i < 24; ++i) builds.expectRuns(i);
  // Modules that the process has are given at once, and none is built again.
  Builds again(24);
  OK(again.build());
  again.expectOrigin(RT_MODULE_ORIGIN_PROCESS);
  return 0;
}

// The images of modules whose quick code a compiler made for several: of the optimised code; without one, of the source.
int imagesOfMany(int, char** argv) {
  Builds builds(4);
  OK(builds.build());
  const bool fails = argv[0][0] == 'f';
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_STATUS(fails ? RT_ERROR_BUILD_FAILED : RT_SUCCESS,
                  rtModuleWait(builds.modules[i], RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
    size_t needed = 0;
    OK(rtModuleGetImage(nullptr, 0, &needed, nullptr, builds.modules[i]));
    std::vector<char> image(needed);
    OK(rtModuleGetImage(image.data(), needed, nullptr, nullptr, builds.modules[i]));
    rtImageOptions_t options = RT_IMAGE_OPTIONS_INIT;
    options.flags = RT_IMAGE_WITHOUT_SOURCE;
    EXPECT_STATUS(fails ? RT_ERROR_NOT_SUPPORTED : RT_SUCCESS,
                  rtModuleGetImage(nullptr, 0, &needed, &options, builds.modules[i]));
    rtModule_t loaded = nullptr;
    OK(rtModuleLoadData(&loaded, image.data(), image.size(), nullptr, nullptr));
    OK(rtModuleDestroy(std::exchange(builds.modules[i], loaded)));
    builds.expectRuns(i);
  }
  return 0;
}

// The words: a file that is there once a compiler works, and one that lets it go on.
int shutdownWhileManyAreBuilt(int, char** argv) {
  Builds builds(8);
  rtDevice_t device = nullptr;
  OK(rtDeviceGetByName(&device, "cpu"));
  rtStatus_t result = RT_SUCCESS;
  std::thread builder([&] { result = builds.build(); });
  struct stat about;
  while (stat(argv[0], &about) != 0) usleep(1000);
  std::thread waiter([&] {
    usleep(20000);
    std::fclose(std::fopen(argv[1], "w"));
  });
  OK(rtShutdown());
  waiter.join();
  builder.join();
  EXPECT(result == RT_ERROR_SHUT_DOWN);
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT(builds.statuses[i] == RT_ERROR_SHUT_DOWN);
    EXPECT(builds.modules[i] == nullptr);
  }
  return 0;
}

}  // namespace

const Scenario kBuilds[] = {
    {"images_of_many", imagesOfMany},
    {"many_builds", manyBuilds},
    {"shutdown_while_many_are_built", shutdownWhileManyAreBuilt},
    {"thousand_builds", thousandBuilds},
    {nullptr, nullptr},
};

}  // namespace child
