"""What the tracker costs over a pretrained language model, relative to that language model alone.

    python -m benchmarks.bench_pretrained

The language model has the sizes of SmolLM2-135M and random weights; nothing is downloaded. Decoding is compared with
`generate` of the bare model with a cache, by the pieces written per second of processor time; a training step (forward
and backward) with one of the bare model, with the same adapters, on the same pieces. One thread; the medians over the
rounds of ratios that are taken within a round.
"""

import functools
import json
import tempfile
import time
from collections.abc import Callable
from statistics import median

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

from dataset_script import open_dataset
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.spelling import NO_PIECE
from stg.training.composite import sizes_of, spell_words
from tests.helpers.tiny_language import folder


SIZES = {
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "vocab_size": 49152,
}
BATCHES = (1, 8)  # games at a time
LENGTHS = {"max_new_tokens": 60, "min_new_tokens": 60}
ROUNDS, LENGTH, DOCUMENTS = 3, 250, 4


def build(path: str, rows: list[dict]) -> tuple[StgForDataToText, StgProcessor]:
    """The tracker over a random language model, which is saved in the folder `path`."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder("llama"))
    tokenizer.save_pretrained(path)
    torch.manual_seed(0)
    special = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    AutoModelForCausalLM.from_config(AutoConfig.for_model("llama", **SIZES, **special)).save_pretrained(path)
    processor = StgProcessor.from_dataset(rows, language_model=path)
    model = StgForDataToText(processor.config(hidden_size=256, writer_size=64, **sizes_of(processor)))
    spell_words(model, processor)
    return model, processor


def seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def pieces_of(model: StgForDataToText, inputs: dict, sequences: torch.Tensor) -> int:
    """How many pieces the words and values of sequences have."""
    is_record = sequences >= model.config.vocab_size
    entity, slot, form = model.config.record_ids.decode(torch.where(is_record, sequences, model.config.vocab_size))
    games = torch.arange(len(sequences)).unsqueeze(1)
    value = torch.where(is_record, inputs["value_surfaces"][games, entity, slot, form], -1)
    words = torch.where(is_record, model.config.pad_token_id, sequences)
    spelled = model.language.pieces(words, value, inputs["surfaces"], torch.zeros_like(is_record), games)
    return int((spelled != NO_PIECE).sum())


def decoding(model: StgForDataToText, inputs: dict) -> float:
    """The time of a greedy text relative to that of as many pieces by the bare model."""
    rounds = []
    for _ in range(ROUNDS):
        written: list[torch.Tensor] = []
        own = seconds(lambda: written.append(model.generate(**inputs, **LENGTHS)))  # noqa: B023
        pieces = pieces_of(model, inputs, written[0]) // len(inputs["entity_ids"])
        rounds.append(own / seconds(functools.partial(write_bare, model, len(inputs["entity_ids"]), pieces)))
    return round(median(rounds), 2)


def write_bare(model: StgForDataToText, texts: int, pieces: int) -> None:
    """Greedy texts of the language model alone, with a cache."""
    model.language.set_context(torch.zeros(1))  # its layers read nothing else
    start = torch.zeros(texts, 1, dtype=torch.long)
    lengths = {"max_new_tokens": pieces, "min_new_tokens": pieces, "do_sample": False}
    model.language.base.generate(start, attention_mask=torch.ones_like(start), pad_token_id=0, **lengths)


def training(model: StgForDataToText, processor: StgProcessor, rows: list[dict]) -> float:
    """The time of a step relative to the bare model's."""
    examples = [processor.encode(row, row["summary"], row["mentions"], row["writer"]) for row in rows[:DOCUMENTS]]
    for example in examples:
        example["labels"] = example["labels"][:LENGTH]
    batch = processor.collate(examples)
    count = pieces_of(model, batch, batch["labels"].clamp(min=0)) // DOCUMENTS
    ids = torch.randint(SIZES["vocab_size"], (DOCUMENTS, count))

    def bare() -> None:
        model.language.set_context(torch.zeros(1))
        model.language.base(input_ids=ids, labels=ids, use_cache=False).loss.backward()

    model.train()
    rounds = [seconds(lambda: model(**batch).loss.backward()) / seconds(bare) for _ in range(ROUNDS)]
    return round(median(rounds), 2)


def measure() -> dict:
    torch.set_num_threads(1)
    rows = list(open_dataset(config="sample", split="train").select(range(60)))
    with tempfile.TemporaryDirectory(prefix="bench-pretrained-") as path:
        model, processor = build(path, rows)
        with torch.no_grad():
            model.eval()
            ratios = {str(size): decoding(model, dict(processor(rows[:size]))) for size in BATCHES}
        return {"decode_ratio_to_bare": ratios, "train_ratio_to_bare": training(model, processor, rows)}


if __name__ == "__main__":
    print(json.dumps(measure()))
