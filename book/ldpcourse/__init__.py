"""What teaches and judges with `ldpbook`: the ledger of claims, exercises, problems, kept runs, figures.

It comes with the same wheel. It imports the library, and the library never imports it.
"""
