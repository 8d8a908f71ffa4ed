import pytest
from case_files import cases


@pytest.mark.parametrize("case", cases("story"))
def test_case(case):
    case.check()
