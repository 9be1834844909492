"""Taxonomy: the tree with its marks, one category at hand, and what focus would follow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from focused_crawler.classify.taxonomy import edit_log, kinship
from focused_crawler.classify.taxonomy.editing import TaxonomyEditor
from focused_crawler.classify.taxonomy.folder import load_tree, model_folder, taxonomy_folder
from focused_crawler.classify.taxonomy.marking import known_marks, mark, marked
from focused_crawler.classify.taxonomy.preview import changed
from focused_crawler.classify.taxonomy.related import census as count_classes
from focused_crawler.classify.taxonomy.related import related
from focused_crawler.classify.taxonomy.tree import Tree
from focused_crawler.crawl import ordering
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.report import category_view as view
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.formats import first_upper
from focused_crawler.safety.settings import read_one
from focused_crawler.store.job import run_of
from focused_crawler.store.opening import crawl_at_once, is_in_use
from focused_crawler.workbench import jobs
from focused_crawler.workbench.bench import Workbench
from focused_crawler.workbench.crawl import ordered
from focused_crawler.workbench.request import Form, answer, bench_of, done, form_of, get, place_of, post

COUNTED = 2_000
"""Pages of a crawl, its last ones, by which related categories are offered."""
_PLACE = "/topics/{topic}/taxonomy"


def show(request: Request) -> Response:
    """Show the tree, and the category that is asked for."""
    bench, name = bench_of(request), request.path_params["topic"]
    topic, folder = bench.topic(name), _folder(bench)
    tree = load_tree(folder)
    marks = known_marks(tree, topic)
    at = _known(tree, request.query_params.get("at", marks[0] if marks else ""))
    crawls, model = bench.crawls_of(name), view.model_of(_models(bench, folder))
    job = request.query_params.get("crawl") or (crawls[0][0].name if crawls else "")
    examples = view.examples_of(folder, tree, at)
    values: dict[str, Any] = {
        "counts": {}, "here": [], "linked": [], "around": [], "running": False, "offered": [],
        "problem": "",
    }  # fmt: skip
    if job:
        crawl = bench.crawl(name, job)
        try:
            values |= _of_crawl(crawl, tree, at, examples, marks)
        except CrawlError as error:  # the tree can be read, and edited, without its server
            values["problem"] = str(error)
    return answer(
        request,
        "taxonomy.html",
        title=topic.title,
        tree=view.nodes_of(tree, marks, values["counts"], at),
        paths=tree.paths[1:],
        at=at,
        category=tree[at],
        marks=marks,
        examples=examples,
        alike=kinship.alike(model, at) if model else [],
        knows=model is not None and at in model.tree,
        is_old=model is not None and model.tree.paths != tree.paths,
        last_edit=next(iter(TaxonomyEditor(folder).edits()), None) if _is_edited(folder) else None,
        work=jobs.read(_models(bench, folder)),
        crawls=[folder.name for folder, _ in crawls],
        of_crawl=job,
        **values,
    )


def _of_crawl(
    crawl: Path, tree: Tree, at: str, examples: list[view.Example], marks: list[str]
) -> dict[str, Any]:
    """Return what a crawl says of the tree and a category."""
    names = [one.name for one in examples]
    with crawl_at_once(crawl) as database:
        counts = view.page_counts_of(database)
        found = None
        if counts and marks:
            found = related(tree, tree.good_nodes(marks), count_classes(crawl, COUNTED))
        return {
            "counts": counts,
            "here": view.pages_here(database, tree, at, examples) if at and counts else [],
            "linked": kinship.linked(database, tree, at) if at and counts else [],
            "around": kinship.neighbours(database, names, view.MOST_PAGES) if at else [],
            "running": _obeys_marks(crawl),
            "offered": [row for row in found.rows if row.is_suggested] if found else [],
        }


def _obeys_marks(crawl: Path) -> bool:
    """Tell whether a crawl runs that a taxonomy judges; workers of a fleet obey no such order."""
    run = run_of(crawl)
    return bool(run.watched_by) and not run.is_shared and is_in_use(crawl)


def focus(request: Request) -> Response:
    """Show what focus follows by the marks that there are, and by others that are only tried."""
    bench, name = bench_of(request), request.path_params["topic"]
    topic, folder = bench.topic(name), _folder(bench)
    query = request.query_params
    model = view.model_of(_models(bench, folder))
    crawl = bench.crawl(name, query.get("crawl", ""))
    sample = view.sample_of(crawl, model) if model else None
    if model is None or sample is None:
        return answer(request, "taxonomy_focus.html", now=None, has_model=model is not None)
    now = sample.by(known_marks(model.tree, topic))
    good, not_good = query.getlist("good"), query.getlist("not_good")
    then = sample.by(marked(model.tree, topic, good, not_good)) if good or not_good else now
    gained, lost = changed(now, then)
    return answer(
        request, "taxonomy_focus.html", now=now, then=then, gained=gained, lost=lost, has_model=True,
        tried=[*good, *not_good], of_crawl=crawl.name,
    )  # fmt: skip


def progress(request: Request) -> Response:
    """Show how far the training of the tree has come; go back to the place at its end."""
    bench = bench_of(request)
    work, here = jobs.read(_models(bench, _folder(bench))), _here(request)
    if work is None or not work.is_running:
        return Response(status_code=204, headers={"HX-Redirect": here})
    return answer(request, "job.html", work=work, where=f"{here}/progress")


def train(request: Request) -> Response:
    """Start a training of the tree."""
    bench = bench_of(request)
    folder = _folder(bench)
    words = ["taxonomy", "train", "--taxonomy", str(folder.absolute())]
    jobs.start(_models(bench, folder), "Training of the tree", words, bench.given)
    return done(request, "Training of the tree has begun.", _here(request))


def set_mark(request: Request) -> Response:
    """Mark a category as good, or not good any more."""
    bench, form = bench_of(request), form_of(request)
    topic, path = bench.topic(request.path_params["topic"]), form.get("at")
    tree = load_tree(_folder(bench))
    is_good = form.get("good") == "yes"
    mark(tree, topic, *([path], []) if is_good else ([], [path]))
    said = f"{path} is good now." if is_good else f"{path} is not good any more."
    return done(request, said, _here(request, path, form))


def tell(request: Request) -> Response:
    """Let a crawl that runs go by the marks that there are."""
    bench, form = bench_of(request), form_of(request)
    name = request.path_params["topic"]
    crawl = bench.crawl(name, form.get("crawl"))
    given = ordering.mark(crawl, known_marks(load_tree(_folder(bench)), bench.topic(name)))
    return ordered(request, crawl, given, _here(request, form.get("at"), form))


Edited = Callable[[TaxonomyEditor, Form], tuple[str, str]]
"""Does an edit; returns what was done, and the category to be at then."""


def _created(editor: TaxonomyEditor, form: Form) -> tuple[str, str]:
    path = f"{form.get('at')}/{form.get('name')}".lstrip("/")
    return editor.create(path, form.get("title")), path


def _renamed(editor: TaxonomyEditor, form: Form) -> tuple[str, str]:
    above = form.get("at").rpartition("/")[0]
    name = form.get("name")
    return editor.rename(form.get("at"), name, form.get("title")), f"{above}/{name}".lstrip("/")


def _moved(editor: TaxonomyEditor, form: Form) -> tuple[str, str]:
    path, parent = form.get("at"), form.get("into")
    return editor.move(path, parent), f"{parent}/{path.rpartition('/')[2]}".lstrip("/")


def _added(editor: TaxonomyEditor, form: Form) -> tuple[str, str]:
    source = form.get("source")
    return editor.add(form.get("into"), form.all("example"), source or None), form.get("into")


EDITS: dict[str, Edited] = {
    "create": _created,
    "rename": _renamed,
    "move": _moved,
    "merge": lambda editor, form: (editor.merge(form.get("at"), form.get("into")), form.get("into")),
    "delete": lambda editor, form: (editor.delete(form.get("at")), form.get("at").rpartition("/")[0]),
    "add": _added,
    "take": lambda editor, form: (editor.remove(form.get("at"), form.all("example")), form.get("at")),
    "undo": lambda editor, form: (f"took back: {editor.undo()}", form.get("at")),
}


def edit(request: Request) -> Response:
    """Do an edit of the tree."""
    form = form_of(request)
    said, at = EDITS[request.url.path.rpartition("/")[2]](TaxonomyEditor(_folder(bench_of(request))), form)
    return done(request, f"{first_upper(said)}.", _here(request, at, form))


def _here(request: Request, at: str | None = None, form: Form | None = None) -> str:
    query = {"crawl": form.get("crawl") if form else "", "at": at or ""}
    return place_of(request, "taxonomy", **{name: value for name, value in query.items() if value})


def _known(tree: Tree, path: str) -> str:
    """Return the category that is asked for, or the nearest above that is there."""
    while path not in tree:
        path = path.rpartition("/")[0]
    return path


def _folder(bench: Workbench) -> Path:
    named: Path | None = read_one(CrawlConfig, "taxonomy", bench.settings)
    return named or taxonomy_folder()


def _models(bench: Workbench, folder: Path) -> Path:
    return model_folder(folder, bench.models)


def _is_edited(folder: Path) -> bool:
    return (folder / edit_log.FOLDER).is_dir()


ROUTES = (
    get(_PLACE, show),
    get(f"{_PLACE}/focus", focus),
    get(f"{_PLACE}/progress", progress),
    post(f"{_PLACE}/train", train),
    post(f"{_PLACE}/mark", set_mark),
    post(f"{_PLACE}/tell", tell),
    *(post(f"{_PLACE}/{name}", edit) for name in EDITS),
)
