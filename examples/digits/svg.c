/* SPDX-License-Identifier: Apache-2.0
 *
 * Draws SVG by hand: two panels with axes, and a sheet of small images. Knows runs and images, nothing of devices. */
#include "svg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { kWidth = 880, kPlotLeft = 76, kPlotRight = 706, kCellsInRow = 8, kMaxTicks = 12 };

/* Okabe and Ito: told apart by colour-blind readers too. */
static const char* const kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
enum { kColourCount = sizeof kColours / sizeof kColours[0] };

/* A panel maps epochs and values to pixels. */
typedef struct Panel {
  float top;
  float bottom;
  float least; /* value at the bottom; its logarithm if `logarithmic` */
  float most;
  int logarithmic;
  uint32_t epochs;
} Panel;

typedef float (*EpochValue)(const Epoch* epoch);

static float accuracyOf(const Epoch* epoch) { return 100.0f * epoch->accuracy; }
static float trainLossOf(const Epoch* epoch) { return epoch->train_loss; }
static float heldOutLossOf(const Epoch* epoch) { return epoch->held_out_loss; }

static float xOf(const Panel* panel, float epoch) {
  const float last = panel->epochs > 1 ? (float)panel->epochs : 2.0f;
  return kPlotLeft + (epoch - 1.0f) / (last - 1.0f) * (kPlotRight - kPlotLeft);
}

static float yOf(const Panel* panel, float value) {
  float at = panel->logarithmic ? log10f(value > 1e-9f ? value : 1e-9f) : value;
  if (at < panel->least) at = panel->least;
  if (at > panel->most) at = panel->most;
  return panel->bottom - (at - panel->least) / (panel->most - panel->least) * (panel->bottom - panel->top);
}

static FILE* openSvg(const char* path, int width, int height) {
  FILE* file = fopen(path, "w");
  if (file == NULL) {
    fprintf(stderr, "digits: %s: %s\n", path, strerror(errno));
    return NULL;
  }
  fprintf(file,
          "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' "
          "font-family='DejaVu Sans, Helvetica, Arial, sans-serif' font-size='13' fill='#333'>\n"
          "<rect width='100%%' height='100%%' fill='white'/>\n",
          width, height, width, height);
  return file;
}

/* A full disk shows in ferror or when the last bytes are written. */
static int closeSvg(FILE* file, const char* path) {
  fputs("</svg>\n", file);
  const int failed = ferror(file) != 0;
  if (fclose(file) == 0 && !failed) return 1;
  fprintf(stderr, "digits: %s could not be written\n", path);
  return 0;
}

static void drawGridLine(FILE* file, const Panel* panel, float value, const char* label) {
  const float y = yOf(panel, value);
  fprintf(file, "<path d='M%d %.1fH%d' stroke='#e4e4e4'/>\n", kPlotLeft, (double)y, kPlotRight);
  fprintf(file, "<text x='%d' y='%.1f' text-anchor='end'>%s</text>\n", kPlotLeft - 9, (double)y + 4.5, label);
}

static void drawFrame(FILE* file, const Panel* panel, const char* title, const char* unit, const char* x_label) {
  fprintf(file, "<text x='%d' y='%.1f' font-size='15' font-weight='bold'>%s</text>\n", kPlotLeft, (double)panel->top - 14,
          title);
  fprintf(file, "<text transform='translate(22 %.1f) rotate(-90)' text-anchor='middle'>%s</text>\n",
          (double)(panel->top + panel->bottom) / 2, unit);
  uint32_t step = 1;
  for (uint32_t factor = 0; panel->epochs / step >= kMaxTicks; ++factor) step = factor % 3 == 1 ? step / 2 * 5 : step * 2;
  for (uint32_t epoch = 1; epoch <= panel->epochs; epoch = epoch == 1 && step > 1 ? step : epoch + step) {
    const double x = (double)xOf(panel, (float)epoch);
    fprintf(file, "<path d='M%.1f %.1fv5' stroke='#333'/>\n", x, (double)panel->bottom);
    fprintf(file, "<text x='%.1f' y='%.1f' text-anchor='middle'>%u</text>\n", x, (double)panel->bottom + 20, epoch);
  }
  fprintf(file, "<path d='M%d %.1fV%.1fH%d' fill='none' stroke='#333'/>\n", kPlotLeft, (double)panel->top,
          (double)panel->bottom, kPlotRight);
  fprintf(file, "<text x='%d' y='%.1f' text-anchor='middle'>%s</text>\n", (kPlotLeft + kPlotRight) / 2,
          (double)panel->bottom + 42, x_label);
}

