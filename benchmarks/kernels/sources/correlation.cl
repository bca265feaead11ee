// The correlation of the columns of a table: mean and deviation of each column, the table made standard, products of columns.
__kernel void correlation_moments(__global const float* table, __global float* mean, __global float* deviation, int rows, int columns,
                                  float smallest) {
  int j = get_global_id(0);
  if (j >= columns) return;
  float sum = 0.0f;
  for (int i = 0; i < rows; i++) sum += table[i * columns + j];
  const float average = sum / rows;
  float squares = 0.0f;
  for (int i = 0; i < rows; i++) {
    const float away = table[i * columns + j] - average;
    squares += away * away;
  }
  const float root = sqrt(squares / rows);
  mean[j] = average;
  deviation[j] = root <= smallest ? 1.0f : root;
}

__kernel void correlation_standard(__global float* table, __global const float* mean, __global const float* deviation, int rows,
                                   int columns) {
  int j = get_global_id(0);
  int i = get_global_id(1);
  if (i < rows && j < columns) table[i * columns + j] = (table[i * columns + j] - mean[j]) / (sqrt((float)rows) * deviation[j]);
}

// An item fills its row of the upper triangle and the mirrored column.
__kernel void correlation_products(__global const float* table, __global float* result, int rows, int columns) {
  int first = get_global_id(0);
  if (first >= columns) return;
  result[first * columns + first] = 1.0f;
  for (int second = first + 1; second < columns; second++) {
    float sum = 0.0f;
    for (int i = 0; i < rows; i++) sum += table[i * columns + first] * table[i * columns + second];
    result[first * columns + second] = sum;
    result[second * columns + first] = sum;
  }
}
