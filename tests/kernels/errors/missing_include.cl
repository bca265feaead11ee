// error at 2:10: a file that is not there
#include "there_is_no_such_file.h"
__kernel void copy(__global int *out) { out[0] = 1; }
