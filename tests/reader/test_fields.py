import pytest
from case_files import cases


@pytest.mark.parametrize("case", cases("fields"))
def test_case(case):
    case.check()
