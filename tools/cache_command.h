// `manyrt cache`: what the folder of compiled kernels holds.
#pragma once

void runCacheList(bool json);
void runCacheSize(bool json);
void runCacheClear(bool json);
