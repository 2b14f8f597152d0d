"""The same as `stg compare_rewrites`: python scripts/compare_rewrites.py --help"""

from stg.cli.compare_rewrites import main


if __name__ == "__main__":
    main()
