"""The tests of inlayrt.serving, in the environment with mlserver that scripts/setup --provider remote installs.
python.package leaves them out where that package is missing."""
import os
import pathlib
import subprocess
import sys
import sysconfig

SOURCE = pathlib.Path(os.environ["INLAY_SOURCE"])
sys.path.append(str(SOURCE / "tests"))
from cache import cache, skip  # noqa: E402

# pytest and onnx are this environment's; what both have is the server's own.
PROGRAM = "import sys; sys.path.append(sys.argv[1]); import pytest; sys.exit(pytest.main(sys.argv[2:]))"

server = cache() / "remote/mlserver/bin/python"
if not server.exists():
    skip(f"there is no {server}; scripts/setup --provider remote installs it")
tests = SOURCE / "bindings/python/tests/test_serving.py"
done = subprocess.run(
    [server, "-c", PROGRAM, sysconfig.get_path("purelib"), "-q", "-p", "no:cacheprovider", tests],
    stdout=subprocess.PIPE, text=True, check=False)  # fmt: skip
print(done.stdout, end="")
sys.exit(done.returncode or " skipped" in done.stdout)
