"""Reading recaps: fact sheets, blind packets and their tallies."""
