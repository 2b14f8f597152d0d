"""The same as `stg score_system`: python scripts/score_system.py --help"""

from stg.cli.score_system import main


if __name__ == "__main__":
    main()
