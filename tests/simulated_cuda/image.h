// Images as the driver takes them. A unit is in an ELF file for a GPU's machine (a cubin), in the text of PTX, or in a fat
// binary.
#pragma once

#include <string>
#include <vector>

#include "interface.h"

namespace manyrt::simulated {

std::vector<unsigned char> packUnit(const std::vector<unsigned char>& object, int architecture);
// PTX carries the unit in a comment: the simulated driver has no compiler for it.
std::string packPtx(const std::vector<unsigned char>& object, int architecture);

// The shared object inside, which has to be for this device. Like the driver it is told no size and believes the image.
Error unpackImage(const void* image, std::vector<unsigned char>* object, std::string* log);
// The same of PTX: what is wrong with the text stands in the log as ptxas writes it.
Error unpackPtx(const char* text, std::vector<unsigned char>* object, std::string* log);

}  // namespace manyrt::simulated
