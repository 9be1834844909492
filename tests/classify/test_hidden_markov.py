"""A topic's model and what its HMM crawlers go by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from focused_crawler.classify.model import TopicModel
from focused_crawler.safety.errors import ModelError
from tests.hmm import small_hmm


def test_without_training_it_says_what_to_type(trained, tmp_path):
    """One line; and a model that was loaded finds its HMM as soon as that lies beside it."""
    model = trained[0]
    message = "cooking has no HMM, .* scrapy train cooking --sessions-from crawls/cooking/1"
    with pytest.raises(ModelError, match=message):
        model.hidden_markov()
    model.save(tmp_path)
    loaded = TopicModel.load(tmp_path)
    with pytest.raises(ModelError, match=message):
        loaded.hidden_markov()
    small_hmm().save(tmp_path)
    assert loaded.hidden_markov().pages == 5


def test_a_model_is_saved_with_its_hmm(trained, tmp_path):
    """Both come back."""
    replace(trained[0], hmm=small_hmm()).save(tmp_path)
    assert TopicModel.load(tmp_path).hidden_markov().pages == 5
