"""`stg compare-rewrites` as a script: python scripts/compare_rewrites.py --help"""

from stg.cli.compare_rewrites import main


if __name__ == "__main__":
    main()
