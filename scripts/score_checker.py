"""The same as `stg score_checker`: python scripts/score_checker.py --help"""

from stg.cli.score_checker import main


if __name__ == "__main__":
    main()
