"""Whether what stands beside records that came back describes problems and matrices."""

from pathlib import Path

import jsonschema

from sparserepro.data.archive import beside_records, named
from sparserepro.data.catalogue import read_catalogue
from sparserepro.data.records import RecordError
from sparserepro.schemas import validator_of


def check(folder: Path, schema: Path) -> None:
    """Raises RecordError for a file that is no catalogue of its problem, or no facts of its
    matrix."""
    catalogues, matrices = (beside_records([folder], kind) for kind in ("catalogue", "matrices"))
    for path in catalogues:
        named([path])
        try:
            problem = read_catalogue(path).problem
        except (LookupError, TypeError):
            problem = ""
        if problem != path.stem:
            raise RecordError(f"{path}: no catalogue of {path.stem}")
    validator = validator_of(schema)
    for path in matrices:
        for name, facts in named([path]).items():
            worst = jsonschema.exceptions.best_match(validator.iter_errors(facts))
            if worst is not None:
                where = ".".join(str(part) for part in worst.absolute_path) or "facts"
                raise RecordError(f"{path}: {where}: {worst.message[:300]}")
            if facts["name"] != name:
                raise RecordError(f"{path}: facts of {facts['name'][:300]}")
