"""Tables that are too wide for the text."""

from sparserepro.render.latex import Column, Number, Table, Text, Unmeasured
from sparserepro.views.width import fits, split

GAP = Unmeasured(r"\gap{a}")


def wide(*rows):
    """A table of a label and 30 columns; a row is a label and the columns that have a figure."""
    columns = [Column("matrix", "l"), *[Column("", "S", f"omp_{i:02}") for i in range(30)]]
    body = [
        [Text(name), *[Number("123.45") if i in figures else GAP for i in range(30)]]
        for name, figures in rows
    ]
    return Table(label="tab:wide", caption="Times.", columns=columns, body=body)


def labels(table):
    return [row[0].latex_text for row in table.body]


def test_parts_leave_out_what_they_have_nothing_of():
    table = wide(("both", {0, 29}), ("left", {0}), ("right", {29}), ("none", set()))
    assert not fits(table)
    first, *between, last = split(table, 1)
    assert all(fits(part) for part in (first, *between, last))
    assert labels(first) == ["both", "left", "none"]
    assert labels(last) == ["both", "right", "none"]
    assert all(labels(part) == ["none"] for part in between)
    assert first.caption.startswith("Times. Part 1 of ")


def test_a_reason_keeps_its_row_and_the_last_rows_stay():
    table = wide(("left", {0}), ("mean", set()))
    table.body[0][30] = Text(r"\gap{b}")
    table.foot_rows = 1
    assert labels(split(table, 1)[-1]) == ["left", "mean"]


def test_a_table_that_fits_stays_whole():
    table = wide(("left", {0}))
    table.columns = table.columns[:4]
    table.body = [row[:4] for row in table.body]
    assert split(table, 1) == [table]
