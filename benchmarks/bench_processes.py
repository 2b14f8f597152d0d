"""The training step of bench_train.py, data parallel: as many processes as there are cores, one thread each.

Run by `make bench`; alone:
accelerate launch --config_file configs/accelerate/cpu.yaml benchmarks/bench_processes.py --batch 16

The processes are those of training (`training.loop.start`: gloo, DDP that looks for unused parameters). Each takes the
batch of bench_train.py; a step is over when all have finished it, by the clock on the wall. The peak is measured in
turns with the steps, by the first process with a thread on every core, while the others wait.
"""

import argparse
import json
import time

import torch
from accelerate import Accelerator

from benchmarks.bench_train import TOKENS, documents, figures, in_turns, step, training
from benchmarks.peak import matmul_peak
from stg.training.loop import start
from stg.training.settings import Settings


def peak_of_all_cores(accelerator: Accelerator) -> float:
    """Known to the first process; 0 in those that wait for it."""
    accelerator.wait_for_everyone()
    torch.set_num_threads(accelerator.num_processes)
    peak = matmul_peak() if accelerator.is_main_process else 0.0
    torch.set_num_threads(1)
    accelerator.wait_for_everyone()
    return peak


def measure(accelerator: Accelerator, size: int) -> dict:
    """Figures of all processes, in the first; {} in the others."""
    torch.set_num_threads(1)
    model, optimizer = training()
    batch = documents(model.config, size, TOKENS)
    parallel = accelerator.prepare(model)

    def step_of_all():
        step(parallel, optimizer, batch)
        accelerator.wait_for_everyone()

    peak, step_seconds = in_turns(lambda: peak_of_all_cores(accelerator), step_of_all, time.perf_counter)
    if not accelerator.is_main_process:
        return {}
    return figures(model.config, batch, step_seconds, peak, accelerator.num_processes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=16, help="documents per process and step")
    options = parser.parse_args()
    accelerator = start(Settings(deterministic=False))
    accelerator.print(json.dumps(measure(accelerator, options.batch)))
    accelerator.end_training()
