// error at 3:2: a directive that there is not
__kernel void copy(__global int *out) { out[0] = 1; }
#fi
