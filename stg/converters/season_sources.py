"""What `--season` may name, in the words of all help texts and errors."""

SEASON_SOURCES = "a file of games, a folder of hoopR seasons, rotowire_modified or sample"
