"""`stg facts` as a script: python scripts/facts.py --help"""

from stg.cli.facts import main


if __name__ == "__main__":
    main()
