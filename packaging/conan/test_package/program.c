/* What the tests of packages run: a copy there and back on the CPU, with a result that is checked. */
#include <rt.h>
#include <stdio.h>

int main(void) {
  uint32_t version = 0;
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  int sent[4] = {1, 2, 3, 4}, came[4] = {0, 0, 0, 0};
  void* data = NULL;
  if (rtGetVersion(&version) < 0 || rtDeviceGetByName(&device, "cpu") < 0 || rtContextCreate(&context, NULL, device) < 0 ||
      rtMalloc(&data, sizeof sent, context) < 0 || rtMemcpy(data, sent, sizeof sent, RT_MEMCPY_DEFAULT) < 0 ||
      rtMemcpy(came, data, sizeof came, RT_MEMCPY_DEFAULT) < 0) {
    char message[1024] = "";
    rtGetLastErrorMessage(message, sizeof message, NULL);
    printf("%s\n", message);
    return 1;
  }
  printf("manyrt %u: %d %d %d %d\n", version, came[0], came[1], came[2], came[3]);
  return came[0] == 1 && came[3] == 4 ? 0 : 1;
}
