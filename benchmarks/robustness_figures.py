"""The findings of the robustness experiments as numbers by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean

from benchmarks.robustness_crawls import COMPARED, HALVED
from benchmarks.robustness_rating import BEST, top_overlap
from benchmarks.robustness_study import Study
from benchmarks.robustness_tables import EARLY, STARTS, TOPS, at, best_pages, drawn, harvests, part_of


def figures(found: Sequence[Study]) -> Iterator[tuple[str, float]]:
    """Yield the figures by name: means over topics."""
    for column in zip(*(harvests(study) for study in found), strict=True):
        name, kind, _ = column[0]
        yield f"{kind}_{name}", mean(float(values.mean()) for *_, values in column)
    for name in COMPARED:
        yield f"url_overlap_{name}", mean(at(study.pages(name).mean, study.targets) for study in found)
        yield f"url_overlap_ties_{name}", mean(at(study.ties(name).mean, study.targets) for study in found)
        yield f"url_overlap_apart_{name}", mean(at(study.apart(name).mean, study.targets) for study in found)
        yield f"host_overlap_{name}", mean(at(study.sites(name).mean, study.targets) for study in found)
    for name in HALVED:
        early = [(study, part_of(study, EARLY)) for study in found]
        yield f"url_overlap_early_{name}", mean(at(study.pages(name).mean, pages) for study, pages in early)
        within = (at(study.chance_within(name), pages) for study, pages in early)
        yield f"url_overlap_early_chance_{name}", mean(within)
        same = (at(study.same_ties(name).mean, pages) for study, pages in early)
        yield f"url_overlap_early_same_ties_{name}", mean(same)
    yield "url_overlap_chance", mean(at(study.chance(study.targets), study.targets) for study in found)
    for name in HALVED:
        yield (
            f"url_overlap_halves_{name}",
            mean(float(drawn(study, name, study.targets).mean()) for study in found),
        )
        pairs = [study.rated(name, study.targets, inside=True) for study in found]
        overlaps = [top_overlap(first.pages, second.pages, BEST) for first, second in pairs]
        for most in TOPS:
            yield f"top_{most}_{name}", mean(at(shares, most) for shares in overlaps)
        yield f"rated_hosts_{name}", mean(len(study.rated(name)[0].hosts) for study in found)
        for kind, starts in zip(("near", "apart", "outside"), STARTS, strict=True):
            steps = [best_pages(study, name, starts) for study in found]
            known = [one[one >= 0] for one in steps if (one >= 0).any()]
            if known:
                yield f"distance_{kind}_{name}", mean(float(one.mean()) for one in known)
