/* SPDX-License-Identifier: Apache-2.0
 *
 * The two pictures of digits. Both return 0 after a message on stderr if the file cannot be written. */
#ifndef MANYRT_EXAMPLES_DIGITS_SVG_H_
#define MANYRT_EXAMPLES_DIGITS_SVG_H_

#include "data.h"
#include "train.h"

/* Accuracy and loss by epoch, a colour for each run. `threshold` is drawn as a line: 0.96. */
int svgWriteCurve(const char* path, const Run* runs, uint32_t run_count, float threshold);

/* Every held-out image that a run has misread, with the digit it shows and the one that was read. */
int svgWriteMisread(const char* path, const Run* runs, uint32_t run_count, const Dataset* data);

#endif /* MANYRT_EXAMPLES_DIGITS_SVG_H_ */
