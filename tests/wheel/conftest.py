import pytest
from homes import HOMES, Home, need


@pytest.fixture(params=[home.name for home in HOMES])
def home(request) -> Home:
    return need(request.param)
