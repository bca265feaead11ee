// The functions of OpenCL C 1.2, section by section of its chapter 6.12, in its own words. This is the one list of their names.
// The parser finds overloads, conversions and checks here (prototype.cpp reads it). The other files of this folder have the C++
// of each function.
//
// A line "where gentype is ..." holds until the next one or the next heading. In a prototype the words mean
//   sgentype  the scalar of gentype's elements          ugentype  unsigned integers of gentype's size, igentype signed ones
//   intn      ints, as many as gentype has components, and ushortn ushorts        wgentype  integers of twice the size
//   rgentype  what comparisons give: int of a scalar, signed integers of the components' size of a vector
// Pointers: gentype *p points to __global, __local or __private memory, const gentype *p to any, volatile gentype *p to
// __global or __local memory. An n in a name stands for the components that "where" allows: 2, 3, 4, 8, 16, or nothing for one
// component. destType, sourceType, a gentypem beside a gentypen, and "..." are words whose rules no prototype can say:
// family.cpp has them.

# Work-item functions (6.12.1), in the order of WorkItem in builtins.h
size_t get_global_id(uint dimindx);
size_t get_local_id(uint dimindx);
size_t get_group_id(uint dimindx);
size_t get_global_size(uint dimindx);
size_t get_local_size(uint dimindx);
size_t get_num_groups(uint dimindx);
size_t get_global_offset(uint dimindx);
uint get_work_dim();
size_t get_global_linear_id();
size_t get_local_linear_id();
size_t get_enqueued_local_size(uint dimindx);

# Math functions (6.12.2)
where gentype is float, double or a vector of them:
  gentype acos(gentype x);
  gentype acosh(gentype x);
  gentype acospi(gentype x);
  gentype asin(gentype x);
  gentype asinh(gentype x);
  gentype asinpi(gentype x);
  gentype atan(gentype x);
  gentype atan2(gentype y, gentype x);
  gentype atanh(gentype x);
  gentype atanpi(gentype x);
  gentype atan2pi(gentype y, gentype x);
  gentype cbrt(gentype x);
  gentype ceil(gentype x);
  gentype copysign(gentype x, gentype y);
  gentype cos(gentype x);
  gentype cosh(gentype x);
  gentype cospi(gentype x);
  gentype erf(gentype x);
  gentype erfc(gentype x);
  gentype exp(gentype x);
  gentype exp2(gentype x);
  gentype exp10(gentype x);
  gentype expm1(gentype x);
  gentype fabs(gentype x);
  gentype fdim(gentype x, gentype y);
  gentype floor(gentype x);
  gentype fma(gentype a, gentype b, gentype c);
  gentype fmax(gentype x, gentype y);
  gentype fmin(gentype x, gentype y);
  gentype fmod(gentype x, gentype y);
  gentype fract(gentype x, gentype *iptr);
  gentype frexp(gentype x, intn *exp);
  gentype hypot(gentype x, gentype y);
  intn ilogb(gentype x);
  gentype ldexp(gentype x, intn k);
  gentype lgamma(gentype x);
  gentype lgamma_r(gentype x, intn *signp);
  gentype log(gentype x);
  gentype log2(gentype x);
  gentype log10(gentype x);
  gentype log1p(gentype x);
  gentype logb(gentype x);
  gentype mad(gentype a, gentype b, gentype c);
  gentype maxmag(gentype x, gentype y);
  gentype minmag(gentype x, gentype y);
  gentype modf(gentype x, gentype *iptr);
  gentype nan(ugentype nancode);
  gentype nextafter(gentype x, gentype y);
  gentype pow(gentype x, gentype y);
  gentype pown(gentype x, intn y);
  gentype powr(gentype x, gentype y);
  gentype remainder(gentype x, gentype y);
  gentype remquo(gentype x, gentype y, intn *quo);
  gentype rint(gentype x);
  gentype rootn(gentype x, intn y);
  gentype round(gentype x);
  gentype rsqrt(gentype x);
  gentype sin(gentype x);
  gentype sincos(gentype x, gentype *cosval);
  gentype sinh(gentype x);
  gentype sinpi(gentype x);
  gentype sqrt(gentype x);
  gentype tan(gentype x);
  gentype tanh(gentype x);
  gentype tanpi(gentype x);
  gentype tgamma(gentype x);
  gentype trunc(gentype x);
