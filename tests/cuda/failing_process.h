// Scenes that the tests of failures run in processes of their own: they end a device, or look at the end of a process. A scene
// says nothing where all is as it should be, else a line for each thing that is not.
#pragma once

#include <string>

namespace rttest {

// The exit status: 0, or 1 where something is wrong. Called by main of the program that is given "--scene NAME DEVICE".
int runScene(const std::string& name, const std::string& device);

}  // namespace rttest
