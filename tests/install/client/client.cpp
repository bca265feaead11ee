// A C++ program against the installed package: asks for the default device by name and reads a message of failure.
#include <rt.h>

#include <cstdio>
#include <cstring>
#include <string>

int main() {
  rtDevice_t device = nullptr;
  if (rtDeviceGetByName(&device, "cpu") != RT_SUCCESS) return 1;
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  if (rtDeviceGetProperties(&properties, device) != RT_SUCCESS) return 1;

  if (rtDeviceGetByName(&device, "no such device") != RT_ERROR_NOT_FOUND) return 1;
  std::string message(256, '\0');
  size_t needed = 0;
  if (rtGetLastErrorMessage(&message[0], message.size(), &needed) != RT_SUCCESS || needed < 2) return 1;
  if (std::strstr(message.c_str(), "no such device") == nullptr) {
    std::fprintf(stderr, "The message does not name the device: %s\n", message.c_str());
    return 1;
  }
  std::printf("client_cpp: ok on %s\n", properties.name);
  return 0;
}