where gentype is a vector of float or double:
  gentype fmax(gentype x, sgentype y);
  gentype fmin(gentype x, sgentype y);
  gentype ldexp(gentype x, int k);
where gentype is float or a vector of it:
  gentype half_cos(gentype x);
  gentype half_divide(gentype x, gentype y);
  gentype half_exp(gentype x);
  gentype half_exp2(gentype x);
  gentype half_exp10(gentype x);
  gentype half_log(gentype x);
  gentype half_log2(gentype x);
  gentype half_log10(gentype x);
  gentype half_powr(gentype x, gentype y);
  gentype half_recip(gentype x);
  gentype half_rsqrt(gentype x);
  gentype half_sin(gentype x);
  gentype half_sqrt(gentype x);
  gentype half_tan(gentype x);
  gentype native_cos(gentype x);
  gentype native_divide(gentype x, gentype y);
  gentype native_exp(gentype x);
  gentype native_exp2(gentype x);
  gentype native_exp10(gentype x);
  gentype native_log(gentype x);
  gentype native_log2(gentype x);
  gentype native_log10(gentype x);
  gentype native_powr(gentype x, gentype y);
  gentype native_recip(gentype x);
  gentype native_rsqrt(gentype x);
  gentype native_sin(gentype x);
  gentype native_sqrt(gentype x);
  gentype native_tan(gentype x);

# Integer functions (6.12.3)
where gentype is an integer type or a vector of one:
  ugentype abs(gentype x);
  ugentype abs_diff(gentype x, gentype y);
  gentype add_sat(gentype x, gentype y);
  gentype clz(gentype x);
  gentype hadd(gentype x, gentype y);
  gentype mad_hi(gentype a, gentype b, gentype c);
  gentype mad_sat(gentype a, gentype b, gentype c);
  gentype mul_hi(gentype x, gentype y);
  gentype popcount(gentype x);
  gentype rhadd(gentype x, gentype y);
  gentype rotate(gentype v, gentype i);
  gentype sub_sat(gentype x, gentype y);
where gentype is int, uint or a vector of them:
  gentype mad24(gentype x, gentype y, gentype z);
  gentype mul24(gentype x, gentype y);
where gentype is an integer type of at most 32 bits or a vector of one:
  wgentype upsample(gentype hi, ugentype lo);

# Common functions (6.12.4)
where gentype is a number's type or a vector of one:
  gentype clamp(gentype x, gentype minval, gentype maxval);
  gentype max(gentype x, gentype y);
  gentype min(gentype x, gentype y);
where gentype is float, double or a vector of them:
  gentype degrees(gentype radians);
  gentype mix(gentype x, gentype y, gentype a);
  gentype radians(gentype degrees);
  gentype sign(gentype x);
  gentype smoothstep(gentype edge0, gentype edge1, gentype x);
  gentype step(gentype edge, gentype x);
where gentype is a vector of float or double:
  gentype clamp(gentype x, sgentype minval, sgentype maxval);
  gentype max(gentype x, sgentype y);
  gentype min(gentype x, sgentype y);
  gentype mix(gentype x, gentype y, sgentype a);
  gentype smoothstep(sgentype edge0, sgentype edge1, gentype x);
  gentype step(sgentype edge, gentype x);
where gentype is a vector of integers:
  gentype clamp(gentype x, sgentype minval, sgentype maxval);
  gentype max(gentype x, sgentype y);
  gentype min(gentype x, sgentype y);

# Geometric functions (6.12.5)
where gentype is a vector of three or four float or double:
  gentype cross(gentype p0, gentype p1);
where gentype is float, double or a vector of up to four of them:
  sgentype distance(gentype p0, gentype p1);
  sgentype dot(gentype p0, gentype p1);
  sgentype length(gentype p);
  gentype normalize(gentype p);
where gentype is float or a vector of up to four:
  sgentype fast_distance(gentype p0, gentype p1);
  sgentype fast_length(gentype p);
  gentype fast_normalize(gentype p);

# Relational functions (6.12.6)
where gentype is a signed integer type or a vector of one:
  int all(gentype x);
  int any(gentype x);
