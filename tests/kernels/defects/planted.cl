// Kernels that are right for some arguments and wrong for others; planted.cpp says which. The tests know the lines.
kernel void fill(global int *out, uint count) {
  const uint i = get_global_id(0);
  if (i < count) out[i] = (int)i;
}

kernel void copy(global const int *in, uint count, global int *out) {
  const uint i = get_global_id(0);
  if (i < count) out[i] = in[i];
}

kernel void wide(global const float4 *in, uint count, global float4 *out) {
  const uint i = get_global_id(0);
  if (i < count && i % 3u != 1u) out[i] = in[i] * 2.0f;
}

kernel void group(local int *tile, uint past, global int *out) {
  const uint l = get_local_id(0);
  tile[l + past] = (int)l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[get_local_size(0) - 1 - l];
}

kernel void last(global int *out, uint one) {
  const uint i = get_global_id(0);
  if (get_group_id(0) % 2u == one) out[i % 16u] = (int)i;
}

kernel void fibers(global int *out, uint past, local int *tile) {
  const uint i = get_global_id(0), l = get_local_id(0);
  out[i + past] = (int)l;
  if (l > 32u) goto end;
  tile[l] = out[i + past];
end:
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i + past] += tile[l / 2u];
}

kernel void counted(global int *out) {
  const uint i = get_global_id(0);
  atomic_add(&out[i % 4u], 1);
}
