"""Systems to compare with: Templates, conditional copy, neural content planning."""