where gentype is a number's type or a vector of one:
  gentype bitselect(gentype a, gentype b, gentype c);
  gentype select(gentype a, gentype b, igentype c);
  gentype select(gentype a, gentype b, ugentype c);
where gentype is float, double or a vector of them:
  rgentype isequal(gentype x, gentype y);
  rgentype isfinite(gentype x);
  rgentype isgreater(gentype x, gentype y);
  rgentype isgreaterequal(gentype x, gentype y);
  rgentype isinf(gentype x);
  rgentype isless(gentype x, gentype y);
  rgentype islessequal(gentype x, gentype y);
  rgentype islessgreater(gentype x, gentype y);
  rgentype isnan(gentype x);
  rgentype isnormal(gentype x);
  rgentype isnotequal(gentype x, gentype y);
  rgentype isordered(gentype x, gentype y);
  rgentype isunordered(gentype x, gentype y);
  rgentype signbit(gentype x);

# Vector data load and store functions (6.12.7)
where gentype is a vector of as many components as the name says:
  gentype vloadn(size_t offset, const sgentype *p);
  void vstoren(gentype data, size_t offset, sgentype *p);
where gentype is float, with as many components as the name says:
  gentype vload_halfn(size_t offset, const half *p);
  gentype vloada_halfn(size_t offset, const half *p);
where gentype is float or double, with as many components as the name says:
  void vstore_halfn(gentype data, size_t offset, half *p);
  void vstore_halfn_rte(gentype data, size_t offset, half *p);
  void vstore_halfn_rtz(gentype data, size_t offset, half *p);
  void vstore_halfn_rtp(gentype data, size_t offset, half *p);
  void vstore_halfn_rtn(gentype data, size_t offset, half *p);
  void vstorea_halfn(gentype data, size_t offset, half *p);
  void vstorea_halfn_rte(gentype data, size_t offset, half *p);
  void vstorea_halfn_rtz(gentype data, size_t offset, half *p);
  void vstorea_halfn_rtp(gentype data, size_t offset, half *p);
  void vstorea_halfn_rtn(gentype data, size_t offset, half *p);

# Synchronization functions (6.12.8)
void barrier(uint flags);
void work_group_barrier(uint flags);
void wait_group_events(int num_events, __private event_t *event_list);

# Explicit memory fence functions (6.12.9)
void mem_fence(uint flags);
void read_mem_fence(uint flags);
void write_mem_fence(uint flags);

# Async copies from global to local memory, local to global memory (6.12.10)
where gentype is a number's type or a vector of one:
  event_t async_work_group_copy(__local gentype *dst, const __global gentype *src, size_t num_gentypes, event_t event);
  event_t async_work_group_copy(__global gentype *dst, const __local gentype *src, size_t num_gentypes, event_t event);
  event_t async_work_group_strided_copy(__local gentype *dst, const __global gentype *src, size_t num_gentypes, size_t stride,
                                        event_t event);
  event_t async_work_group_strided_copy(__global gentype *dst, const __local gentype *src, size_t num_gentypes, size_t stride,
                                        event_t event);

# Prefetch (6.12.10)
where gentype is a number's type or a vector of one:
  void prefetch(const __global gentype *p, size_t num_gentypes);

# Atomic functions (6.12.11)
where gentype is int or uint:
  gentype atomic_add(volatile gentype *p, gentype val);
  gentype atomic_and(volatile gentype *p, gentype val);
  gentype atomic_cmpxchg(volatile gentype *p, gentype cmp, gentype val);
  gentype atomic_dec(volatile gentype *p);
  gentype atomic_inc(volatile gentype *p);
  gentype atomic_max(volatile gentype *p, gentype val);
  gentype atomic_min(volatile gentype *p, gentype val);
  gentype atomic_or(volatile gentype *p, gentype val);
  gentype atomic_sub(volatile gentype *p, gentype val);
  gentype atomic_xchg(volatile gentype *p, gentype val);
  gentype atomic_xor(volatile gentype *p, gentype val);
