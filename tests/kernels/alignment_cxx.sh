#!/bin/sh
# g++ as the compiler of kernels, with a trap wherever an address is not as aligned as the type of the access demands.
exec g++ "$@" -fsanitize=alignment -fsanitize-undefined-trap-on-error
