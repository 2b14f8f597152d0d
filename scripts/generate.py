"""`stg generate` as a script: python scripts/generate.py --help"""

from stg.cli.generate import main


if __name__ == "__main__":
    main()
