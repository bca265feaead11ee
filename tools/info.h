// `manyrt info`, and the version of the library.
#pragma once

#include <string>

std::string versionText();  // "0.3.0"
void runInfo(bool json, bool null_devices);
