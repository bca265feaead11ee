// The kernels of examples/digits written for vector units: four neurons, images or weights at a time.

// A group is an image, an item four neurons.
__kernel void forward4(__global const float* input, __global const float4* layer, __global float4* output, uint inputs, uint relu) {
  const uint quad = get_local_id(0);
  const uint quads = get_local_size(0);
  const uint row = get_group_id(0);
  float4 sum = layer[inputs * quads + quad];
  for (uint i = 0; i < inputs; ++i) sum += input[row * inputs + i] * layer[i * quads + quad];
  output[row * quads + quad] = relu != 0 ? max(sum, (float4)(0.0f)) : sum;
}

// Sixteen logits of an image in one vector; those beyond the classes are very small.
__kernel void softmax16(__global const float16* logits, __global const int* labels, __global float16* delta,
                        __global float* losses, uint images) {
  const uint image = get_global_id(0);
  if (image >= images) return;
  const float16 own = logits[image];
  const float8 eight = max(own.lo, own.hi);
  const float4 four = max(eight.lo, eight.hi);
  const float2 two = max(four.xy, four.zw);
  const float best = max(two.x, two.y);
  const float16 exponentials = exp(own - best);
  const float8 sums = exponentials.lo + exponentials.hi;
  const float4 parts = sums.even + sums.odd;
  const float sum = dot(parts, (float4)(1.0f));
  const int16 classes = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const float16 wanted = select((float16)(0.0f), (float16)(1.0f), classes == labels[image]);
  losses[image] = log(sum) + best - dot((own * wanted).s0123, (float4)(1.0f)) - dot((own * wanted).s4567, (float4)(1.0f)) -
                  dot((own * wanted).s89ab, (float4)(1.0f));
  delta[image] = (exponentials / sum - wanted) / (float)images;
}

// A group is an image, an item four inputs of the layer.
__kernel void backward4(__global const float* delta, __global const float* layer, __global const float4* activation,
                        __global float4* input_delta, uint outputs) {
  const uint quad = get_local_id(0);
  const uint quads = get_local_size(0);
  const uint image = get_group_id(0);
  float4 sum = (float4)(0.0f);
  for (uint o = 0; o < outputs; ++o) {
    const uint at = quad * 4 * outputs + o;
    sum += delta[image * outputs + o] * (float4)(layer[at], layer[at + outputs], layer[at + 2 * outputs], layer[at + 3 * outputs]);
  }
  input_delta[image * quads + quad] = activation[image * quads + quad] > 0.0f ? sum : (float4)(0.0f);
}

// A group is a row of the layer, an item four neurons.
__kernel void gradient4(__global const float* input, __global const float4* delta, __global float4* result, uint inputs,
                        uint images) {
  const uint quad = get_local_id(0);
  const uint quads = get_local_size(0);
  const uint row = get_group_id(0);
  float4 sum = (float4)(0.0f);
  for (uint image = 0; image < images; ++image) sum = mad(input[image * inputs + row], delta[image * quads + quad], sum);
  result[row * quads + quad] = sum;
}

__kernel void update4(__global float4* weights, __global const float4* gradients, __global float4* velocity, uint count,
                      float rate, float momentum, float decay) {
  const uint i = get_global_id(0);
  if (i >= count) return;
  velocity[i] = momentum * velocity[i] - rate * (gradients[i] + decay * weights[i]);
  weights[i] += velocity[i];
}
