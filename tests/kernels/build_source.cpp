// One file of OpenCL C through the whole build for a device, for scripts: as check_source, but to code that could be launched.
// Prints the build log. Exit status: 0 built, 1 refused, 2 not usable. Usage: build_source DEVICE FILE [options of a build...]
#include <cstdio>
#include <string>
#include <vector>

#include "rt.h"

namespace {

std::string quoted(const char* word) {
  std::string text = "\"";
  for (const char* c = word; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') text += '\\';
    text += *c;
  }
  return text + "\" ";
}

template <typename Get>
void print(const Get& get) {
  size_t needed = 0;
  if (get(nullptr, size_t{0}, &needed) < 0 || needed == 0) return;
  std::vector<char> text(needed);
  if (get(text.data(), text.size(), &needed) >= 0) std::fprintf(stderr, "%s\n", text.data());
}

}  // namespace

int main(int argc, char** argv) {
  rtDevice_t device = nullptr;
  rtContext_t context = nullptr;
  if (argc < 3 || rtDeviceGetByName(&device, argv[1]) < 0 || rtContextCreate(&context, nullptr, device) < 0) {
    std::fprintf(stderr, "Usage: build_source DEVICE FILE [options of a build...]\n");
    return 2;
  }
  std::string text;
  for (int i = 3; i < argc; ++i) text += quoted(argv[i]);
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.format = RT_IMAGE_OPENCL_C;
  options.build_options = text.c_str();
  rtModule_t module = nullptr;
  const rtStatus_t status = rtModuleLoadFile(&module, argv[2], &options, context);
  uint32_t kernels = 0;
  if (status < 0) {
    print([](char* buffer, size_t size, size_t* needed) { return rtGetLastErrorMessage(buffer, size, needed); });
  } else {
    print([&](char* buffer, size_t size, size_t* needed) { return rtModuleGetBuildLog(buffer, size, needed, module); });
    if (rtModuleGetKernelCount(&kernels, module) < 0) return 2;
    std::printf("%u kernels\n", kernels);
  }
  (void)rtModuleDestroy(module);
  (void)rtContextDestroy(context);
  return status < 0 ? 1 : 0;
}
