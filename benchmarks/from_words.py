"""A topic from its title, description and keywords alone, beside one with examples: what is the difference?

    .venv/bin/python benchmarks/from_words.py --web ../shared/webs/openweb.warc.gz --out FOLDER

For each topic of the web, without its seeds and examples: a thesaurus by WordNet, grown from what a local search
finds; start pages by local search; a crawl of 2|T| pages by `thesaurus`, simulated in the order of
`scrapy crawl`. Beside it `lpe` (and others) with the model trained on the topic's examples, from its seed set a.
Ground truth judges both, and is seen by neither.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from scrapy.settings import Settings

from focused_crawler.analysis import Analyst
from focused_crawler.config import DEFAULTS, CrawlConfig
from focused_crawler.experiment.simulator import simulate
from focused_crawler.search.web import search_web
from focused_crawler.seeding.choice import Rules, choose
from focused_crawler.seeding.harvest import harvest
from focused_crawler.seeding.looks import looks
from focused_crawler.seeding.queries import queries
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.of_topic import first_thesaurus
from focused_crawler.thesaurus.scoring import ThesaurusScorer
from focused_crawler.thesaurus.tree import Thesaurus
from focused_crawler.thesaurus.writer import write_thesaurus
from focused_crawler.topic import Topic, load_topic
from focused_crawler.virtualweb.analysed import AnalysedWeb, Reading
from focused_crawler.virtualweb.truth import GroundTruth
