"""Mutation testing: small changes to the code, one at a time, that the tests should notice."""
