// error at 3:5: one function twice
int one(void) { return 1; }
int one(void) { return 2; }

__kernel void copy(__global int *out) { out[0] = one(); }
