/* The benchmarks' questions to an OpenMP runtime. Compiled once with gcc (libgomp) and once with clang (libomp) into modules
 * that peer_openmp.cpp opens. */
void bench_parallel(void);
void bench_tasks(int count);
int bench_threads(void);
const char* bench_compiler(void);

int omp_get_max_threads(void);

/* Keeps the compiler from removing a region that does nothing. */
#define NOTHING __asm__ volatile("" ::: "memory")

void bench_parallel(void) {
#pragma omp parallel
  NOTHING;
}

void bench_tasks(int count) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task
    NOTHING;
  }
}

int bench_threads(void) { return omp_get_max_threads(); }

const char* bench_compiler(void) {
#ifdef __clang__
  return __VERSION__;
#else
  return "gcc " __VERSION__;
#endif
}
