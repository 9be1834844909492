"""Crawls with a real browser, over HTTP on loopback; what was fetched the site itself has written down."""

from __future__ import annotations

import os
import signal
import socket
from itertools import pairwise
from pathlib import Path

import pytest

from focused_crawler.edge.rendering.chromium import is_root
from tests.crawls.app import SCRIPT, TEXT, App, data, descendants, has_browser, name_of, script, shell, stats
from tests.crawls.site import Answer, Site, page
from tests.project import Scrapy, until


@pytest.fixture
def app(site: Site, tmp_path: Path) -> App:
    if not has_browser():
        pytest.skip("no Chromium here; make setup looks for one")
    return App.on(site, tmp_path)


def test_an_app_is_crawled(scrapy: Scrapy, app: App) -> None:
    """Text and links come from its script; no page is fetched twice, and its script once for all of them."""
    done = scrapy.run(*app.words())
    assert done.code == 0, done.err
    assert "Traceback" not in done.err
    assert app.titles() == ["Bees /0", "Bees /1", "Bees /2"]
    assert app.paths() == [
        "/robots.txt", "/0", "/app.js", "/data/0.json", "/1", "/data/1.json", "/2", "/data/2.json"
    ]  # fmt: skip
    assert stats(done) == {
        "rendered": 3, "rendered/gained": 3, "rendered/browsers": 1,
        "rendered/parts": 4, "rendered/parts/cached": 2,
    }  # fmt: skip


def test_without_rendering_there_is_nothing_to_follow(scrapy: Scrapy, app: App) -> None:
    """Off, or without a sandbox; and where the browser does not run, which is said once."""
    without = {"off": "FOCUSED_RENDER=off", "broken": "FOCUSED_BROWSER=/bin/false"}
    for job, setting in (without | ({"auto": "FOCUSED_RENDER=auto"} if is_root() else {})).items():
        done = scrapy.run(*app.words(setting, job=job))
        assert done.code == 0, done.err
        assert app.titles(job) == ["An app"]
        assert done.err.count("Pages are taken as they are sent, without a browser") == (job != "off")
    assert "/app.js" not in app.paths()


def test_a_text_that_was_cut_within_a_character(scrapy: Scrapy, app: App) -> None:
    """As scripts cut titles that are too long for their place."""
    app.site.answers["/data/0.json"] = [data("Bees /0 \ud83d", ["/1"])]
    assert scrapy.run(*app.words()).code == 0
    assert app.titles() == ["Bees /0 ?", "Bees /1", "Bees /2"]


def test_processes_that_analyse_see_rendered_pages(scrapy: Scrapy, app: App) -> None:
    """As the crawl's own process does."""
    done = scrapy.run(*app.words("FOCUSED_ANALYSIS_PROCESSES=1"))
    assert done.code == 0, done.err
    assert app.titles() == ["Bees /0", "Bees /1", "Bees /2"]


def test_robots_and_the_guard_hold_for_what_pages_ask_for(scrapy: Scrapy, app: App) -> None:
    """At each hop of a redirect, too."""
    secret = app.site.url("/secret", host="127.0.0.2")
    app.site.answers["/robots.txt"] = [
        Answer(b"User-agent: *\nDisallow: /closed", headers={"Content-Type": "text/plain"})
    ]
    app.site.answers["/bounce"] = [Answer(status=302, headers={"Location": secret})]
    app.site.answers["/bounce2"] = [Answer(status=302, headers={"Location": "/closed/2"})]
    asked = ["/closed/1", secret, "/bounce", "/bounce2", "http://169.254.169.254/"]
    app.run_own(f"for (const url of {asked}) fetch(url).catch(() => 0);" + SCRIPT)
    done = scrapy.run(*app.words())
    assert done.code == 0, done.err
    assert app.titles()[0] == "Bees /0"
    assert {hit.host for hit in app.site.hits} == {"127.0.0.1"}
    assert not [path for path in app.paths() if path.startswith("/closed")]
    assert stats(done)["rendered/blocked/robots"] == 2
    assert stats(done)["rendered/blocked/refused_address"] == 3


