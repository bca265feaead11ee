"""The installed Python package with NumPy: memory of either side is the other's array, without a copy."""

import manyrt
import numpy

with manyrt.Context("cpu") as context, context.stream() as stream:
    scale = context.module("kernel void scale(global float *x, float f) { x[get_global_id(0)] *= f; }")["scale"]
    theirs = numpy.arange(8, dtype=numpy.float32)
    shared = context.from_dlpack(theirs)
    scale[2, 4](stream, shared, 3.0)
    stream.synchronize()
    assert theirs.tolist() == [0, 3, 6, 9, 12, 15, 18, 21], theirs
    shared.close()

    ours = context.array([1, 2, 3, 4], "float32")
    seen = numpy.from_dlpack(ours)
    assert seen.ctypes.data == ours.address and numpy.asarray(ours).ctypes.data == ours.address, "a copy was made"
    scale[1, 4](stream, ours, 2.0)
    stream.synchronize()
    assert seen.tolist() == [2, 4, 6, 8], seen
print("arrays: ok with numpy", numpy.__version__, "and", manyrt.library_path(), manyrt.library_version())
