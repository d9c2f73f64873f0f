"""The course made with `ldpbook`: the ledger of claims, exercises, problems, kept runs and figures.

It is in the same wheel as the library. It imports the library, and the library never imports it.
"""
