"""`stg score-checker` as a script: python scripts/score_checker.py --help"""

from stg.cli.score_checker import main


if __name__ == "__main__":
    main()
