// Kernels that come from macros and stand under #if; comments, continued lines and pragmas in places where few expect them.
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#ifndef SCALE
#define SCALE 3
#endif
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define EMPTY
#define ADD_KERNEL(name, type, op) \
  __kernel void PASTE(apply_, name)(__global const type *in, __global type *out, type by EMPTY) { \
    size_t g = get_global_id(0);   /* a comment, inside a macro */ \
    out[g] = in[g] op by;          \
  }
#define SQUARE(x) ((x) * (x))
#define CALL(f, ...) f(__VA_ARGS__)
#define FIRST(a, ...) a
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define EXPAND(x) x
#define OPEN (
#define f(x) x + g_of
#define g_of(x) x * 2

ADD_KERNEL(plus, int, +)
ADD_KERNEL(minus, int, -)
ADD_KERNEL(times, float, *)

#if SCALE > 2 && defined(SCALE) && !defined NOTHING
__kernel
#else
this is not reached, nor is "its quote
#endif
void /* the name: */ commented /* , */ ( // before the first
    __global /* space */ const int * /* ) */ in,   // ends here, not there: )
    __global int *out /* , int not_there */,
    int // the count
        n) /* { */ {
  // out[0] = -1; \
     continued
  out[get_global_id(0)] = in[get_global_id(0)] /* /* */ * SCALE + n; // */
}

#if 0
__kernel void absent(__global int *out) { this is no C; }
#elif SQUARE(SCALE) == 9 || 'a' == 97
#define CHOSEN 1
#elif 1 / 0
#else
#error "not this one"
#endif

#undef SCALE
#define SCALE 1000

#undef SELF_
__kernel void values(__global int *out, int SELF_) {
#define SELF_ SELF_ + 1
  int SELF_x = 0, i = 0;
  out[i++] = SCALE;
  out[i++] = SQUARE(2 + 3);
  out[i++] = CALL(max, 3, 4) + CALL(clamp, 9, 1, 5);
  out[i++] = FIRST(1, 2, 3);
  out[i++] = SELF_ + SELF_x;
  out[i++] = sizeof(TEXT(a "b" SCALE)) + sizeof(TEXT_(SCALE));
  out[i++] = EXPAND(SQUARE OPEN 2));
  out[i++] = f(1)(5);
  out[i++] = PASTE(1, 2) + PASTE(0x, ff) + PASTE(SC, ALE);
  out[i++] = CHOSEN EMPTY + EMPTY 1;
  out[i++] = SQUA\
RE(4);
  out[i++] = __LINE__;
#line 500 "renamed.cl"
  out[i++] = __LINE__;
  out<:i++:> = 7;
}
