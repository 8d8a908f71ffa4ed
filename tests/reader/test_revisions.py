import pytest
from case_files import cases


@pytest.mark.parametrize("case", cases("revisions"))
def test_case(case):
    case.check()
