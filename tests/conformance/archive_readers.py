"""Reads a recording back with one tool and prints what it found as JSON; needs nothing but that tool.

    python tests/conformance/archive_readers.py TOOL WARC

It runs in the Python that has the tool, which need not be that of the project: see archives.py.
"""

from __future__ import annotations

import base64
import http.client
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

Found = dict[str, dict[str, object]]


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def warcio(path: Path) -> Found:
    """Blocks as they are stored; digests are checked in a second pass."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415

    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            record.raw_stream.read()
    with path.open("rb") as file:
        return {
            record.rec_headers.get_header("WARC-Target-URI"): {"block": _text(record.raw_stream.read())}
            for record in ArchiveIterator(file, no_record_parse=True)
            if record.rec_type == "response"
        }


def fastwarc(path: Path) -> Found:
    """Blocks as they are stored, with both digests verified."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType  # noqa: PLC0415

    found: Found = {}
    for record in ArchiveIterator(path.open("rb"), record_types=WarcRecordType.response, parse_http=False):
        sound = record.verify_block_digest(consume=False)
        found[record.headers["WARC-Target-URI"]] = {"sound": sound, "block": _text(record.reader.read())}
    for record in ArchiveIterator(path.open("rb"), record_types=WarcRecordType.response, parse_http=False):
        one = found[record.headers["WARC-Target-URI"]]
        try:
            record.parse_http(auto_decode="none")
        except OSError as error:  # a head of 100 KB: it parses 64 KB
            one["refused"] = str(error)
            continue
        one["payload"] = record.verify_payload_digest(consume=False)
        one["status"] = record.http_headers.status_code
    return found


def cdxj(path: Path) -> Found:
    """What an index of it has, and the block found by the index's offset."""
    from cdxj_indexer.main import CDXJIndexer  # noqa: PLC0415
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index.cdxj"
        with index.open("w") as output:
            CDXJIndexer(output, [str(path)]).process_all()
        lines = [json.loads(line.split(" ", 2)[2]) for line in index.read_text().splitlines()]
    found: Found = {}
    with path.open("rb") as file:
        for line in lines:
            file.seek(int(line["offset"]))
            record = next(ArchiveIterator(file, no_record_parse=True))
            status = int(line["status"])
            found[line["url"]] = {"status": status, "block": _text(record.raw_stream.read())}
    return found


def pywb(path: Path) -> Found:
    """What pywb answers to a browser that wants each page as it was: status and body."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415

    with path.open("rb") as file:
        urls = [
            record.rec_headers.get_header("WARC-Target-URI")
            for record in ArchiveIterator(file)
            if record.rec_type == "response"
        ]
    scripts = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        for words in (["init", "all"], ["add", "all", str(path)]):
            subprocess.run([scripts / "wb-manager", *words], cwd=folder, check=True, capture_output=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [scripts / "wayback", "-b", "127.0.0.1", "-p", str(port)]
        silent = subprocess.DEVNULL
        with subprocess.Popen(command, cwd=folder, stdout=silent, stderr=silent) as server:
            try:
                _wait_for(port)
                return {url: _replayed(f"http://127.0.0.1:{port}/all/id_/{url}") for url in urls}
            finally:
                server.terminate()


def _wait_for(port: int) -> None:
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def _replayed(url: str) -> dict[str, object]:
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        answer = opener.open(url, timeout=20)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        try:
            body = answer.read()
        except http.client.IncompleteRead as error:  # as it was recorded, of a body that was cut
            body = error.partial
        return {"status": answer.status, "body": _text(body)}


TOOLS = {"warcio": warcio, "fastwarc": fastwarc, "cdxj": cdxj, "pywb": pywb}

if __name__ == "__main__":
    print(json.dumps(TOOLS[sys.argv[1]](Path(sys.argv[2]))))