static void drawLine(FILE* file, const Panel* panel, const Run* run, EpochValue value, const char* colour, const char* style) {
  fprintf(file, "<path fill='none' stroke='%s' stroke-width='2' stroke-linejoin='round' %s d='", colour, style);
  for (uint32_t i = 0; i < run->epoch_count; ++i) {
    fprintf(file, "%c%.1f %.1f", i == 0 ? 'M' : 'L', (double)xOf(panel, (float)(i + 1)),
            (double)yOf(panel, value(&run->epochs[i])));
  }
  fputs("'/>\n", file);
  const Epoch* last = &run->epochs[run->epoch_count - 1];
  fprintf(file, "<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>\n", (double)xOf(panel, (float)run->epoch_count),
          (double)yOf(panel, value(last)), colour);
}

static void drawAccuracy(FILE* file, const Panel* panel, const Run* runs, uint32_t run_count, float threshold) {
  char label[32];
  float step = 2.0f;
  if (panel->most - panel->least > 20.0f) step = panel->most - panel->least > 50.0f ? 10.0f : 5.0f;
  for (float value = panel->most; value > panel->least - 0.01f; value -= step) {
    snprintf(label, sizeof label, "%.0f", (double)value);
    drawGridLine(file, panel, value, label);
  }
  drawFrame(file, panel, "Held-out images read right", "percent", "epoch");
  const double y = (double)yOf(panel, 100.0f * threshold);
  fprintf(file, "<path d='M%d %.1fH%d' stroke='#888' stroke-dasharray='2 4'/>\n", kPlotLeft, y, kPlotRight);
  fprintf(file, "<text x='%d' y='%.1f' text-anchor='end' fill='#777' font-size='12'>required: %.0f %%</text>\n", kPlotRight - 6,
          y + 16, (double)(100.0f * threshold));
  for (uint32_t i = 0; i < run_count; ++i) drawLine(file, panel, &runs[i], accuracyOf, kColours[i % kColourCount], "");
}

static void drawLoss(FILE* file, const Panel* panel, const Run* runs, uint32_t run_count) {
  static const float kValues[] = {0.0001f, 0.0003f, 0.001f, 0.003f, 0.01f, 0.03f, 0.1f, 0.3f, 1.0f, 3.0f, 10.0f};
  char label[32];
  for (size_t i = 0; i < sizeof kValues / sizeof kValues[0]; ++i) {
    const float at = log10f(kValues[i]);
    if (at < panel->least - 0.01f || at > panel->most + 0.01f) continue;
    snprintf(label, sizeof label, "%g", (double)kValues[i]);
    drawGridLine(file, panel, kValues[i], label);
  }
  drawFrame(file, panel, "Mean cross-entropy", "loss (logarithmic)", "epoch");
  for (uint32_t i = 0; i < run_count; ++i) {
    drawLine(file, panel, &runs[i], trainLossOf, kColours[i % kColourCount], "stroke-dasharray='5 4'");
    drawLine(file, panel, &runs[i], heldOutLossOf, kColours[i % kColourCount], "");
  }
  const double y = (double)panel->top + 12;
  const int x = kPlotRight + 22;
  fprintf(file, "<path d='M%d %.1fh26' stroke='#555' stroke-width='2'/><text x='%d' y='%.1f'>held out</text>\n", x, y, x + 34,
          y + 4.5);
  fprintf(file, "<path d='M%d %.1fh26' stroke='#555' stroke-width='2' stroke-dasharray='5 4'/>", x, y + 22);
  fprintf(file, "<text x='%d' y='%.1f'>training</text>\n", x + 34, y + 26.5);
}

static void drawLegend(FILE* file, const Panel* panel, const Run* runs, uint32_t run_count) {
  const int x = kPlotRight + 22;
  for (uint32_t i = 0; i < run_count; ++i) {
    const double y = (double)panel->top + 12 + 40 * i;
    fprintf(file, "<path d='M%d %.1fh26' stroke='%s' stroke-width='3'/>\n", x, y, kColours[i % kColourCount]);
    fprintf(file, "<text x='%d' y='%.1f'>%s, seed %llu</text>\n", x + 34, y + 4.5, runs[i].device,
            (unsigned long long)runs[i].seed);
    fprintf(file, "<text x='%d' y='%.1f' fill='#777' font-size='12'>%.2f %% at last</text>\n", x + 34, y + 20,
            100.0 * (double)runAccuracy(&runs[i]));
  }
}

/* The values that a panel has to show. */
static void extend(float* least, float* most, const Run* runs, uint32_t run_count, EpochValue value) {
  for (uint32_t i = 0; i < run_count; ++i) {
    for (uint32_t e = 0; e < runs[i].epoch_count; ++e) {
      const float at = value(&runs[i].epochs[e]);
      *least = at < *least ? at : *least;
      *most = at > *most ? at : *most;
    }
  }
}

