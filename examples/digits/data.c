/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads digits.csv and splits it. Every number is checked: a damaged file ends with its line and column, not with bad training.
 */
#include "data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxLine = 1024 };

/* One line: 64 pixels and the digit. Returns the column that is wrong, counted from 1, or 0. */
static int parseLine(Image* image, const char* line) {
  const char* at = line;
  for (int column = 0; column <= kPixels; ++column) {
    char* end = NULL;
    const long value = strtol(at, &end, 10);
    const int last = column == kPixels;
    const char* expected_end = last ? "\r\n" : ",";
    if (end == at || value < 0 || value > (last ? kClasses - 1 : kGreyLevels)) return column + 1;
    if (*end != '\0' ? strchr(expected_end, *end) == NULL : !last) return column + 1;
    if (last) {
      image->digit = (uint8_t)value;
    } else {
      image->pixels[column] = (uint8_t)value;
      at = end + 1;
    }
  }
  return 0;
}

static int readImages(Dataset* data, FILE* file, const char* path, uint32_t limit) {
  char line[kMaxLine];
  uint32_t capacity = 0;
  while ((limit == 0 || data->count < limit) && fgets(line, sizeof line, file) != NULL) {
    if (data->count == capacity) {
      capacity = capacity == 0 ? 2048 : capacity * 2;
      Image* grown = realloc(data->images, capacity * sizeof *grown);
      if (grown == NULL) {
        fprintf(stderr, "digits: no memory for %u images\n", capacity);
        return 0;
      }
      data->images = grown;
    }
    const int column = parseLine(&data->images[data->count], line);
    if (column != 0) {
      fprintf(stderr, "digits: %s:%u: number %d is not as expected: 64 pixels of 0 to 16, then a digit\n", path,
              data->count + 1, column);
      return 0;
    }
    ++data->count;
  }
  if (ferror(file)) {
    fprintf(stderr, "digits: %s: %s\n", path, strerror(errno));
    return 0;
  }
  if (data->count < kHeldOutModulus) {
    fprintf(stderr, "digits: %s has %u images; %d are the least that can be split\n", path, data->count, kHeldOutModulus);
    return 0;
  }
  return 1;
}

static int split(Dataset* data) {
  data->train = malloc(data->count * sizeof *data->train);
  data->held_out = malloc(data->count * sizeof *data->held_out);
  if (data->train == NULL || data->held_out == NULL) {
    fprintf(stderr, "digits: no memory for %u indices\n", data->count);
    return 0;
  }
  for (uint32_t i = 0; i < data->count; ++i) {
    if (i % kHeldOutModulus == kHeldOutRemainder) {
      data->held_out[data->held_out_count++] = i;
    } else {
      data->train[data->train_count++] = i;
    }
  }
  return 1;
}

int datasetLoad(Dataset* data, const char* path, uint32_t limit) {
  memset(data, 0, sizeof *data);
  FILE* file = fopen(path, "r");
  if (file == NULL) {
    fprintf(stderr, "digits: %s: %s\n", path, strerror(errno));
    return 0;
  }
  const int loaded = readImages(data, file, path, limit) && split(data);
  fclose(file);
  if (!loaded) datasetFree(data);
  return loaded;
}

void datasetFree(Dataset* data) {
  free(data->images);
  free(data->train);
  free(data->held_out);
  memset(data, 0, sizeof *data);
}

void datasetScale(float* out, const Image* image) {
  for (int i = 0; i < kPixels; ++i) out[i] = (float)image->pixels[i] / (float)kGreyLevels;
}
