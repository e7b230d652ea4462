#!/usr/bin/env python3
"""Stands in for octave-cli: says a version, reads the graph as the worker does, and counts by hand.

FAKE_OCTAVE is added to each count; "silent" ends it before the first, with a message.
"""

import os
import struct
import sys

if "--version" in sys.argv:
    print("GNU Octave, version 99.1.0\nCopyright")
    sys.exit(0)
assert sys.argv[1:4] == ["--norc", "--no-history", "--eval"], sys.argv
assert "sum(sum((A * A) .* A)) / 6" in sys.argv[4]
if os.environ.get("FAKE_OCTAVE") == "silent":
    sys.exit("error: out of memory or dimension too large")
source = sys.stdin.buffer


def read(count, code, size):
    return struct.unpack(f"={count}{code}", source.read(count * size))


n, nnz = read(2, "q", 8)
pointers, columns = read(n + 1, "q", 8), read(nnz, "i", 4)
rows = [set(columns[pointers[i] : pointers[i + 1]]) for i in range(n)]
print("ready", flush=True)
while source.read(1):
    masked = sum(len(rows[i] & rows[j]) for i in range(n) for j in rows[i])
    print(masked / 6 + float(os.environ.get("FAKE_OCTAVE", "0")), flush=True)