WAYS_OUT = """
const out = 'http://' + location.host + '/out/';
const body = document.body;
function add(tag, values) { return body.appendChild(Object.assign(document.createElement(tag), values)); }
function link(rel, more = '') { return `<link rel=${rel} href=${out}${rel} ${more}>`; }
const tries = [
  () => { new Image().src = out + 'image'; },
  () => { document.head.innerHTML += ['stylesheet', 'prefetch', 'preconnect', 'dns-prefetch', 'icon',
          'prerender', 'manifest', 'modulepreload'].map(rel => link(rel)).join('')
          + link('preload', 'as=font'); },
  () => { new WebSocket('ws://' + location.host + '/out/socket'); },
  () => { new EventSource(out + 'events'); },
  () => { navigator.sendBeacon(out + 'beacon', 'x'); },
  () => { fetch(out + 'post', {method: 'POST', body: 'x'}); },
  () => { open(out + 'window'); },
  () => { open('about:blank').location = out + 'blank'; },
  () => { add('iframe', {src: out + 'frame'}); },
  () => { add('iframe', {srcdoc: `<script>fetch("${out}srcdoc")<` + '/script>'}); },
  () => { add('iframe', {src: 'about:blank'}).contentWindow.fetch(out + 'inner'); },
  () => { add('object', {data: out + 'object'}); },
  () => { add('embed', {src: out + 'embed'}); },
  () => { add('video', {src: out + 'video'}); },
  () => { new Worker(out + 'worker'); },
  () => { new Worker(URL.createObjectURL(new Blob([`fetch("${out}blob")`]))); },
  () => { new SharedWorker(out + 'shared'); },
  () => { navigator.serviceWorker.register(out + 'service'); },
  () => { add('a', {href: out + 'download', download: 'x', ping: out + 'ping'}).click(); },
  () => { add('form', {action: out + 'form'}).submit(); },
  () => { add('form', {action: out + 'form', method: 'POST', target: '_blank'}).submit(); },
  () => { const server = {urls: ['stun:127.0.0.1:UDP', 'turn:127.0.0.1:UDP'], username: 'a', credential: 'b'};
          const peer = new RTCPeerConnection({iceServers: [server]});
          peer.createDataChannel('x');
          peer.createOffer().then(offer => peer.setLocalDescription(offer)); },
  () => { new WebTransport('https://' + location.host + '/out/transport'); },
  () => { new WebTransport('https://127.0.0.1:UDP/'); },
  () => { alert('stop'); confirm('stop'); prompt('stop'); print(); },
  () => { location.href = out + 'location'; },
  () => { location.replace(out + 'replace'); },
];
for (const attempt of tries) { try { attempt(); } catch (error) { } }
"""


