// error at 4:15: a struct that contains itself
typedef struct Node {
  int value;
  struct Node next;
} Node;

__kernel void copy(__global int *out) { out[0] = sizeof(Node); }
