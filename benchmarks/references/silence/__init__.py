"""Answers that cite nothing: how often is a citation seen in them?"""