def test_there_is_no_other_way_out(scrapy: Scrapy, app: App) -> None:
    """Whatever a page tries, it gets scripts and data, through the crawler; and it is shown in the end."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stun:
        stun.bind(("127.0.0.1", 0))
        stun.setblocking(False)
        app.run_own(WAYS_OUT.replace("UDP", str(stun.getsockname()[1])) + SCRIPT)
        done = scrapy.run(*app.words(pages=1))
        print(done.err)
        with pytest.raises(BlockingIOError):
            stun.recv(1)
    assert done.code == 0, done.err
    scripts_and_data = {"/out/srcdoc", "/out/inner", "/out/modulepreload"}
    assert {path for path in app.paths() if "/out/" in path} <= scripts_and_data
    assert app.titles() == ["Bees /0"]
    assert "Traceback" not in done.err


def test_hostile_pages_are_taken_as_they_were_sent(scrapy: Scrapy, app: App) -> None:
    """One that never ends, one that grows without end, one that becomes too large; the crawl goes on."""
    app.site.answers["/0"] = [page("start", ["/loop", "/grow", "/large", "/closes", "/1"])]
    app.site.answers["/loop"] = [shell("<script>while (true) { }</script>")]
    app.site.answers["/grow"] = [
        shell("<script>setInterval(() => document.body.append('bees '), 1)</script>")
    ]
    large = "document.getElementById('root').textContent = 'honey '.repeat(1000000)"
    app.site.answers["/large"] = [shell(f"<script>{large}</script>")]
    app.site.answers["/closes"] = [shell("<script>window.close(); history.back()</script>")]
    done = scrapy.run(*app.words("CONCURRENT_REQUESTS_PER_DOMAIN=4"), before="tests.crawls.app.patient")
    assert done.code == 0, done.err
    assert "Traceback" not in done.err
    assert len(app.job().pages) == 7
    assert {"Bees /1", "Bees /2", "An app"} <= set(app.titles())
    failed = {name: times for name, times in stats(done).items() if "failed" in name}
    assert failed == {
        "rendered/failed/timeout": 1,
        "rendered/failed/page_bytes": 1,
        "rendered/failed/page": 1,
    }


def test_a_browser_that_is_killed_is_replaced(scrapy: Scrapy, app: App) -> None:
    """The page in its hands is taken as it was sent; the next one gets another."""
    app.site.answers["/0"] = [page("start", ["/slow"])]
    app.site.answers["/slow"] = [shell("<script src='/slow.js'></script><a href='/1'>honey</a>")]
    app.site.answers["/slow.js"] = [script("")._replace(delay=20)]
    running = scrapy.start(*app.words("CONCURRENT_REQUESTS=1"))
    until(lambda: "/slow.js" in app.paths())
    browser = next(pid for pid in descendants(running.pid) if "--remote-debugging-pipe" in name_of(pid))
    os.kill(browser, signal.SIGKILL)
    done = running.wait()
    assert done.code == 0, done.err
    assert {"start", "An app", "Bees /1", "Bees /2"} == set(app.titles())
    assert stats(done)["rendered/failed/browser"] == 1
    assert stats(done)["rendered/browsers"] == 2


def test_no_browser_outlives_a_killed_crawl(scrapy: Scrapy, app: App) -> None:
    """Nor does its driver."""
    app.site.answers["/app.js"] = [script("")._replace(delay=20)]
    running = scrapy.start(*app.words())
    until(lambda: "/app.js" in app.paths())
    started = {pid: name_of(pid) for pid in descendants(running.pid)}
    assert len(started) > 3
    running.signal(signal.SIGKILL)
    running.wait()
    until(lambda: not any(name and name == name_of(pid) for pid, name in started.items()))


def test_a_recorded_app_is_a_virtual_web(scrapy: Scrapy, app: App, tmp_path: Path) -> None:
    """Scripts and data are recorded with the pages; by itself a recorded web is not rendered."""
    web = f"{tmp_path / 'app.warc.gz'}"
    assert scrapy.run(*app.words(f"FOCUSED_RECORD={web}", job="live")).code == 0
    asked = len(app.site.hits)
    for job, mode in (("again", "needed"), ("auto", "auto")):
        done = scrapy.run(*app.words(f"FOCUSED_WEB={web}", f"FOCUSED_RENDER={mode}", job=job))
        assert done.code == 0, done.err
    assert len(app.site.hits) == asked
    assert app.titles("again") == app.titles("live") == ["Bees /0", "Bees /1", "Bees /2"]
    assert app.titles("auto") == ["An app"]


def test_a_host_rests_for_all_that_was_asked_of_it(scrapy: Scrapy, app: App) -> None:
    """A page's parts come at once; its host is then left alone as if each had kept the delay."""
    done = scrapy.run(*app.words("DOWNLOAD_DELAY=0.5"))
    assert done.code == 0, done.err
    times = {hit.path: hit.time for hit in app.site.hits}
    assert times["/1"] - times["/data/0.json"] >= 0.99  # after /app.js and the data
    assert times["/2"] - times["/data/1.json"] >= 0.49
    after_start = [time for time in times.values() if time >= times["/app.js"]]  # of the browser
    assert all(later - earlier < 10 for earlier, later in pairwise(after_start))


