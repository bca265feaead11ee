// N=300 GROUP=64 OUT=3 IN=8
// A tree of records that is built by a pointer to pointers, and walked with a stack of pointers.
struct N {
  struct N *l, *r;
  ushort key;
  char bal;
};
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint gid = get_global_id(0);
  struct N a[6], *root = 0;
  uint depth = 0, s = 0;
  for (int i = 0; i < 6; i++) {
    struct N* x = a + i;
    x->l = x->r = 0;
    x->key = (ushort)in[gid * 8 + i];
    x->bal = 0;
    struct N** at = &root;
    uint d = 0;
    while (*at) {
      if (x->key < (*at)->key) {
        (*at)->bal--;
        at = &(*at)->l;
      } else {
        (*at)->bal++;
        at = &(*at)->r;
      }
      d++;
    }
    *at = x;
    if (d > depth) depth = d;
  }
  struct N* stack[6];
  int sp = 0;
  struct N* p = root;
  while (p || sp) {
    if (p) {
      stack[sp++] = p;
      p = p->l;
    } else {
      p = stack[--sp];
      s = s * 31 + p->key + p->bal;
      p = p->r;
    }
  }
  out[gid * 3] = s;
  out[gid * 3 + 1] = depth;
  out[gid * 3 + 2] = (uint)(root->r ? root->r - a : 9) + (root->l && root->l->r && root->l->r->key > 100 ? 64 : 0);
}
