"""`generate`: Algorithm 1 of the paper for a batch of games, with the usual options and our controls."""

from dataclasses import dataclass, replace

import torch
from torch import nn
from transformers.utils import ModelOutput

from .choosing import FIXED, IDS, ORDINARY, OWN, USUAL, Chooser, Settings, WordRules, asked_by, check_kinds
from .consensus import write as write_by_consensus
from .decoder_state import Decoding
from .errors import StgError
from .record_constraints import Demands
from .search import search


INPUTS = (
    *("entity_ids", "entity_mask", "is_home", "value_ids", "record_mask", "has_word", "value_words", "writer_ids"),
    *("required", "plan", "other_arenas"),
)
TRAINING_ONLY = ("labels", "form_known")


@dataclass
class StgGenerateOutput(ModelOutput):
    """Every decision, [N, T]; -1 where there was none, and False, -1 or 0 after the end.

    Log-probabilities are the model's own: before temperature, penalties and controls.
    """

    sequences: torch.Tensor | None = None  # [N, T], padded after <EoD>
    z: torch.Tensor | None = None  # whether a record is stated
    entity: torch.Tensor | None = None  # its position among the game's entities
    attribute: torch.Tensor | None = None  # its slot
    as_word: torch.Tensor | None = None  # 1: as a number word, 0: as it stands, -1: no choice
    log_probs: torch.Tensor | None = None  # the sum of the step's decisions
    # [N], beams: what they are ranked by, the log-probabilities after penalties / length ** length_penalty
    sequences_scores: torch.Tensor | None = None


