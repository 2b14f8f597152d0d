"""`stg compare-choices` as a script: python scripts/compare_choices.py --help"""

from stg.cli.compare_choices import main


if __name__ == "__main__":
    main()
