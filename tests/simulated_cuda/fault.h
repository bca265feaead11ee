// Faults of kernels that the processor finds: signals on a thread that runs one end that kernel instead of the process.
#pragma once

namespace manyrt::simulated {

class Runner;

Runner* currentRunner();  // of the calling thread; null: it runs no kernel
void setCurrentRunner(Runner* runner);

void catchFaults();  // on the calling thread, from now on

}  // namespace manyrt::simulated