class TrackedGeneration:
    """The `generate` of a model with a tracker (a mixin of `StgForDataToText`)."""

    def generate(
        self, inputs=None, generation_config=None, streamer=None, judge=None, **kwargs
    ) -> torch.Tensor | StgGenerateOutput:
        """Writes one or more texts for each game of a batch of the processor.

        Args:
            kwargs: the processor's tensors, and any of `ORDINARY` (as in transformers), which override
                `generation_config`, and of `OWN`:
                z_threshold: a record is stated where p(Z_t = 1) is at least this (0.5 in the paper); samples and beams
                    take p(Z_t = 1) to be 1/2 there.
                sentence_ngram_size: no so many words twice within one sentence, and no word twice in a row (0: off).
                no_repeat_sentences: no sentence twice; a repetition is left at its eighth token, or at its end.
                avoid_repeats: no number of the box score is stated twice, no player taken up again in a later sentence
                    once his points are told, no team named twice in a sentence, no number of a player followed twice
                    by the same word; otherwise names may be repeated.
                grounded_only: at Z_t = 0 no numeral and no number word, so that every number is a cell.
                own_arena: no word is written that names another team's home court (`nba.py` knows which).
                end_penalty: taken from the logit of <EoD>; above 0 texts become longer, below 0 shorter.
                consensus: so many texts are sampled (at `temperature`, with top_k and top_p), and the one is kept that
                    has the fewest repetitions and agrees best with the others (`consensus.py`; 0: off).
                rewrites: with a judge, so often is a text that it finds false taken up again before the first false
                    sentence: `consensus` texts are sampled from there, and of them and the text the one is kept that
                    has the fewest repetitions, then the fewest false claims (0: off).
            streamer: gets the ids of each step, [N], and `end()`.
            judge: with `consensus`, is shown all that was sampled, [N, T], with the number of the game that each is
                about, and gives a `Verdict` on each (`consensus.py`).

        Returns sequences [games * num_return_sequences, T] of ids, padded after <EoD>, or an `StgGenerateOutput`.
        """
        if inputs is not None:
            raise StgError("generate: give the processor's batch by name, as in generate(**processor(games))")
        settings, batch, wants_dict = self._settings(generation_config, kwargs)
        training = [module for module in self.modules() if module.training]
        self.eval()
        try:
            with torch.inference_mode(), torch.autocast(self.device.type, enabled=False):
                output = self._generate(batch, settings, streamer, judge, wants_dict)
        finally:
            for module in training:
                module.training = True
        # copied, because nobody may change a tensor that was made in inference mode
        output = StgGenerateOutput(**{name: tensor.clone() for name, tensor in output.items()})
        if not wants_dict:
            return output.sequences
        for name, decision in read_decisions(output.sequences, self.config).items():
            output[name] = decision
        return output

    def _generate(self, batch, settings: Settings, streamer, judge, record: bool) -> StgGenerateOutput:
        """By beams, by consensus, or straight on."""
        if judge is not None and not settings.consensus:
            raise StgError("judge: there is one text and nothing to choose from; set consensus to 2 or more")
        if settings.rewrites and judge is None:
            raise StgError("rewrites: nobody tells what is false; give a judge, as generate.py --check does")
        if settings.num_beams > 1:
            if streamer is not None:
                raise StgError("streamer: beams end only when all is written; use num_beams=1")
            return StgGenerateOutput(**search(self, batch, settings))
        if settings.consensus:
            if streamer is not None:
                raise StgError("streamer: consensus chooses only when all is written; use consensus=0")
            each = {"num_return_sequences": settings.consensus, "consensus": 0, "rewrites": 0}
            several = replace(settings, do_sample=True, **each)

            def sample(part):
                return self._write(part, several, None, record)

            return StgGenerateOutput(**write_by_consensus(sample, batch, settings, self.config, judge))
        return self._write(batch, settings, streamer, record)

    def _settings(self, generation_config, kwargs) -> tuple[Settings, dict[str, torch.Tensor], bool]:
        batch = {name: kwargs.pop(name) for name in INPUTS if kwargs.get(name) is not None}
        missing = [name for name in INPUTS[:7] if name not in batch]
        if missing:
            raise StgError(f"generate: {', '.join(missing)} missing; call generate(**processor(games))")
        options = {name: value for name, value in kwargs.items() if name not in (*TRAINING_ONLY, *INPUTS)}
        if options.get("consensus"):
            options["do_sample"] = True
        given = asked_by(generation_config) | options
        odd = [name for name in given if name not in (*ORDINARY, *OWN)]
        if odd:
            raise StgError(f"generate: {', '.join(odd)} not known; it takes {', '.join((*ORDINARY, *OWN))}")
        for name, only in (*((name, vars(self.config)[name]) for name in IDS), *FIXED.items()):
            if given.get(name, only) not in (None, only):
                raise StgError(f"{name}: {given[name]} has no effect here, it is always {only}; leave it out")
        check_kinds(given)
        longest = [options.get("max_new_tokens"), options.get("max_length")]
        for config in (generation_config, self.generation_config):
            longest += [] if config is None else [config.max_new_tokens or None, config.max_length or None]
        try:
            prepared, rest = self._prepare_generation_config(generation_config, **options)
        except ValueError as error:
            raise StgError(f"generate: {' '.join(str(error).split())}") from None
        chosen = {name: rest.get(name, vars(prepared).get(name)) for name in (*ORDINARY, *OWN)}
        chosen["max_new_tokens"] = next((length for length in longest if length is not None), None)
        chosen["min_new_tokens"] = chosen["min_new_tokens"] or chosen["min_length"]
        settings = Settings(**{name: value if chosen[name] is None else chosen[name] for name, value in USUAL.items()})
        batch = {name: tensor.to(self.device) for name, tensor in batch.items()}
        return settings, batch, bool(chosen["return_dict_in_generate"])

    def _write(self, batch, settings: Settings, streamer, record: bool) -> StgGenerateOutput:
        """Greedy or sampled: one document for each row, until all have ended."""
        config = self.config
        decoding = Decoding(self, batch, settings.num_return_sequences)
        documents, device = len(decoding), decoding.game.device
        choose, rules = Chooser(settings), WordRules(settings, config, batch, decoding.game)
        demands = Demands.read(batch, settings, config, decoding.game)
        sequences = torch.full((settings.max_new_tokens, documents), config.pad_token_id, device=device)
        log_probs = torch.zeros(settings.max_new_tokens, documents, device=device) if record else None
        time = 0
        while time < settings.max_new_tokens and len(decoding):
            places = decoding.place
            tokens, step_log_probs, some_end = self._step(decoding, choose, rules, demands, record)
            sequences[time].index_copy_(0, places, tokens)
            if record:
                log_probs[time].index_copy_(0, places, step_log_probs.to(log_probs.dtype))
            if streamer is not None:
                streamer.put(sequences[time].cpu())
            time += 1
            if some_end:
                decoding.keep((tokens != config.eos_token_id).nonzero().squeeze(1))
        if streamer is not None:
            streamer.end()
        output = StgGenerateOutput(sequences=sequences[:time].t())
        if record:
            output.log_probs = log_probs[:time].t()
        return output

    def _step(self, decoding: Decoding, choose: Chooser, rules: WordRules, demands, record: bool):
        """One token for every row: its id, [R], (if `record`) its log-probability, [R], and whether any is the end.

        A word is chosen for every row, because a product over all rows is as fast as one over most of them. A step
        waits for its device only where it is said who states a record, who ends a sentence and who the text, and where
        a sample is drawn.
        """
        z = decoding.look()
        states = choose.yes(z, choose.settings.z_logit)
        if demands is not None:
            states = demands.transition(states, decoding.place, rules.time)
        scores = decoding.word_scores()
        raw = scores.clone() if record else None
        scores = rules.apply(scores, decoding.place)
        words = choose.index(scores if demands is None else demands.words(scores, decoding.place))
        if demands is not None:
            words, states = demands.end(words, states, decoding.place)
        log_probs = picked(raw, words) if record else None
        written, rows, periods = written_by(words, states, rules.period)
        tokens = words
        if rows.shape[0]:
            h_lm = decoding.h_lm(rows)
            entities = decoding.entity_scores(rows, h_lm)
            allowed = None
            if demands is not None:
                allowed = demands.allowed(rows, decoding.place[rows], decoding.current[rows])
            entity = choose.index(entities if allowed is None else restrict(entities, allowed.any(2)))
            entered = decoding.enter(rows, entity)
            attributes = decoding.attribute_scores(rows, entity, entered)
            if allowed is not None:
                allowed = allowed[torch.arange(len(entity), device=entity.device), entity]
            slot = choose.index(attributes if allowed is None else restrict(attributes, allowed))
            if demands is not None:
                again = demands.names_again(rows, decoding.place[rows], words[rows], entity, slot)
                if again.any():
                    states = states.index_fill(0, rows[again], False)
                    kept = ~again
                    rows, entity, slot, entered = (part[kept] for part in (rows, entity, slot, entered))
                    entities, attributes = entities[kept], attributes[kept]
                    written, _, periods = written_by(words, states, rules.period)
            cell = decoding.cell(rows, entity, slot)
            decoding.move(rows, entity, cell, entered, periods)
            n = decoding.look_again(rows)
            has_word = decoding.has_word.index_select(0, cell)
            form = (choose.yes(n) & has_word).long()
            if demands is not None:
                form = demands.form(form, rows)
            pointer = torch.add(slot, entity, alpha=decoding.slots)
            tokens = words.index_copy(0, rows, torch.add(form + rules.vocab_size, pointer, alpha=2))
            words = words.index_copy(0, rows, decoding.value(cell, form))
            if demands is not None:
                demands.stated(decoding.place[rows], entity, slot)
            if record:
                form_log_prob = torch.where(has_word, nn.functional.logsigmoid(torch.where(form == 1, n, -n)), 0)
                record_log_prob = picked(entities, entity) + picked(attributes, slot) + form_log_prob
                log_probs = log_probs.index_copy(0, rows, record_log_prob)
        elif periods.shape[0]:
            decoding.refresh(periods)
        if record:
            log_probs += nn.functional.logsigmoid(torch.where(states, z, -z))
        rules.remember(decoding.place, words, tokens)
        if demands is not None:
            demands.wrote(decoding.place, words)
        decoding.write(words)
        return tokens, log_probs, rules.end in written


