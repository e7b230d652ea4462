"""rates: what it measures, as a table and as JSON, and what it refuses."""

import json

import pytest

from driver_runs import CORES, assert_refused, run

pytestmark = pytest.mark.usefixtures("own_lock")

SIZES = ["--row-bytes", "8,64", "--table-bytes", "65536"]


def test_rates_as_json() -> None:
    done = run("rates", "--threads", f"1,{CORES},1", *SIZES, "--row-bytes", "8", "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    host = [place for place in report["places"] if place["threads"] > 0]
    assert [place["threads"] for place in host] == sorted({1, CORES})
    for place in report["places"]:
        rates = {stream["name"]: stream["bytes_per_s"] for stream in place["streams"]}
        assert len(rates) == len(place["streams"]) >= 6
        assert min(rates.values()) > 0
        assert place["copy_bytes_per_s"] == max(rates.values())
        assert [(g["row_bytes"], g["table_bytes"]) for g in place["gathers"]] == [
            (8, 65536),
            (64, 65536),
        ]
        assert all(gather["bytes_per_s"] > 0 for gather in place["gathers"])
    assert {"copy", "copy, memcpy", "read"} <= {stream["name"] for stream in host[0]["streams"]}


def test_rates_in_words() -> None:
    done = run("rates", "--threads", "1", *SIZES)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("1 thread, last-level cache of ")
    (best,) = [line for line in lines if line.startswith("the highest: copy_bytes_per_s")]
    copies = [float(line.split()[-1]) for line in lines if line.startswith("copy")]
    assert float(best.split()[-1]) >= max(copies) > 0
    assert sum(line.startswith("64.00 KiB") for line in lines) >= 2


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--threads", "0"], "--threads"),
        (["--threads", str(CORES + 1)], "--threads"),
        (["--row-bytes", "12"], "not a multiple of 8"),
        (["--table-bytes", "0"], "--table-bytes"),
        (["--threads", "1,,1"], "--threads: '1,,1' has an empty part"),
        (["--row-bytes", "8,"], "--row-bytes: '8,' has an empty part"),
        (["--table-bytes", "1x"], "--table-bytes: '1x' is not an integer"),
        (["--tables", "8"], "--tables"),
    ],
)
def test_rates_refuses_in_one_line(arguments: list[str], part: str) -> None:
    assert_refused(run("rates", *arguments), "rates", part)


def test_help_names_the_options() -> None:
    done = run("rates", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    for option in ("--threads", "--row-bytes", "--table-bytes", "--json"):
        assert option in done.stdout
