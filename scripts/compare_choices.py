"""Which of several sampled texts? Compares ways of choosing one, as in results/ablations.md.

python scripts/compare_choices.py                                          # half an hour on one core
python scripts/compare_choices.py --split "validation[:64]" --raw rows.jsonl

All ways choose among the same samples. The extractor both judges and measures; to see whether it flatters itself, its
ensemble is halved (convolutions, LSTMs): one half judges, the other measures.
"""

import json
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from console import exits_kindly, parser
from dataset_script import open_dataset
from extraction_stg.judging_stg import verdict
from extraction_stg.modeling_extraction_stg import ConvolutionMember, LstmMember
from loading import load
from metrics.reading import load_extractor
from metrics.scores import Scorer, from_counts
from metrics.table import markdown, show
from modeling_stg.consensus_stg import FALSE, TRUE, agreement, faults
from modeling_stg.game_stg import Game


BATCH = 32
CHECK = (1, 0, FALSE, TRUE)
WAYS = {  # what comes before agreement (said again, false), what a false relation takes and a true one adds
    "the first sample": None,
    "agreement": (0, 0, 0, 0),
    "said again first": (1, 0, 0, 0),
    "and less 0.02 for a false relation": (1, 0, 0.02, 0),
    "and less 0.04": (1, 0, 0.04, 0),
    "and less 0.1": (1, 0, 0.1, 0),
    "and less 0.02, plus 0.004 for a true one": (1, 0, 0.02, 0.004),
    f"and less {FALSE}, plus {TRUE} (--check)": CHECK,
    "and less 0.04, plus 0.01": (1, 0, 0.04, 0.01),
    "and less 0.06, plus 0.004": (1, 0, 0.06, 0.004),
    "said again and false first": (1, 1, 0, 0),
}
SHOWN = {
    **{"rg_number": "RG #", "rg_precision": "RG P", "cs_f1": "CS F1", "co_dld": "CO", "bleu": "BLEU"},
    **{"duplicate_ratio": "duplicates", "sanity_credited": "right team"},
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
    if way is None:
        return np.zeros(len(agreed), dtype=int)
    again_first, false_first, less, plus = way
    again, false, true = verdicts.transpose(2, 0, 1)
    first = fault + again_first * again + false_first * false
    then = agreed + (agreed.shape[1] - 1) * (plus * true - less * false)
    return np.array([max(range(len(row)), key=lambda i: (-first[g, i], row[i])) for g, row in enumerate(then)])


def halves(games: list[Game], texts: list[list]) -> dict[str, np.ndarray]:
    """The verdicts of either half of the extractor's ensemble on every sample, [G, N, 3]."""
    found = {}
    flat, of_games = [text for some in texts for text in some], [game for game in games for _ in texts[0]]
    for name, kind in (("convolutions", ConvolutionMember), ("LSTMs", LstmMember)):
        extractor = load_extractor()
        extractor.members = torch.nn.ModuleList(part for part in extractor.members if isinstance(part, kind))
        verdicts = []
        for start in tqdm(range(0, len(flat), BATCH), desc=f"reading by {name}", unit="batch"):
            relations = extractor.extract_batch(flat[start : start + BATCH], of_games[start : start + BATCH])
            verdicts += map(verdict, relations)
        found[name] = np.array(verdicts).reshape(len(games), -1, 3)
    return found


@exits_kindly
def main() -> None:
    options = parser()
    options.add_argument("--model", default="modeling_stg", metavar="DIR", help="default: %(default)s")
    options.add_argument("--dataset", default="rotowire_modified", metavar="NAME", help="default: %(default)s")
    options.add_argument("--config", default="default", help="of the dataset (%(default)s)")
    options.add_argument("--split", default="validation", help="default: %(default)s")
    options.add_argument("--samples", type=int, default=6, metavar="N", help="of each game (%(default)s)")
    options.add_argument("--temperature", type=float, default=0.4, metavar="T", help="default: %(default)s")
    options.add_argument("--raw", type=Path, metavar="FILE", help="all scores, one way a line, as JSON")
    given = options.parse_args()
    rows = list(open_dataset(given.dataset, given.config, given.split))
    games = [Game.from_json(row) for row in rows]
    model, processor = load(given.model)
    ids, texts = sample(model, processor, rows, games, given.samples, given.temperature)
    agreed = np.array([agreement(some, model.config) for some in ids])
    fault = np.array([[faults(text, model.config) for text in some] for some in ids])

    scorer = Scorer([row["summary"] for row in rows], games, load_extractor(), progress=True)
    scored = [scorer.score([some[place] for some in texts], f"sample {place + 1}") for place in range(given.samples)]
    verdicts = np.array([[verdict(told) for told in one.relations] for one in scored]).transpose(1, 0, 2)
    counts, game = np.stack([one.counts for one in scored]), np.arange(len(games))
    results = {}
    for name, way in WAYS.items():
        taken = chosen(way, agreed, fault, verdicts)
        results[name] = from_counts(counts[taken, game].sum(0))
    print(markdown(["chosen by", *SHOWN.values()], [[k, *(show(v[s]) for s in SHOWN)] for k, v in results.items()]))
    if given.raw:
        lines = [json.dumps({"chosen by": name, "games": len(games), **row}) for name, row in results.items()]
        given.raw.write_text("\n".join(lines) + "\n", encoding="utf-8")

    by = halves(games, texts)
    lines = []
    for measure, measured in by.items():
        for judge, way in (("nobody", WAYS["agreement"]), *((half, CHECK) for half in by)):
            again, false, true = measured[game, chosen(way, agreed, fault, by.get(judge, measured))].T
            lines.append(
                [judge, measure, show(100 * true.sum() / (true + false).sum()), show(100 * (again > 0).mean())]
            )
    print(f"\n{markdown(['judged by', 'measured by', 'RG P', 'duplicates'], lines)}")


if __name__ == "__main__":
    main()
