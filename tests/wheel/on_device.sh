#!/usr/bin/env bash
# Builds the wheel with CUDA, installs it into a fresh environment that sees this interpreter's
# CuPy and PyTorch, and runs there the tests of tests/wheel and the examples. Needs no network.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: tests/wheel/on_device.sh OUT [WHEELHOUSE]

  OUT         folder for build.log, tests.log, examples.log, the record of the examples
              (MACHINE.json, for examples/python/records/) and the wheel
  WHEELHOUSE  folder of wheels that are pure Python: nanobind, scikit-build-core, pathspec,
              packaging, pytest and what it needs, networkx [.wheelhouse]

Environment: PYTHON is the interpreter [python3]; ARCHITECTURES are those of the devices [80;90];
MACHINE is the name in the record of the examples [device]. For one architecture the build takes
half the time.
USAGE
}

case ${1:---help} in
  -h | --help)
    usage
    exit 0
    ;;
esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
out=$(mkdir -p "$1" && cd "$1" && pwd -P)
wheelhouse=$(cd "${2:-$root/.wheelhouse}" && pwd -P)
python=$(command -v "${PYTHON:-python3}")
machine=${MACHINE:-device} architectures=${ARCHITECTURES:-80;90}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { printf '%(%T)T %s\n' -1 "$*" | tee -a "$out/examples.log"; }

# Tools of pure Python are unpacked: that needs neither pip nor a network.
unpack() {
  "$python" - "$@" <<'PYTHON'
import sys
import zipfile

folder, *wheels = sys.argv[1:]
for wheel in wheels:
    if wheel.endswith("none-any.whl") or "sparserepro" in wheel:
        zipfile.ZipFile(wheel).extractall(folder)
PYTHON
}
tools=$work/tools
unpack "$tools" "$wheelhouse"/*.whl

say "$("$python" --version), $(cmake --version | head -n 1), $(nvcc --version | tail -n 1)"
say "building"
settings='"build-dir": "'$work/build'"'
# Before 3.26 CMake does not know the stable ABI: the wheel is then for this Python alone.
if [[ $(cmake --help-module FindPython) != *Development.SABIModule* ]]; then
  settings+=', "wheel.py-api": "", "cmake.version": ">=3.25"'
fi
(
  cd "$root"
  PYTHONPATH=$tools CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) "$python" - <<PYTHON
from nanobind import cmake_dir
from scikit_build_core.build import build_wheel

build_wheel("$out", {
    $settings,
    "cmake.define.SPARSEREPRO_CUDA": "ON",
    "cmake.define.CMAKE_CUDA_ARCHITECTURES": "$architectures",
    "cmake.define.nanobind_DIR": cmake_dir(),
})
PYTHON
) >"$out/build.log" 2>&1 || {
  tail -n 40 "$out/build.log"
  exit 1
}
say "installing"
"$python" -m venv --without-pip "$work/venv"
packages=$(echo "$work"/venv/lib/python3*/site-packages)
unpack "$packages" "$out"/sparserepro-*.whl
{
  "$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
  echo "$tools"
} >"$packages/others.pth"
installed=$work/venv/bin/python

say "the wheel has $(stat -c %s "$out"/sparserepro-*.whl) bytes; machine code:"
IFS=';' read -ra wanted <<<"$architectures"
"$python" "$root/tests/wheel/architectures.py" "$packages"/sparserepro/_cuda*.so "${wanted[@]}" |
  tee -a "$out/examples.log" || {
  say "not for all of $architectures"
  exit 1
}

say "testing"
status=0
(
  cd "$work"
  "$installed" -m pytest -q -p no:cacheprovider --durations=10 \
    -c "$root/tests/wheel/pytest.ini" "$root/tests/wheel"
) >"$out/tests.log" 2>&1 || status=1
tail -n 3 "$out/tests.log" | tee -a "$out/examples.log"

say "examples"
"$installed" -W ignore "$root/examples/python/record.py" --device cuda --machine "$machine" \
  --print "$out/$machine.json" 2>&1 | tee -a "$out/examples.log" || status=1
say "done"
exit "$status"
