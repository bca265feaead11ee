/* SPDX-License-Identifier: Apache-2.0
 *
 * CRC-32 of a record for each item, with a table that each group copies to local memory. Records have lengths of their own. */

__kernel void crc32_table(__global const uint* table, __global const uchar* bytes, __global const uint* offsets, __global uint* crcs,
                          uint records) {
  __local uint fast[256];
  for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) fast[i] = table[i];
  barrier(CLK_LOCAL_MEM_FENCE);

  size_t record = get_global_id(0);
  if (record < records) {
    uint crc = ~0u;
    for (uint at = offsets[record]; at < offsets[record + 1]; ++at) crc = fast[(crc ^ bytes[at]) & 0xff] ^ (crc >> 8);
    crcs[record] = ~crc;
  }
}
