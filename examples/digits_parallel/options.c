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
    "digits_parallel - trains the network of digits on several ranks, which average their gradients\n"
    "\n"
    "  --devices A[,B...]  a rank on each of these devices, all in this process; a device may stand there more than once.\n"
    "                      Without it the processes that mpirun has started are the ranks, each on its CPU\n"
    "  --id-file FILE      the ranks are processes of this host, started without MPI (two_processes.sh), each on its CPU or "
    "on\n"
    "                      the one device of --devices: that of rank 0 writes FILE, the others wait for it\n"
    "  --rank N            which one this process is, from 0; with --id-file\n"
    "  --ranks N           how many there are, 1 to 64; with --id-file\n"
    "  --seed N            where random numbers start; default: 1\n"
    "  --epochs N          passes over the training images; default: 40\n"
    "  --images N          take the first N images only\n"
    "  --data FILE         the images; default: digits.csv beside the program, else in " MANYRT_EXAMPLE_FILES
    "/data\n"
    "  --kernels FILE      OpenCL C with the five kernels, or an image of them, FILE.rtm, by manyrt cc -DCLASSES=10;\n"
    "                      default: digits.cl beside the program, else in " MANYRT_EXAMPLE_FILES
    "/digits\n"
    "  --apart             each rank learns from its own share alone: shows that the program finds other weights\n"
    "  --no-threshold      end with 0 even if less than 96 % of the held-out images are read\n"
    "  --help              this text\n"
    "\n"
    "Ends with 0; with 1 if something failed, the ranks have other weights or read too little; with 2 if the command line is\n"
    "wrong.\n";

static int parseNumber(uint64_t* value, const char* text, uint64_t least, uint64_t most) {
  char* end = NULL;
  if (*text < '0' || *text > '9') return 0;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return errno == 0 && *end == '\0' && *value >= least && *value <= most;
}

static int parseCount(uint32_t* value, const char* text, uint32_t most) {
  uint64_t number = 0;
  if (!parseNumber(&number, text, 1, most)) return 0;
  *value = (uint32_t)number;
  return 1;
}

static int parseRank(uint32_t* value, const char* text) {
  uint64_t number = 0;
  if (!parseNumber(&number, text, 0, kMostRanks - 1)) return 0;
  *value = (uint32_t)number;
  return 1;
}

static int parseDevices(Options* options, const char* text) {
  options->device_count = 0;
  for (;;) {
    const size_t length = strcspn(text, ",");
    if (length == 0 || length >= sizeof options->device_names[0] || options->device_count == kMostRanks) return 0;
    memcpy(options->device_names[options->device_count], text, length);
    options->device_names[options->device_count++][length] = '\0';
    if (text[length] == '\0') return 1;
    text += length + 1;
  }
}

/* Returns 1, 0 for a value that is none, or -1 for an option that is none. */
static int parseValue(Options* options, const char* name, const char* value) {
  if (strcmp(name, "--devices") == 0) return parseDevices(options, value);
  if (strcmp(name, "--id-file") == 0) return (options->id_file = value)[0] != '\0';
  if (strcmp(name, "--rank") == 0) return parseRank(&options->rank, value);
  if (strcmp(name, "--ranks") == 0) return parseCount(&options->ranks, value, kMostRanks);
  if (strcmp(name, "--data") == 0) return (options->data = value)[0] != '\0';
  if (strcmp(name, "--kernels") == 0) return (options->kernels = value)[0] != '\0';
  if (strcmp(name, "--seed") == 0) return parseNumber(&options->seed, value, 0, UINT64_MAX);
  if (strcmp(name, "--epochs") == 0) return parseCount(&options->epochs, value, kMaxEpochs);
  if (strcmp(name, "--images") == 0) return parseCount(&options->images, value, kMaxImages);
  return -1;
}

int optionsParse(Options* options, int argc, char** argv) {
  memset(options, 0, sizeof *options);
  options->data = exampleFile(options->data_path, "data/digits.csv");
  options->kernels = exampleFile(options->kernels_path, "digits/digits.cl");
  options->seed = 1;
  options->epochs = kDefaultEpochs;
  options->threshold = 1;
  for (int i = 1; i < argc; ++i) {
    const char* name = argv[i];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
      fputs(kHelp, stdout);
      return 0;
    }
    if (strcmp(name, "--apart") == 0) {
      options->apart = 1;
      continue;
    }
    if (strcmp(name, "--no-threshold") == 0) {
      options->threshold = 0;
      continue;
    }
    const int taken = parseValue(options, name, i + 1 < argc ? argv[i + 1] : "");
    if (taken < 0) {
      fprintf(stderr, "digits_parallel: unknown option %s; --help lists them\n", name);
      return kUsageError;
    }
    if (++i == argc) {
      fprintf(stderr, "digits_parallel: %s needs a value\n", name);
      return kUsageError;
    }
    if (taken == 0) {
      fprintf(stderr, "digits_parallel: '%s' is no value for %s; --help says what is\n", argv[i], name);
      return kUsageError;
    }
  }
  if (options->id_file == NULL ? options->rank != 0 || options->ranks != 0
                               : options->rank >= options->ranks || options->device_count > 1) {
    fprintf(stderr, "digits_parallel: --id-file needs --rank and --ranks, which is above it, and takes one device\n");
    return kUsageError;
  }
  return -1;
}