float atomic_xchg(volatile float *p, float val);
where gentype is int, uint, long or ulong:
  gentype atom_add(volatile gentype *p, gentype val);
  gentype atom_and(volatile gentype *p, gentype val);
  gentype atom_cmpxchg(volatile gentype *p, gentype cmp, gentype val);
  gentype atom_dec(volatile gentype *p);
  gentype atom_inc(volatile gentype *p);
  gentype atom_max(volatile gentype *p, gentype val);
  gentype atom_min(volatile gentype *p, gentype val);
  gentype atom_or(volatile gentype *p, gentype val);
  gentype atom_sub(volatile gentype *p, gentype val);
  gentype atom_xchg(volatile gentype *p, gentype val);
  gentype atom_xor(volatile gentype *p, gentype val);

# Miscelcomponentous vector functions (6.12.12)
gentypen shuffle(gentypem x, ugentypen mask);
gentypen shuffle2(gentypem x, gentypem y, ugentypen mask);

# printf (6.12.13)
int printf(const __constant char *format, ...);

# Sub-group functions (cl_khr_subgroups, cl_khr_subgroup_shuffle, cl_khr_subgroup_shuffle_relative, cl_khr_subgroup_ballot)
uint get_sub_group_size();
uint get_max_sub_group_size();
uint get_num_sub_groups();
uint get_enqueued_num_sub_groups();
uint get_sub_group_id();
uint get_sub_group_local_id();
void sub_group_barrier(uint flags);
int sub_group_all(int predicate);
int sub_group_any(int predicate);
uint4 sub_group_ballot(int predicate);
int sub_group_inverse_ballot(uint4 value);
int sub_group_ballot_bit_extract(uint4 value, uint index);
uint sub_group_ballot_bit_count(uint4 value);
uint sub_group_ballot_inclusive_scan(uint4 value);
uint sub_group_ballot_exclusive_scan(uint4 value);
uint sub_group_ballot_find_lsb(uint4 value);
uint sub_group_ballot_find_msb(uint4 value);
where gentype is int, uint, long, ulong, float or double:
  gentype sub_group_broadcast(gentype x, uint sub_group_local_id);
  gentype sub_group_reduce_add(gentype x);
  gentype sub_group_reduce_min(gentype x);
  gentype sub_group_reduce_max(gentype x);
  gentype sub_group_scan_exclusive_add(gentype x);
  gentype sub_group_scan_exclusive_min(gentype x);
  gentype sub_group_scan_exclusive_max(gentype x);
  gentype sub_group_scan_inclusive_add(gentype x);
  gentype sub_group_scan_inclusive_min(gentype x);
  gentype sub_group_scan_inclusive_max(gentype x);
where gentype is a number's type:
  gentype sub_group_non_uniform_broadcast(gentype value, uint index);
  gentype sub_group_broadcast_first(gentype value);
  gentype sub_group_shuffle(gentype value, uint index);
  gentype sub_group_shuffle_xor(gentype value, uint mask);
  gentype sub_group_shuffle_up(gentype value, uint delta);
  gentype sub_group_shuffle_down(gentype value, uint delta);

# Integer dot products (cl_khr_integer_dot_product)
uint dot(uchar4 a, uchar4 b);
int dot(char4 a, char4 b);
int dot(uchar4 a, char4 b);
int dot(char4 a, uchar4 b);
uint dot_acc_sat(uchar4 a, uchar4 b, uint acc);
int dot_acc_sat(char4 a, char4 b, int acc);
int dot_acc_sat(uchar4 a, char4 b, int acc);
int dot_acc_sat(char4 a, uchar4 b, int acc);
uint dot_4x8packed_uu_uint(uint a, uint b);
int dot_4x8packed_ss_int(uint a, uint b);
int dot_4x8packed_us_int(uint a, uint b);
int dot_4x8packed_su_int(uint a, uint b);
uint dot_acc_sat_4x8packed_uu_uint(uint a, uint b, uint acc);
int dot_acc_sat_4x8packed_ss_int(uint a, uint b, int acc);
int dot_acc_sat_4x8packed_us_int(uint a, uint b, int acc);
int dot_acc_sat_4x8packed_su_int(uint a, uint b, int acc);

# Conversions of bfloat16 (cl_intel_bfloat16_conversions)
where gentype is float, with as many components as the name says:
  ushortn intel_convert_bfloat16n_as_ushortn(gentype source);
  gentype intel_convert_as_bfloat16n_floatn(ushortn source);

# Conversions and type casting (6.2.3, 6.2.4)
destType convert_destType(sourceType x);
destType as_destType(sourceType x);
