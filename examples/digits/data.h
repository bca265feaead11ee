/* SPDX-License-Identifier: Apache-2.0
 *
 * The images of digits.csv, split into those to learn from and those held out. Knows nothing of devices. */
#ifndef MANYRT_EXAMPLES_DIGITS_DATA_H_
#define MANYRT_EXAMPLES_DIGITS_DATA_H_

#include <stdint.h>

enum { kPixels = 64, kSide = 8, kClasses = 10, kGreyLevels = 16 };

/* Image `index` is held out if index mod 5 is 4. */
enum { kHeldOutModulus = 5, kHeldOutRemainder = 4 };

typedef struct Image {
  uint8_t pixels[kPixels]; /* 0 paper to 16 ink, row by row */
  uint8_t digit;
} Image;

typedef struct Dataset {
  Image* images;
  uint32_t count;
  uint32_t* train; /* indices into images */
  uint32_t train_count;
  uint32_t* held_out; /* indices into images */
  uint32_t held_out_count;
} Dataset;

/* Reads at most `limit` images (0: all). Returns 0 after a message on stderr if the file is missing or damaged. */
int datasetLoad(Dataset* data, const char* path, uint32_t limit);
void datasetFree(Dataset* data);

/* Writes an image as the network takes it: 64 numbers from 0 to 1. */
void datasetScale(float* out, const Image* image);

#endif /* MANYRT_EXAMPLES_DIGITS_DATA_H_ */
