// printf with every kind of argument; language_print_test.cpp has the text that it prints.
__constant char pattern[] = "named %d\n";

__kernel void numbers(__global int *in, float f, long l) {
  printf("%d|%5d|%-5d|%05d|%+d|% d|%u|%x|%#X|%o\n", in[0], in[1], in[1], in[1], in[1], in[1], in[2], in[2], in[2], in[2]);
  printf("%hhd|%hd|%hhu|%hx|%c|%%\n", in[3], in[3], in[3], in[3], in[4]);
  printf("%ld|%lu|%lx\n", l, (ulong)l, l);
  printf("%f|%.2f|%8.3f|%-8.1f|%e|%.3E|%g|%G|%a\n", f, f, f, f, f, f, f, f, f);
  printf("%f|%e|%g\n", INFINITY, -INFINITY, INFINITY);
  printf(pattern, in[0]);
}

__kernel void vectors(float4 v, int3 i, uchar8 c, double2 d) {
  printf("%v4hlf|%.1v4hlf|%v4hlg\n", v, v, v);
  printf("%v3hld|%4v3hld|%v3hlx\n", i, i, i);
  printf("%v8hhu|%v8hhx\n", c, c);
  printf("%v2lf|%.2v2le\n", d, d);
}

__kernel void texts(__global int *in) {
  printf("%s|%8s|%-8s|%.2s|%s\n", "text", "text", "text", "text", "");
  printf("nothing\n");
  printf("tab\tquote\"question\?\?!\n");
}

// What a conversion cannot print stands there as it was written.
__kernel void mistakes(float f, int2 v) {
  printf("%d|\n", f);
  printf("%v4hld|%f\n", v, f);
  printf("%d %d\n", 1);
  printf("%d\n", 1, 2);
}

__kernel void many(float16 v) {
  printf("%v16hlg;%v16hlg;%v16hlg;%d\n", v, v + 1.0f, v + 2.0f, 7);
}

__kernel void results(__global int *out) {
  out[0] = printf("%d\n", 1);
}
