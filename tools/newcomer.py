"""Try a wheel as a newcomer does: in an empty environment, far from the sources.

    python -m tools.newcomer dist

Installs it, imports it, runs the demo, lets a type checker read a program of five lines, runs it,
and verifies what it wrote. All of them must find their compiled code in the wheel, where the wheel
has some, and compile nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from shoal.kernels.waiting import COMPILING

ROOT = Path(__file__).resolve().parents[1]
STRIPPED = ("PYTHONPATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR", "SHOAL_PROGRESS")
FOR_ALL = "-none-any.whl"
PROGRAM = """\
import shoal

release = shoal.anonymize("shoal-demo/patients.csv", quasi=["birth_date", "sex", "postcode"], k=5)
k: int | None = release.certificate.public.k
release.write("released.csv")
"""


def main() -> None:
    """Say what was tried; stop at what fails."""
    wheel = chosen(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        python = installed(wheel, home)
        shoal = str(Path(python).with_name("shoal"))
        run([python, "-c", "import shoal"], home)
        shown = run([shoal, "demo"], home)
        typed(python, home)
        shown += run([python, "program.py"], home)
        shown += run([shoal, "verify", "released.csv", "released.csv.certificate.json"], home)
        if not wheel.name.endswith(FOR_ALL) and COMPILING in shown:
            sys.exit(f"a first run compiled code that {wheel.name} should carry")
    print(f"{wheel.name}: installed, imported, typed, released, verified", file=sys.stderr)


def chosen(folder: Path) -> Path:
    """Choose the wheel that an installer takes here: one with compiled code, if there is one."""
    wheels = sorted(folder.resolve().glob("*.whl"), key=lambda each: each.name.endswith(FOR_ALL))
    return wheels[0] if wheels else sys.exit(f"no wheel in {folder}: make wheel")


def installed(wheel: Path, home: Path) -> str:
    """Make an environment with a wheel and its locked dependencies; return its Python."""
    python = str(home / "env" / "bin" / "python")
    run([sys.executable, "-m", "venv", "--without-pip", "env"], home)
    uv = [str(Path(sys.executable).with_name("uv")), "pip", "install", "--quiet", "--system-certs"]
    uv += ["--cache-dir", os.environ.get("UV_CACHE_DIR") or str(Path.home() / ".cache" / "uv")]
    into = ["--python", python]
    run([*uv, *into, "--require-hashes", "-r", str(ROOT / "constraints-core.txt")], home)
    run([*uv, *into, "--no-deps", str(wheel)], home)
    return python


def typed(python: str, home: Path) -> None:
    """Let a type checker read a program of a user."""
    (home / "program.py").write_text(PROGRAM, encoding="utf-8")
    checker = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python]
    run([*checker, "--cache-dir", str(home / "types"), "program.py"], home)


def run(command: list[str], home: Path) -> str:
    """Run a command in a folder that is also the user's home; return what it said."""
    # What a newcomer does not have: our sources, our caches, our settings.
    env = {name: text for name, text in os.environ.items() if name not in STRIPPED}
    done = subprocess.run(
        command,
        cwd=home,
        env={**env, "XDG_CACHE_HOME": str(home / "caches")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


if __name__ == "__main__":
    main()
