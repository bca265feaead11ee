// The same program as C++, and with a published device type that means the OpenCL devices.
#define MANYRT_INFINIRT_OPENCL INFINI_DEVICE_MOORE
#include "infinirt_test.c"
