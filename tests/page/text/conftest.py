import pytest

from tests.page.text.corpus import Corpus


@pytest.fixture(scope="session")
def corpus():
    return Corpus()
