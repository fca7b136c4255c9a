"""Labelled answers: are the references read, none of them accused, and no invented one cleared?"""
