"""SGLang's engine in process, through the same interface as a server."""

import json
import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def test_the_engine_answers_in_process(tiny_model):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WORLDGEN_")}
    environment |= {"SGLANG_USE_CPU_ENGINE": "1", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(HERE.parents[1]), str(HERE / "stand_ins")])
    command = [os.environ["WORLDGEN_SGLANG_PYTHON"], str(HERE / "offline.py"), str(tiny_model)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr[-4_000:]
    free, shaped = json.loads(done.stdout.strip().splitlines()[-1])
    assert (free["finish"], free["tokens"][2]) == ("length", 8)
    assert shaped["text"] in ("yes", "no")
    assert shaped["tokens"][1] > 0
