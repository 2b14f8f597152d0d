"""`stg score-system` as a script: python scripts/score_system.py --help"""

from stg.cli.score_system import main


if __name__ == "__main__":
    main()
