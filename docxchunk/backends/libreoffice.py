"""Convert .doc, .rtf and .odt files to .docx with an installed LibreOffice (https://www.libreoffice.org).

Each conversion runs in a temporary folder, with a profile that disables macros and external
content. Afterwards the folder is deleted and all processes are killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from docxchunk.errors import DamagedError, LimitError, MissingExtraError
from docxchunk.model.options import Limits

_PROGRAMS: Final = (
    "soffice",
    "libreoffice",
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
)
_MISSING: Final = (
    "LibreOffice is not installed, or its program soffice is not on PATH; "
    "install it, or "
    "save the file as .docx."
)
# without a filter, LibreOffice reads a broken file as plain text
_FILTERS: Final = {"doc": "MS Word 97", "rtf": "Rich Text Format", "odt": "writer8"}
_SAFE: Final = ("DisableMacrosExecution", "BlockUntrustedRefererLinks", "DisableActiveContent")
_PROFILE: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items '
    'xmlns:oor="http://openoffice.org/2001/registry">'
    + "".join(
        '<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop '
        f'oor:name="{name}" oor:op="fuse"><value>true</value></prop></item>'
        for name in _SAFE
    )
    + "</oor:items>\n"
)


def to_docx(source: bytes, suffix: str, limits: Limits) -> bytes:
    """Return the .docx that LibreOffice makes of a file; `suffix` is "doc", "rtf" or "odt".

    Raise MissingExtraError if LibreOffice is not installed, LimitError if it takes longer than
    `limits.conversion` seconds or the result is too large, DamagedError if there is no result.
    """
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        raise MissingExtraError(_MISSING)
    with TemporaryDirectory(prefix="docxchunk-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "profile" / "user").mkdir(parents=True)
        (folder / "profile" / "user" / "registrymodifications.xcu").write_text(_PROFILE, "utf-8")
        (folder / f"document.{suffix}").write_bytes(source)
        output = _run(_command(program, folder, suffix), folder, limits.conversion)
        return _result(folder / "out" / "document.docx", output, limits)


def _command(program: str, folder: Path, suffix: str) -> list[str]:
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    options = ("--headless", "--norestore", "--nolockcheck", "--nodefault")
    return [
        program,
        profile,
        *options,
        f"--infilter={_FILTERS[suffix]}",
        "--convert-to",
        "docx",
        "--outdir",
        str(folder / "out"),
        str(folder / f"document.{suffix}"),
    ]


def _run(command: list[str], folder: Path, seconds: int) -> str:
    """Run the program and return its output. The program and its child processes are killed at the
    end, also after an error.
    """
    environment = os.environ | dict.fromkeys(("HOME", "TMPDIR", "TMP", "TEMP"), str(folder))
    with (
        (folder / "output.txt").open("wb") as output,
        subprocess.Popen(  # noqa: S603 - the program is LibreOffice, the file names are ours
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            env=environment,
            start_new_session=True,
        ) as process,
    ):
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise LimitError(
                f"LibreOffice took more than {seconds:,} seconds to convert it; raise the "
                "limit `conversion` if you trust the file.",
                "conversion",
            ) from error
        finally:
            _kill(process)
    return (folder / "output.txt").read_text("utf-8", "replace")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and, except on Windows, its process group."""
    if sys.platform == "win32":
        process.kill()
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _result(path: Path, output: str, limits: Limits) -> bytes:
    if not path.is_file():
        last = [line for line in output.splitlines() if line.strip()][-1:]
        reason = last[0].strip()[:200] if last else "it says nothing"
        raise DamagedError(
            f"LibreOffice could not convert it ({reason}); open it in Word and save it as .docx."
        )
    limits.admit_file(path.stat().st_size)
    return path.read_bytes()
