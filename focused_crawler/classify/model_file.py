"""The two files of a trained model: model.json (small, to be read by people too) and weights.npz (arrays).

Neither can run code. model.json names the format and the hash of weights.npz: a half-copied or half-written
model is refused. Each file appears whole or not at all, model.json last. A topic's HMM is kept in the same
way beside its classifier, as hmm.json and hmm.npz.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from focused_crawler.errors import ModelError

FORMAT = 3


class Files(NamedTuple):
    """The names of a model's two files."""

    header: str
    arrays: str


MODEL = Files("model.json", "weights.npz")
HMM = Files("hmm.json", "hmm.npz")

Header = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


def write_model(
    folder: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], files: Files = MODEL
) -> None:
    """Write both files into `folder`, which is made if missing; raises ModelError."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    weights = buffer.getvalue()
    full = {"format": FORMAT, "weights_sha256": sha256(weights).hexdigest(), **header}
    text = json.dumps(full, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(folder / files.arrays, weights)
        _replace(folder / files.header, text.encode())
    except OSError as error:
        raise ModelError(
            f"cannot write the model to {folder}: {error.strerror}; choose a folder you may write to"
        ) from error


def read_model(folder: Path, files: Files = MODEL) -> tuple[Header, Arrays]:
    """Return what was written; raises ModelError for files that are missing, broken or of another format."""
    try:
        header = json.loads((folder / files.header).read_text(encoding="utf-8"))
        weights = (folder / files.arrays).read_bytes()
    except OSError as error:
        raise broken(folder, f"{Path(error.filename).name}: {error.strerror}") from error
    except ValueError as error:
        raise broken(folder, f"{files.header} is not JSON") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        found = header.get("format") if isinstance(header, dict) else None
        raise broken(folder, f"its format is {found}, not {FORMAT}")
    if header.get("weights_sha256") != sha256(weights).hexdigest():
        raise broken(folder, f"{files.arrays} is not the file that {files.header} was written with")
    try:
        with np.load(io.BytesIO(weights), allow_pickle=False) as arrays:
            return header, dict(arrays)
    except (OSError, ValueError, BadZipFile) as error:
        raise broken(folder, f"{files.arrays} holds no arrays") from error


def broken(folder: Path, why: str) -> ModelError:
    """Return the error of a model that cannot be used."""
    name = folder.parent.name if folder.name == "model" else folder.name
    return ModelError(
        f"the model in {folder} cannot be used ({why}); make it again with: scrapy train {name}"
    )


def _replace(path: Path, content: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
