"""A process that forks after calls with threads: its child has none of them, and calls as well."""

import subprocess
import sys

import pytest

CALLS = """
import os, signal, sys, threading
import numpy as np
import scipy.sparse
import sparserepro

a = scipy.sparse.random_array((500, 300), density=0.1, format="csr", rng=np.random.default_rng(0))

def work():
    assert (sparserepro.transpose(a, threads=2) != a.T).nnz == 0
    assert np.allclose(sparserepro.spmm(a, np.ones((300, 8)), threads=2), a @ np.ones((300, 8)))

def fork():
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends a child that waits for ever
        work()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    work()

def in_a_thread(function):
    failed = []
    def run():
        try:
            function()
        except BaseException as error:
            failed.append(error)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert not failed, failed
"""


@pytest.mark.parametrize(
    "code",
    ["work(); fork(); fork()", "work(); in_a_thread(fork)", "in_a_thread(work); fork()"],
)
def test_a_forked_child_calls_with_threads(code):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CALLS + code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
