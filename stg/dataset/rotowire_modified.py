"""RotoWire-Modified with writers, as a `datasets` builder.

    from stg.dataset.rotowire_modified import RotowireModified

    builder = RotowireModified(config_name="default", archive="rotowire.tar.bz2", lookup_dir="rotowire-modified")
    builder.download_and_prepare()
    train = builder.as_dataset("train")

With datasets < 4, `dataset_script/rotowire_modified.py` makes it a loading script. datasets >= 4 has no loading
scripts: `stg data` writes the folder that `load_dataset` reads.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import datasets

from stg.dataset.archive import (
    SOURCE,
    ArchiveError,
    download_archive,
    download_lookups,
    read_archive,
    read_games_file,
    read_lookups,
)
from stg.dataset.join import Entry, Joined, join_default, join_extra, join_partial
from stg.dataset.schema import FEATURES


CITATION = """@inproceedings{iso-etal-2019-learning,
    title = "Learning to Select, Track, and Generate for Data-to-Text",
    author = "Iso, Hayate and Uehara, Yui and Ishigaki, Tatsuya and Noji, Hiroshi and Aramaki, Eiji and
              Kobayashi, Ichiro and Miyao, Yusuke and Okazaki, Naoaki and Takamura, Hiroya",
    booktitle = "Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics",
    year = "2019",
}"""


@dataclass
class RotowireModifiedConfig(datasets.BuilderConfig):
    """The sources; `archive` and `lookup_dir` are downloaded if not given."""

    archive: str | None = None
    lookup_dir: str | None = None
    extra: Sequence[str] = ()
    partial: str | None = None
    allow_missing: bool = False
    source: str = SOURCE


class RotowireModified(datasets.GeneratorBasedBuilder):
    """Box scores, summaries and their writers: `default`, and the additional training texts `extra` and `partial`."""

    VERSION = datasets.Version("1.0.0")
    BUILDER_CONFIG_CLASS = RotowireModifiedConfig
    BUILDER_CONFIGS = [
        RotowireModifiedConfig(name="default", version=VERSION, description="RotoWire-Modified (Iso et al. 2019)"),
        RotowireModifiedConfig(name="extra", version=VERSION, description="later games, writers unknown"),
        RotowireModifiedConfig(
            name="partial", version=VERSION, description="train games, record-bearing sentences only"
        ),
    ]
    DEFAULT_CONFIG_NAME = "default"
    left_out: Sequence[str] = ()

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            description="RotoWire box scores with game summaries and the (anonymous) writer of each summary.",
            features=FEATURES,
            homepage="https://github.com/aistairc/rotowire-modified",
            citation=CITATION,
        )

    def _split_generators(self, dl_manager) -> list[datasets.SplitGenerator]:
        joined = self._join()
        self.left_out = joined.left_out
        return [
            datasets.SplitGenerator(name=split, gen_kwargs={"entries": entries})
            for split, entries in joined.entries.items()
        ]

    def _generate_examples(self, entries: tuple[Entry, ...]) -> Iterator[tuple[int, dict]]:
        for key, entry in enumerate(entries):
            yield key, entry.row()

    def _join(self) -> Joined:
        config = self.config
        if config.name == "extra" and not config.extra:
            raise ArchiveError("extra: no file of extra games; give at least one with --extra FILE.json.xz")
        if config.name == "partial" and not config.partial:
            raise ArchiveError("partial: no file of partial games; give one with --partial FILE.json.xz")
        lookups = read_lookups(config.lookup_dir or download_lookups(config.source))
        games = read_archive(config.archive or download_archive(config.source))
        default = join_default(games, lookups, config.allow_missing)
        if config.name == "extra":
            return join_extra([game for file in config.extra for game in read_games_file(file)], default)
        if config.name == "partial":
            return join_partial(read_games_file(config.partial), lookups, default)
        return default
