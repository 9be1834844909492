"""The two files of a trained model: model.json (small, to be read by people too) and weights.npz (arrays).

Neither can run code, whatever stands in it. model.json names the format and the hash of weights.npz: a
half-copied model is refused. Each file appears whole or not at all, model.json last; until then the arrays
before it stay, so that after `kill -9` there is the old model or the new one. A topic's HMM is kept in the
same way beside its classifier, as hmm.json and hmm.npz.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Mapping
from errno import EACCES, ENOTDIR
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from focused_crawler.page.text.weighting import Matrix
from focused_crawler.safety.errors import ModelError
from focused_crawler.safety.formats import tidy
from focused_crawler.safety.package_folder import check_lasts
from focused_crawler.safety.plain_file import read_plain
from focused_crawler.safety.whole_file import replace_file

FORMAT = 3

LARGEST_HEADER = 64 * 1024 * 1024
LARGEST = 512 * 1024 * 1024
"""Bytes of all arrays together, packed and unpacked: a small file may claim to be any size."""

MOST = 1e30
"""No number of a model comes near it; products and squares of larger ones would have no end."""


class Files(NamedTuple):
    """The names of a model's two files, and the command that makes them, but for the topic's name."""

    header: str
    arrays: str
    command: str = "scrapy train"


MODEL = Files("model.json", "weights.npz")
HMM = Files("hmm.json", "hmm.npz")

Header = dict[str, Any]
Arrays = dict[str, NDArray[Any]]
_Model = TypeVar("_Model")


def write_model(
    folder: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], files: Files = MODEL
) -> None:
    """Write both files into `folder`, which is made if missing; raises ModelError, TopicError."""
    check_lasts(folder)
    write_files(folder, *packed(header, arrays), files)


def packed(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> tuple[bytes, bytes]:
    """Return the content of both files."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    weights = buffer.getvalue()
    full = {"format": FORMAT, "weights_sha256": sha256(weights).hexdigest(), **header}
    text = json.dumps(full, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode(), weights


def write_files(folder: Path, header: bytes, weights: bytes, files: Files = MODEL) -> None:
    """Write both files as they are, the header last; raises ModelError."""
    place, before = folder / files.arrays, _before(folder, files)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if _are_one(folder, files):  # else a writer was killed, and what it left stays
            replace_file(before, place.read_bytes())
        replace_file(place, weights)
        replace_file(folder / files.header, header)
        before.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error


def check_writable(folder: Path) -> None:
    """Raise ModelError where no model can be written to a folder: training finds that out first."""
    try:
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        if not there.is_dir():
            raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR))
        if not os.access(there, os.W_OK | os.X_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> ModelError:
    return ModelError(
        f"cannot write the model to {folder}: {error.strerror}; choose a folder you may write to"
    )


def read_files(folder: Path) -> tuple[bytes, bytes]:
    """Return header and arrays as they were written together; raises ModelError."""
    _, header, weights = _checked(folder, MODEL)
    return header, weights


def read_model(folder: Path, build: Callable[[Header, Arrays], _Model], files: Files = MODEL) -> _Model:
    """Return what `build` makes of what was written.

    Raises ModelError for files that are missing, broken or of another format, and where `build` raises.
    """
    header, _, weights = _checked(folder, files)
    try:
        arrays = _unpacked(weights)
    except Exception as error:  # zip, zlib, numpy and its reader of headers each raise their own kinds
        raise broken(folder, f"{files.arrays} holds no arrays", files) from error
    try:
        return build(header, arrays)
    except Exception as error:  # a library, or a user's own method, makes of damaged parts what it can
        raise broken(folder, f"{type(error).__name__}: {error}", files) from error


def _checked(folder: Path, files: Files) -> tuple[Header, bytes, bytes]:
    """Return the header, read and as it stands, and the arrays that belong to it; raises ModelError."""
    try:
        content = read_plain(folder / files.header, LARGEST_HEADER)
        header = json.loads(content.decode())
        weights = read_plain(folder / files.arrays, LARGEST)
    except OSError as error:
        raise broken(folder, f"{Path(error.filename).name}: {error.strerror}", files) from error
    except (ValueError, RecursionError) as error:
        raise broken(folder, f"{files.header} is not JSON", files) from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        found = header.get("format") if isinstance(header, dict) else None
        raise broken(folder, f"its format is {found}, not {FORMAT}", files)
    if header.get("weights_sha256") != sha256(weights).hexdigest():
        weights = _weights_before(folder, files)
    if header.get("weights_sha256") != sha256(weights).hexdigest():
        raise broken(folder, f"{files.arrays} is not the file that {files.header} was written with", files)
    return header, content, weights


def _before(folder: Path, files: Files) -> Path:
    """Return where the arrays of the model that is there lie while another is written."""
    return folder / f".{files.arrays}.before"


def _are_one(folder: Path, files: Files) -> bool:
    """Tell whether the two files that are there were written together."""
    try:
        header = json.loads(read_plain(folder / files.header, LARGEST_HEADER))
        weights = read_plain(folder / files.arrays, LARGEST)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(header, dict) and header.get("weights_sha256") == sha256(weights).hexdigest()


def _weights_before(folder: Path, files: Files) -> bytes:
    """Return the arrays that a killed writer left for the header that is still there; empty: none."""
    try:
        return read_plain(_before(folder, files), LARGEST)
    except OSError:
        return b""


def _unpacked(weights: bytes) -> Arrays:
    with ZipFile(io.BytesIO(weights)) as archive:
        if sum(member.file_size for member in archive.infolist()) > LARGEST:
            raise ValueError("too large")
    with np.load(io.BytesIO(weights), allow_pickle=False) as arrays:
        return {name: array for name, array in arrays.items() if isinstance(array, np.ndarray)}


def number(value: Any, least: float = -MOST, most: float = MOST) -> float:
    """Return a finite number of a header; raises ValueError for any other value."""
    if not isinstance(value, int | float) or not np.isfinite(value) or not least <= value <= most:
        raise ValueError(f"{str(value)[:40]} stands for a number")
    return float(value)


def numbers(array: NDArray[Any], length: int | None = None) -> NDArray[np.float64]:
    """Return a row of finite numbers; raises ValueError for anything else."""
    if array.ndim != 1 or array.dtype.kind not in "fiu" or not (np.abs(array) <= MOST).all():
        raise ValueError("an array holds no row of numbers")
    if length is not None and len(array) != length:
        raise ValueError(f"an array has {len(array)} numbers for {length} terms")
    return array.astype(np.float64)


def words(array: NDArray[Any]) -> list[str]:
    """Return a row of words; raises ValueError for anything else."""
    if array.ndim != 1 or array.dtype.kind != "U":
        raise ValueError("an array holds no row of words")
    return [str(word) for word in array.tolist()]


def matrix_arrays(matrix: Matrix) -> Arrays:
    """Return the arrays that a sparse matrix consists of."""
    return {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}


def matrix_of(arrays: Arrays, shape: tuple[int, int]) -> Matrix:
    """Return the matrix of counts or weights that the arrays hold; raises ValueError for anything else.

    Numbers outside it would make SciPy read and write foreign memory.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - loads slowly

    data, indices, indptr = arrays["data"], arrays["indices"], arrays["indptr"]
    if data.dtype.kind != "f" or indices.dtype.kind != "i" or indptr.dtype.kind != "i":
        raise ValueError("counts are no numbers")
    if not ((data >= 0) & (data <= MOST)).all():
        raise ValueError("counts are not finite, or below 0")
    # SciPy's own check goes by the last of `indptr`: where that is 0, it looks at no other.
    is_sound = indptr.shape == (shape[0] + 1,) and data.shape == indices.shape == (indptr[-1],)
    if not is_sound or indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        raise ValueError("the rows of a matrix are not one behind the other")
    matrix = csr_array((data, indices, indptr), shape=shape)
    matrix.check_format(full_check=True)
    return matrix


def broken(folder: Path, why: str, files: Files = MODEL) -> ModelError:
    """Return the error of a model that cannot be used."""
    if folder.name in ("candidate", "previous"):
        folder = folder.parent
    name = folder.parent.name if folder.name == "model" else folder.name
    command = f"{files.command} {name}" if files.command == "scrapy train" else files.command
    return ModelError(f"the model in {folder} cannot be used ({tidy(why)}); make it again with: {command}")
