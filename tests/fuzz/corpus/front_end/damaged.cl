#define f(a) a*g
#define g(a) f(a)
#define x f(x
f(2)(9) x) %:define <:
#if 0
"
#else /* \
 */ ??/
#endif \

#line 7
