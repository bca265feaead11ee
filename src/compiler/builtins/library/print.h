// printf, as a kernel with a call of it gets it: the whole file. The output of one call goes out in pieces of at most 4096
// bytes, each whole among those of other threads. A format that does not match its arguments prints "(?)" after the conversion
// and reads nothing that is not there.
#pragma once

#define mrt_print_fn static __attribute__((noinline, unused))
struct mrt_out {
  const char* at;
  unsigned long used;
  bool failed;
  char text[4096];
};
struct mrt_spec {
  const char* begin;
  char prefix[32];
  int components;
  char length;
  char letter;
};
mrt_print_fn void mrt_flush(mrt_out& o) {
  if (o.used != 0 && __builtin_printf("%.*s", (int)o.used, o.text) < 0) o.failed = true;
  o.used = 0;
}

mrt_print_fn void mrt_put(mrt_out& o, char c) {
  if (c == 0 || o.used == sizeof o.text) mrt_flush(o);
  if (c != 0)
    o.text[o.used++] = c;
  else if (__builtin_printf("%c", 0) < 0)
    o.failed = true;
}

mrt_print_fn void mrt_put_text(mrt_out& o, const char* s, const char* end) {
  while (s != end) mrt_put(o, *s++);
}
// Width and precision are cut to three digits: what one conversion prints fits into a buffer then.
mrt_print_fn void mrt_put_number(mrt_out& o, char*& to) {
  for (int n = 0; *o.at >= '0' && *o.at <= '9'; ++o.at) {
    if (n < 3) *to++ = *o.at;
    if (n > 0 || *o.at != '0') ++n;
  }
}

mrt_print_fn bool mrt_next(mrt_out& o, mrt_spec& s) {
  while (*o.at != '%' || o.at[1] == '%') {
    if (*o.at == 0) return false;
    if (*o.at == '%') ++o.at;
    mrt_put(o, *o.at++);
  }
  s.begin = o.at;
  char* to = s.prefix;
  *to++ = *o.at++;
  for (; *o.at == '-' || *o.at == '+' || *o.at == ' ' || *o.at == '#' || *o.at == '0'; ++o.at) {
    bool known = false;
    for (const char* f = s.prefix + 1; f != to; ++f) known = known || *f == *o.at;
    if (!known) *to++ = *o.at;
  }
  mrt_put_number(o, to);
  if (*o.at == '.') {
    *to++ = *o.at++;
    mrt_put_number(o, to);
  }
  *to = 0;
  s.components = 1;
  if (*o.at == 'v') {
    s.components = 0;
    for (++o.at; *o.at >= '0' && *o.at <= '9'; ++o.at)
      s.components = s.components > 16 ? 17 : s.components * 10 + (*o.at - '0');
  }
  s.length = 0;
  if (*o.at == 'h' || *o.at == 'l') {
    s.length = *o.at++;
    if (s.length == 'h' && *o.at == 'h') s.length = 'b';
    if (s.length == 'h' && *o.at == 'l') s.length = 'w';
    if (s.length == 'b' || s.length == 'w') ++o.at;
  }
  s.letter = *o.at;
  if (s.letter != 0) ++o.at;
  return true;
}

mrt_print_fn void mrt_mismatch(mrt_out& o, const mrt_spec& s) {
  mrt_put_text(o, s.begin, o.at);
  mrt_put(o, '(');
  mrt_put(o, '?');
  mrt_put(o, ')');
}

mrt_print_fn bool mrt_is(char letter, const char* letters) {
  for (; *letters != 0; ++letters) {
    if (*letters == letter) return true;
  }
  return false;
}

mrt_print_fn void mrt_format(char* format, const mrt_spec& s, const char* length) {
  const char* from = s.prefix;
  while (*from != 0) *format++ = *from++;
  while (*length != 0) *format++ = *length++;
  *format++ = s.letter;
  *format = 0;
}

mrt_print_fn void mrt_print_integers(mrt_out& o, const long* v, int n, int bytes) {
  mrt_spec s;
  if (!mrt_next(o, s)) return;
  const bool is_signed = mrt_is(s.letter, "di"), is_char = s.letter == 'c' && n == 1;
  if (s.components != n || (!is_signed && !is_char && !mrt_is(s.letter, "uoxX"))) return mrt_mismatch(o, s);
  if (n == 1 && s.length == 'b') bytes = 1;
  if (n == 1 && s.length == 'h') bytes = 2;
  char format[48], text[2048];
  mrt_format(format, s, is_char ? "" : "l");
  for (int i = 0; i < n; ++i) {
    const int cut = 64 - 8 * bytes;
    const unsigned long bits = (unsigned long)v[i] << cut;
    const long value = is_signed ? (long)bits >> cut : (long)(bits >> cut);
    int size;
    if (is_char)
      size = __builtin_snprintf(text, sizeof text, format, (int)value);
    else
      size = __builtin_snprintf(text, sizeof text, format, value);
    if (i > 0) mrt_put(o, ',');
    if (size > 0) mrt_put_text(o, text, text + size);
  }
}

mrt_print_fn void mrt_print_reals(mrt_out& o, const double* v, int n) {
  mrt_spec s;
  if (!mrt_next(o, s)) return;
  if (s.components != n || !mrt_is(s.letter, "fFeEgGaA")) return mrt_mismatch(o, s);
  char format[48], text[2048];
  mrt_format(format, s, "");
  for (int i = 0; i < n; ++i) {
    const int size = __builtin_snprintf(text, sizeof text, format, v[i]);
    if (i > 0) mrt_put(o, ',');
    if (size > 0) mrt_put_text(o, text, text + size);
  }
}

// A string is copied character by character: it may be of any length. Width and precision hold for it too.
mrt_print_fn void mrt_print_string(mrt_out& o, const mrt_spec& s, const char* v) {
  long width = 0, most = -1, size = 0;
  bool left = false;
  for (const char* at = s.prefix + 1; *at != 0; ++at) {
    if (*at == '-') left = true;
    if (*at == '.') most = 0;
    if (*at >= '0' && *at <= '9') (most >= 0 ? most : width) = (most >= 0 ? most : width) * 10 + (*at - '0');
  }
  while ((most < 0 || size < most) && v[size] != 0) ++size;
  for (long i = size; !left && i < width; ++i) mrt_put(o, ' ');
  mrt_put_text(o, v, v + size);
  for (long i = size; left && i < width; ++i) mrt_put(o, ' ');
}

mrt_print_fn void mrt_print_pointer(mrt_out& o, const volatile void* v, bool is_text) {
  mrt_spec s;
  if (!mrt_next(o, s)) return;
  if (s.letter == 's' && is_text && s.components == 1) return mrt_print_string(o, s, v == nullptr ? "(null)" : (const char*)v);
  if (s.letter != 'p' || s.components != 1) return mrt_mismatch(o, s);
  char format[48], text[2048];
  mrt_format(format, s, "");
  const int size = __builtin_snprintf(text, sizeof text, format, (const void*)v);
  if (size > 0) mrt_put_text(o, text, text + size);
}

mrt_print_fn int mrt_print_end(mrt_out& o) {
  mrt_spec s;
  while (mrt_next(o, s)) mrt_mismatch(o, s);
  mrt_flush(o);
  return o.failed ? -1 : 0;
}
