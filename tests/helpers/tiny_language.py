"""Tiny random language models of several families, with a tokenizer, and composites over them."""

import functools
import tempfile

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.text import detokenize
from stg.training.composite import sizes_of, spell_words
from tests.helpers.tiny_model import SIZES, league


_LLAMA_SIZES = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
}
FAMILIES = {
    "llama": _LLAMA_SIZES,
    "qwen2": _LLAMA_SIZES,
    "gpt2": {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 512},
}
START, END = "<s>", "</s>"


@functools.cache
def folder(family: str) -> str:
    """The folder of a random language model, whose pieces are learnt from the sample league's texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=[START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator((detokenize(row["summary"]) for row in league()), trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=START, eos_token=END)
    path = tempfile.mkdtemp(prefix=f"tiny-{family}-")
    fast.save_pretrained(path)
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        family,
        vocab_size=len(fast),
        bos_token_id=fast.bos_token_id,
        eos_token_id=fast.eos_token_id,
        **FAMILIES[family],
    )
    language = AutoModelForCausalLM.from_config(config)
    for parameter in language.parameters():  # else every word is about as likely as any other
        if parameter.ndim == 2:
            torch.nn.init.normal_(parameter, std=0.2)
    language.save_pretrained(path)
    return path


@functools.cache
def processor(family: str = "llama") -> StgProcessor:
    return StgProcessor.from_dataset(league(), language_model=folder(family))


def composite(family: str = "llama", seed: int = 0, **sizes) -> StgForDataToText:
    """The untrained tracker over a random language model."""
    torch.manual_seed(seed)
    own = {**SIZES, "adapter_rank": 2, "adapted_layers": 2, **sizes, **sizes_of(processor(family))}
    model = StgForDataToText(processor(family).config(**own)).eval()
    spell_words(model, processor(family))
    return model


def disturbed(family: str = "llama", **sizes) -> StgForDataToText:
    """One in which everything that starts at zero has some other value."""
    model = composite(family, **sizes)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    return model


def batch(model: StgForDataToText, games: int = 3, family: str = "llama"):
    rows = league()[:games]
    examples = [processor(family).encode(row, row["summary"], row["mentions"], row["writer"]) for row in rows]
    for number, example in enumerate(examples):
        example["labels"] = example["labels"][: 90 + 7 * number]
    return processor(family).collate(examples)
