/* SPDX-License-Identifier: Apache-2.0
 *
 * digits: trains a network on 1438 images of handwritten digits and reads the 359 held out. It does so on every device found or
 * the one named, once for each seed. Ends with a table, a learning curve and a sheet of the misread digits; see --help.
 *
 *   options.c  the command line            digits.cl  what runs on the device
 *   data.c     the images                  network.c  memory and launches of the network
 *   svg.c      the two pictures            train.c    streams, events, batches, epochs
 *   step_graph.c  a step of training as a graph, for --graph */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common.h"
#include "data.h"
#include "options.h"
#include "svg.h"
#include "train.h"

static const float kRequiredAccuracy = 0.96f;

enum { kMaxDevices = 64, kMaxPath = 4096, kQuietStep = 10 };

/* The devices to train on, in `devices`; returns how many. Ends the program if there is none. */
static uint32_t findDevices(rtDevice_t devices[kMaxDevices], const char* name) {
  uint32_t found = 0;
  int32_t count = 1;
  if (name == NULL) CHECK(rtDeviceGetCount(&count, RT_BACKEND_ALL));
  for (int32_t i = 0; i < count && found < kMaxDevices; ++i) {
    rtDevice_t device = NULL;
    int32_t builds = 0;
    if (name != NULL) {
      CHECK(rtDeviceGetByName(&device, name));
    } else {
      CHECK(rtDeviceGet(&device, RT_BACKEND_ALL, i));
    }
    CHECK(rtDeviceHasCapability(&builds, RT_CAPABILITY_KERNELS, device));
    if (builds) devices[found++] = device;
  }
  if (found == 0) {
    fprintf(stderr, "digits: no kernels from source run on %s\n", name != NULL ? name : "the devices found");
    exit(EXIT_FAILURE);
  }
  return found;
}

static void describeDevice(rtDevice_t device) {
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  CHECK(rtDeviceGetProperties(&properties, device));
  printf("  %s: %s, %" PRIu32 " compute units\n", properties.id, properties.name, properties.compute_units);
}

/* On a terminal one line that is written again and again, elsewhere a line for every tenth epoch. */
static void showProgress(const Run* run, uint32_t epoch) {
  const int terminal = isatty(STDERR_FILENO);
  const int last = epoch + 1 == run->epoch_count;
  if (!terminal && !last && (epoch + 1) % kQuietStep != 0) return;
  const Epoch* now = &run->epochs[epoch];
  fprintf(stderr, "%s%s seed %" PRIu64 "  epoch %3u/%u  loss %.4f  held out %.4f  read right %6.2f %%%s", terminal ? "\r" : "",
          run->device, run->seed, epoch + 1, run->epoch_count, (double)now->train_loss, (double)now->held_out_loss,
          100.0 * (double)now->accuracy, terminal && !last ? "" : "\n");
  fflush(stderr);
}

/* Returns whether every run reads enough. */
static int printTable(const Run* runs, uint32_t run_count) {
  int passed = 1;
  printf("\n%-12s %6s %10s %13s   %s\n", "device", "seed", "accuracy", "ms per epoch", "hash of the weights");
  for (uint32_t i = 0; i < run_count; ++i) {
    const int enough = runAccuracy(&runs[i]) >= kRequiredAccuracy;
    printf("%-12s %6" PRIu64 " %8.2f %% %13.2f   %016" PRIx64 "%s\n", runs[i].device, runs[i].seed,
           100.0 * (double)runAccuracy(&runs[i]), (double)runMilliseconds(&runs[i]), runs[i].hash,
           enough ? "" : "   below 96 %");
    passed = passed && enough;
  }
  return passed;
}

/* Trains once more by a graph; returns whether the weights have the same bits. */
static int trainByGraph(const Run* eager, const Dataset* data, const TrainOptions* train, rtDevice_t device) {
  TrainOptions by_graph = *train;
  by_graph.graph = 1;
  by_graph.weights = NULL;
  Run run;
  runTrain(&run, data, &by_graph, showProgress, device);
  const int same = run.hash == eager->hash;
  printf("%s seed %" PRIu64 ": %.2f ms per epoch launch by launch, %.2f ms by graph; %s %016" PRIx64 "\n", run.device, run.seed,
         (double)runMilliseconds(eager), (double)runMilliseconds(&run), same ? "the same weights" : "OTHER WEIGHTS", run.hash);
  fflush(stdout);
  runFree(&run);
  return same;
}

static int writePictures(const Run* runs, uint32_t run_count, const Dataset* data, const char* folder) {
  char curve[kMaxPath];
  char misread[kMaxPath];
  const int length = snprintf(curve, sizeof curve, "%s/digits-curve.svg", folder);
  snprintf(misread, sizeof misread, "%s/digits-misread.svg", folder);
  if (length < 0 || (size_t)length + 8 > sizeof curve || (mkdir(folder, 0777) != 0 && errno != EEXIST)) {
    fprintf(stderr, "digits: the folder %s cannot be made: %s\n", folder, strerror(errno));
    return 0;
  }
  if (!svgWriteCurve(curve, runs, run_count, kRequiredAccuracy)) return 0;
  if (!svgWriteMisread(misread, runs, run_count, data)) return 0;
  printf("\nWritten: %s\n         %s\n", curve, misread);
  return 1;
}

int main(int argc, char** argv) {
  Options options;
  const int end = optionsParse(&options, argc, argv);
  if (end >= 0) return end;

  Dataset data;
  if (!datasetLoad(&data, options.data, options.images)) return EXIT_FAILURE;
  rtDevice_t devices[kMaxDevices];
  const uint32_t device_count = findDevices(devices, options.device);
  printf("%u images, %u held out; %u epochs on\n", data.count, data.held_out_count, options.epochs);
  for (uint32_t i = 0; i < device_count; ++i) describeDevice(devices[i]);
  fflush(stdout);

  const uint32_t run_count = device_count * options.seed_count;
  Run* runs = calloc(run_count, sizeof *runs);
  if (runs == NULL) {
    fprintf(stderr, "digits: no memory for %u runs\n", run_count);
    return EXIT_FAILURE;
  }
  int same = 1;
  for (uint32_t i = 0; i < run_count; ++i) {
    const uint64_t seed = options.seeds[i % options.seed_count];
    const TrainOptions train = {options.kernels, seed, options.epochs, 0, options.graph_file, i == 0 ? options.weights : NULL};
    rtDevice_t device = devices[i / options.seed_count];
    runTrain(&runs[i], &data, &train, showProgress, device);
    if (options.graph) same = trainByGraph(&runs[i], &data, &train, device) && same;
  }

  const int passed = printTable(runs, run_count) || !options.threshold;
  const int written = writePictures(runs, run_count, &data, options.output);
  if (!passed) fprintf(stderr, "digits: not every run reads 96 %% of the held-out images\n");
  if (!same) fprintf(stderr, "digits: a graph leaves other weights than the launches it was captured from\n");
  for (uint32_t i = 0; i < run_count; ++i) runFree(&runs[i]);
  free(runs);
  datasetFree(&data);
  CHECK(rtShutdown());
  return passed && written && same ? EXIT_SUCCESS : EXIT_FAILURE;
}
