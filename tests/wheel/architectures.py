"""Which compute capabilities a module has machine code for, by the headers of its fat binaries:
that needs no tool of CUDA's."""

import struct
import sys
from collections import Counter
from pathlib import Path

MAGIC = struct.pack("<I", 0xBA55ED50)
OUTER = struct.Struct("<IHHQ")  # magic, version, bytes of this header, bytes of what follows
INNER = struct.Struct("<HHIQIIHHI")  # kind, -, bytes of this header, of its code, ..., capability
MACHINE_CODE = 2


def architectures(module: bytes) -> Counter[int]:
    """How many pieces of machine code there are for each capability (80, 90, ...)."""
    found: Counter[int] = Counter()
    at = module.find(MAGIC)
    while at >= 0:
        _, version, header, size = OUTER.unpack_from(module, at)
        if version == 1 and header == OUTER.size and at + header + size <= len(module):
            inner, end = at + header, at + header + size
            while inner + INNER.size <= end:
                kind, _, inner_header, code, *_, capability = INNER.unpack_from(module, inner)
                if kind == MACHINE_CODE:
                    found[capability] += 1
                inner += max(inner_header + code, INNER.size)
        at = module.find(MAGIC, at + 1)
    return found


if __name__ == "__main__":
    module, *wanted = sys.argv[1:]
    counts = architectures(Path(module).read_bytes())
    print(", ".join(f"sm_{capability}: {count}" for capability, count in sorted(counts.items())))
    sys.exit(0 if {int(capability) for capability in wanted} <= set(counts) else 1)
