"""What `--season` may name, in the words of all help texts and errors."""

SEASON_SOURCES = (
    "nba, which is shipped, a file of games, a folder of such files or of hoopR seasons, rotowire_modified, sample or "
    "none"
)
