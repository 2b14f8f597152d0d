"""Which of several sampled texts? Compares ways of choosing one, as in results/ablations.md.

python scripts/compare_choices.py                                          # an hour on one core
python scripts/compare_choices.py --split "validation[:64]" --raw rows.jsonl

All ways choose among the same samples, those with a number in brackets among the first so many. The checker both
judges and counts what is false, and the extractor below it also measures RG, CS and CO; to see whether that flatters,
the extractor's ensemble is halved (convolutions, LSTMs): one half judges, the other measures.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from dataset_script import open_dataset
from modeling_stg.consensus import FALSE, TRUE, agreement, faults
from modeling_stg.game import Game
from stg.checking.checker import Checker
from stg.checking.findings import FALSE as REFUTED
from stg.checking.judge import verdict
from stg.cli.console import exits_kindly, parser
from stg.extraction.loading import load_extractor
from stg.extraction.modeling_extraction import ConvolutionMember, LstmMember, RelationExtractor
from stg.loading import load
from stg.metrics.scores import Scorer, from_counts
from stg.metrics.table import markdown, show


BATCH = 32
BEFORE = 6  # samples and (below) weights of --check before it heard the checker
CHECK = (1, FALSE, TRUE)
WAYS = {  # by whom: whether what is said again comes before agreement, what a false claim takes, what a true one adds
    "the first sample": (1, "relations", (0, 0, 0)),
    f"agreement ({BEFORE})": (BEFORE, "relations", (0, 0, 0)),
    "agreement": (None, "relations", (0, 0, 0)),
    f"relations, less 0.04, plus 0.004 ({BEFORE})": (BEFORE, "relations", (1, 0.04, 0.004)),
    "relations, less 0.04, plus 0.004": (None, "relations", (1, 0.04, 0.004)),
    f"the checker too, less {FALSE}, plus {TRUE} ({BEFORE})": (BEFORE, "checker", CHECK),
    f"the checker too, less {FALSE}, plus {TRUE} (checked, not rewritten)": (None, "checker", CHECK),
    "less 0.04, plus 0.004": (None, "checker", (1, 0.04, 0.004)),
    "less 0.03, plus 0.002": (None, "checker", (1, 0.03, 0.002)),
    "less 0.02, plus 0.002": (None, "checker", (1, 0.02, 0.002)),
}
SHOWN = {
    **{"rg_number": "RG #", "rg_precision": "RG P", "cs_f1": "CS F1", "co_dld": "CO", "bleu": "BLEU"},
    **{"duplicate_ratio": "duplicates", "sanity_credited": "right team"},
    **{"false_numbers": "false numbers", "false_words": "false names and words", "nothing_false": "nothing false, %"},
}


def sample(model, processor, rows: list, games: list[Game], each: int, temperature: float):
    """Of every game: the ids of its texts without padding and end, and their tokens."""
    config = model.config
    ids, texts = [], []
    for start in tqdm(range(0, len(games), BATCH), desc="sampling", unit="batch"):
        some = games[start : start + BATCH]
        writers = [row["writer"] if config.use_writer else None for row in rows[start : start + BATCH]]
        torch.manual_seed(start)
        options = {"do_sample": True, "temperature": temperature, "num_return_sequences": each}
        sequences = model.generate(**processor(some, writers=writers), **options)
        ends = (config.pad_token_id, config.eos_token_id)
        written = [[token for token in row if token not in ends] for row in sequences.tolist()]
        tokens = processor.batch_tokens(sequences, [game for game in some for _ in range(each)])
        ids += [written[first : first + each] for first in range(0, len(written), each)]
        texts += [tokens[first : first + each] for first in range(0, len(tokens), each)]
    return ids, texts


def chosen(way, agreed: np.ndarray, fault: np.ndarray, verdicts: np.ndarray) -> np.ndarray:
    """The sample that a way takes of each game, [G]; agreed and fault [G, N], verdicts [G, N, 3]."""
    again_first, less, plus = way
    again, false, true = verdicts.transpose(2, 0, 1)
    first = fault + again_first * again
    then = agreed + (agreed.shape[1] - 1) * (plus * true - less * false)
    return np.array([max(range(len(row)), key=lambda i: (-first[g, i], row[i])) for g, row in enumerate(then)])


def judged(extractor, games: list[Game], texts: list[list], by: str) -> dict[str, np.ndarray]:
    """Verdicts on every sample, [G, N, 3], by relations alone and by the checker too; what is refuted, [G, N, 2]."""
    checker = Checker(extractor)
    found: dict[str, list] = {"relations": [], "checker": [], "refuted": []}
    for game, some in zip(tqdm(games, desc=f"judging by {by}", unit="game"), texts, strict=True):
        for reading in checker.parse(some, [game] * len(some)):
            findings = checker.findings(reading)
            numbers = [finding.kind == "number" for finding in findings if finding.verdict == REFUTED]
            found["relations"].append(verdict(reading.tokens, reading.relations, ())[:3])
            found["checker"].append(verdict(reading.tokens, reading.relations, findings)[:3])
            found["refuted"].append((sum(numbers), len(numbers) - sum(numbers)))
    return {name: np.array(rows).reshape(len(games), len(texts[0]), -1) for name, rows in found.items()}


def halves() -> dict[str, RelationExtractor]:
    """The extractor with either half of its ensemble alone."""
    found = {}
    for name, kind in (("convolutions", ConvolutionMember), ("LSTMs", LstmMember)):
        found[name] = load_extractor()
        found[name].members = torch.nn.ModuleList(part for part in found[name].members if isinstance(part, kind))
    return found


def comparison(description: str) -> argparse.ArgumentParser:
    """The options that comparisons share."""
    options = parser(description)
    options.add_argument("--model", default="modeling_stg", metavar="DIR", help="default: %(default)s")
    options.add_argument("--dataset", default="rotowire_modified", metavar="NAME", help="default: %(default)s")
    options.add_argument("--config", default="default", help="of the dataset (%(default)s)")
    options.add_argument("--split", default="validation", help="default: %(default)s")
    options.add_argument("--raw", type=Path, metavar="FILE", help="all scores, a line each, as JSON")
    return options


@exits_kindly
def main() -> None:
    options = comparison(__doc__)
    options.add_argument("--samples", type=int, default=16, metavar="N", help="of each game (%(default)s)")
    options.add_argument("--temperature", type=float, default=0.4, metavar="T", help="default: %(default)s")
    given = options.parse_args()
    rows = list(open_dataset(given.dataset, given.config, given.split))
    games = [Game.from_json(row) for row in rows]
    model, processor = load(given.model)
    ids, texts = sample(model, processor, rows, games, given.samples, given.temperature)
    fault = np.array([[faults(text, model.config) for text in some] for some in ids])
    agreed = {}
    for number in sorted({number or given.samples for number, *_ in WAYS.values()}):
        agreed[number] = np.array([agreement(some[:number], model.config) for some in ids])

    scorer = Scorer([row["summary"] for row in rows], games, load_extractor(), progress=True)
    scored = [scorer.score([some[place] for some in texts], f"sample {place + 1}") for place in range(given.samples)]
    verdicts = judged(load_extractor(), games, texts, "all")
    counts, game = np.stack([one.counts for one in scored]), np.arange(len(games))
    results = {}
    for name, (number, judge, way) in WAYS.items():
        number = number or given.samples
        if number > given.samples:
            continue
        taken = chosen(way, agreed[number], fault[:, :number], verdicts[judge][:, :number])
        refuted = verdicts["refuted"][game, taken]
        results[name] = from_counts(counts[taken, game].sum(0)) | {
            "false_numbers": float(refuted[:, 0].mean()),
            "false_words": float(refuted[:, 1].mean()),
            "nothing_false": float(100 * (refuted.sum(1) == 0).mean()),
        }
    print(markdown(["chosen by", *SHOWN.values()], [[k, *(show(v[s]) for s in SHOWN)] for k, v in results.items()]))
    if given.raw:
        lines = [json.dumps({"chosen by": name, "games": len(games), **row}) for name, row in results.items()]
        given.raw.write_text("\n".join(lines) + "\n", encoding="utf-8")

    by = {name: judged(extractor, games, texts, name) for name, extractor in halves().items()}
    lines = []
    for measure, measured in by.items():
        for judge, way in (("nobody", (0, 0, 0)), *((half, CHECK) for half in by)):
            heard = by.get(judge, measured)["checker"]
            taken = chosen(way, agreed[given.samples], fault, heard)
            again, false, true = measured["relations"][game, taken].T
            refuted = measured["refuted"][game, taken].sum(1)
            rates = 100 * true.sum() / (true + false).sum(), 100 * (again > 0).mean(), 100 * (refuted == 0).mean()
            lines.append([judge, measure, *map(show, rates)])
    print(f"\n{markdown(['judged by', 'measured by', 'RG P', 'duplicates', 'nothing false, %'], lines)}")


if __name__ == "__main__":
    main()
