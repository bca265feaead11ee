#include "factor.h"
__kernel void scale(__global int* numbers) { numbers[get_global_id(0)] = numbers[get_global_id(0)] * SCALE + ADD; }
