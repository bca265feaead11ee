// Arrays in NumPy's file format (.npy, versions 1 and 2), strictly: little-endian numbers in C order, every byte accounted for.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct Array {
  std::string type;  // as in a graph file: "f32"
  std::vector<uint64_t> shape;
  std::vector<unsigned char> bytes;
};

// Both throw Failure with the path and what is wrong.
Array readArray(const std::string& path);
void writeArray(const std::string& path, const Array& array);

std::string shapeText(const std::vector<uint64_t>& shape);  // "(3, 4)"