def written_by(words: torch.Tensor, states: torch.Tensor, period: int) -> tuple[list[int], torch.Tensor, torch.Tensor]:
    """words [R] as a list, -1 where a record is stated; the rows that state one, [K]; that end a sentence, [P]."""
    written = words.masked_fill(states, -1).tolist()
    rows = [[row for row, word in enumerate(written) if word == each] for each in (-1, period)]
    return written, *(torch.tensor(some, device=words.device) if some else words[:0] for some in rows)


def restrict(scores: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
    return scores.masked_fill(~allowed, float("-inf"))


def picked(scores: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """Log-probabilities [K] of what was chosen from scores [K, N]."""
    return scores.log_softmax(1).gather(1, index.unsqueeze(1)).squeeze(1)


def read_decisions(sequences: torch.Tensor, config) -> dict[str, torch.Tensor]:
    """Z, E, A and N of every step: the ids hold them all."""
    z = sequences >= config.vocab_size
    pointer = torch.where(z, sequences - config.vocab_size, 0)
    slots = config.num_slots
    entity, slot = pointer // (2 * slots), pointer // 2 % slots
    return {
        "z": z,
        "entity": torch.where(z, entity, -1),
        "attribute": torch.where(z, slot, -1),
        "as_word": torch.where(z, pointer % 2, -1),
    }