int svgWriteCurve(const char* path, const Run* runs, uint32_t run_count, float threshold) {
  const int legend = 40 * (int)run_count;
  const int height = legend > 240 ? 400 + legend : 640;
  FILE* file = openSvg(path, kWidth, height);
  if (file == NULL) return 0;

  float least = 90.0f;
  float most = 100.0f;
  extend(&least, &most, runs, run_count, accuracyOf);
  Panel accuracy = {48.0f, (float)height - 332.0f, 5.0f * floorf(least / 5.0f), 100.0f, 0, runs[0].epoch_count};
  if (accuracy.most - accuracy.least > 10.0f && accuracy.least > 50.0f) accuracy.least = 10.0f * floorf(least / 10.0f);
  drawAccuracy(file, &accuracy, runs, run_count, threshold);
  drawLegend(file, &accuracy, runs, run_count);

  least = 10.0f;
  most = 0.001f;
  extend(&least, &most, runs, run_count, trainLossOf);
  extend(&least, &most, runs, run_count, heldOutLossOf);
  least = least > 1e-4f ? least : 1e-4f;
  Panel loss = {(float)height - 242.0f, (float)height - 56.0f, log10f(0.8f * least), log10f(1.1f * most), 1,
                runs[0].epoch_count};
  drawLoss(file, &loss, runs, run_count);
  return closeSvg(file, path);
}

/* One image of the sheet: `read` is what `runs` of them took it for. */
static void drawCell(FILE* file, uint32_t cell, const Image* image, uint32_t index, int read, uint32_t runs,
                     uint32_t run_count) {
  const int x = 24 + (int)(cell % kCellsInRow) * 105;
  const int y = 84 + (int)(cell / kCellsInRow) * 156;
  const int pixel = 11;
  for (int i = 0; i < kPixels; ++i) {
    const int grey = 255 - image->pixels[i] * 255 / kGreyLevels;
    fprintf(file, "<rect x='%d' y='%d' width='%d' height='%d' fill='#%02x%02x%02x'/>\n", x + i % kSide * pixel,
            y + i / kSide * pixel, pixel, pixel, grey, grey, grey);
  }
  fprintf(file, "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#999'/>\n", x, y, kSide * pixel, kSide * pixel);
  fprintf(file, "<text x='%d' y='%d'><tspan font-weight='bold'>%d</tspan> read as ", x, y + kSide * pixel + 18, image->digit);
  fprintf(file, "<tspan font-weight='bold' fill='#d55e00'>%d</tspan></text>\n", read);
  fprintf(file, "<text x='%d' y='%d' font-size='11' fill='#777'>#%u, %u of %u</text>\n", x, y + kSide * pixel + 34, index, runs,
          run_count);
}

/* How many runs have read held-out image `i` as `digit`. */
static uint32_t countReaders(const Run* runs, uint32_t run_count, uint32_t i, int digit) {
  uint32_t readers = 0;
  for (uint32_t r = 0; r < run_count; ++r) readers += runs[r].predictions[i] == digit ? 1 : 0;
  return readers;
}

/* Calls drawCell, if there is a file, for everything misread; returns how many cells that are. */
static uint32_t forEachMisread(FILE* file, const Run* runs, uint32_t run_count, const Dataset* data) {
  uint32_t cells = 0;
  for (uint32_t i = 0; i < data->held_out_count; ++i) {
    const uint32_t index = data->held_out[i];
    for (int digit = 0; digit < kClasses; ++digit) {
      const uint32_t readers = countReaders(runs, run_count, i, digit);
      if (readers == 0 || digit == data->images[index].digit) continue;
      if (file != NULL) drawCell(file, cells, &data->images[index], index, digit, readers, run_count);
      ++cells;
    }
  }
  return cells;
}

int svgWriteMisread(const char* path, const Run* runs, uint32_t run_count, const Dataset* data) {
  const uint32_t cells = forEachMisread(NULL, runs, run_count, data);
  const uint32_t rows = cells == 0 ? 1 : (cells + kCellsInRow - 1) / kCellsInRow;
  FILE* file = openSvg(path, kWidth, 84 + (int)rows * 156 + 4);
  if (file == NULL) return 0;
  fputs("<text x='24' y='36' font-size='17' font-weight='bold'>Held-out digits that were misread</text>\n", file);
  if (cells == 0) {
    fprintf(file, "<text x='24' y='60' fill='#777'>None: all %u were read right.</text>\n", data->held_out_count);
  } else {
    fprintf(
        file,
        "<text x='24' y='60' fill='#777'>%u held-out images, %u run%s. Below each: what it shows and what was read, its index, "
        "and how many runs read it so.</text>\n",
        data->held_out_count, run_count, run_count == 1 ? "" : "s");
  }
  (void)forEachMisread(file, runs, run_count, data);
  return closeSvg(file, path);
}
