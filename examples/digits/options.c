/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the command line. A value that is no number, or a word that is no option, ends the program before anything is started.
 */
#define _POSIX_C_SOURCE 200809L /* files.h */

#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../files.h"

enum { kUsageError = 2, kDefaultEpochs = 40, kMaxEpochs = 100000, kMaxImages = 1000000000 };

static const char kHelp[] =
    "digits - trains a 64-128-10 network on images of handwritten digits and reads those held out\n"
    "\n"
    "  --device NAME   one device, as \"cpu\"; default: every device that runs kernels from source\n"
    "  --seed N[,N...] where random numbers start, also several times; default: 1,2,3\n"
    "  --epochs N      passes over the training images; default: 40\n"
    "  --images N      take the first N images only\n"
    "  --data FILE     the images; default: digits.csv beside the program, else in " MANYRT_EXAMPLE_FILES
    "/data\n"
    "  --kernels FILE  OpenCL C with the five kernels, or an image of them, FILE.rtm, by manyrt cc -DCLASSES=10;\n"
    "                  default: digits.cl beside the program, else in " MANYRT_EXAMPLE_FILES
    "/digits\n"
    "  --output DIR    where digits-curve.svg and digits-misread.svg go; default: here\n"
    "  --graph         train a second time with each step as a graph, captured once: the same bits or failure\n"
    "  --graph-file F  with --graph: writes the step to F, for `manyrt graph`\n"
    "  --weights FILE  writes the weights of the first run: 32-bit floats, layer by layer, for examples/deploy\n"
    "  --no-threshold  end with 0 even if a seed reads less than 96 % of the held-out images\n"
    "  --help          this text\n"
    "\n"
    "Held out is every image whose index mod 5 is 4; the accuracy that counts is that of the final epoch.\n"
    "Ends with 0; with 1 if something failed, kernels that do not build among it, or a seed reads too little; with 2 if the\n"
    "command line is wrong.\n";

/* Reads the number at `text`, which ends at `*end`; returns 0 if there is none from `least` to `most`. */
static int parseNumber(uint64_t* value, char** end, const char* text, uint64_t least, uint64_t most) {
  if (*text < '0' || *text > '9') return 0;
  errno = 0;
  *value = strtoull(text, end, 10);
  return errno == 0 && *value >= least && *value <= most;
}

static int parseCount(uint32_t* value, const char* text, uint32_t least, uint32_t most) {
  char* end = NULL;
  uint64_t number = 0;
  if (!parseNumber(&number, &end, text, least, most) || *end != '\0') return 0;
  *value = (uint32_t)number;
  return 1;
}

static int parseSeeds(Options* options, const char* text) {
  for (;;) {
    char* end = NULL;
    if (options->seed_count == kMaxSeeds) return 0;
    if (!parseNumber(&options->seeds[options->seed_count], &end, text, 0, UINT64_MAX)) return 0;
    ++options->seed_count;
    if (*end == '\0') return 1;
    if (*end != ',') return 0;
    text = end + 1;
  }
}

static int parseValue(Options* options, const char* name, const char* value) {
  if (strcmp(name, "--device") == 0) return (options->device = value)[0] != '\0';
  if (strcmp(name, "--data") == 0) return (options->data = value)[0] != '\0';
  if (strcmp(name, "--kernels") == 0) return (options->kernels = value)[0] != '\0';
  if (strcmp(name, "--graph-file") == 0) return (options->graph_file = value)[0] != '\0';
  if (strcmp(name, "--weights") == 0) return (options->weights = value)[0] != '\0';
  if (strcmp(name, "--output") == 0) return (options->output = value)[0] != '\0';
  if (strcmp(name, "--seed") == 0) return parseSeeds(options, value);
  if (strcmp(name, "--epochs") == 0) return parseCount(&options->epochs, value, 1, kMaxEpochs);
  return parseCount(&options->images, value, 1, kMaxImages);
}

static int takesValue(const char* name) {
  static const char* const kNames[] = {"--device", "--data",   "--kernels",    "--output", "--seed",
                                       "--epochs", "--images", "--graph-file", "--weights"};
  for (size_t i = 0; i < sizeof kNames / sizeof kNames[0]; ++i) {
    if (strcmp(name, kNames[i]) == 0) return 1;
  }
  return 0;
}

int optionsParse(Options* options, int argc, char** argv) {
  memset(options, 0, sizeof *options);
  options->data = exampleFile(options->data_path, "data/digits.csv");
  options->kernels = exampleFile(options->kernels_path, "digits/digits.cl");
  options->output = ".";
  options->epochs = kDefaultEpochs;
  options->threshold = 1;
  for (int i = 1; i < argc; ++i) {
    const char* name = argv[i];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
      fputs(kHelp, stdout);
      return 0;
    }
    if (strcmp(name, "--graph") == 0) {
      options->graph = 1;
      continue;
    }
    if (strcmp(name, "--no-threshold") == 0) {
      options->threshold = 0;
      continue;
    }
    if (!takesValue(name)) {
      fprintf(stderr, "digits: unknown option %s; --help lists them\n", name);
      return kUsageError;
    }
    if (i + 1 == argc) {
      fprintf(stderr, "digits: %s needs a value\n", name);
      return kUsageError;
    }
    if (!parseValue(options, name, argv[++i])) {
      fprintf(stderr, "digits: '%s' is no value for %s; --help says what is\n", argv[i], name);
      return kUsageError;
    }
  }
  if (options->graph_file != NULL && !options->graph) {
    fprintf(stderr, "digits: --graph-file needs --graph\n");
    return kUsageError;
  }
  if (options->seed_count == 0) {
    for (; options->seed_count < 3; ++options->seed_count) options->seeds[options->seed_count] = options->seed_count + 1;
  }
  return -1;
}
