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


def test_a_plan_that_another_thread_called_when_the_process_forked_is_refused():
    code = """
plan, x, y = sparserepro.SpmmPlan(a, 8, threads=1), np.ones((300, 8)), a @ np.ones((300, 8))
stop, found = [], set()
def call():
    while not stop:
        plan(x)
threads = [threading.Thread(target=call) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(200):
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        try:
            os._exit(0 if np.allclose(plan(x), y) else 1)
        except RuntimeError as error:
            os._exit(2 if "make a new plan" in str(error) else 3)
    found.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    if found != {0}:
        break
stop.append(True)
for thread in threads:
    thread.join()
assert np.allclose(plan(x), y)
assert found <= {0, 2} and 2 in found, found
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CALLS + code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
