import io
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.model_file import FORMAT, read_model, write_model
from focused_crawler.classify.registry import METHODS
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.crawl.judges import load_model
from focused_crawler.page.model import Sections
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ModelError
from focused_crawler.safety.package_folder import PREFIX

WORDS = st.lists(
    st.sampled_from(["recip", "oven", "senat", "menu", "", "zyzzogeton", "butter", "news"]), max_size=9
)


@pytest.fixture
def saved(trained, tmp_path):
    """The folder of a saved model of the topic cooking."""
    folder = tmp_path / "cooking" / "model"
    trained[0].save(folder)
    return folder


@settings(max_examples=50)
@given(WORDS, WORDS, WORDS)
def test_relevance_is_a_share(trained, relevant, headline, anchor, body):
    """Whatever a page says, its relevance is in [0, 1]."""
    page = replace(relevant[0], sections=Sections(headline, [], anchor, body))
    assert 0.0 <= trained[0].classifier.relevance(page) <= 1.0


PAPERS = [{"information_gain": "class", "ig_in_norm": True}, {"exponent": "one"}]


@pytest.mark.parametrize(
    "options",
    [{"classifier": name} for name in METHODS] + [{"classifier": "naive_bayes", **p} for p in PAPERS],
    ids=str,
)
def test_a_loaded_model_is_the_saved_one(topic, relevant, other, analyzer, tmp_path, options):
    """Relevances, their reasons and similarities are equal to the last bit."""
    model, _ = train(topic, relevant, other, ClassifierSettings(**options), analyzer)
    model.save(tmp_path)
    loaded = TopicModel.load(tmp_path)
    for page in (*relevant, *other):
        assert loaded.classifier.relevance(page) == model.classifier.relevance(page)
        assert loaded.classifier.evidence(page) == model.classifier.evidence(page)
        assert loaded.vector.similarity(page.sections.body) == model.vector.similarity(page.sections.body)
    assert (loaded.topic, loaded.language, loaded.threshold, loaded.trained) == (
        "cooking",
        "en",
        model.threshold,
        True,
    )
    assert (loaded.metrics, loaded.examples) == (model.metrics, model.examples)
    assert loaded.settings == ClassifierSettings(**options)


@pytest.mark.parametrize("is_trained", [True, False])
def test_a_model_in_another_process_is_the_same(topic, trained, analyzer, relevant, is_trained):
    """A model can be pickled, trained or not: relevances and similarities stay equal to the last bit."""
    model = trained[0] if is_trained else TopicModel.cold(topic, analyzer)
    there = pickle.loads(pickle.dumps(model))
    for page in relevant:
        assert there.classifier.relevance(page) == model.classifier.relevance(page)
        assert there.vector.similarity(page.sections.body) == model.vector.similarity(page.sections.body)


def test_saving_twice_writes_the_same_bytes(trained, saved, tmp_path):
    """A model's files depend on nothing but the model: no dates, no hash seeds."""
    trained[0].save(tmp_path)
    for name in ("model.json", "weights.npz"):
        assert (tmp_path / name).read_bytes() == (saved / name).read_bytes()


def test_only_two_files_are_left(saved):
    """No temporary file stays behind, and a new model replaces the old one."""
    assert {path.name for path in saved.iterdir()} == {"model.json", "weights.npz"}


def killed_writing(folder, number, steps):
    """Write a model in a process that is killed after so many steps; return whether it was put in place."""
    child = os.fork()
    if not child:
        left = steps

        def stepping(step):
            def or_killed(*arguments, **options):
                nonlocal left
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)
                left -= 1
                return step(*arguments, **options)

            return or_killed

        Path.replace, Path.unlink = stepping(Path.replace), stepping(Path.unlink)
        write_model(folder, {"topic": str(number)}, {"a": np.array([float(number)])})
        os._exit(0)
    os.waitpid(child, 0)
    return json.loads((folder / "model.json").read_text())["topic"] == str(number)


@pytest.mark.parametrize("first", range(11))
def test_a_killed_writer_leaves_a_whole_model(tmp_path, first):
    """The one before or the new one, wherever it was killed, also where one before it was killed."""
    for second in range(11):
        folder, there = tmp_path / str(second), 0
        write_model(folder, {"topic": "0"}, {"a": np.array([0.0])})
        for number, steps in enumerate((first, second), 1):
            there = number if killed_writing(folder, number, steps) else there
            found = read_model(folder, lambda header, arrays: (header["topic"], float(arrays["a"][0])))
            assert found == (str(there), float(there))
    assert there == 2  # the last had steps enough


def test_the_header_can_be_read_by_people(saved):
    """model.json says what was learnt from how much, by which settings, and how good it is."""
    header = json.loads((saved / "model.json").read_text())
    assert header["examples"] == {"relevant": 20, "other": 30, "background": 0}
    assert header["settings"]["classifier"] == "ratio_regression"
    assert header["settings"]["information_gain"] == "document"
    assert header["metrics"]["f1"] == 1.0


