// From a fresh process to a CPU stream (P18), and to the end of an optimised kernel of digits from an image. This program
// starts itself again for each sample; the child times its own first calls, so that loading the program is no part of it. It
// fails where a driver of CUDA has been touched.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "machine.h"
#include "peers.h"

namespace {

using namespace bench;

constexpr int kMinRepetitions = 15;

void startLibrary(bool launch) {
  rtDevice_t device;
  rtContext_t context;
  rtStream_t stream;
  RT_CHECK(rtInit());
  RT_CHECK(rtDeviceGetByName(&device, "cpu"));
  RT_CHECK(rtContextCreate(&context, nullptr, device));
  RT_CHECK(rtStreamCreate(&stream, nullptr, context));
  if (!launch) return;
  rtKernel_t kernel = createKernel(context, emptyKernel, {});
  RT_CHECK(rtLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, 0));
  RT_CHECK(rtStreamSynchronize(stream));
}

const char* imagePath() { return getenv("BENCH_START_IMAGE"); }

// The optimised code of digits, without its source.
bool makeImage() {
  rtDevice_t device;
  rtContext_t context;
  rtModule_t module;
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.format = RT_IMAGE_OPENCL_C;
  options.build_options = "-DCLASSES=10";
  rtImageOptions_t image_options = RT_IMAGE_OPTIONS_INIT;
  image_options.flags = RT_IMAGE_WITHOUT_SOURCE;
  size_t size = 0;
  RT_CHECK(rtDeviceGetByName(&device, "cpu"));
  RT_CHECK(rtContextCreate(&context, nullptr, device));
  RT_CHECK(rtModuleLoadFile(&module, BENCH_EXAMPLES "/digits/digits.cl", &options, context));
  RT_CHECK(rtModuleGetImage(nullptr, 0, &size, &image_options, module));
  std::vector<char> image(size);
  RT_CHECK(rtModuleGetImage(image.data(), size, &size, &image_options, module));
  std::ofstream file(imagePath(), std::ios::binary);
  file.write(image.data(), static_cast<std::streamsize>(image.size()));
  file.close();
  return !file.fail();
}

// A layer of digits for one image of the batch.
void startFromImage() {
  rtDevice_t device;
  rtContext_t context;
  rtStream_t stream;
  rtModule_t module;
  rtKernel_t forward;
  RT_CHECK(rtInit());
  RT_CHECK(rtDeviceGetByName(&device, "cpu"));
  RT_CHECK(rtContextCreate(&context, nullptr, device));
  RT_CHECK(rtStreamCreate(&stream, nullptr, context));
  RT_CHECK(rtModuleLoadFile(&module, imagePath(), nullptr, context));
  RT_CHECK(rtModuleGetKernel(&forward, "forward", module));
  constexpr uint32_t kInputs = 64, kNeurons = 128;
  uint32_t inputs = kInputs, relu = 1;
  size_t local = kInputs * sizeof(float);
  void *input, *layer, *output;
  RT_CHECK(rtMalloc(&input, kInputs * sizeof(float), context));
  RT_CHECK(rtMalloc(&layer, (kInputs + 1) * kNeurons * sizeof(float), context));
  RT_CHECK(rtMalloc(&output, kNeurons * sizeof(float), context));
  RT_CHECK(rtMemset(input, 0, kInputs * sizeof(float)));
  RT_CHECK(rtMemset(layer, 0, (kInputs + 1) * kNeurons * sizeof(float)));
  void* args[] = {&input, &layer, &output, &inputs, &relu, &local};
  RT_CHECK(rtLaunchKernel(forward, 1, 1, 1, kNeurons, 1, 1, 0, stream, args, RT_ARGS_ALL));
  RT_CHECK(rtStreamSynchronize(stream));
}

bool maps(const char* name) {
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    if (line.find(name) != std::string::npos) return true;
  }
  return false;
}

int child(const char* what) {
  std::string why;
  const int64_t began = nanoseconds();
  if (strcmp(what, "stream") == 0) {
    startLibrary(false);
  } else if (strcmp(what, "launch") == 0) {
    startLibrary(true);
  } else if (strcmp(what, "make_image") == 0) {
    return makeImage() ? (puts("1"), EXIT_SUCCESS) : EXIT_FAILURE;
  } else if (strcmp(what, "image") == 0) {
    startFromImage();
  } else if (strcmp(what, "thread") == 0) {
    std::thread([] {}).join();
  } else if (strcmp(what, "cuda") == 0) {
    return dlopen("libcuda.so.1", RTLD_NOW) != nullptr ? (puts("1"), EXIT_SUCCESS) : EXIT_FAILURE;
  } else if (!startOpenCl(&why)) {
    return EXIT_FAILURE;
  }
  const int64_t spent = nanoseconds() - began;
  if (strcmp(what, "opencl") != 0 && maps("libcuda")) {
    fprintf(stderr, "A driver of CUDA was loaded.\n");
    return EXIT_FAILURE;
  }
  printf("%lld\n", static_cast<long long>(spent));
  fflush(stdout);
  _exit(EXIT_SUCCESS);  // what PoCL does at its end is not measured
}

// The number that a child prints; below zero where it fails.
double runChild(const std::string& environment, const std::string& what) {
  char path[4096] = "";
  if (readlink("/proc/self/exe", path, sizeof path - 1) <= 0) return -1;
  FILE* pipe = popen((environment + " '" + path + "' --child=" + what).c_str(), "r");
  if (pipe == nullptr) return -1;
  double value = -1;
  if (fscanf(pipe, "%lf", &value) != 1) value = -1;
  return pclose(pipe) == 0 ? value : -1;
}

Measure start(const std::string& environment, const std::string& what) {
  return [=](int64_t) {
    double value = runChild(environment, what);
    if (value < 0) {
      fprintf(stderr, "A child process (%s) failed.\n", what.c_str());
      exit(EXIT_FAILURE);
    }
    return value;
  };
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && strncmp(argv[1], "--child=", 8) == 0) return child(argv[1] + 8);
  begin(&argc, argv);
  unsetenv("POCL_DEVICES");
  note("cuda_driver", runChild("", "cuda 2>/dev/null") > 0 ? "installed" : "not installed");
  note("peer_opencl", OpenClPeer::version());
  std::string why;

  Comparison comparison("P18_start");
  comparison.settle(false).repetitions(kMinRepetitions);
  comparison.ours("manyrt", start("", "stream"));
  comparison.ours("manyrt_others_disabled", start("RT_DISABLE=cuda,opencl", "stream"));
  comparison.ours("manyrt_and_first_launch", start("", "launch"));
  char image[] = "/tmp/bench_start_XXXXXX";
  const int file = mkstemp(image);
  if (file >= 0) close(file);
  setenv("BENCH_START_IMAGE", image, 1);
  if (file < 0 || runChild("RT_CPU_BUILD=optimized", "make_image") < 0) {
    comparison.missing("manyrt_image_and_first_kernel", "no image of digits could be made");
  } else {  // nothing may be compiled, nor come from the cache
    comparison.ours("manyrt_image_and_first_kernel", start("RT_CC=/nonexistent RT_CACHE_DIR=off", "image"));
  }
  if (startOpenCl(&why)) {
    comparison.peer("pocl_basic", start("POCL_DEVICES=basic", "opencl"));
    comparison.peer("pocl_pthread", start("POCL_DEVICES=pthread", "opencl"));
  } else {
    comparison.missing("pocl_pthread", why);
  }
  comparison.floor("thread_start", start("", "thread"));
  registerComparison(std::move(comparison));
  const int status = finish();
  unlink(image);
  return status;
}