def test_other_hosts_rest_too(scrapy: Scrapy, app: App) -> None:
    """What a page asked of one at once keeps the distance of its own pages from there, redirects as well."""
    other = [app.site.url(path, host="127.0.0.2") for path in ("/a", "/b", "/c")]
    app.site.answers["/bounce"] = [Answer(status=302, headers={"Location": other[2]})]
    ask = f"for (const url of {[*other[:2], '/bounce']}) fetch(url, {{mode: 'no-cors'}}).catch(() => 0);"
    link = f"<a href='{app.site.url('/other', host='127.0.0.2')}'>honey of bees</a>"
    app.site.answers["/0"] = [shell(f"<script>{ask}</script>{link}")]
    app.site.answers["/other"] = [page("other")]
    allowed = "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8"
    done = scrapy.run(*app.words("DOWNLOAD_DELAY=0.7", allowed))
    assert done.code == 0, done.err
    times = {hit.path: hit.time for hit in app.site.hits if hit.host == "127.0.0.2"}
    assert times["/other"] - max(times[path] for path in ["/a", "/b", "/c"]) >= 2.09


def test_parts_that_are_asked_for_at_once_have_a_limit(scrapy: Scrapy, app: App) -> None:
    """Of a page's 24 MiB it gets eight; little more than that is fetched."""
    app.site.answers |= {f"/big/{number}": [script("/" * 1024 * 1024)] for number in range(24)}
    ask = "let got = 0; for (let n = 0; n < 24; n++) fetch('/big/' + n).then(answer => answer.text())"
    then = ".then(() => { document.title = `Bees ${++got}`; }).catch(() => 0);"
    app.run_own(ask + then + f"document.getElementById('root').textContent = '{20 * TEXT}';")
    done = scrapy.run(*app.words(pages=1))
    assert done.code == 0, done.err
    assert app.titles() == ["Bees 8"]
    assert 8 <= sum(path.startswith("/big/") for path in app.paths()) <= 14
    assert stats(done)["rendered/blocked/limit"] == 16


def test_a_host_where_browsers_add_nothing_is_left_alone(scrapy: Scrapy, app: App) -> None:
    """After three pages; another that gains is rendered all the same."""
    useless = [f"/idle/{number}" for number in range(6)]
    other = app.site.url("/0", host="localhost")
    app.site.answers["/start"] = [page("start", [*useless, other])]
    for path in useless:
        app.site.answers[path] = [Answer(b"<html><body><p>Bees.</p><script>1 + 1</script></body></html>")]
    (app.topic / "topic.toml").write_text(
        f"name = 'bees'\nkeywords = ['bee', 'honey', 'hive']\nseeds = ['{app.site.url('/start')}']\n"
    )
    done = scrapy.run(
        *app.words("FOCUSED_NEAR_DUPLICATES=False", "FOCUSED_ALLOWED_NETWORKS=127.0.0.1/32,::1/128")
    )
    assert done.code == 0, done.err
    assert stats(done)["rendered"] == 6
    assert stats(done)["rendered/gained"] == 3


def test_a_share_is_kept(scrapy: Scrapy, app: App) -> None:
    """None where it is 0."""
    done = scrapy.run(*app.words("FOCUSED_RENDER_SHARE=0"))
    assert done.code == 0, done.err
    assert stats(done) == {"rendered/denied": 1}


def test_a_worn_browser_is_replaced(scrapy: Scrapy, app: App) -> None:
    """Its pages are not lost."""
    done = scrapy.run(*app.words(), before="tests.crawls.app.wear_out")
    assert done.code == 0, done.err
    assert app.titles() == ["Bees /0", "Bees /1", "Bees /2"]
    assert stats(done)["rendered/browsers"] == 3


def test_browsers_that_always_break_are_given_up(scrapy: Scrapy, app: App) -> None:
    """One that takes too much memory is killed; after five in a row there is no sixth."""
    paths = [f"/slow/{number}" for number in range(7)]
    app.site.answers["/0"] = [page("start", paths)]
    app.site.answers["/slow.js"] = [script("")._replace(delay=20)]
    for path in paths:
        app.site.answers[path] = [shell("<script src='/slow.js'></script>")]
    words = app.words("CONCURRENT_REQUESTS=1", "FOCUSED_NEAR_DUPLICATES=False")
    done = scrapy.run(*words, before="tests.crawls.app.starve")
    assert done.code == 0, done.err
    assert len(app.job().pages) == 8
    found = stats(done)
    assert (found["rendered/browsers"], found["rendered/failed/browser"]) == (5, 5)
    assert done.err.count("without a browser: 5 in a row broke") == 1
