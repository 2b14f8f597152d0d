"""Measures speed relative to the reference twins in tests/ and to this machine's matmul peak.

    make bench        (or: python -m benchmarks.bench)

Training is measured in a separate process per batch size, to get its own peak memory, and then data parallel with one
single-threaded process per core, as recommended for CPUs. The table is printed; the figures go to
benchmarks/latest.json. Compare the ratios between machines, not the seconds.
On a shared machine, OMP_NUM_THREADS=1 measures single-process training in CPU time.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import torch
from tqdm import tqdm


FOLDER = Path(__file__).resolve().parent
TRAIN = (16, 32)
PROCESSES = torch.get_num_threads()  # one per core
CPU = FOLDER.parent / "configs" / "accelerate" / "cpu.yaml"
LAUNCH = (
    *("-m", "accelerate.commands.launch", "--config_file", str(CPU)),
    *("--num_processes", str(PROCESSES), "--num_cpu_threads_per_process", "1", "--main_process_port", "0"),
)


def run(module: str, *arguments: str, launch: tuple[str, ...] = ()) -> dict:
    """Runs a benchmark module in a process of its own and returns the JSON on its last line."""
    command = [sys.executable, *launch, "-m", f"benchmarks.{module}", *arguments]
    quiet = os.environ | {"TORCH_CPP_LOG_LEVEL": "ERROR"}  # DDP warns that no parameter is unused
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=quiet, cwd=FOLDER.parent)
    return json.loads(done.stdout.splitlines()[-1])


def report(results: dict) -> str:
    lines = ["training step (forward, backward, clipping, AMSGrad), paper size, 380-token documents"]
    lines.append(f"{'batch':>6} {'tokens/s':>9} {'of matmul peak':>15} {'x twin':>7} {'memory GB':>10} {'threads':>8}")
    for batch, row in results["train"].items():
        lines.append(
            f"{batch:>6} {row['tokens_per_second']:>9.0f} {row['peak_share']:>15.0%} {row['ratio_to_twin']:>7.1f} "
            f"{row['memory_gb']:>10.2f} {row['threads']:>8}"
        )
    for batch, row in results["train"].items():
        shares = ", ".join(f"{name} {share:.0%}" for name, share in row["share_of_time"].items())
        lines.append(f"batch {batch}: {shares}")
        growth = ", ".join(f"{length} tokens {ratio:.2f}" for length, ratio in row["time_by_length"].items())
        lines.append(f"batch {batch}: time by length of document: {growth}")
    lines.append(
        f"the same step, data parallel in {PROCESSES} single-threaded processes (gloo): batch and memory per process, "
        "tokens/s in total, relative to the peak and the twin with all threads"
    )
    lines.append(f"{'batch':>6} {'tokens/s':>9} {'of matmul peak':>15} {'x twin':>7} {'memory GB':>10}")
    for batch in map(str, TRAIN):
        row = results["train_processes"][batch]
        lines.append(
            f"{batch:>6} {row['tokens_per_second']:>9.0f} {row['peak_share']:>15.0%} {row['ratio_to_twin']:>7.1f} "
            f"{row['memory_gb']:>10.2f}"
        )
    loop = results["loop"]
    lines.append(
        f"whole training loop, batch 16, sample league: {loop['tokens_per_second']:.0f} tokens/s, "
        f"{loop['share_of_bare_step']:.0%} of the bare step"
    )
    lines.append("decoding (greedy), paper size, relative to the twin of Algorithm 1, one game at a time")
    for key, title in (("decode", ""), ("decode_without_c", "the same without the C kernels")):
        lines += [title] if title else []
        lines.append(f"{'batch':>6} {'tokens/s':>9} {'x twin':>7} {'x twin if only matrix products took time':>41}")
        for batch, row in results[key].items():
            ceiling = f" {row['ceiling_ratio_to_twin']:>41.1f}" if batch != "twin" else ""
            lines.append(f"{batch:>6} {row['tokens_per_second']:>9.0f} {row['ratio_to_twin']:>7.1f}{ceiling}")
    facts = results["facts"]
    lines.append(
        f"all groups of facts, time relative to the paper's own inputs, batch 32: writing {facts['write']:.2f} "
        f"(facts, processor and generate; generate alone {facts['generate']:.2f}), training {facts['train']:.2f}, "
        f"encoder alone {facts['encoder']:.2f}; computing facts takes {facts['facts_share']:.0%} of writing"
    )
    pretrained = results["pretrained"]
    by_batch = ", ".join(f"batch {size} {ratio:.2f}" for size, ratio in pretrained["decode_ratio_to_bare"].items())
    lines.append(
        f"the tracker over a language model of 135 M parameters, time per piece relative to that model: decoding "
        f"{by_batch}; training step {pretrained['train_ratio_to_bare']:.2f}"
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=FOLDER / "latest.json", help="file for the figures")
    output = parser.parse_args().output
    results: dict[str, dict] = {"train": {}, "train_processes": {"processes": PROCESSES}}
    with tqdm(total=2 * len(TRAIN) + 5, desc="benchmarks") as bar:
        for batch in map(str, TRAIN):
            results["train"][batch] = run("bench_train", "--batch", batch)
            bar.update()
            single, parallel = results["train"][batch], run("bench_processes", "--batch", batch, launch=LAUNCH)
            speedup = parallel["tokens_per_second"] / single["tokens_per_second"]
            results["train_processes"][batch] = {**parallel, "ratio_to_twin": speedup * single["ratio_to_twin"]}
            bar.update()
        results["loop"] = run("bench_loop")
        bar.update()
        results["decode"] = run("bench_decode")
        bar.update()
        results["decode_without_c"] = run("bench_decode", "--without-c")
        bar.update()
        results["facts"] = run("bench_facts")
        bar.update()
        results["pretrained"] = run("bench_pretrained")
        bar.update()
    output.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(report(results))


if __name__ == "__main__":
    main()
