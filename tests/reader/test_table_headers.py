import pytest
from case_files import cases


@pytest.mark.parametrize("case", cases("table_headers"))
def test_case(case):
    case.check()
