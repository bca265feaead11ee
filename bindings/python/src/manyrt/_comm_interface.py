# Made by bindings/python/generate.py from bindings/rt_comm.cdef.h; not to be edited. SPDX-License-Identifier: Apache-2.0
import _cffi_backend

from ._interface import ffi as _base

ffi = _cffi_backend.FFI(
    "manyrt._comm_interface",
    _version=0x2601,
    _types=(
        b'\x00\x00\x1d\r\x00\x00\x94\x03\x00\x00\x1c\x01\x00\x00\x02\x03\x00\x00\x00\x0f\x00\x00\x1d\r'
        b'\x00\x00\x01\x11\x00\x00\x1c\x01\x00\x00\x03\x11\x00\x00\xf7\x03\x00\x00\x00\x0f\x00\x00\x1d\r'
        b'\x00\x00\x1d\x03\x00\x00\x0c\x11\x00\x00\t\x11\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x00\x0c\x11'
        b'\x00\x00\t\x11\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x00\xcc\x03\x00\x00\t\x11\x00\x00\x00\x0f'
        b'\x00\x00\x1d\r\x00\x00\xce\x03\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x00\t\x03\x00\x00\x15\x01'
        b'\x00\x00\x15\x01\x00\x00\t\x11\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x00\x1c\x11\x00\x00\xcd\x03'
        b'\x00\x00\xce\x03\x00\x00\x15\x01\x00\x00\x15\x01\x00\x00\xf8\x03\x00\x00\x00\x0f\x00\x00\x1d\r'
        b"\x00\x00\x1c\x11\x00\x00#\x11\x00\x00'\x03\x00\x00\x16\x01\x00\x00\x00\x0f\x00\x00\x1d\r"
        b"\x00\x00\x1c\x11\x00\x00#\x11\x00\x00'\x11\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x00\x1c\x11"
        b"\x00\x00#\x11\x00\x01\x18\x03\x00\x00'\x11\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x00\t\x11"
        b"\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x00'\x03\x00\x00\t\x11\x00\x00\x00\x0f\x00\x00\x1d\r"
        b'\x00\x01\x0f\x03\x00\x00\t\x11\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x00J\x03\x00\x01\x18\x03'
        b'\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x00\x18\x01\x00\x00G\x11\x00\x00\x00\x0f\x00\x00\x1d\r'
        b'\x00\x00G\x11\x00\x00\x18\x01\x00\x00\x15\x01\x00\x00\x15\x01\x00\x00B\x11\x00\x00\t\x11'
        b'\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x00G\x11\x00\x007\x11\x00\x00\x18\x01\x00\x00\x15\x01'
        b'\x00\x00\x15\x01\x00\x00\x15\x01\x00\x00B\x11\x00\x00\t\x11\x00\x00\x00\x0f\x00\x00\x1d\r'
        b'\x00\x00G\x11\x00\x007\x11\x00\x00\x18\x01\x00\x00\x15\x01\x00\x00\x15\x01\x00\x00B\x11'
        b'\x00\x00\t\x11\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x00G\x11\x00\x007\x11\x00\x00\x18\x01'
        b'\x00\x00\x15\x01\x00\x00B\x11\x00\x00\t\x11\x00\x00\x00\x0f\x00\x00\x1d\r\x00\x007\x11'
        b'\x00\x00\x18\x01\x00\x00\x15\x01\x00\x00\x15\x01\x00\x00B\x11\x00\x00\t\x11\x00\x00\x00\x0f'
        b'\x00\x00\x1d\r\x00\x00\x00\x0f\x00\x01\x18\r\x00\x00\x15\x01\x00\x00\x94\x03\x00\x00G\x11'
        b'\x00\x00\x00\x0f\x00\x01\x18\r\x00\x00\xe3\x03\x00\x00G\x03\x00\x00\x00\x0f\x00\x01\x18\r'
        b'\x00\x00\xf4\x03\x00\x00G\x11\x00\x00\x00\x0f\x00\x01\x18\r\x00\x00G\x11\x00\x00\x00\x0f'
        b'\x00\x01\x18\r\x00\x00G\x11\x00\x00\x15\x01\x00\x00\x00\x0f\x00\x00\x00\t\x00\x00\x01\t'
        b'\x00\x00\x04\t\x00\x00\x05\t\x00\x00\x02\t\x00\x00\x03\t\x00\x00\x02\x01\x00\x00\x94\x05'
        b'\x00\x00\x01\x00\x00\x00\x94\x05\x00\x00\x00 \x00\x00\x94\x05\x00\x00\x00@\x00\x00\x94\x05'
        b'\x00\x00\x00`\x00\x00\x00\x0b\x00\x00\x01\x0b\x00\x00\x02\x0b\x00\x00\x03\x0b\x00\x00\x04\x0b'
        b'\x00\x00\x05\x0b\x00\x00\x06\x0b\x00\x00\x07\x0b\x00\x00\x08\x0b\x00\x00\t\x0b\x00\x00\n\x0b'
        b'\x00\x00\x0b\x0b\x00\x00\x0c\x0b\x00\x00\r\x0b\x00\x00\x0e\x0b\x00\x00\x0f\x0b\x00\x00\x10\x0b'
        b'\x00\x00\x11\x0b\x00\x00\x12\x0b\x00\x00\x13\x0b\x00\x00\x14\x0b\x00\x00\x15\x0b\x00\x00\x16\x0b'
        b'\x00\x00\x17\x0b\x00\x00\x18\x0b\x00\x00\x19\x0b\x00\x00\x1a\x0b\x00\x00\x1b\x0b\x00\x00\x1c\x0b'
        b'\x00\x00\x1d\x0b\x00\x00\x1e\x0b\x00\x00\x1f\x0b\x00\x00 \x0b\x00\x00!\x0b\x00\x00"\x0b'
        b"\x00\x00#\x0b\x00\x00$\x0b\x00\x00%\x0b\x00\x00&\x0b\x00\x00'\x0b\x00\x00E\x03"
        b'\x00\x00I\x03\x00\x00\x06\t\x00\x00\x07\t\x00\x00\x08\t\x00\x00\t\t\x00\x00\n\t'
        b'\x00\x00\x0c\t\x00\x00\r\t\x00\x00\x0e\t\x00\x00\x10\t\x00\x00\x11\t\x00\x00\x13\t'
        b'\x00\x00\x15\t\x00\x00\x18\t\x00\x00\x19\t\x00\x00\x1a\t\x00\x00\x1c\t\x00\x00\x1d\t'
        b'\x00\x00\x1f\t\x00\x00 \t\x00\x00!\t\x00\x00"\t\x00\x00#\t\x00\x00$\t'
        b"\x00\x00%\t\x00\x00'\t\x00\x00(\t\x00\x00)\t\x00\x00,\t\x00\x00-\t"
        b'\x00\x00.\t\x00\x00/\t\x00\x000\t\x00\x001\t\x00\x002\t\x00\x003\t'
        b'\x00\x004\t\x00\x005\t\x00\x007\t\x00\x008\t\x00\x009\t\x00\x00:\t'
        b'\x00\x00<\t\x00\x00=\t\x00\x00?\t\x00\x00@\t\x00\x00B\t\x00\x00\xf6\x03'
        b'\x00\x00\x0b\t\x00\x00\x0f\t\x00\x00\x12\t\x00\x00\xfa\x03\x00\x00\x14\t\x00\x00\xfc\x03'
        b'\x00\x00\x16\t\x00\x00\xfe\x03\x00\x00\x17\t\x00\x01\x00\x03\x00\x00\x1b\t\x00\x01\x02\x03'
        b'\x00\x00\x1e\t\x00\x01\x04\x03\x00\x00&\t\x00\x01\x06\x03\x00\x00*\t\x00\x01\x08\x03'
        b'\x00\x00+\t\x00\x01\n\x03\x00\x006\t\x00\x01\x0c\x03\x00\x00;\t\x00\x01\x0e\x03'
        b'\x00\x00>\t\x00\x00A\t\x00\x00\x12\x01\x00\x01\x10\x05\x00\x00\x01\x00\x00\x00z\x03'
        b'\x00\x00\x7f\x03\x00\x00\x83\x03\x00\x00\x87\x03\x00\x00\x8a\x03\x00\x00\x00\x01'
    ),
    _globals=(
        b'\xff\xff\xff\x0bMANYRT_VERSION_MAJOR', 0, b'\xff\xff\xff\x0bMANYRT_VERSION_MINOR', 3,
        b'\xff\xff\xff\x0bMANYRT_VERSION_PATCH', 0, b'\xff\xff\xff\x0bRT_ACCESS_INVALID', -1, b'\xff\xff\xff\x0bRT_ACCESS_NONE',
        4, b'\xff\xff\xff\x0bRT_ACCESS_READ', 1, b'\xff\xff\xff\x0bRT_ACCESS_READ_WRITE', 3,
        b'\xff\xff\xff\x0bRT_ACCESS_UNKNOWN', 0, b'\xff\xff\xff\x0bRT_ACCESS_WRITE', 2, b'\xff\xff\xff\x0bRT_ADDRESS_SPACE_CON'
        b'STANT', 3, b'\xff\xff\xff\x0bRT_ADDRESS_SPACE_GLO' b'BAL', 2, b'\xff\xff\xff\x0bRT_ADDRESS_SPACE_INV' b'ALID', -1,
        b'\xff\xff\xff\x0bRT_ADDRESS_SPACE_LOC' b'AL', 4, b'\xff\xff\xff\x0bRT_ADDRESS_SPACE_PRI' b'VATE', 1,
        b'\xff\xff\xff\x0bRT_ADDRESS_SPACE_UNK' b'NOWN', 0, b'\xff\xff\xff\x0bRT_ARGS_ALL', 4294967295,
        b'\xff\xff\xff\x0bRT_ARG_GRAPH_VALUE', 3, b'\xff\xff\xff\x0bRT_ARG_INVALID', -1, b'\xff\xff\xff\x0bRT_ARG_LOCAL', 2,
        b'\xff\xff\xff\x0bRT_ARG_POINTER', 1, b'\xff\xff\xff\x0bRT_ARG_VALUE', 0, b'\xff\xff\xff\x0bRT_ATTRIBUTE_CACHE_L'
        b'INE_BYTES', 13, b'\xff\xff\xff\x0bRT_ATTRIBUTE_CLOCK_M' b'HZ', 2, b'\xff\xff\xff\x0bRT_ATTRIBUTE_COMPUTE' b'_UNITS',
        1, b'\xff\xff\xff\x0bRT_ATTRIBUTE_DLPACK_' b'ID', 25, b'\xff\xff\xff\x0bRT_ATTRIBUTE_DLPACK_' b'TYPE', 24,
        b'\xff\xff\xff\x0bRT_ATTRIBUTE_HOST_TH' b'READS', 23, b'\xff\xff\xff\x0bRT_ATTRIBUTE_INVALID', -1,
        b'\xff\xff\xff\x0bRT_ATTRIBUTE_KIND', 0, b'\xff\xff\xff\x0bRT_ATTRIBUTE_L1_BYTE' b'S', 14,
        b'\xff\xff\xff\x0bRT_ATTRIBUTE_L2_BYTE' b'S', 15, b'\xff\xff\xff\x0bRT_ATTRIBUTE_L3_BYTE' b'S', 16,
        b'\xff\xff\xff\x0bRT_ATTRIBUTE_LOCAL_B' b'YTES_PER_GROUP', 17, b'\xff\xff\xff\x0bRT_ATTRIBUTE_MAX_ALL' b'OCATION_BYTES',
        12, b'\xff\xff\xff\x0bRT_ATTRIBUTE_MAX_GRI' b'D_SIZE_X', 8, b'\xff\xff\xff\x0bRT_ATTRIBUTE_MAX_GRI' b'D_SIZE_Y', 9,
        b'\xff\xff\xff\x0bRT_ATTRIBUTE_MAX_GRI' b'D_SIZE_Z', 10, b'\xff\xff\xff\x0bRT_ATTRIBUTE_MAX_GRO' b'UP_ITEMS', 4,
        b'\xff\xff\xff\x0bRT_ATTRIBUTE_MAX_GRO' b'UP_SIZE_X', 5, b'\xff\xff\xff\x0bRT_ATTRIBUTE_MAX_GRO' b'UP_SIZE_Y', 6,
        b'\xff\xff\xff\x0bRT_ATTRIBUTE_MAX_GRO' b'UP_SIZE_Z', 7, b'\xff\xff\xff\x0bRT_ATTRIBUTE_MEMORY_' b'BYTES', 11,
        b'\xff\xff\xff\x0bRT_ATTRIBUTE_MEMORY_' b'TIER', 19, b'\xff\xff\xff\x0bRT_ATTRIBUTE_NUMA_NO' b'DES', 22,
        b'\xff\xff\xff\x0bRT_ATTRIBUTE_PRIORIT' b'Y_GREATEST', 21, b'\xff\xff\xff\x0bRT_ATTRIBUTE_PRIORIT' b'Y_LEAST', 20,
        b'\xff\xff\xff\x0bRT_ATTRIBUTE_SIMD_WI' b'DTH', 3, b'\xff\xff\xff\x0bRT_ATTRIBUTE_UNIFIED' b'_MEMORY', 18,
        b'\xff\xff\xff\x0bRT_BACKEND_ALL', 0, b'\xff\xff\xff\x0bRT_BACKEND_CPU', 1, b'\xff\xff\xff\x0bRT_BACKEND_CUDA', 2,
        b'\xff\xff\xff\x0bRT_BACKEND_INVALID', -1, b'\xff\xff\xff\x0bRT_BACKEND_NULL', 4, b'\xff\xff\xff\x0bRT_BACKEND_OPENCL',
        3, b'\xff\xff\xff\x0bRT_BARRIERS_FIBERS', 3, b'\xff\xff\xff\x0bRT_BARRIERS_INVALID', -1,
        b'\xff\xff\xff\x0bRT_BARRIERS_NONE', 1, b'\xff\xff\xff\x0bRT_BARRIERS_SPLIT', 2, b'\xff\xff\xff\x0bRT_BARRIERS_UNKNOWN',
        0, b'\xff\xff\xff\x0bRT_CAPABILITY_ATOMIC' b'S_64', 10, b'\xff\xff\xff\x0bRT_CAPABILITY_COOPER' b'ATIVE_LAUNCH', 3,
        b'\xff\xff\xff\x0bRT_CAPABILITY_DOUBLE', 8, b'\xff\xff\xff\x0bRT_CAPABILITY_HALF', 9,
        b'\xff\xff\xff\x0bRT_CAPABILITY_HOST_K' b'ERNELS', 1, b'\xff\xff\xff\x0bRT_CAPABILITY_HOST_R' b'EGISTER', 11,
        b'\xff\xff\xff\x0bRT_CAPABILITY_INVALI' b'D', -1, b'\xff\xff\xff\x0bRT_CAPABILITY_KERNEL' b'S', 0,
        b'\xff\xff\xff\x0bRT_CAPABILITY_NATIVE' b'_INTEROP', 6, b'\xff\xff\xff\x0bRT_CAPABILITY_PEER_A' b'CCESS', 4,
        b'\xff\xff\xff\x0bRT_CAPABILITY_POINTE' b'RS_IN_MEMORY', 7, b'\xff\xff\xff\x0bRT_CAPABILITY_SHARED' b'_MEMORY', 2,
        b'\xff\xff\xff\x0bRT_CAPABILITY_STREAM' b'_PRIORITIES', 12, b'\xff\xff\xff\x0bRT_CAPABILITY_SUBGRO' b'UPS', 13,
        b'\xff\xff\xff\x0bRT_CAPABILITY_TIMING', 5, b'\xff\xff\xff\x0bRT_CAPTURE_ACTIVE', 1,
        b'\xff\xff\xff\x0bRT_CAPTURE_INVALID', -1, b'\xff\xff\xff\x0bRT_CAPTURE_INVALIDAT' b'ED', 2,
        b'\xff\xff\xff\x0bRT_CAPTURE_NONE', 0, b'\xff\xff\xff\x0bRT_COMM_AVERAGE', 4, b'\xff\xff\xff\x0bRT_COMM_BF16', 9,
        b'\xff\xff\xff\x0bRT_COMM_ENGINE_INVAL' b'ID', -1, b'\xff\xff\xff\x0bRT_COMM_ENGINE_IN_PR' b'OCESS', 0,
        b'\xff\xff\xff\x0bRT_COMM_ENGINE_MPI', 2, b'\xff\xff\xff\x0bRT_COMM_ENGINE_NCCL', 3,
        b'\xff\xff\xff\x0bRT_COMM_ENGINE_SHARE' b'D_MEMORY', 1, b'\xff\xff\xff\x0bRT_COMM_F16', 8,
        b'\xff\xff\xff\x0bRT_COMM_F32', 10, b'\xff\xff\xff\x0bRT_COMM_F64', 11, b'\xff\xff\xff\x0bRT_COMM_I16', 2,
        b'\xff\xff\xff\x0bRT_COMM_I32', 4, b'\xff\xff\xff\x0bRT_COMM_I64', 6, b'\xff\xff\xff\x0bRT_COMM_I8', 0,
        b'\xff\xff\xff\x0bRT_COMM_MAXIMUM', 3, b'\xff\xff\xff\x0bRT_COMM_MINIMUM', 2, b'\xff\xff\xff\x0bRT_COMM_NO_COLOR', -1,
        b'\xff\xff\xff\x0bRT_COMM_PRODUCT', 1, b'\xff\xff\xff\x0bRT_COMM_REDUCTION_IN' b'VALID', -1,
        b'\xff\xff\xff\x0bRT_COMM_SUM', 0, b'\xff\xff\xff\x0bRT_COMM_TRANSPORT_DE' b'VICE_COPIES', 1,
        b'\xff\xff\xff\x0bRT_COMM_TRANSPORT_HO' b'ST_MEMORY', 0, b'\xff\xff\xff\x0bRT_COMM_TRANSPORT_IN' b'VALID', -1,
        b'\xff\xff\xff\x0bRT_COMM_TRANSPORT_MP' b'I', 3, b'\xff\xff\xff\x0bRT_COMM_TRANSPORT_MP' b'I_DEVICE', 5,
        b'\xff\xff\xff\x0bRT_COMM_TRANSPORT_MP' b'I_STAGED', 4, b'\xff\xff\xff\x0bRT_COMM_TRANSPORT_NC' b'CL', 6,
        b'\xff\xff\xff\x0bRT_COMM_TRANSPORT_SH' b'ARED_MEMORY', 2, b'\xff\xff\xff\x0bRT_COMM_TYPE_INVALID', -1,
        b'\xff\xff\xff\x0bRT_COMM_U16', 3, b'\xff\xff\xff\x0bRT_COMM_U32', 5, b'\xff\xff\xff\x0bRT_COMM_U64', 7,
        b'\xff\xff\xff\x0bRT_COMM_U8', 1, b'\xff\xff\xff\x0bRT_CONTEXT_FLAGS_INV' b'ALID', -1,
        b'\xff\xff\xff\x0bRT_CONTEXT_STRICT', 1, b'\xff\xff\xff\x0bRT_DEVICE_KIND_ACCEL' b'ERATOR', 4,
        b'\xff\xff\xff\x0bRT_DEVICE_KIND_CPU', 1, b'\xff\xff\xff\x0bRT_DEVICE_KIND_DISCR' b'ETE_GPU', 2,
        b'\xff\xff\xff\x0bRT_DEVICE_KIND_INTEG' b'RATED_GPU', 3, b'\xff\xff\xff\x0bRT_DEVICE_KIND_INVAL' b'ID', -1,
        b'\xff\xff\xff\x0bRT_ERROR_BACKEND_UNA' b'VAILABLE', -17, b'\xff\xff\xff\x0bRT_ERROR_BUILD_FAILE' b'D', -8,
        b'\xff\xff\xff\x0bRT_ERROR_BUSY', -14, b'\xff\xff\xff\x0bRT_ERROR_CAPTURE_INV' b'ALIDATED', -13,
        b'\xff\xff\xff\x0bRT_ERROR_CAPTURE_UNS' b'AFE', -12, b'\xff\xff\xff\x0bRT_ERROR_COMPILER_NO' b'T_FOUND', -9,
        b'\xff\xff\xff\x0bRT_ERROR_DEVICE_LOST', -16, b'\xff\xff\xff\x0bRT_ERROR_DRIVER', -18,
        b'\xff\xff\xff\x0bRT_ERROR_FORKED', -19, b'\xff\xff\xff\x0bRT_ERROR_INTERNAL', -22,
        b'\xff\xff\xff\x0bRT_ERROR_INVALID_DEV' b'ICE', -3, b'\xff\xff\xff\x0bRT_ERROR_INVALID_HAN' b'DLE', -2,
        b'\xff\xff\xff\x0bRT_ERROR_INVALID_IMA' b'GE', -10, b'\xff\xff\xff\x0bRT_ERROR_INVALID_VAL' b'UE', -1,
        b'\xff\xff\xff\x0bRT_ERROR_IO', -21, b'\xff\xff\xff\x0bRT_ERROR_LAUNCH_FAIL' b'ED', -11,
        b'\xff\xff\xff\x0bRT_ERROR_NOT_FOUND', -7, b'\xff\xff\xff\x0bRT_ERROR_NOT_SUPPORT' b'ED', -6,
        b'\xff\xff\xff\x0bRT_ERROR_OUT_OF_MEMO' b'RY', -5, b'\xff\xff\xff\x0bRT_ERROR_SHUT_DOWN', -20,
        b'\xff\xff\xff\x0bRT_ERROR_TIMEOUT', -15, b'\xff\xff\xff\x0bRT_ERROR_WRONG_CONTE' b'XT', -4,
        b'\xff\xff\xff\x0bRT_EVENT_DISABLE_TIM' b'ING', 1, b'\xff\xff\xff\x0bRT_EVENT_FLAGS_INVAL' b'ID', -1,
        b'\xff\xff\xff\x0bRT_GRAPH_ACCESS_INVA' b'LID', -1, b'\xff\xff\xff\x0bRT_GRAPH_BUFFER_CONS' b'TANT', 3,
        b'\xff\xff\xff\x0bRT_GRAPH_BUFFER_INPU' b'T', 1, b'\xff\xff\xff\x0bRT_GRAPH_BUFFER_INVA' b'LID', -1,
        b'\xff\xff\xff\x0bRT_GRAPH_BUFFER_OUTP' b'UT', 2, b'\xff\xff\xff\x0bRT_GRAPH_BUFFER_TEMP' b'ORARY', 0,
        b'\xff\xff\xff\x0bRT_GRAPH_NODE_ALLOCA' b'TION', 13, b'\xff\xff\xff\x0bRT_GRAPH_NODE_CHILD_' b'GRAPH', 7,
        b'\xff\xff\xff\x0bRT_GRAPH_NODE_EMPTY', 0, b'\xff\xff\xff\x0bRT_GRAPH_NODE_EVENT_' b'RECORD', 8,
        b'\xff\xff\xff\x0bRT_GRAPH_NODE_EVENT_' b'WAIT', 9, b'\xff\xff\xff\x0bRT_GRAPH_NODE_FENCE_' b'SIGNAL', 10,
        b'\xff\xff\xff\x0bRT_GRAPH_NODE_FENCE_' b'WAIT', 11, b'\xff\xff\xff\x0bRT_GRAPH_NODE_FILL', 4,
        b'\xff\xff\xff\x0bRT_GRAPH_NODE_FREE', 14, b'\xff\xff\xff\x0bRT_GRAPH_NODE_HOST', 5,
        b'\xff\xff\xff\x0bRT_GRAPH_NODE_INVALI' b'D', -1, b'\xff\xff\xff\x0bRT_GRAPH_NODE_KERNEL', 1,
        b'\xff\xff\xff\x0bRT_GRAPH_NODE_MEMCPY', 2, b'\xff\xff\xff\x0bRT_GRAPH_NODE_MEMCPY' b'_2D', 3,
        b'\xff\xff\xff\x0bRT_GRAPH_NODE_NATIVE', 6, b'\xff\xff\xff\x0bRT_GRAPH_NODE_PREFET' b'CH', 12,
        b'\xff\xff\xff\x0bRT_GRAPH_READ', 1, b'\xff\xff\xff\x0bRT_GRAPH_WRITE', 2, b'\xff\xff\xff\x0bRT_HANDLE_ALL', 0,
        b'\xff\xff\xff\x0bRT_HANDLE_ALLOCATION', 8, b'\xff\xff\xff\x0bRT_HANDLE_CAPTURE_PL' b'AN', 13,
        b'\xff\xff\xff\x0bRT_HANDLE_CONTEXT', 2, b'\xff\xff\xff\x0bRT_HANDLE_DEVICE', 1, b'\xff\xff\xff\x0bRT_HANDLE_EVENT', 4,
        b'\xff\xff\xff\x0bRT_HANDLE_FENCE', 5, b'\xff\xff\xff\x0bRT_HANDLE_GRAPH', 10, b'\xff\xff\xff\x0bRT_HANDLE_GRAPH_BUFF'
        b'ER', 12, b'\xff\xff\xff\x0bRT_HANDLE_GRAPH_EXEC', 14, b'\xff\xff\xff\x0bRT_HANDLE_GRAPH_NODE', 11,
        b'\xff\xff\xff\x0bRT_HANDLE_GRAPH_VALU' b'E', 15, b'\xff\xff\xff\x0bRT_HANDLE_INVALID', -1,
        b'\xff\xff\xff\x0bRT_HANDLE_KERNEL', 7, b'\xff\xff\xff\x0bRT_HANDLE_MEM_POOL', 6, b'\xff\xff\xff\x0bRT_HANDLE_MODULE',
        9, b'\xff\xff\xff\x0bRT_HANDLE_STREAM', 3, b'\xff\xff\xff\x0bRT_IMAGE_AUTO', 0, b'\xff\xff\xff\x0bRT_IMAGE_CUBIN', 4,
        b'\xff\xff\xff\x0bRT_IMAGE_CUDA_CXX', 2, b'\xff\xff\xff\x0bRT_IMAGE_FATBIN', 5, b'\xff\xff\xff\x0bRT_IMAGE_FLAGS_INVAL'
        b'ID', -1, b'\xff\xff\xff\x0bRT_IMAGE_HOST_OBJECT', 8, b'\xff\xff\xff\x0bRT_IMAGE_INVALID', -1,
        b'\xff\xff\xff\x0bRT_IMAGE_MANYRT', 9, b'\xff\xff\xff\x0bRT_IMAGE_OPENCL_BINA' b'RY', 7,
        b'\xff\xff\xff\x0bRT_IMAGE_OPENCL_C', 1, b'\xff\xff\xff\x0bRT_IMAGE_PTX', 3, b'\xff\xff\xff\x0bRT_IMAGE_SPIRV', 6,
        b'\xff\xff\xff\x0bRT_IMAGE_WITHOUT_SOU' b'RCE', 1, b'\xff\xff\xff\x0bRT_INFERRED', 4294967295,
        b'\xff\xff\xff\x0bRT_LANES_ALL', 1, b'\xff\xff\xff\x0bRT_LANES_BLOCKS', 8, b'\xff\xff\xff\x0bRT_LANES_COST', 7,
        b'\xff\xff\xff\x0bRT_LANES_FIBERS', 4, b'\xff\xff\xff\x0bRT_LANES_HALVES', 5, b'\xff\xff\xff\x0bRT_LANES_INVALID', -1,
        b'\xff\xff\xff\x0bRT_LANES_NOT_TRIED', 10, b'\xff\xff\xff\x0bRT_LANES_NO_FORM', 6, b'\xff\xff\xff\x0bRT_LANES_OPTIONS',
        2, b'\xff\xff\xff\x0bRT_LANES_QUICK', 3, b'\xff\xff\xff\x0bRT_LANES_REST', 9, b'\xff\xff\xff\x0bRT_LANES_UNKNOWN', 0,
        b'\xff\xff\xff\x0bRT_LAUNCH_COOPERATIV' b'E', 1, b'\xff\xff\xff\x0bRT_LAUNCH_FLAGS_INVA' b'LID', -1,
        b'\xff\xff\xff\x0bRT_LOG_DEBUG', 4, b'\xff\xff\xff\x0bRT_LOG_ERROR', 1, b'\xff\xff\xff\x0bRT_LOG_INFO', 3,
        b'\xff\xff\xff\x0bRT_LOG_INVALID', -1, b'\xff\xff\xff\x0bRT_LOG_NONE', 0, b'\xff\xff\xff\x0bRT_LOG_WARNING', 2,
        b'\xff\xff\xff\x0bRT_MEMCPY_DEFAULT', 0, b'\xff\xff\xff\x0bRT_MEMCPY_DEVICE_TO_' b'DEVICE', 4,
        b'\xff\xff\xff\x0bRT_MEMCPY_DEVICE_TO_' b'HOST', 3, b'\xff\xff\xff\x0bRT_MEMCPY_HOST_TO_DE' b'VICE', 2,
        b'\xff\xff\xff\x0bRT_MEMCPY_HOST_TO_HO' b'ST', 1, b'\xff\xff\xff\x0bRT_MEMCPY_INVALID', -1,
        b'\xff\xff\xff\x0bRT_MEMORY_DEVICE', 0, b'\xff\xff\xff\x0bRT_MEMORY_HOST', 1, b'\xff\xff\xff\x0bRT_MEMORY_INVALID', -1,
        b'\xff\xff\xff\x0bRT_MEMORY_SHARED', 2, b'\xff\xff\xff\x0bRT_MEMORY_TIER_BUFFE' b'R', 3,
        b'\xff\xff\xff\x0bRT_MEMORY_TIER_INVAL' b'ID', -1, b'\xff\xff\xff\x0bRT_MEMORY_TIER_NATIV' b'E', 0,
        b'\xff\xff\xff\x0bRT_MEMORY_TIER_SVM', 2, b'\xff\xff\xff\x0bRT_MEMORY_TIER_USM', 1, b'\xff\xff\xff\x0bRT_MODULE_FAILED',
        3, b'\xff\xff\xff\x0bRT_MODULE_INVALID', -1, b'\xff\xff\xff\x0bRT_MODULE_OPTIMIZED', 1,
        b'\xff\xff\xff\x0bRT_MODULE_ORIGIN_BUI' b'LD', 1, b'\xff\xff\xff\x0bRT_MODULE_ORIGIN_CAC' b'HE', 2,
        b'\xff\xff\xff\x0bRT_MODULE_ORIGIN_IMA' b'GE', 0, b'\xff\xff\xff\x0bRT_MODULE_ORIGIN_INV' b'ALID', -1,
        b'\xff\xff\xff\x0bRT_MODULE_ORIGIN_PRO' b'CESS', 3, b'\xff\xff\xff\x0bRT_MODULE_QUICK', 2,
        b'\xff\xff\xff\x0bRT_MODULE_READY', 0, b'\xff\xff\xff\x0bRT_NOT_READY', 1, b'\xff\xff\xff\x0bRT_POINTER_DEVICE', 1,
        b'\xff\xff\xff\x0bRT_POINTER_HOST', 2, b'\xff\xff\xff\x0bRT_POINTER_IMPORTED', 5, b'\xff\xff\xff\x0bRT_POINTER_INVALID',
        -1, b'\xff\xff\xff\x0bRT_POINTER_REGISTERE' b'D', 4, b'\xff\xff\xff\x0bRT_POINTER_SHARED', 3,
        b'\xff\xff\xff\x0bRT_POINTER_UNKNOWN', 0, b'\xff\xff\xff\x0bRT_QUALIFIER_CONST', 1,
        b'\xff\xff\xff\x0bRT_QUALIFIER_INVALID', -1, b'\xff\xff\xff\x0bRT_QUALIFIER_RESTRIC' b'T', 2,
        b'\xff\xff\xff\x0bRT_QUALIFIER_VOLATIL' b'E', 4, b'\xff\xff\xff\x0bRT_SUCCESS', 0, b'\xff\xff\xff\x0bRT_TIER_DEFAULT',
        0, b'\xff\xff\xff\x0bRT_TIER_INVALID', -1, b'\xff\xff\xff\x0bRT_TIER_OPTIMIZED', 2, b'\xff\xff\xff\x0bRT_TIER_QUICK', 1,
        b'\xff\xff\xff\x0bRT_TIER_READY_MADE', 4, b'\xff\xff\xff\x0bRT_TIER_TIERED', 3, b'\xff\xff\xff\x0bRT_TRACE_BUILDS', 8,
        b'\xff\xff\xff\x0bRT_TRACE_CALLS', 1, b'\xff\xff\xff\x0bRT_TRACE_INVALID', -1, b'\xff\xff\xff\x0bRT_TRACE_RANGES', 16,
        b'\xff\xff\xff\x0bRT_TRACE_RECORD_BUIL' b'D', 5, b'\xff\xff\xff\x0bRT_TRACE_RECORD_ENTE' b'R', 1,
        b'\xff\xff\xff\x0bRT_TRACE_RECORD_EXIT', 2, b'\xff\xff\xff\x0bRT_TRACE_RECORD_INVA' b'LID', -1,
        b'\xff\xff\xff\x0bRT_TRACE_RECORD_LOST', 9, b'\xff\xff\xff\x0bRT_TRACE_RECORD_MARK', 8,
        b'\xff\xff\xff\x0bRT_TRACE_RECORD_RANG' b'E_POP', 7, b'\xff\xff\xff\x0bRT_TRACE_RECORD_RANG' b'E_PUSH', 6,
        b'\xff\xff\xff\x0bRT_TRACE_RECORD_SUBM' b'ISSION', 3, b'\xff\xff\xff\x0bRT_TRACE_RECORD_WORK', 4,
        b'\xff\xff\xff\x0bRT_TRACE_SUBMISSIONS', 2, b'\xff\xff\xff\x0bRT_TRACE_WORK', 4, b'\xff\xff\xff\x0bRT_VERDICT_HOST', 1,
        b'\xff\xff\xff\x0bRT_VERDICT_INVALID', -1, b'\xff\xff\xff\x0bRT_VERDICT_NATIVE', 0, b'\xff\xff\xff\x0bRT_WAIT_BLOCK', 3,
        b'\xff\xff\xff\x0bRT_WAIT_DEFAULT', 0, b'\xff\xff\xff\x0bRT_WAIT_INVALID', -1, b'\xff\xff\xff\x0bRT_WAIT_SPIN', 1,
        b'\xff\xff\xff\x0bRT_WAIT_YIELD', 2, b'\xff\xff\xff\x0bRT_WORK_COPY', 2, b'\xff\xff\xff\x0bRT_WORK_FILL', 3,
        b'\xff\xff\xff\x0bRT_WORK_GRAPH', 5, b'\xff\xff\xff\x0bRT_WORK_HOST_FUNCTIO' b'N', 7,
        b'\xff\xff\xff\x0bRT_WORK_INVALID', -1, b'\xff\xff\xff\x0bRT_WORK_KERNEL', 1, b'\xff\xff\xff\x0bRT_WORK_PREFETCH', 4,
        b'\xff\xff\xff\x0bRT_WORK_TASK', 6, b'\x00\x00:#rtCommAbort', 0, b'\x00\x00h#rtCommAllGather', 0,
        b'\x00\x00_#rtCommAllReduce', 0, b'\x00\x00h#rtCommAllToAll', 0, b'\x00\x00A#rtCommBarrier', 0,
        b'\x00\x00_#rtCommBroadcast', 0, b'\x00\x00!#rtCommCreate', 0, b'\x00\x00)#rtCommCreateAll', 0,
        b'\x00\x00/#rtCommCreateFromEnvi' b'ronment', 0, b'\x00\x004#rtCommCreateFromMpi', 0, b'\x00\x00:#rtCommDestroy', 0,
        b'\x00\x00_#rtCommGather', 0, b'\x00\x00=#rtCommGetContext', 0, b'\x00\x00\x14#rtCommGetInfo', 0,
        b'\x00\x00\x00#rtCommGetLastErrorMe' b'ssage', 0, b'\x00\x00\x10#rtCommGetRank', 0, b'\x00\x00\x10#rtCommGetSize', 0,
        b'\x00\x00\x0b#rtCommGetStatus', 0, b'\x00\x00\x05#rtCommGetStatusMessa' b'ge', 0, b'\x00\x00\x18#rtCommGetUniqueId', 0,
        b'\x00\x00x#rtCommGroupBegin', 0, b'\x00\x00x#rtCommGroupEnd', 0, b'\x00\x00M#rtCommReceive', 0,
        b'\x00\x00U#rtCommReduce', 0, b'\x00\x00_#rtCommReduceScatter', 0, b'\x00\x00_#rtCommScatter', 0,
        b'\x00\x00p#rtCommSend', 0, b'\x00\x00\x1b#rtCommSplit', 0,
    ),
    _struct_unions=(
        (b'\x00\x00\x00\x8e\x00\x00\x00\x08$DLDataType',), (b'\x00\x00\x00\x8f\x00\x00\x00\x08$DLDevice',),
        (b'\x00\x00\x00\x92\x00\x00\x00\x08$DLPackVersion',), (b'\x00\x00\x00\x93\x00\x00\x00\x08$DLTensor',),
        (b'\x00\x00\x00\x90\x00\x00\x00\x08DLManagedTensor',), (b'\x00\x00\x00\x91\x00\x00\x00\x08DLManagedTensorV'
        b'ersioned',), (b'\x00\x00\x00\xc7\x00\x00\x00\x08rtBackendInfo_t',),
        (b'\x00\x00\x00\xc8\x00\x00\x00\x08rtCapturePlanBuf' b'fer_t',), (b'\x00\x00\x00\xc9\x00\x00\x00\x08rtCapturePlanInf'
        b'o_t',), (b'\x00\x00\x00\xca\x00\x00\x00\x08rtCapturePlanOpt' b'ions_t',),
        (b'\x00\x00\x00\xcb\x00\x00\x00\x08rtCapturePlanSte' b'p_t',), (b'\x00\x00\x00\xf6\x00\x00\x00\x18rtCapturePlan_st',),
        (b'\x00\x00\x00\xcc\x00\x00\x00\x02rtCommInfo_t', b'\x00\x00-\x11struct_size', b'\x00\x00\x1d\x11engine',
        b'\x00\x00\x1d\x11transport', b'\x00\x00\x1d\x11rank', b'\x00\x00\x1d\x11size', b'\x00\x00\x1d\x11local_size',
        b'\x00\x00\x97\x11engine_name', b'\x00\x00\x9b\x11engine_version', b'\x00\x00\x97\x11transport_name',
        b'\x00\x00\x95\x11reason',), (b'\x00\x00\x00\xcd\x00\x00\x00\x02rtCommOptions_t', b'\x00\x00-\x11struct_size',
        b'\x00\x00-\x11flags', b'\x00\x00J\x11timeout_ns', b'\x00\x00\x99\x11label',),
        (b'\x00\x00\x00\xce\x00\x00\x00\x02rtCommUniqueId_t', b'\x00\x01\x11\x11bytes',),
        (b'\x00\x00\x00\xf7\x00\x00\x00\x10rtComm_st',), (b'\x00\x00\x00\xcf\x00\x00\x00\x08rtContextOptions' b'_t',),
        (b'\x00\x00\x00\xd0\x00\x00\x00\x08rtContextStats_t',), (b'\x00\x00\x00\xf8\x00\x00\x00\x18rtContext_st',),
        (b'\x00\x00\x00\xd1\x00\x00\x00\x08rtDeviceProperti' b'es_t',), (b'\x00\x00\x00\xfa\x00\x00\x00\x18rtDevice_st',),
        (b'\x00\x00\x00\xd2\x00\x00\x00\x08rtEventOptions_t',), (b'\x00\x00\x00\xfc\x00\x00\x00\x18rtEvent_st',),
        (b'\x00\x00\x00\xfe\x00\x00\x00\x18rtFence_st',), (b'\x00\x00\x00\xd3\x00\x00\x00\x08rtGraphArg_t',),
        (b'\x00\x00\x00\xd4\x00\x00\x00\x08rtGraphBinding_t',), (b'\x00\x00\x00\xd5\x00\x00\x00\x08rtGraphBufferInf' b'o_t',),
        (b'\x00\x00\x01\x00\x00\x00\x00\x18rtGraphBuffer_st',), (b'\x00\x00\x00\xd6\x00\x00\x00\x08rtGraphChildPara' b'ms_t',),
        (b'\x00\x00\x00\xd7\x00\x00\x00\x08rtGraphEventPara' b'ms_t',), (b'\x00\x00\x01\x02\x00\x00\x00\x18rtGraphExec_st',),
        (b'\x00\x00\x00\xd8\x00\x00\x00\x08rtGraphFencePara' b'ms_t',), (b'\x00\x00\x00\xd9\x00\x00\x00\x08rtGraphFillParam'
        b's_t',), (b'\x00\x00\x00\xda\x00\x00\x00\x08rtGraphHostParam' b's_t',),
        (b'\x00\x00\x00\xdb\x00\x00\x00\x08rtGraphKernelPar' b'ams_t',), (b'\x00\x00\x00\xdc\x00\x00\x00\x08rtGraphMemcpy2DP'
        b'arams_t',), (b'\x00\x00\x00\xdd\x00\x00\x00\x08rtGraphMemcpyPar' b'ams_t',),
        (b'\x00\x00\x00\xde\x00\x00\x00\x08rtGraphNativePar' b'ams_t',), (b'\x00\x00\x01\x04\x00\x00\x00\x18rtGraphNode_st',),
        (b'\x00\x00\x00\xdf\x00\x00\x00\x08rtGraphOperand_t',), (b'\x00\x00\x00\xe0\x00\x00\x00\x08rtGraphValueBind' b'ing_t',),
        (b'\x00\x00\x00\xe1\x00\x00\x00\x08rtGraphValueInfo' b'_t',), (b'\x00\x00\x01\x06\x00\x00\x00\x18rtGraphValue_st',),
        (b'\x00\x00\x01\x08\x00\x00\x00\x18rtGraph_st',), (b'\x00\x00\x00\xe2\x00\x00\x00\x08rtHostArg_t',),
        (b'\x00\x00\x00\xe3\x00\x00\x00\x08rtHostGroup_t',), (b'\x00\x00\x00\xe4\x00\x00\x00\x08rtHostKernel_t',),
        (b'\x00\x00\x00\xe5\x00\x00\x00\x08rtHostModuleArg_' b't',), (b'\x00\x00\x00\xe6\x00\x00\x00\x08rtHostModuleGlob'
        b'al_t',), (b'\x00\x00\x00\xe7\x00\x00\x00\x08rtHostModuleKern' b'el_t',),
        (b'\x00\x00\x00\xe8\x00\x00\x00\x08rtHostModule_t',), (b'\x00\x00\x00\xe9\x00\x00\x00\x08rtImageOptions_t',),
        (b'\x00\x00\x00\xea\x00\x00\x00\x08rtKernelArgInfo_' b't',), (b'\x00\x00\x00\xeb\x00\x00\x00\x08rtKernelInfo_t',),
        (b'\x00\x00\x01\n\x00\x00\x00\x18rtKernel_st',), (b'\x00\x00\x00\xec\x00\x00\x00\x08rtLaunchOptions_' b't',),
        (b'\x00\x00\x00\xed\x00\x00\x00\x08rtMallocOptions_' b't',), (b'\x00\x00\x00\xee\x00\x00\x00\x08rtMemPoolOptions'
        b'_t',), (b'\x00\x00\x00\xef\x00\x00\x00\x08rtMemPoolStats_t',), (b'\x00\x00\x01\x0c\x00\x00\x00\x18rtMemPool_st',),
        (b'\x00\x00\x00\xf0\x00\x00\x00\x08rtModuleInfo_t',), (b'\x00\x00\x00\xf1\x00\x00\x00\x08rtModuleOptions_' b't',),
        (b'\x00\x00\x01\x0e\x00\x00\x00\x18rtModule_st',), (b'\x00\x00\x00\xf2\x00\x00\x00\x08rtPointerAttribu' b'tes_t',),
        (b'\x00\x00\x00\xf3\x00\x00\x00\x08rtStreamOptions_' b't',), (b'\x00\x00\x01\x0f\x00\x00\x00\x18rtStream_st',),
        (b'\x00\x00\x00\xf4\x00\x00\x00\x08rtTraceRecord_t',),
    ),
    _enums=(
        b'\x00\x00\x00\x9d\x00\x00\x00\x15rtAccess\x00RT_ACCE' b'SS_INVALID,RT_ACCESS_UNK' b'NOWN,RT_ACCESS_READ,RT_A'
        b'CCESS_WRITE,RT_ACCESS_RE' b'AD_WRITE,RT_ACCESS_NONE', b'\x00\x00\x00\x9e\x00\x00\x00\x15rtAddressSpace\x00R'
        b'T_ADDRESS_SPACE_INVALID,' b'RT_ADDRESS_SPACE_UNKNOWN' b',RT_ADDRESS_SPACE_PRIVAT' b'E,RT_ADDRESS_SPACE_GLOBA'
        b'L,RT_ADDRESS_SPACE_CONST' b'ANT,RT_ADDRESS_SPACE_LOC' b'AL', b'\x00\x00\x00\x9f\x00\x00\x00\x15rtArgKind\x00RT_ARG'
        b'_INVALID,RT_ARG_VALUE,RT' b'_ARG_POINTER,RT_ARG_LOCA' b'L,RT_ARG_GRAPH_VALUE',
        b'\x00\x00\x00\xa0\x00\x00\x00\x15rtAttribute\x00RT_A' b'TTRIBUTE_INVALID,RT_ATTR' b'IBUTE_KIND,RT_ATTRIBUTE_'
        b'COMPUTE_UNITS,RT_ATTRIBU' b'TE_CLOCK_MHZ,RT_ATTRIBUT' b'E_SIMD_WIDTH,RT_ATTRIBUT' b'E_MAX_GROUP_ITEMS,RT_ATT'
        b'RIBUTE_MAX_GROUP_SIZE_X,' b'RT_ATTRIBUTE_MAX_GROUP_S' b'IZE_Y,RT_ATTRIBUTE_MAX_G' b'ROUP_SIZE_Z,RT_ATTRIBUTE'
        b'_MAX_GRID_SIZE_X,RT_ATTR' b'IBUTE_MAX_GRID_SIZE_Y,RT' b'_ATTRIBUTE_MAX_GRID_SIZE' b'_Z,RT_ATTRIBUTE_MEMORY_B'
        b'YTES,RT_ATTRIBUTE_MAX_AL' b'LOCATION_BYTES,RT_ATTRIB' b'UTE_CACHE_LINE_BYTES,RT_' b'ATTRIBUTE_L1_BYTES,RT_AT'
        b'TRIBUTE_L2_BYTES,RT_ATTR' b'IBUTE_L3_BYTES,RT_ATTRIB' b'UTE_LOCAL_BYTES_PER_GROU' b'P,RT_ATTRIBUTE_UNIFIED_M'
        b'EMORY,RT_ATTRIBUTE_MEMOR' b'Y_TIER,RT_ATTRIBUTE_PRIO' b'RITY_LEAST,RT_ATTRIBUTE_' b'PRIORITY_GREATEST,RT_ATT'
        b'RIBUTE_NUMA_NODES,RT_ATT' b'RIBUTE_HOST_THREADS,RT_A' b'TTRIBUTE_DLPACK_TYPE,RT_' b'ATTRIBUTE_DLPACK_ID',
        b'\x00\x00\x00\xa1\x00\x00\x00\x15rtBackend\x00RT_BAC' b'KEND_INVALID,RT_BACKEND_' b'ALL,RT_BACKEND_CPU,RT_BA'
        b'CKEND_CUDA,RT_BACKEND_OP' b'ENCL,RT_BACKEND_NULL', b'\x00\x00\x00\xa2\x00\x00\x00\x15rtBarriers\x00RT_BA'
        b'RRIERS_INVALID,RT_BARRIE' b'RS_UNKNOWN,RT_BARRIERS_N' b'ONE,RT_BARRIERS_SPLIT,RT' b'_BARRIERS_FIBERS',
        b'\x00\x00\x00\xa3\x00\x00\x00\x15rtCapability\x00RT_' b'CAPABILITY_INVALID,RT_CA' b'PABILITY_KERNELS,RT_CAPA'
        b'BILITY_HOST_KERNELS,RT_C' b'APABILITY_SHARED_MEMORY,' b'RT_CAPABILITY_COOPERATIV' b'E_LAUNCH,RT_CAPABILITY_P'
        b'EER_ACCESS,RT_CAPABILITY' b'_TIMING,RT_CAPABILITY_NA' b'TIVE_INTEROP,RT_CAPABILI' b'TY_POINTERS_IN_MEMORY,RT'
        b'_CAPABILITY_DOUBLE,RT_CA' b'PABILITY_HALF,RT_CAPABIL' b'ITY_ATOMICS_64,RT_CAPABI' b'LITY_HOST_REGISTER,RT_CA'
        b'PABILITY_STREAM_PRIORITI' b'ES,RT_CAPABILITY_SUBGROU' b'PS', b'\x00\x00\x00\xa4\x00\x00\x00\x15rtCaptureState\x00R'
        b'T_CAPTURE_INVALID,RT_CAP' b'TURE_NONE,RT_CAPTURE_ACT' b'IVE,RT_CAPTURE_INVALIDAT' b'ED',
        b'\x00\x00\x00\xa5\x00\x00\x00\x15rtCommColor\x00RT_C' b'OMM_NO_COLOR',
        b'\x00\x00\x00\xa6\x00\x00\x00\x15rtCommEngine\x00RT_' b'COMM_ENGINE_INVALID,RT_C' b'OMM_ENGINE_IN_PROCESS,RT'
        b'_COMM_ENGINE_SHARED_MEMO' b'RY,RT_COMM_ENGINE_MPI,RT' b'_COMM_ENGINE_NCCL',
        b'\x00\x00\x00\xa7\x00\x00\x00\x15rtCommReduction\x00' b'RT_COMM_REDUCTION_INVALI' b'D,RT_COMM_SUM,RT_COMM_PR'
        b'ODUCT,RT_COMM_MINIMUM,RT' b'_COMM_MAXIMUM,RT_COMM_AV' b'ERAGE', b'\x00\x00\x00\xa8\x00\x00\x00\x15rtCommTransport\x00'
        b'RT_COMM_TRANSPORT_INVALI' b'D,RT_COMM_TRANSPORT_HOST' b'_MEMORY,RT_COMM_TRANSPOR' b'T_DEVICE_COPIES,RT_COMM_'
        b'TRANSPORT_SHARED_MEMORY,' b'RT_COMM_TRANSPORT_MPI,RT' b'_COMM_TRANSPORT_MPI_STAG' b'ED,RT_COMM_TRANSPORT_MPI'
        b'_DEVICE,RT_COMM_TRANSPOR' b'T_NCCL', b'\x00\x00\x00\xa9\x00\x00\x00\x15rtCommType\x00RT_CO'
        b'MM_TYPE_INVALID,RT_COMM_' b'I8,RT_COMM_U8,RT_COMM_I1' b'6,RT_COMM_U16,RT_COMM_I3' b'2,RT_COMM_U32,RT_COMM_I6'
        b'4,RT_COMM_U64,RT_COMM_F1' b'6,RT_COMM_BF16,RT_COMM_F' b'32,RT_COMM_F64',
        b'\x00\x00\x00\xaa\x00\x00\x00\x16rtConstant\x00MANYR' b'T_VERSION_MAJOR,MANYRT_V' b'ERSION_MINOR,MANYRT_VERS'
        b'ION_PATCH,RT_ARGS_ALL,RT' b'_INFERRED', b'\x00\x00\x00\xab\x00\x00\x00\x15rtContextFlags\x00R'
        b'T_CONTEXT_FLAGS_INVALID,' b'RT_CONTEXT_STRICT', b'\x00\x00\x00\xac\x00\x00\x00\x15rtDeviceKind\x00RT_'
        b'DEVICE_KIND_INVALID,RT_D' b'EVICE_KIND_CPU,RT_DEVICE' b'_KIND_DISCRETE_GPU,RT_DE' b'VICE_KIND_INTEGRATED_GPU'
        b',RT_DEVICE_KIND_ACCELERA' b'TOR', b'\x00\x00\x00\xad\x00\x00\x00\x15rtEventFlags\x00RT_' b'EVENT_FLAGS_INVALID,RT_E'
        b'VENT_DISABLE_TIMING', b'\x00\x00\x00\xae\x00\x00\x00\x15rtGraphAccess\x00RT' b'_GRAPH_ACCESS_INVALID,RT'
        b'_GRAPH_READ,RT_GRAPH_WRI' b'TE', b'\x00\x00\x00\xaf\x00\x00\x00\x15rtGraphBufferRol' b'e\x00RT_GRAPH_BUFFER_INVALI'
        b'D,RT_GRAPH_BUFFER_TEMPOR' b'ARY,RT_GRAPH_BUFFER_INPU' b'T,RT_GRAPH_BUFFER_OUTPUT' b',RT_GRAPH_BUFFER_CONSTAN' b'T',
        b'\x00\x00\x00\xb0\x00\x00\x00\x15rtGraphNodeType\x00' b'RT_GRAPH_NODE_INVALID,RT' b'_GRAPH_NODE_EMPTY,RT_GRA'
        b'PH_NODE_KERNEL,RT_GRAPH_' b'NODE_MEMCPY,RT_GRAPH_NOD' b'E_MEMCPY_2D,RT_GRAPH_NOD' b'E_FILL,RT_GRAPH_NODE_HOS'
        b'T,RT_GRAPH_NODE_NATIVE,R' b'T_GRAPH_NODE_CHILD_GRAPH' b',RT_GRAPH_NODE_EVENT_REC' b'ORD,RT_GRAPH_NODE_EVENT_'
        b'WAIT,RT_GRAPH_NODE_FENCE' b'_SIGNAL,RT_GRAPH_NODE_FE' b'NCE_WAIT,RT_GRAPH_NODE_P' b'REFETCH,RT_GRAPH_NODE_AL'
        b'LOCATION,RT_GRAPH_NODE_F' b'REE', b'\x00\x00\x00\xb1\x00\x00\x00\x15rtHandleKind\x00RT_' b'HANDLE_INVALID,RT_HANDLE'
        b'_ALL,RT_HANDLE_DEVICE,RT' b'_HANDLE_CONTEXT,RT_HANDL' b'E_STREAM,RT_HANDLE_EVENT' b',RT_HANDLE_FENCE,RT_HAND'
        b'LE_MEM_POOL,RT_HANDLE_KE' b'RNEL,RT_HANDLE_ALLOCATIO' b'N,RT_HANDLE_MODULE,RT_HA' b'NDLE_GRAPH,RT_HANDLE_GRA'
        b'PH_NODE,RT_HANDLE_GRAPH_' b'BUFFER,RT_HANDLE_CAPTURE' b'_PLAN,RT_HANDLE_GRAPH_EX' b'EC,RT_HANDLE_GRAPH_VALUE',
        b'\x00\x00\x00\xb2\x00\x00\x00\x15rtImageFlags\x00RT_' b'IMAGE_FLAGS_INVALID,RT_I' b'MAGE_WITHOUT_SOURCE',
        b'\x00\x00\x00\xb3\x00\x00\x00\x15rtImageFormat\x00RT' b'_IMAGE_INVALID,RT_IMAGE_' b'AUTO,RT_IMAGE_OPENCL_C,R'
        b'T_IMAGE_CUDA_CXX,RT_IMAG' b'E_PTX,RT_IMAGE_CUBIN,RT_' b'IMAGE_FATBIN,RT_IMAGE_SP' b'IRV,RT_IMAGE_OPENCL_BINA'
        b'RY,RT_IMAGE_HOST_OBJECT,' b'RT_IMAGE_MANYRT', b'\x00\x00\x00\xb4\x00\x00\x00\x15rtLaunchFlags\x00RT'
        b'_LAUNCH_FLAGS_INVALID,RT' b'_LAUNCH_COOPERATIVE', b'\x00\x00\x00\xb5\x00\x00\x00\x15rtLogLevel\x00RT_LO'
        b'G_INVALID,RT_LOG_NONE,RT' b'_LOG_ERROR,RT_LOG_WARNIN' b'G,RT_LOG_INFO,RT_LOG_DEB' b'UG',
        b'\x00\x00\x00\xb6\x00\x00\x00\x15rtMemcpyKind\x00RT_' b'MEMCPY_INVALID,RT_MEMCPY' b'_DEFAULT,RT_MEMCPY_HOST_'
        b'TO_HOST,RT_MEMCPY_HOST_T' b'O_DEVICE,RT_MEMCPY_DEVIC' b'E_TO_HOST,RT_MEMCPY_DEVI' b'CE_TO_DEVICE',
        b'\x00\x00\x00\xb7\x00\x00\x00\x15rtMemoryKind\x00RT_' b'MEMORY_INVALID,RT_MEMORY' b'_DEVICE,RT_MEMORY_HOST,R'
        b'T_MEMORY_SHARED', b'\x00\x00\x00\xb8\x00\x00\x00\x15rtMemoryTier\x00RT_' b'MEMORY_TIER_INVALID,RT_M'
        b'EMORY_TIER_NATIVE,RT_MEM' b'ORY_TIER_USM,RT_MEMORY_T' b'IER_SVM,RT_MEMORY_TIER_B' b'UFFER',
        b'\x00\x00\x00\xb9\x00\x00\x00\x15rtModuleOrigin\x00R' b'T_MODULE_ORIGIN_INVALID,' b'RT_MODULE_ORIGIN_IMAGE,R'
        b'T_MODULE_ORIGIN_BUILD,RT' b'_MODULE_ORIGIN_CACHE,RT_' b'MODULE_ORIGIN_PROCESS',
        b'\x00\x00\x00\xba\x00\x00\x00\x15rtModuleState\x00RT' b'_MODULE_INVALID,RT_MODUL' b'E_READY,RT_MODULE_OPTIMI'
        b'ZED,RT_MODULE_QUICK,RT_M' b'ODULE_FAILED', b'\x00\x00\x00\xbb\x00\x00\x00\x15rtNoLanes\x00RT_LAN'
        b'ES_INVALID,RT_LANES_UNKN' b'OWN,RT_LANES_ALL,RT_LANE' b'S_OPTIONS,RT_LANES_QUICK' b',RT_LANES_FIBERS,RT_LANE'
        b'S_HALVES,RT_LANES_NO_FOR' b'M,RT_LANES_COST,RT_LANES' b'_BLOCKS,RT_LANES_REST,RT' b'_LANES_NOT_TRIED',
        b'\x00\x00\x00\xbc\x00\x00\x00\x15rtPointerKind\x00RT' b'_POINTER_INVALID,RT_POIN' b'TER_UNKNOWN,RT_POINTER_D'
        b'EVICE,RT_POINTER_HOST,RT' b'_POINTER_SHARED,RT_POINT' b'ER_REGISTERED,RT_POINTER' b'_IMPORTED',
        b'\x00\x00\x00\xbd\x00\x00\x00\x15rtQualifier\x00RT_Q' b'UALIFIER_INVALID,RT_QUAL' b'IFIER_CONST,RT_QUALIFIER'
        b'_RESTRICT,RT_QUALIFIER_V' b'OLATILE', b'\x00\x00\x00\xbe\x00\x00\x00\x15rtStatusCode\x00RT_'
        b'SUCCESS,RT_NOT_READY,RT_' b'ERROR_INVALID_VALUE,RT_E' b'RROR_INVALID_HANDLE,RT_E' b'RROR_INVALID_DEVICE,RT_E'
        b'RROR_WRONG_CONTEXT,RT_ER' b'ROR_OUT_OF_MEMORY,RT_ERR' b'OR_NOT_SUPPORTED,RT_ERRO' b'R_NOT_FOUND,RT_ERROR_BUI'
        b'LD_FAILED,RT_ERROR_COMPI' b'LER_NOT_FOUND,RT_ERROR_I' b'NVALID_IMAGE,RT_ERROR_LA' b'UNCH_FAILED,RT_ERROR_CAP'
        b'TURE_UNSAFE,RT_ERROR_CAP' b'TURE_INVALIDATED,RT_ERRO' b'R_BUSY,RT_ERROR_TIMEOUT,' b'RT_ERROR_DEVICE_LOST,RT_'
        b'ERROR_BACKEND_UNAVAILABL' b'E,RT_ERROR_DRIVER,RT_ERR' b'OR_FORKED,RT_ERROR_SHUT_' b'DOWN,RT_ERROR_IO,RT_ERRO'
        b'R_INTERNAL', b'\x00\x00\x00\xbf\x00\x00\x00\x15rtTier\x00RT_TIER_I' b'NVALID,RT_TIER_DEFAULT,R'
        b'T_TIER_QUICK,RT_TIER_OPT' b'IMIZED,RT_TIER_TIERED,RT' b'_TIER_READY_MADE',
        b'\x00\x00\x00\xc0\x00\x00\x00\x15rtTraceKind\x00RT_T' b'RACE_INVALID,RT_TRACE_CA' b'LLS,RT_TRACE_SUBMISSIONS'
        b',RT_TRACE_WORK,RT_TRACE_' b'BUILDS,RT_TRACE_RANGES', b'\x00\x00\x00\xc1\x00\x00\x00\x15rtTraceRecordTyp'
        b'e\x00RT_TRACE_RECORD_INVALI' b'D,RT_TRACE_RECORD_ENTER,' b'RT_TRACE_RECORD_EXIT,RT_' b'TRACE_RECORD_SUBMISSION,'
        b'RT_TRACE_RECORD_WORK,RT_' b'TRACE_RECORD_BUILD,RT_TR' b'ACE_RECORD_RANGE_PUSH,RT' b'_TRACE_RECORD_RANGE_POP,'
        b'RT_TRACE_RECORD_MARK,RT_' b'TRACE_RECORD_LOST', b'\x00\x00\x00\xc2\x00\x00\x00\x15rtVerdict\x00RT_VER'
        b'DICT_INVALID,RT_VERDICT_' b'NATIVE,RT_VERDICT_HOST', b'\x00\x00\x00\xc3\x00\x00\x00\x15rtWaitPolicy\x00RT_'
        b'WAIT_INVALID,RT_WAIT_DEF' b'AULT,RT_WAIT_SPIN,RT_WAI' b'T_YIELD,RT_WAIT_BLOCK',
        b'\x00\x00\x00\xc4\x00\x00\x00\x15rtWorkKind\x00RT_WO' b'RK_INVALID,RT_WORK_KERNE' b'L,RT_WORK_COPY,RT_WORK_F'
        b'ILL,RT_WORK_PREFETCH,RT_' b'WORK_GRAPH,RT_WORK_TASK,' b'RT_WORK_HOST_FUNCTION',
    ),
    _typenames=(
        b'\x00\x00\x00\x8eDLDataType', b'\x00\x00\x00\x8fDLDevice', b'\x00\x00\x00\x90DLManagedTensor',
        b'\x00\x00\x00\x91DLManagedTensorVersi' b'oned', b'\x00\x00\x00\x92DLPackVersion', b'\x00\x00\x00\x93DLTensor',
        b'\x00\x00\x00\xc7rtBackendInfo_t', b'\x00\x00\x00\xc8rtCapturePlanBuffer_' b't',
        b'\x00\x00\x00\xc9rtCapturePlanInfo_t', b'\x00\x00\x00\xcartCapturePlanOptions' b'_t',
        b'\x00\x00\x00\xcbrtCapturePlanStep_t', b'\x00\x00\x00\xf5rtCapturePlan_t', b'\x00\x00\x00\xccrtCommInfo_t',
        b'\x00\x00\x00\xcdrtCommOptions_t', b'\x00\x00\x00\xcertCommUniqueId_t', b'\x00\x00\x00\trtComm_t',
        b'\x00\x00\x00\xcfrtContextOptions_t', b'\x00\x00\x00\xd0rtContextStats_t', b"\x00\x00\x00'rtContext_t",
        b'\x00\x00\x00\xd1rtDeviceProperties_t', b'\x00\x00\x00\xf9rtDevice_t', b'\x00\x00\x00\xd2rtEventOptions_t',
        b'\x00\x00\x00\xfbrtEvent_t', b'\x00\x00\x00\xfdrtFence_t', b'\x00\x00\x00\xd3rtGraphArg_t',
        b'\x00\x00\x00\xd4rtGraphBinding_t', b'\x00\x00\x00\xd5rtGraphBufferInfo_t', b'\x00\x00\x00\xffrtGraphBuffer_t',
        b'\x00\x00\x00\xd6rtGraphChildParams_t', b'\x00\x00\x00\xd7rtGraphEventParams_t', b'\x00\x00\x01\x01rtGraphExec_t',
        b'\x00\x00\x00\xd8rtGraphFenceParams_t', b'\x00\x00\x00\xd9rtGraphFillParams_t', b'\x00\x00\x00\xdartGraphHostParams_t',
        b'\x00\x00\x00\xdbrtGraphKernelParams_' b't', b'\x00\x00\x00\xdcrtGraphMemcpy2DParam' b's_t',
        b'\x00\x00\x00\xddrtGraphMemcpyParams_' b't', b'\x00\x00\x00\xdertGraphNativeParams_' b't',
        b'\x00\x00\x01\x03rtGraphNode_t', b'\x00\x00\x00\xdfrtGraphOperand_t', b'\x00\x00\x00\xe0rtGraphValueBinding_' b't',
        b'\x00\x00\x00\xe1rtGraphValueInfo_t', b'\x00\x00\x01\x05rtGraphValue_t', b'\x00\x00\x01\x07rtGraph_t',
        b'\x00\x00\x00\xe2rtHostArg_t', b'\x00\x00\x01\x17rtHostFunction_t', b'\x00\x00\x00\xe3rtHostGroup_t',
        b'\x00\x00\x01\x14rtHostKernelFunction' b'_t', b'\x00\x00\x00\xe4rtHostKernel_t', b'\x00\x00\x00\xe5rtHostModuleArg_t',
        b'\x00\x00\x00\xe6rtHostModuleGlobal_t', b'\x00\x00\x00\xe7rtHostModuleKernel_t', b'\x00\x00\x00\xe8rtHostModule_t',
        b'\x00\x00\x00\xe9rtImageOptions_t', b'\x00\x00\x00\xeartKernelArgInfo_t', b'\x00\x00\x00\xebrtKernelInfo_t',
        b'\x00\x00\x01\trtKernel_t', b'\x00\x00\x00\xecrtLaunchOptions_t', b'\x00\x00\x01\x13rtLogCallback_t',
        b'\x00\x00\x00\xedrtMallocOptions_t', b'\x00\x00\x00\xeertMemPoolOptions_t', b'\x00\x00\x00\xefrtMemPoolStats_t',
        b'\x00\x00\x01\x0brtMemPool_t', b'\x00\x00\x00\xf0rtModuleInfo_t', b'\x00\x00\x00\xf1rtModuleOptions_t',
        b'\x00\x00\x01\rrtModule_t', b'\x00\x00\x00\xc5rtNativeFunction_t', b'\x00\x00\x00\xc6rtOutOfMemoryCallbac' b'k_t',
        b'\x00\x00\x00\xf2rtPointerAttributes_' b't', b'\x00\x00\x01\x16rtReleaseFunction_t', b'\x00\x00\x00\x1drtStatus_t',
        b'\x00\x00\x00\xf3rtStreamOptions_t', b'\x00\x00\x00BrtStream_t', b'\x00\x00\x01\x15rtTraceCallback_t',
        b'\x00\x00\x00\xf4rtTraceRecord_t',
    ),
    _includes=(_base,),
)
