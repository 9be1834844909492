"""Train: what labels would change, before and after; a model is accepted, or the one before comes back."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from focused_crawler.classify.settings import ClassifierName
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.report.training_state import TrainingState
from focused_crawler.safety.settings import read, read_one
from focused_crawler.workbench import jobs
from focused_crawler.workbench.request import answer, bench_of, done, form_of, get, place_of, post


def show(request: Request) -> Response:
    """Show the model that waits beside the one that is there, or what the last one was worth."""
    bench, name = bench_of(request), request.path_params["topic"]
    topic, crawls = bench.topic(name), bench.crawls_of(name)
    settings = bench.settings_of(topic)
    models = read_one(CrawlConfig, "models", settings)
    state = TrainingState.read(topic, models, read(ClassifierName, settings).classifiers)
    previewed = state.record.crawl if state.record else None
    return answer(
        request,
        "train.html",
        title=topic.title,
        state=state,
        work=jobs.read(state.folder),
        crawls=[folder.name for folder, _ in crawls],
        last=crawls[0][1] if crawls else None,
        judged_in=Path(previewed.folder).name if previewed else "",
    )


def progress(request: Request) -> Response:
    """Show how far a training, or the handing over of a model, has come; go back to the place at its end."""
    work = jobs.read(_folder(request))
    if work is None or not work.is_running:
        return Response(status_code=204, headers={"HX-Redirect": _here(request)})
    return answer(request, "job.html", work=work, where=f"{_here(request)}/progress")


def train(request: Request) -> Response:
    return _start(request, "Training", [])


def accept(request: Request) -> Response:
    """Take the model that waits, and let a crawl go by it."""
    return _start(request, "Accepting the new model", ["--accept"])


def go_back(request: Request) -> Response:
    """Take the model before, and let a crawl go by it."""
    return _start(request, "Taking the model back", ["--back"])


def _start(request: Request, what: str, words: list[str]) -> Response:
    bench = bench_of(request)
    topic = bench.topic(request.path_params["topic"])
    if job := form_of(request).get("crawl"):
        words = [*words, "--crawl", str(bench.crawl(topic.name, job).absolute())]
    jobs.start(_folder(request), what, ["train", str(topic.folder), *words], bench.given)
    return done(request, f"{what} has begun.", _here(request))


def _folder(request: Request) -> Path:
    bench = bench_of(request)
    return bench.models_of(bench.topic(request.path_params["topic"]))


def _here(request: Request) -> str:
    return place_of(request, "train")


_PLACE = "/topics/{topic}/train"
ROUTES = (
    get(_PLACE, show),
    get(f"{_PLACE}/progress", progress),
    post(_PLACE, train),
    post(f"{_PLACE}/accept", accept),
    post(f"{_PLACE}/back", go_back),
)
