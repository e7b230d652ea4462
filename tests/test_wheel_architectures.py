"""What tests/wheel/architectures.py finds in a module: made-up headers as nvcc writes them."""

import importlib.util
import struct
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "wheel/architectures.py"
SPEC = importlib.util.spec_from_file_location("architectures", SCRIPT)
MODULE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MODULE)

TEXT, MACHINE_CODE = 1, 2


def piece(kind, capability, code=b"x" * 24):
    head = struct.pack("<HHIQIIHHI", kind, 0x101, 64, len(code), 0, 64, 0, 1, capability)
    return head.ljust(64, b"\0") + code


def binary(*pieces):
    inner = b"".join(pieces)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(inner)) + inner


def test_pieces_of_all_binaries_are_counted():
    module = b"\x7fELF" + binary(piece(MACHINE_CODE, 80), piece(MACHINE_CODE, 90)) + b"between"
    module += binary(piece(MACHINE_CODE, 90), piece(TEXT, 100)) + b"end"
    assert MODULE.architectures(module) == {80: 1, 90: 2}


def test_what_only_looks_like_a_binary_is_passed_over():
    cut = binary(piece(MACHINE_CODE, 80))[:-1]
    assert MODULE.architectures(MODULE.MAGIC + b"\0" * 40) == {}
    assert MODULE.architectures(cut) == {}
    assert MODULE.architectures(b"") == {}


def test_a_missing_architecture_is_an_error(tmp_path):
    module = tmp_path / "module.so"
    module.write_bytes(binary(piece(MACHINE_CODE, 80), piece(MACHINE_CODE, 90)))

    def run(*wanted):
        return subprocess.run(
            [sys.executable, SCRIPT, module, *wanted], capture_output=True, text=True
        )

    assert run("80", "90").returncode == 0
    assert run("80").stdout == "sm_80: 1, sm_90: 1\n"
    assert run("80", "100").returncode == 1
