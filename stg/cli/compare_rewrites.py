"""How often to write anew what the checker finds false? Compares numbers of rewrites, as in results/ablations.md.

python scripts/compare_rewrites.py --split "validation[:128]" --rewrites 0 1 2 3 6 --raw results/rewrites.jsonl

The checker both judges and counts what is false, and the extractor below it also measures RG, CS and CO; to see
whether that flatters, the extractor's ensemble is halved: for the last number of rewrites, either half judges and both
measure. The texts are those of scripts/generate.py --check, whose batches and seeds these are.
"""

import json

import torch
from tqdm import tqdm

from dataset_script import open_dataset
from modeling_stg.game import Game
from stg.checking.checker import Checker
from stg.checking.findings import FALSE
from stg.checking.judge import CHECKED, Judge
from stg.cli.compare_choices import BATCH, SHOWN, comparison, halves
from stg.cli.console import exits_kindly
from stg.extraction.loading import load_extractor
from stg.loading import load
from stg.metrics.scores import Scorer
from stg.metrics.table import markdown, show


COLUMNS = {name: title for name, title in SHOWN.items() if name != "sanity_credited"} | {"tokens": "tokens"}


def written(model, processor, rows: list, games: list[Game], checker: Checker, rewrites: int) -> list[list[str]]:
    """The tokens of a text for each game."""
    texts = []
    for start in tqdm(range(0, len(games), BATCH), desc=f"{rewrites} rewrites", unit="batch"):
        some = games[start : start + BATCH]
        writers = [row["writer"] if model.config.use_writer else None for row in rows[start : start + BATCH]]
        torch.manual_seed(start)
        options = CHECKED | {"rewrites": rewrites, "judge": Judge(checker, processor, some)}
        texts += processor.batch_tokens(model.generate(**processor(some, writers=writers), **options), some)
    return texts


def counted(checker: Checker, games: list[Game], texts: list[list[str]]) -> dict[str, float]:
    """What the checker refutes, per recap; recaps without, in percent; words."""
    found = [checker.findings(reading) for reading in checker.parse(texts, games)]
    numbers = [sum(each.verdict == FALSE and each.kind == "number" for each in findings) for findings in found]
    others = [sum(each.verdict == FALSE and each.kind != "number" for each in findings) for findings in found]
    return {
        "false_numbers": sum(numbers) / len(games),
        "false_words": sum(others) / len(games),
        "nothing_false": 100 * sum(not any(both) for both in zip(numbers, others, strict=True)) / len(games),
        "tokens": sum(map(len, texts)) / len(games),
    }


@exits_kindly
def main() -> None:
    options = comparison(__doc__)
    options.add_argument("--rewrites", type=int, nargs="+", default=[0, 1, 2, 3], metavar="N", help="default: 0 1 2 3")
    given = options.parse_args()
    rows = list(open_dataset(given.dataset, given.config, given.split))
    games = [Game.from_json(row) for row in rows]
    model, processor = load(given.model)
    references, lines = [row["summary"] for row in rows], []

    def measure(texts: list[list[str]], extractor, **said) -> list[str]:
        """A row of a table; the scores go to `lines`."""
        scores = Scorer(references, games, extractor, progress=False).score(texts, "").scores
        lines.append({**said, "games": len(games), **scores, **counted(Checker(extractor), games, texts)})
        return [*map(str, said.values()), *(show(lines[-1][name]) for name in COLUMNS)]

    extractor = load_extractor()
    table = [
        measure(written(model, processor, rows, games, Checker(extractor), number), extractor, rewrites=number)
        for number in given.rewrites
    ]
    print(markdown(["rewrites", *COLUMNS.values()], table))
    table, by = [], halves()
    for judge, half in by.items():
        texts = written(model, processor, rows, games, Checker(half), given.rewrites[-1])
        table += [measure(texts, other, judged_by=judge, measured_by=name) for name, other in by.items()]
    print(f"\n{markdown(['judged by', 'measured by', *COLUMNS.values()], table)}")
    if given.raw:
        given.raw.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