def edit(name, value):
    def change(folder):
        header = json.loads((folder / "model.json").read_text())
        header[name] = value
        (folder / "model.json").write_text(json.dumps(header))

    return change


def truncate(name, size=100):
    return lambda folder: os.truncate(folder / name, size)


def rehashed(folder):
    edit("weights_sha256", sha256((folder / "weights.npz").read_bytes()).hexdigest())(folder)


def content(data):
    """Put other bytes where the arrays should be, with the right hash."""

    def change(folder):
        (folder / "weights.npz").write_bytes(data)
        rehashed(folder)

    return change


def array(name, value):
    """Put another array in the place of one, with the right hash."""

    def change(folder):
        arrays = dict(np.load(folder / "weights.npz")) | {name: value}
        np.savez(folder / "weights.npz", **arrays)
        rehashed(folder)

    return change


def inside(table, name, value):
    def change(folder):
        header = json.loads((folder / "model.json").read_text())
        header[table][name] = value
        (folder / "model.json").write_text(json.dumps(header))

    return change


def bomb(folder):
    """A small archive that claims a gigabyte."""
    with ZipFile(folder / "weights.npz", "w", ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", bytes(2**20))
        archive.getinfo("x.npy").file_size = 2**30  # for the directory, which is written at the end
    rehashed(folder)


def zipped(name, data):
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        archive.writestr(name, data)
    return content(buffer.getvalue())


def evil(folder):
    """Put a pickled object where an array should be, with the right hash."""
    np.savez(folder / "weights.npz", terms=np.array([object], dtype=object))
    rehashed(folder)


BREAKAGES = {
    "another format": edit("format", FORMAT + 1),
    "no JSON": truncate("model.json"),
    "a long format": edit("format", "x" * 5000),
    "a header of a terabyte": truncate("model.json", 2**40),
    "an archive of a terabyte": truncate("weights.npz", 2**40),
    "a list": lambda folder: (folder / "model.json").write_text("[]"),
    "other bytes": lambda folder: (folder / "model.json").write_bytes(b"\xff\xfe"),
    "half an archive": truncate("weights.npz"),
    "no archive": lambda folder: (folder / "weights.npz").unlink(),
    "no header": lambda folder: (folder / "model.json").unlink(),
    "no settings": edit("settings", None),
    "wrong setting": edit("settings", {"section_weights": [4, 3, 2, 1], "exponent": "two"}),
    "unknown setting": edit("settings", {"section_weights": [4, 3, 2, 1], "speed": 3}),
    "no number": edit("threshold", "high"),
    "no counts": edit("examples", 3),
    "no calibration": edit("calibration", {"slope": 1.0}),
    "no classifier": edit("classifier", {}),
    "unknown classifier": edit("settings", {"section_weights": [4, 3, 2, 1], "classifier": "oracle"}),
    "pickled arrays": evil,
    "nested too deep": lambda folder: (folder / "model.json").write_text("[" * 100_000),
    "a number too large": edit("threshold", 10**400),
    "not a number": edit("threshold", float("nan")),
    "a calibration that falls": edit("calibration", {"slope": -1.0, "intercept": 0.0}),
    "a calibration of text": edit("calibration", {"slope": "a", "intercept": "b"}),
    "somebody's code": inside("settings", "classifiers", {"evil": "os.path"}),
    "empty arrays": content(b""),
    "an archive of text": zipped("terms.npy", "hello"),
    "a header of no array": zipped("terms.npy", b"\x93NUMPY\x01\x00\x08\x00{'descr("),
    "a bomb": bomb,
    "weights of text": array("classifier_text", np.array(["heavy"])),
    "weights of no number": array("classifier_text", np.array([np.nan])),
    "a number without end": edit("default_idf", 1e200),
    "a table of weights": array("classifier_text", np.zeros((2, 2))),
    "a format of two lines": edit("format", "a\nb"),
    "a threshold of two lines": edit("threshold", "a\nb"),
    "folds without end": inside("settings", "folds", float("inf")),
    "section weights without end": inside("settings", "section_weights", [1e300] * 4),
    "one idf": array("collection_idf", np.array([1.0])),
}


@pytest.mark.parametrize("breakage", BREAKAGES.values(), ids=list(BREAKAGES))
def test_a_model_that_cannot_be_used(saved, breakage):
    """Whatever is wrong with the files, one line says so and what to type."""
    breakage(saved)
    with pytest.raises(
        ModelError, match=r"^the model in .*; make it again with: scrapy train cooking$"
    ) as caught:
        TopicModel.load(saved)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


def test_a_folder_without_a_model(tmp_path):
    """FOCUSED_MODELS/<topic> names the topic as topics/<topic>/model does."""
    with pytest.raises(ModelError, match=r"scrapy train asthma$"):
        TopicModel.load(tmp_path / "asthma")


def test_a_model_that_cannot_be_written(trained, tmp_path):
    """A file where the folder should be is one clear line."""
    (tmp_path / "model").write_text("")
    with pytest.raises(ModelError, match=r"^cannot write the model to .*choose a folder"):
        trained[0].save(tmp_path / "model")


def test_an_untrained_model_is_not_saved(topic, analyzer, tmp_path):
    """There is nothing in it that topic.toml does not say."""
    with pytest.raises(ModelError, match=r"scrapy train cooking$"):
        TopicModel.cold(topic, analyzer).save(tmp_path)


def test_the_threshold_of_a_cold_model(topic, analyzer):
    """Half, or what the topic says."""
    assert TopicModel.cold(topic, analyzer).threshold == 0.5
    assert TopicModel.cold(replace(topic, relevance_threshold=0.3), analyzer).threshold == 0.3


def test_words_have_a_name(topic, analyzer):
    """Other words, another threshold or another thesaurus is another judge; another order is not."""
    words = replace(topic, title="Cooking", keywords=("recipe", "oven", "butter"), description="")
    topics = [
        words,
        replace(words, keywords=("recipe", "oven")),
        replace(words, description="Bread."),
        replace(words, relevance_threshold=0.3),
    ]
    for kind in ("keywords", "thesaurus", "vsm"):
        same = replace(words, keywords=("butter", "recipe", "oven"))
        names = [
            TopicModel.cold(one, analyzer).judging_by(kind, analyzer).judge_name for one in (*topics, same)
        ]
        assert all(re.fullmatch(rf"{kind}:[0-9a-f]{{8}}", name) for name in names)
        if kind != "thesaurus":  # which lists what it was made of, in order
            assert names[0] == names[-1]
        # a cosine knows keywords only, and has a threshold of its own
        assert len(set(names[: len(topics)])) == (2 if kind == "vsm" else len(topics))


def test_the_anchor_window_is_a_part_of_the_judge(topic, analyzer):
    """With it pages have other relevances than without."""
    model = TopicModel.cold(replace(topic, keywords=("oven",)), analyzer).by_thesaurus(analyzer)
    assert model.judge_name != model.reading_windows().judge_name


def test_the_threshold_is_a_part_of_the_judge(trained, topic, tmp_path):
    """A model is another judge with the threshold that a topic gives, unless that is its own."""
    trained[0].save(tmp_path / topic.name)
    own = trained[0].threshold
    models = [
        load_model(replace(topic, relevance_threshold=given), tmp_path, Analyzer(topic.language), {})
        for given in (None, own, own / 2, own / 2)
    ]
    assert [model.threshold for model in models] == [own, own, own / 2, own / 2]
    first, same, other, again = (model.judge_name for model in models)
    assert first == same == TopicModel.load(tmp_path / topic.name).judge_name
    assert first != other == again


def test_a_thesaurus_has_no_threshold_of_a_model(trained, topic, tmp_path):
    """Its scale is another one: half, or what the topic says, whether something was trained or not."""
    replace(trained[0], threshold=0.875).save(tmp_path / topic.name)
    models = [
        load_model(topic, path, Analyzer(topic.language), {}, "thesaurus")
        for path in (tmp_path, tmp_path / "no")
    ]
    assert [model.threshold for model in models] == [0.5, 0.5]
    assert models[0].judge_name == models[1].judge_name


def test_a_model_is_the_same_under_any_hash_seed(saved, relevant):
    """Python's random order of sets reaches no number of a model."""
    script = (
        "import sys; from pathlib import Path; from focused_crawler.classify.model import TopicModel;"
        "v = TopicModel.load(Path(sys.argv[1])).vector;"
        "print(repr(v.similarity(sys.argv[2].split(','))))"
    )
    arguments = [sys.executable, "-c", script, str(saved), ",".join(relevant[0].sections.body)]
    root = Path(__file__).parents[2]
    results = {
        subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(results) == 1


@pytest.mark.parametrize("change", [{"language": "ru"}, {"name": "baking"}], ids=str)
def test_a_model_of_another_topic_or_language(trained, topic, tmp_path, change):
    """What it knows would be words that the topic's pages do not have: nothing is judged with it."""
    now = replace(topic, **change)
    trained[0].save(tmp_path / now.name)
    with pytest.raises(ModelError, match="it is of cooking, language en"):
        load_model(now, tmp_path, Analyzer(now.language), {})


def test_a_deployed_topic_brings_its_model(trained, topic, tmp_path):
    """It is used where the server has none of its own, which would be newer."""
    deployed = replace(topic, folder=tmp_path / f"{PREFIX}1" / topic.name)
    load = partial(load_model, deployed, tmp_path, Analyzer(topic.language), {})
    assert not load().trained
    trained[0].save(tmp_path / "made")
    shutil.copytree(tmp_path / "made", deployed.folder / "model")
    assert load().trained
    replace(trained[0], threshold=0.875).save(tmp_path / topic.name)
    assert load().threshold == 0.875
