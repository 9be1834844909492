# make setup | make crawl | make ui | make test | make lint | make docs | make deploy | make clean
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
BROWSER := $(VENV)/.browser
WORDNET := $(VENV)/nltk_data/corpora/wordnet/data.noun
WEB := webs/demo.warc.gz
TOPIC := webs/demo.topics/astronomy
DEMO := crawls/demo
PAGES := 300
ON_DEMO := -s FOCUSED_WEB=$(WEB) -s FOCUSED_CRAWLS=$(DEMO)
CRAWL := $(BIN)/scrapy crawl topic -a topic=$(TOPIC) -a profile=offline -a pages=$(PAGES) $(ON_DEMO)

TARGET := default

.PHONY: setup crawl ui test lint docs egg deploy clean

setup: $(WEB) $(WORDNET) $(BROWSER)

$(STAMP): requirements.txt requirements-dev.txt pyproject.toml setup.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $(STAMP)

# Where it cannot be had, set-up says so and goes on; the next one tries again.
$(WORDNET): | $(STAMP)
	$(BIN)/python -m focused_crawler.page.text.wordnet_data

# A Chromium, for pages that need JavaScript; where none can be had, set-up says so and goes on.
$(BROWSER): | $(STAMP)
	$(BIN)/python -m focused_crawler.edge.rendering.chromium
	touch $(BROWSER)

$(WEB): $(STAMP)
	$(BIN)/scrapy virtualweb demo webs

# A focused crawl of the demo web, with breadth-first beside it in the report.
crawl: setup
	rm -rf $(DEMO)
	$(BIN)/scrapy train $(TOPIC) --replace $(ON_DEMO)
	$(CRAWL) -a strategy=breadth_first -a job=breadth-first
	$(CRAWL) -a job=focused
	$(BIN)/scrapy report $(DEMO)/astronomy/focused --compare $(DEMO)/astronomy/breadth-first

# The workbench, and a crawl of the demo web to watch: as slow as a web, and a process of its own.
ui: setup
	$(BIN)/python -c "from pathlib import Path; from focused_crawler.crawl.process import start_crawl; start_crawl('$(TOPIC)', Path('$(DEMO)'), {'profile': 'offline', 'pages': 1000}, {'FOCUSED_WEB': '$(WEB)', 'FOCUSED_WEB_LATENCY': 0.3}).wait_until_begun()"
	$(BIN)/scrapy ui $(ON_DEMO) -s FOCUSED_SEARCH=local

test: setup
	$(BIN)/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder --durations=10

lint: setup
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports && $(BIN)/mypy

# The documents as a site: strictly, so a link that leads nowhere ends it. CI builds it in tests/docs.
# To search in it, serve it: python -m http.server --directory site
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# All that a scrapyd server needs of the project: code, topics with their models, profiles.
egg: setup
	rm -rf build
	$(BIN)/python -W ignore setup.py -q bdist_egg -d build/egg

# To the server that scrapy.cfg names; make deploy TARGET=NAME: to that of its section [deploy:NAME].
deploy: egg
	$(BIN)/scrapyd-deploy $(TARGET) --egg build/egg/*.egg

# What the targets above have made: crawls, recordings and models of yours stay.
clean:
	rm -rf $(VENV) build site $(DEMO) webs/demo.*
