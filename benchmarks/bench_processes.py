"""The training step of bench_train, data parallel: one single-threaded process per core.

    accelerate launch --config_file configs/accelerate/cpu.yaml -m benchmarks.bench_processes --batch 16

Processes are set up as in training (`stg.training.loop.start`: gloo, DDP that looks for unused parameters). Each takes
the batch of bench_train; a step ends when all have finished it, in wall-clock time. Steps alternate with measurements
of the peak, by the first process with a thread on every core while the others wait.
"""

import argparse
import json
import time

import torch
from accelerate import Accelerator

from benchmarks.bench_train import TOKENS, alternate, documents, figures, new_model, step
from benchmarks.peak import matmul_peak
from stg.training.loop import start
from stg.training.settings import Settings


def peak_of_all_cores(accelerator: Accelerator) -> float:
    """The peak in the main process; 0 in the others, which wait."""
    accelerator.wait_for_everyone()
    torch.set_num_threads(accelerator.num_processes)
    peak = matmul_peak() if accelerator.is_main_process else 0.0
    torch.set_num_threads(1)
    accelerator.wait_for_everyone()
    return peak


def measure(accelerator: Accelerator, size: int) -> dict:
    """The figures in the main process; {} in the others."""
    torch.set_num_threads(1)
    model, optimizer = new_model()
    batch = documents(model.config, size, TOKENS)
    parallel = accelerator.prepare(model)

    def synchronized_step():
        step(parallel, optimizer, batch)
        accelerator.wait_for_everyone()

    peak, step_seconds = alternate(lambda: peak_of_all_cores(accelerator), synchronized_step, time.perf_counter)
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
